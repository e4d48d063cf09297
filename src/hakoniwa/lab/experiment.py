"""Experiment: a folder in which runs gather until the design is full. It can be killed at any moment, and taken up.

A run is there when its file is: written whole under another name, then renamed. Everything else in the folder follows
from the run files: the journal that `replay` and the console open, `results.json` and `timings.json`.
"""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TypeVar

from pydantic import ValidationError

from hakoniwa import __version__
from hakoniwa.errors import ScenarioError, UsageError
from hakoniwa.lab.critic import calibrated
from hakoniwa.lab.engines import Engine
from hakoniwa.lab.hashes import hashes_of
from hakoniwa.lab.models import find_servers
from hakoniwa.lab.results import (
    JOURNAL,
    PROGRESS,
    RESULTS,
    RUNS,
    SPEC,
    TIMINGS,
    Hashes,
    Progress,
    Results,
    RunKey,
    RunTiming,
    Scoring,
    Spec,
    State,
    Timings,
)
from hakoniwa.lab.run import Job, Played
from hakoniwa.lab.shelf import Shelf
from hakoniwa.lab.spec import Plan, garden_for, keys_of
from hakoniwa.lab.tally import Tally
from hakoniwa.settings import Settings
from hakoniwa.turn import Value

HOLD = ".held"
GLANCE = 1.0  # seconds; whoever only looks whether a folder is held holds it for a moment
Watch = Callable[[Progress], None]
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

    def run(self, engine: Engine, watch: Watch) -> Results:
        """Play what is missing, and put the results together; nobody else may do so at the same time."""
        with held(self.folder):
            return self._run(engine, watch)

    def _run(self, engine: Engine, watch: Watch) -> Results:
        tally, shelf = Tally(len(self.keys)), Shelf(self.folder / JOURNAL, self.plan.gardens)
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

    def _there(self) -> Iterator[Played]:
        return (self._read(key) for key in self.keys if self._file(key).is_file())

    def _played(self, engine: Engine) -> Iterator[Played]:
        """Every run that was missing, once its file is there."""
        jobs = [self._job(key) for key in self.pending()]
        for text in engine.played(jobs) if jobs else ():
            played = Played.model_validate_json(text)
            written(self._file(played.run.key), text)
            yield played

    def _job(self, key: RunKey) -> Job:
        return Job(
            spec=self.plan.spec, key=key, garden=garden_for(key, self.plan.gardens), settings=self.settings,
            calibration=self.charter.scoring.calibration,
        )  # fmt: skip

    def _file(self, key: RunKey) -> Path:
        return self.folder / RUNS / f"{key.id}.json"

    def _read(self, key: RunKey) -> Played:
        return Played.model_validate_json(self._file(key).read_bytes())

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
        scoring = calibrated(self.plan.spec.critic, self.settings) if self.plan.spec.critic else Scoring()
        charter = Charter(spec=self.plan.spec, hashes=hashes, scoring=scoring)
        (self.folder / RUNS).mkdir(parents=True, exist_ok=True)
        written(path, charter.model_dump_json(indent=1))
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
        written(self.folder / RESULTS, results.model_dump_json(indent=1))
        timings: tuple[RunTiming, ...] = tuple(one.timing for one in played)
        written(self.folder / TIMINGS, Timings(runs=timings).model_dump_json(indent=1))
        return results

    def _tell(self, progress: Progress, watch: Watch) -> None:
        with (self.folder / PROGRESS).open("a", encoding="utf-8") as file:
            file.write(progress.model_dump_json() + "\n")
        watch(progress)


def written(path: Path, text: str) -> None:
    """A file that is there whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with beside.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


# --- folders that are there ------------------------------------------------------------------------------------------


def read_charter(folder: Path) -> Charter:
    return _parsed(folder / SPEC, Charter)


def read_results(folder: Path) -> Results:
    """The results in a folder, or in a file."""
    return _parsed(folder if folder.is_file() else folder / RESULTS, Results)


def read_timings(folder: Path) -> Timings:
    return _parsed(folder / TIMINGS, Timings)


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """A folder for oneself alone, for as long as one lives."""
    with (folder / HOLD).open("w") as file:
        until = time.monotonic() + GLANCE
        while not _held(file):
            if time.monotonic() > until:
                raise UsageError("lab.busy", folder=str(folder))
            time.sleep(0.01)
        yield


def _held(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def standing(folder: Path, charter: Charter) -> Progress:
    """How far an experiment is, by what is in its folder and by whether somebody is at work in it."""
    keys = keys_of(charter.spec)
    done = sum((folder / RUNS / f"{key.id}.json").is_file() for key in keys)
    latest = latest_progress(folder) or Progress(done=0, total=len(keys))
    finished = done == len(keys) and (folder / RESULTS).is_file()
    state: State = "done" if finished else "running" if _busy(folder) else "stopped"
    left = latest.left if state == "running" else 0.0 if finished else None
    return latest.with_fields({"done": done, "total": len(keys), "state": state, "left": left})


def _busy(folder: Path) -> bool:
    if not (folder / HOLD).is_file():
        return False
    with (folder / HOLD).open() as file:
        return not _held(file)


def latest_progress(folder: Path) -> Progress | None:
    """How far an experiment is, by the newest line that was written whole."""
    path = folder / PROGRESS
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    for line in reversed(lines):
        try:
            return Progress.model_validate_json(line)
        except ValidationError:
            continue  # a kill may have cut the last one short
    return None


def _parsed(path: Path, kind: type[Kept]) -> Kept:
    if not path.is_file():
        raise ScenarioError("lab.no-file", file=str(path))
    try:
        return kind.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise ScenarioError("lab.not-readable", file=str(path), problem=str(error.errors()[0]["msg"])) from None
