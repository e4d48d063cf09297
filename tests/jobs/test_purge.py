"""What flows found out is purged from where work is kept, while they run and after, to the last byte."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import make_url

from hakoniwa.jobs import Flow, Jobs
from hakoniwa.jobs import purge as purging
from hakoniwa.jobs.dbos import DbosJobs
from hakoniwa.jobs.purge import jobs_beside, purge
from tests.jobs.contract import Bench, ended, flow, until

CANARY = "canary7391"


@contextmanager
def at_work(file: Path, *flows: Flow) -> Iterator[Jobs]:
    with closing(DbosJobs(f"sqlite:///{file}", flows, pulse=0.05)) as jobs:
        jobs.run()
        yield jobs


def holds(file: Path) -> list[str]:
    return [one.name for one in sorted(file.parent.glob(f"{file.name}*")) if one.is_file() and _said_in(one)]


def _said_in(file: Path) -> bool:
    return CANARY.encode() in file.read_bytes()


def test_work_is_kept_beside_the_journal_or_in_its_server() -> None:
    assert jobs_beside(make_url("sqlite:////gardens/journal.db")).database == "/gardens/journal.jobs.db"
    server = make_url("postgresql://me:secret@there/garden")
    assert jobs_beside(server) == server


def test_where_nobody_ever_worked_nothing_is_made(tmp_path: Path) -> None:
    assert not purge(make_url(f"sqlite:///{tmp_path / 'jobs.db'}"), ["k"])
    assert list(tmp_path.iterdir()) == []


def test_no_byte_is_left_of_flows_that_are_over_and_of_those_that_were_cleared(tmp_path: Path) -> None:
    file, bench = tmp_path / "jobs.db", Bench()
    with at_work(file, flow(bench.step(CANARY))) as jobs:
        for key in ("k", "cleared", "other"):
            jobs.start("line", key, {"from": "x" if key == "other" else CANARY})
            ended(jobs, key)
        jobs.clear("cleared")
        assert holds(file)
        assert not purge(make_url(f"sqlite:///{file}"), ["k", "other"])
        assert holds(file) == []
        assert jobs.status("k") == "done"


def test_a_flow_under_way_ends_and_records_nothing_more(tmp_path: Path) -> None:
    file, bench = tmp_path / "jobs.db", Bench()
    with at_work(file, flow(bench.step(CANARY), bench.held("b"), bench.step("c"))) as jobs:
        jobs.start("line", "k", {"from": CANARY})
        until(lambda: "k/b begins" in bench.done)
        assert not purge(make_url(f"sqlite:///{file}"), ["k"])
        assert holds(file) == []
        assert jobs.status("k") == "cancelled"
        bench.let["b"].set()
        jobs.start("line", "next", {"from": "y"})
        until(lambda: "next/b" in bench.done)
    assert "k/c" not in bench.done
    with closing(sqlite3.connect(file)) as database:
        steps = {key for (key,) in database.execute("SELECT workflow_uuid FROM operation_outputs")}
    assert "k" not in steps


def test_a_reader_elsewhere_keeps_old_pages_alive_and_the_answer_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(purging, "PATIENCE", 0.2)
    file, bench = tmp_path / "jobs.db", Bench()
    with at_work(file, flow(bench.step("a"))) as jobs:
        jobs.start("line", "k", {"from": CANARY})
        ended(jobs, "k")
    url = make_url(f"sqlite:///{file}")
    with closing(sqlite3.connect(file)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM workflow_status").fetchall()
        assert purge(url, ["k"])
        reader.rollback()
    assert not purge(url, ["k"])
    assert holds(file) == []
