"""Experiment: a folder in which runs gather until the design is full. It may be killed and taken up again."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TypeVar

from pydantic import ValidationError

from hakoniwa import __version__
from hakoniwa.errors import ScenarioError, UsageError
from hakoniwa.lab.conditions import find_servers
from hakoniwa.lab.critic import calibrate_critic
from hakoniwa.lab.results import (
    JOURNAL,
    PROGRESS,
    RESULTS,
    RUNS,
    SPEC,
    TIMINGS,
    ExperimentProgress,
    Hashes,
    Results,
    RunKey,
    RunResult,
    RunTiming,
    Scoring,
    Spec,
    State,
    Timings,
)
from hakoniwa.lab.run import Engine, LabJournal, RunFile, RunJob
from hakoniwa.lab.spec import Plan, garden_for, hashes_of, keys_of
from hakoniwa.own_files import lock_file, partial_file, sync_to_disk
from hakoniwa.settings import Settings
from hakoniwa.turn import Value


class Tally:
    """Counts runs. The estimate goes by those that were played since it began to count."""

    def __init__(self, total: int, clock: Callable[[], float] = monotonic) -> None:
        self.total, self._clock, self._began = total, clock, clock()
        self._done = self._fresh = self._crashed = 0

    def found(self, run: RunResult) -> None:
        """A run that was there before."""
        self._done += 1
        self._crashed += run.crash is not None

    def finished(self, run: RunResult) -> None:
        """A run that has just been played."""
        self.found(run)
        self._fresh += 1

    def told(self, run: str = "", state: State = "running") -> ExperimentProgress:
        seconds = self._clock() - self._began
        return ExperimentProgress(
            done=self._done, total=self.total, run=run, crashed=self._crashed, seconds=round(seconds, 1),
            left=self._left(seconds), state=state,
        )  # fmt: skip

    def _left(self, seconds: float) -> float | None:
        if self._done == self.total:
            return 0.0
        return round(seconds / self._fresh * (self.total - self._done), 1) if self._fresh else None


LOCK_FILE = ".held"
LOCK_PATIENCE = 1.0  # seconds; whoever only looks whether a folder is held holds it for a moment
OnProgress = Callable[[ExperimentProgress], None]
Kept = TypeVar("Kept", bound=Value)


class Charter(Value):
    """What a folder was begun for: nothing else is added to it."""

    spec: Spec
    hashes: Hashes
    scoring: Scoring


class Experiment:
    """A plan and the folder its runs gather in."""

    def __init__(self, folder: Path, plan: Plan, settings: Settings) -> None:
        self.folder, self.plan, self.settings = folder, plan, settings
        self.keys = keys_of(plan.spec)
        find_servers(plan.spec, settings)
        self.charter = self._begun()

    def run(self, engine: Engine, watch: OnProgress) -> Results:
        """Play what is missing, and put the results together; nobody else may do so at the same time."""
        with lock_folder(self.folder):
            return self._run(engine, watch)

    def _run(self, engine: Engine, watch: OnProgress) -> Results:
        tally, shelf = Tally(len(self.keys)), LabJournal(self.folder / JOURNAL, self.plan.gardens)
        try:
            for played in self._there():
                shelf.keep(played)
                tally.found(played.run)
            self._tell(tally.told(), watch)
            for played in self._played(engine):
                shelf.keep(played)
                tally.finished(played.run)
                self._tell(tally.told(played.run.key.id), watch)
        except KeyboardInterrupt:
            self._tell(tally.told(state="stopped"), watch)
            raise
        finally:
            shelf.close()
        results = self._gathered()
        self._tell(tally.told(state="done"), watch)
        return results

    def pending(self) -> list[RunKey]:
        return [key for key in self.keys if not self._file(key).is_file()]

    # --- one run after the other -------------------------------------------------------------------------------------

    def _there(self) -> Iterator[RunFile]:
        return (self._read(key) for key in self.keys if self._file(key).is_file())

    def _played(self, engine: Engine) -> Iterator[RunFile]:
        """Every run that was missing, once its file is there."""
        jobs = [self._job(key) for key in self.pending()]
        for text in engine.played(jobs) if jobs else ():
            played = RunFile.model_validate_json(text)
            write_file(self._file(played.run.key), text)
            yield played

    def _job(self, key: RunKey) -> RunJob:
        return RunJob(
            spec=self.plan.spec, key=key, garden=garden_for(key, self.plan.gardens), settings=self.settings,
            calibration=self.charter.scoring.calibration,
        )  # fmt: skip

    def _file(self, key: RunKey) -> Path:
        return self.folder / RUNS / f"{key.id}.json"

    def _read(self, key: RunKey) -> RunFile:
        return RunFile.model_validate_json(self._file(key).read_bytes())

    # --- the folder --------------------------------------------------------------------------------------------------

    def _begun(self) -> Charter:
        """The folder's charter; another experiment's folder, or one begun with other code or scenarios, is refused."""
        hashes = hashes_of(self.plan)
        path = self.folder / SPEC
        if path.is_file():
            found = read_charter(self.folder)
            if found.spec != self.plan.spec:
                raise UsageError("lab.other-spec", folder=str(self.folder))
            if found.hashes != hashes:
                raise UsageError("lab.other-code", folder=str(self.folder))
            return found
        scoring = calibrate_critic(self.plan.spec.critic, self.settings) if self.plan.spec.critic else Scoring()
        charter = Charter(spec=self.plan.spec, hashes=hashes, scoring=scoring)
        (self.folder / RUNS).mkdir(parents=True, exist_ok=True)
        write_file(path, charter.model_dump_json(indent=1))
        return charter

    def _gathered(self) -> Results:
        """The results, which depend on the run files alone."""
        played = [self._read(key) for key in self.keys]
        results = Results(
            hakoniwa=__version__,
            spec=self.charter.spec.anywhere(),
            hashes=self.charter.hashes,
            scoring=self.charter.scoring,
            runs=tuple(one.run for one in played),
        )
        write_file(self.folder / RESULTS, results.model_dump_json(indent=1))
        timings: tuple[RunTiming, ...] = tuple(one.timing for one in played)
        write_file(self.folder / TIMINGS, Timings(runs=timings).model_dump_json(indent=1))
        return results

    def _tell(self, progress: ExperimentProgress, watch: OnProgress) -> None:
        with (self.folder / PROGRESS).open("a", encoding="utf-8") as file:
            file.write(progress.model_dump_json() + "\n")
        watch(progress)


def write_file(path: Path, text: str) -> None:
    """A file that is there whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with partial_file(path) as partial:
        partial.write_text(text, encoding="utf-8")
        sync_to_disk(partial)


# --- folders that are there ------------------------------------------------------------------------------------------


def read_charter(folder: Path) -> Charter:
    return _parse_file(folder / SPEC, Charter)


def read_results(folder: Path) -> Results:
    """The results in a folder, or in a file."""
    return _parse_file(folder if folder.is_file() else folder / RESULTS, Results)


def read_timings(folder: Path) -> Timings:
    return _parse_file(folder / TIMINGS, Timings)


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """A folder for oneself alone, for as long as one lives."""
    with (folder / LOCK_FILE).open("w") as file:
        until = time.monotonic() + LOCK_PATIENCE
        while not lock_file(file.fileno()):
            if time.monotonic() > until:
                raise UsageError("lab.busy", folder=str(folder))
            time.sleep(0.01)
        yield


def experiment_progress(folder: Path, charter: Charter) -> ExperimentProgress:
    """How far an experiment is, by what is in its folder and by whether somebody is at work in it."""
    keys = keys_of(charter.spec)
    done = sum((folder / RUNS / f"{key.id}.json").is_file() for key in keys)
    latest = latest_progress(folder) or ExperimentProgress(done=0, total=len(keys))
    finished = done == len(keys) and (folder / RESULTS).is_file()
    state: State = "done" if finished else "running" if _busy(folder) else "stopped"
    left = latest.left if state == "running" else 0.0 if finished else None
    return latest.with_fields({"done": done, "total": len(keys), "state": state, "left": left})


def _busy(folder: Path) -> bool:
    if not (folder / LOCK_FILE).is_file():
        return False
    with (folder / LOCK_FILE).open() as file:
        return not lock_file(file.fileno())


def latest_progress(folder: Path) -> ExperimentProgress | None:
    """How far an experiment is, by the newest line that was written whole."""
    path = folder / PROGRESS
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    for line in reversed(lines):
        try:
            return ExperimentProgress.model_validate_json(line)
        except ValidationError:
            continue  # a kill may have cut the last one short
    return None


def _parse_file(path: Path, kind: type[Kept]) -> Kept:
    if not path.is_file():
        raise ScenarioError("lab.no-file", file=str(path))
    try:
        return kind.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise ScenarioError("lab.not-readable", file=str(path), problem=str(error.errors()[0]["msg"])) from None
