"""Durable work under kill -9 on SQLite and PostgreSQL: nothing is lost, and nothing that must not is done twice."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from hakoniwa.errors import JournalError
from hakoniwa.jobs import Flow, Jobs
from hakoniwa.jobs.dbos import PULSE, DbosJobs
from tests.jobs.contract import Bench, DurableContract, ended, flow, until
from tests.jobs.nursery import AT_ONCE, ONCE, POINTS, ROOT, STEPS, WAKE, Diary, Nursery, autonomy, nursery, slow
from tests.trust.scratch import scratch

RANDOM_KILLS = int(os.environ.get("RANDOM_KILLS", "4"))
RESUMED_WITHIN = 5.0


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    """On a server, or in memory if there is room: a kill is no other one for want of a slow disk."""
    if request.param == "postgres":
        yield request.getfixturevalue("postgres")
    else:
        with scratch() as folder:
            yield f"sqlite:///{folder}/jobs.db"


@pytest.fixture(scope="module")
def workers() -> Iterator[Nursery]:
    with nursery() as found:
        yield found


@pytest.fixture
def diary(tmp_path: Path) -> Diary:
    return Diary(tmp_path / "diary")


@pytest.fixture
def jobs(url: str, diary: Diary) -> Iterator[Jobs]:
    """Starts and watches; the workers are other processes."""
    with closing(DbosJobs(url, [autonomy(diary, lambda *_: None), slow(diary)])) as jobs:
        yield jobs


@pytest.mark.long
class TestPostgres(DurableContract):
    @pytest.fixture(autouse=True)
    def place(self, postgres: str) -> None:
        self.url = postgres

    def open(self, *flows: Flow) -> Jobs:
        return DbosJobs(self.url, flows, pulse=0.05)

    def test_a_server_that_drops_every_connection_stops_nothing(self, bench: Bench) -> None:
        with self.at_work(flow(bench.step("a"), bench.held("b"), bench.step("c", once=True))) as jobs:
            jobs.start("line", "k", {})
            until(lambda: "k/b begins" in bench.done)
            with psycopg.connect(self.url, autocommit=True) as other:
                other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
                until(lambda: other.execute("SELECT 1 FROM pg_locks WHERE locktype = 'advisory'").fetchone())
            bench.let["b"].set()
            assert ended(jobs, "k").value == "bc"
        assert bench.done == ["k/a", "k/b begins", "k/b", "k/c"]


def test_a_server_that_does_not_answer_is_named_without_the_password() -> None:
    with pytest.raises(JournalError) as raised:
        DbosJobs("postgresql://me:secret@127.0.0.1:1/garden", [])
    assert raised.value.details["path"] == "postgresql://***@127.0.0.1:1/garden"
    assert "secret" not in str(raised.value.details)


def test_a_kill_at_every_point_of_every_step_loses_nothing_and_repeats_no_side_effect(
    url: str, jobs: Jobs, workers: Nursery, diary: Diary
) -> None:
    points = [(step, point) for step in STEPS for point in POINTS][url.startswith("sqlite") :: 2]  # half on each
    for number, fatal in enumerate(points):
        one = workers.bear(url, diary, (f"k{number}", *fatal))
        if number:
            ended(jobs, f"k{number - 1}")  # what the last one left, before this one is killed in turn
        jobs.start("autonomy", f"k{number}", {"from": ""})
        until(lambda one=one: not workers.alive(one))
    workers.bear(url, diary)
    for number, (step, point) in enumerate(points):
        key = f"k{number}"
        unknown = step == ONCE and point != "kept"
        told = "unknown>publish>follow" if unknown else ">gather>act>publish>follow"
        assert ended(jobs, key).value == told, (step, point)
        times = {name: diary.count(key, name) for name in STEPS}
        again = {step: 2} if point == "done" and step != ONCE else {ONCE: 0} if unknown and point == "begun" else {}
        assert times == dict.fromkeys(STEPS, 1) | again, (step, point)
    workers.kill_all()


@pytest.mark.long
@pytest.mark.timeout(300 + 10 * RANDOM_KILLS)
def test_kills_at_random_lose_nothing_and_repeat_no_side_effect(
    url: str, jobs: Jobs, workers: Nursery, diary: Diary
) -> None:
    chance, keys = random.Random(20240229), [f"r{number}" for number in range(6 * RANDOM_KILLS)]
    for key in keys:
        jobs.start("autonomy", key, {"from": key})
    for _ in range(RANDOM_KILLS):
        born, ready = workers.bear(url, diary), diary.count("ready")
        until(lambda ready=ready: diary.count("ready") > ready)
        time.sleep(chance.uniform(0.2, 0.6))
        workers.kill(born)
    workers.bear(url, diary)
    told = {key: ended(jobs, key) for key in keys}
    assert {one.status for one in told.values()} == {"done"}
    times = Counter(tuple(entry.words) for entry in diary.entries())
    assert [
        key for key in keys if times[key, ONCE] > 1 or (told[key].value.startswith(key) and not times[key, ONCE])
    ] == []
    assert [(key, name) for key in keys for name in STEPS if name != ONCE and not times[key, name]] == []
    again = sum(times[key, name] - 1 for key in keys for name in STEPS if name != ONCE)
    assert again <= RANDOM_KILLS * AT_ONCE, "what was recorded is not done again"
    workers.kill_all()


def test_the_living_take_over_from_the_dead_and_leave_the_living_alone(
    url: str, jobs: Jobs, workers: Nursery, diary: Diary
) -> None:
    both = [workers.bear(url, diary) for _ in range(2)]
    until(lambda: diary.count("ready") == 2)
    jobs.start("slow", "s", {"waits": True})
    until(lambda: diary.count("s/sleep", "begins"))
    time.sleep(0.5)  # ten times as long as it takes to look after one another
    assert diary.count("s/sleep", "begins") == 1, "a living worker's step was run by another"
    first = diary.found("s/sleep", "begins")[0].writer
    workers.kill(first)
    until(lambda: diary.count("s/sleep", "begins") == 2)
    diary.write(WAKE)
    assert ended(jobs, "s").value == ["slept", "slept"]
    seen = [(*entry.words, entry.writer == first) for entry in diary.entries() if len(entry.words) > 1]
    assert seen == [
        ("s/before", "begins", True),
        ("s/before", "ends", True),
        ("s/sleep", "begins", True),
        ("s/sleep", "begins", False),
        ("s/sleep", "ends", False),
    ]
    assert first in both
    workers.kill_all()


def test_who_was_taken_for_dead_and_comes_back_changes_nothing(postgres: str, workers: Nursery, diary: Diary) -> None:
    with closing(DbosJobs(postgres, [slow(diary)])) as jobs:
        first = workers.bear(postgres, diary)
        jobs.start("slow", "s", {"waits": True, "once": True})
        until(lambda: diary.count("s/sleep", "begins"))
        workers.kill(first, signal.SIGSTOP)
        with psycopg.connect(postgres, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        workers.bear(postgres, diary)  # after it, or its own connection may be ended before it is at work
        assert ended(jobs, "s").value == ["slept", "unknown"]
        diary.write(WAKE)
        workers.kill(first, signal.SIGCONT)
        until(lambda: diary.count("s/sleep", "ends"))
        jobs.start("slow", "after", {"waits": False})
        assert ended(jobs, "after").value == ["slept", "slept"]
        assert ended(jobs, "s").value == ["slept", "unknown"]
    assert diary.count("s/sleep", "begins") == 1
    workers.kill_all()


@pytest.mark.pace
def test_work_is_resumed_within_seconds_of_a_restart(url: str, jobs: Jobs, workers: Nursery, diary: Diary) -> None:
    jobs.start("slow", "s", {"waits": True})
    one = workers.bear(url, diary)
    until(lambda: diary.count("s/sleep", "begins"))
    workers.kill(one)
    program = f"from tests.jobs.nursery import worker; worker({url!r}, {str(diary.path)!r}, [], {PULSE})"
    with subprocess.Popen([sys.executable, "-c", program], cwd=ROOT) as restarted:
        until(lambda: diary.count("s/sleep", "begins") == 2)
        restarted.kill()
    ready, begins = diary.found("ready")[-1], diary.found("s/sleep", "begins")[-1]
    assert {ready.writer, begins.writer} == {restarted.pid}
    # Until it is ready it only computes: what others on this machine take from it there is not its own time.
    assert ready.busy + begins.at - ready.at < RESUMED_WITHIN


def test_a_database_killed_while_it_was_being_made_can_still_be_made(
    tmp_path: Path, workers: Nursery, diary: Diary
) -> None:
    chance = random.Random(20240229)
    for number in range(6):
        url = f"sqlite:///{tmp_path}/{number}.db"
        one = workers.bear(url, diary)
        time.sleep(chance.uniform(0, 0.12))
        workers.kill(one)
        with closing(DbosJobs(url, [slow(diary)])) as jobs:
            jobs.start("slow", "s", {"waits": False})
            assert jobs.status("s") == "waiting"
