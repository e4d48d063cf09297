"""Experiments in a folder: played by any engine, killed and taken up again, always with the same results."""

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import randrange

import pytest

from hakoniwa.app import resumed_session
from hakoniwa.errors import ModelUnavailable, UsageError
from hakoniwa.journal.open import open_journal
from hakoniwa.lab import conditions, spec
from hakoniwa.lab import run as runs
from hakoniwa.lab.experiment import (
    Experiment,
    experiment_progress,
    lock_folder,
    read_charter,
    read_results,
    read_timings,
)
from hakoniwa.lab.results import JOURNAL, RESULTS, RUNS, ExperimentProgress
from hakoniwa.lab.run import InProcess, Pool
from hakoniwa.lab.spec import read_plan
from hakoniwa.settings import Settings

SPEC = """\
name: small
scenarios: [stall_induced]
models: [clumsy]
seeds: 4
turns: 3
"""
COMMAND = (sys.executable, "-c", "from hakoniwa.cli import main; main()", "lab", "run")
PATIENCE = 180.0


def experiment(folder: Path, text: str = SPEC) -> Experiment:
    folder.mkdir(parents=True, exist_ok=True)
    spec = folder.parent / "spec.yaml"
    spec.write_text(text, encoding="utf-8")
    return Experiment(folder, read_plan(spec), Settings())


def silently(_: ExperimentProgress) -> None: ...


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an experiment that nobody disturbed, played in one process."""
    folder = tmp_path_factory.mktemp("lab") / "whole"
    experiment(folder).run(InProcess(), silently)
    return folder


def test_a_pool_of_processes_gives_the_same_results(whole: Path, tmp_path: Path) -> None:
    experiment(tmp_path / "pool").run(Pool(2), silently)
    assert (tmp_path / "pool" / RESULTS).read_bytes() == (whole / RESULTS).read_bytes()


@pytest.mark.long
def test_killed_at_any_moment_and_taken_up_it_gives_the_same_results(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    spec = tmp_path / "spec.yaml"
    spec.write_text(SPEC, encoding="utf-8")
    _kill_after(randrange(1, 9), folder, spec)
    assert 1 <= len(list((folder / RUNS).glob("[!.]*.json"))) < 16
    ended = subprocess.run([*COMMAND, str(spec), "--out", str(folder), "--workers", "2"], timeout=PATIENCE, check=False)
    assert ended.returncode == 0
    assert (folder / RESULTS).read_bytes() == (whole / RESULTS).read_bytes()
    assert _gardens(folder) == _gardens(whole)


def _kill_after(finished: int, folder: Path, spec: Path) -> None:
    """Start it, and kill the process that leads it once so many runs are there; its workers must go with it."""
    leader = subprocess.Popen([*COMMAND, str(spec), "--out", str(folder), "--workers", "2"], stdout=subprocess.DEVNULL)
    _until(lambda: len(list((folder / RUNS).glob("[!.]*.json"))) >= finished)
    workers = _children(leader.pid)
    leader.send_signal(signal.SIGKILL)
    leader.wait()
    assert workers
    _until(lambda: not any(map(_lives, workers)))


def _until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def _children(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()
    return [int(one) for one in listed if b"spawn_main" in Path(f"/proc/{one}/cmdline").read_bytes()]


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except (ProcessLookupError, FileNotFoundError):
        return False


def _gardens(folder: Path) -> dict[str, list[str]]:
    """What is in an experiment's journal."""
    journal = open_journal(f"sqlite:///{folder / JOURNAL}")
    try:
        names = [one.id for one in journal.gardens()]
        return {name: [row.event.model_dump_json() for row in journal.lineage(name, "main")] for name in names}
    finally:
        journal.close()


def test_every_run_is_a_garden_that_can_be_opened_and_adds_up(whole: Path) -> None:
    results = read_results(whole)
    journal = open_journal(f"sqlite:///{whole / JOURNAL}")
    for run in results.runs:
        session = resumed_session(journal, run.garden)
        kept = [turn.take.performance.text for turn in session.standing.turns]
        assert kept == [row.kept for row in run.rows if row.fault is None]
        assert journal.check(run.garden) == []
        assert len(journal.calls(run.garden, "main", prompts=True)) == sum(row.calls for row in run.rows)
        session.close()
    journal.close()


def test_what_a_stopwatch_says_is_kept_apart(whole: Path) -> None:
    timings = read_timings(whole)
    results = read_results(whole)
    assert [one.run for one in timings.runs] == [one.key.id for one in results.runs]
    assert all(len(one.turns) == 3 and one.seconds > 0 for one in timings.runs)
    again = {path: path.read_bytes() for path in [whole / RESULTS]}
    experiment(whole).run(InProcess(), silently)
    assert all(path.read_bytes() == before for path, before in again.items())


def test_progress_is_told_with_an_estimate(tmp_path: Path) -> None:
    told: list[ExperimentProgress] = []
    begun = experiment(tmp_path / "told", SPEC.replace("seeds: 4", "seeds: 1"))
    begun.run(InProcess(), told.append)
    assert [one.done for one in told] == [0, 1, 2, 3, 4, 4]
    assert all(one.left is not None for one in told[1:])
    assert (told[-1].state, told[-1].left) == ("done", 0.0)
    lines = (tmp_path / "told" / "progress.jsonl").read_text(encoding="utf-8").splitlines()
    assert [ExperimentProgress.model_validate_json(line) for line in lines] == told


def test_how_far_it_is_can_be_asked_at_any_time(whole: Path, tmp_path: Path) -> None:
    assert experiment_progress(whole, read_charter(whole)).state == "done"
    begun = experiment(tmp_path / "idle")
    charter = read_charter(begun.folder)
    assert (experiment_progress(begun.folder, charter).state, experiment_progress(begun.folder, charter).total) == (
        "stopped",
        16,
    )
    with lock_folder(begun.folder):
        assert experiment_progress(begun.folder, charter).state == "running"


def test_nobody_else_may_work_in_the_folder_meanwhile(whole: Path) -> None:
    with lock_folder(whole), pytest.raises(UsageError, match=r"lab\.busy"):
        experiment(whole).run(InProcess(), silently)


def test_results_of_two_experiments_are_never_mixed(whole: Path) -> None:
    with pytest.raises(UsageError, match=r"lab\.other-spec"):
        experiment(whole, SPEC.replace("turns: 3", "turns: 4"))


def test_results_of_other_code_are_never_mixed_in(whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spec, "code_hash", lambda: "0" * 16)
    with pytest.raises(UsageError, match=r"lab\.other-code"):
        experiment(whole)


def test_a_server_that_does_not_answer_is_complained_of_before_anything_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent(_: Settings) -> None:
        raise ModelUnavailable("find.silent", url="http://127.0.0.1:1/v1")

    monkeypatch.setattr(conditions, "model_of", silent)
    with pytest.raises(ModelUnavailable):
        experiment(tmp_path / "out", SPEC.replace("[clumsy]", "[clumsy, {kind: server}]"))
    assert not (tmp_path / "out" / RUNS).exists()


def test_what_a_worker_raises_is_raised_here() -> None:
    error = pickle.loads(pickle.dumps(ModelUnavailable("model.missing", model="gemma", server="x")))
    assert (type(error), error.key, error.details) == (
        ModelUnavailable, "model.missing", {"model": "gemma", "server": "x"},
    )  # fmt: skip


def test_a_crash_is_a_result_and_does_not_stop_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played = runs.play_slot

    async def sometimes(trial: runs.Trial) -> None:
        if trial.arm == "C" and trial.book.world.time.turn == 1:
            raise RuntimeError("a mistake")
        await played(trial)

    monkeypatch.setattr(runs, "play_slot", sometimes)
    results = experiment(tmp_path / "crash", SPEC.replace("seeds: 4", "seeds: 1")).run(InProcess(), silently)
    assert {run.key.arm: run.crash for run in results.runs if run.crash} == {"C": "RuntimeError: a mistake"}
    assert [len(run.rows) for run in results.runs] == [3, 3, 1, 3]
