"""The way of a task to the runner and back: nobody takes it twice, and nobody's death loses it."""

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hakoniwa.capabilities import spool as module
from hakoniwa.capabilities.spool import AgentJob, AgentOutcome, ClaimedJob, Spool, job_id, remove_task_files


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    return Spool(tmp_path / "spool")


def job(number: int = 0) -> AgentJob:
    return AgentJob(id=job_id(f"k{number}"), command="echo", instruction=f"お茶 {number}")


def claimed(spool: Spool) -> ClaimedJob:
    claim = spool.claim()
    assert claim is not None
    return claim


def test_a_task_moves_on_and_says_where_it_is(spool: Spool) -> None:
    one = job()
    assert spool.state(one.id) is None
    assert spool.submit(one)
    assert spool.state(one.id) == "queued"
    claim = claimed(spool)
    assert (claim.job, spool.state(one.id), spool.outcome(one.id)) == (one, "claimed", None)
    assert spool.silent_for(one.id) < 60
    spool.end(one.id, AgentOutcome(exit_code=0))
    assert (spool.state(one.id), spool.outcome(one.id)) == ("ended", AgentOutcome(exit_code=0))


def test_whatever_has_been_queued_is_not_queued_again(spool: Spool) -> None:
    for _ in range(2):
        spool.submit(job())
    claimed(spool)
    spool.submit(job())
    assert spool.claim() is None
    spool.end(job().id, AgentOutcome())
    spool.submit(job())
    assert spool.claim() is None


@pytest.mark.parametrize("ended", [False, True])
def test_a_second_copy_of_a_task_is_thrown_away(ended: bool, spool: Spool, tmp_path: Path) -> None:
    """As two who submit at the same moment may leave it."""
    spool.submit(job())
    waiting = spool.root / "queued" / f"{job().id}.json"
    shutil.copy(waiting, tmp_path / "copy")
    claim = claimed(spool)
    if ended:
        spool.end(job().id, AgentOutcome(fault="exit"))
        os.close(claim.lock)
    shutil.copy(tmp_path / "copy", waiting)
    assert spool.claim() is None
    assert not waiting.exists()
    assert spool.state(job().id) == ("ended" if ended else "claimed")


def test_the_first_word_on_how_it_ended_counts(spool: Spool) -> None:
    spool.end(job().id, AgentOutcome(fault="lost"))
    spool.end(job().id, AgentOutcome(exit_code=0))
    assert spool.outcome(job().id) == AgentOutcome(fault="lost")


def test_a_task_is_abandoned_when_nobody_holds_it_any_more(spool: Spool) -> None:
    spool.submit(job())
    claim = claimed(spool)
    assert spool.abandoned() == []
    os.close(claim.lock)
    assert spool.abandoned() == [job().id]


def test_what_nobody_has_begun_can_be_taken_back(spool: Spool) -> None:
    spool.submit(job())
    assert spool.withdraw(job().id)
    assert spool.claim() is None
    spool.submit(job())
    claimed(spool)
    assert not spool.withdraw(job().id)
    spool.call_off(job().id)
    assert spool.called_off(job().id)
    spool.end(job().id, AgentOutcome(fault="cancelled"))
    assert not spool.called_off(job().id)


@pytest.mark.parametrize("words", [b"", b"{", b'{"id": 1}', b"\xff"])
def test_a_task_nobody_can_read_ends_so(words: bytes, spool: Spool) -> None:
    (spool.root / "queued" / f"{job().id}.json").write_bytes(words)
    assert spool.claim() is None
    assert spool.outcome(job().id) == AgentOutcome(fault="bad-payload")


def test_a_queue_that_is_full_takes_no_more(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_WAITING", 2)
    assert [spool.submit(job(number)) for number in range(3)] == [True, True, False]


def test_many_hands_take_each_task_once(spool: Spool) -> None:
    for number in range(60):
        spool.submit(job(number))

    def hand(_: int) -> list[str]:
        own = Spool(spool.root)
        return [claim.job.id for claim in iter(own.claim, None)]

    with ThreadPoolExecutor(4) as pool:
        taken = [id for hand_full in pool.map(hand, range(4)) for id in hand_full]
    assert sorted(taken) == sorted(job(number).id for number in range(60))


def test_what_old_tasks_made_is_removed_and_how_they_ended_is_not(spool: Spool, tmp_path: Path) -> None:
    (tmp_path / "kept").touch()
    for id in ("old", "new", "running"):
        inner = spool.directory(id) / "a" / "b"
        inner.mkdir(parents=True)
        (inner / "file").touch()
        (inner / "out").symlink_to(tmp_path, target_is_directory=True)
        inner.chmod(0o000)
        inner.parent.chmod(0o500)
    for id in ("old", "new"):
        spool.end(id, AgentOutcome())
    before = tmp_path.stat().st_mode
    os.utime(spool.root / "ended" / "old.json", (0, 0))
    spool.clear_out(older_than=3600)
    assert sorted(path.name for path in (spool.root / "work").iterdir()) == ["new", "running"]
    assert spool.outcome("old") == AgentOutcome()
    assert (tmp_path / "kept").exists()
    assert tmp_path.stat().st_mode == before


# --- what is to be forgotten ------------------------------------------------------------------------------------------


def left_of(root: Path) -> list[str]:
    return sorted(str(one.relative_to(root)) for one in root.rglob("*") if one.is_file())


def test_nothing_is_left_of_tasks_that_wait_or_are_over_and_are_to_be_forgotten(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    ids = [job_id(name) for name in ("over", "waits", "other")]
    spool.submit(AgentJob(id=ids[0], command="x", instruction="secret"))
    claim = spool.claim()
    assert claim
    (spool.directory(ids[0]) / "note").write_text("secret")
    spool.end(ids[0], AgentOutcome(raw_output_text="secret"))
    os.close(claim.lock)
    for id in ids[1:]:
        spool.submit(AgentJob(id=id, command="x", instruction="secret"))
    assert not remove_task_files(tmp_path, ids[:2])
    assert left_of(tmp_path) == [f"queued/{ids[2]}.json"]
    assert not (tmp_path / "work" / ids[0]).exists()


def test_a_task_that_is_being_done_is_stopped_and_then_leaves_nothing(tmp_path: Path) -> None:
    spool, id = Spool(tmp_path), job_id("k")
    spool.submit(AgentJob(id=id, command="x", instruction="secret"))
    claim = spool.claim()
    assert claim
    (spool.directory(id) / "note").write_text("secret")
    assert remove_task_files(tmp_path, [id])
    assert spool.called_off(id)
    spool.call_off(id)
    spool.end(id, AgentOutcome(raw_output_text="secret"))
    os.close(claim.lock)
    assert left_of(tmp_path) == []
    assert list((tmp_path / "work").iterdir()) == []
    assert not remove_task_files(tmp_path, [id])


def test_where_nothing_was_ever_given_away_nothing_is_made(tmp_path: Path) -> None:
    assert not remove_task_files(tmp_path / "delegated", ["k"])
    assert list(tmp_path.iterdir()) == []
