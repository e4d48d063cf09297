"""Tasks on their way to the runner and back: one small file each, moved from folder to folder, then removed."""

import os
import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import mkstemp
from typing import Literal

from pydantic import ValidationError

from hakoniwa.own_files import lock_file, sync_to_disk
from hakoniwa.turn import Value

FORGET = "forget"  # what a wish to stop says if nothing is to be kept of the task either


def job_id(key: str) -> str:
    return sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def remove_task_files(spool: Path, ids: Iterable[str]) -> bool:
    """Keep nothing of these tasks; whether one has to stay for now, because it is being done. It is asked to stop, and
    whoever does it keeps nothing then."""
    stay = [_must_stay(spool, id) for id in ids] if spool.is_dir() else []
    return any(stay)


def _must_stay(spool: Path, id: str) -> bool:
    try:
        (spool / "queued" / f"{id}.json").unlink(missing_ok=True)
        begun = (spool / "claimed" / f"{id}.json").exists()
        if begun:
            (spool / "stops" / id).write_text(FORGET, encoding="utf-8")
        (spool / "ended" / f"{id}.json").unlink(missing_ok=True)
        if not begun:
            discard(spool / "work" / id)
        return begun or (spool / "work" / id).exists()
    except OSError:
        return True


def is_to_forget(spool: Path, id: str) -> bool:
    """Whether nothing is to be kept of a task that was begun."""
    try:
        return (spool / "stops" / id).read_text(encoding="utf-8") == FORGET
    except OSError:
        return False


def discard(place: Path) -> None:
    """Remove a directory, also what a task has put under lock and key in it."""
    with suppress(OSError, RecursionError):
        place.chmod(0o700)
        for folder, names, _ in os.walk(place):
            for inner in (Path(folder, name) for name in names):
                if not inner.is_symlink():
                    inner.chmod(0o700)
        shutil.rmtree(place)


JobState = Literal["queued", "claimed", "ended"]
STATES: tuple[JobState, ...] = ("queued", "claimed", "ended")
MOST_WAITING = 100


class AgentJob(Value):
    """A task for one of the commands the runner knows by name."""

    id: str
    command: str
    instruction: str


class AgentOutcome(Value):
    """How a task ended. `fault` is None if it ran to its end and said that all was well."""

    fault: str | None = None
    exit_code: int | None = None
    seconds: float = 0.0
    raw_output_text: str = ""
    raw_error_text: str = ""
    files: tuple[str, ...] = ()


@dataclass(frozen=True)
class ClaimedJob:
    """A task in hand; it is let go of when its lock is closed, by whoever has it open last."""

    job: AgentJob
    lock: int


class Spool:
    """The folders of one installation."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for folder in (*STATES, "stops", "work", "writing"):
            (root / folder).mkdir(mode=0o700, parents=True, exist_ok=True)

    # --- for those who have a task ------------------------------------------------------------------------------------

    def submit(self, job: AgentJob) -> bool:
        """Queue a task, unless it was ever queued; False if there is no room for it."""
        if self.state(job.id) is not None:
            return True
        if len(self._names("queued")) >= MOST_WAITING:
            return False
        self._write("queued", job.id, job)
        return True

    def state(self, id: str) -> JobState | None:
        """How far it has come. Looked up in the order in which it moves, so that it cannot slip past."""
        found = [state for state in STATES if self._path(state, id).exists()]
        return found[-1] if found else None

    def outcome(self, id: str) -> AgentOutcome | None:
        try:
            return AgentOutcome.model_validate_json(self._path("ended", id).read_bytes())
        except FileNotFoundError:
            return None
        except ValidationError:
            return AgentOutcome(fault="lost")

    def silent_for(self, id: str) -> float:
        """Seconds since the last heartbeat."""
        try:
            return time.time() - self._path("claimed", id).stat().st_mtime
        except FileNotFoundError:
            return 0.0

    def withdraw(self, id: str) -> bool:
        """Take back a task that nobody has begun."""
        lock = self._lock(self._path("queued", id))
        if lock is None:
            return False
        with suppress(FileNotFoundError):
            self._path("queued", id).unlink()
        os.close(lock)
        return self.state(id) is None

    def call_off(self, id: str) -> None:
        """Ask whoever has begun it to stop."""
        (self.root / "stops" / id).touch()

    # --- for the runner -----------------------------------------------------------------------------------------------

    def claim(self) -> ClaimedJob | None:
        """The task that has waited longest and nobody else has."""
        return next(self._claims(), None)

    def _claims(self) -> Iterator[ClaimedJob]:
        for id in self._names("queued"):
            waiting = self._path("queued", id)
            lock = self._lock(waiting)
            if lock is None:
                continue
            job = self._taken(id, lock)
            with suppress(FileNotFoundError):
                waiting.unlink()
            if job is not None:
                yield ClaimedJob(job, lock)
            else:
                os.close(lock)

    def _taken(self, id: str, lock: int) -> AgentJob | None:
        """The task, now in hand; None if it has been in somebody's before, or cannot be read."""
        try:
            os.link(self._path("queued", id), self._path("claimed", id))
        except (FileExistsError, FileNotFoundError):
            return None
        if self._path("ended", id).exists():
            self._path("claimed", id).unlink()
            return None
        try:
            return AgentJob.model_validate_json(os.pread(lock, 2**20, 0))
        except ValidationError:
            self.end(id, AgentOutcome(fault="bad-payload"))
            return None

    def beat(self, id: str) -> None:
        with suppress(FileNotFoundError):
            os.utime(self._path("claimed", id))

    def called_off(self, id: str) -> bool:
        return (self.root / "stops" / id).exists()

    def end(self, id: str, outcome: AgentOutcome) -> None:
        """Put down how it ended, unless nothing is to be kept of it; the first word counts."""
        if is_to_forget(self.root, id):
            self._path("claimed", id).unlink(missing_ok=True)
            remove_task_files(self.root, [id])
        else:
            self._write("ended", id, outcome)
        for path in (self._path("claimed", id), self.root / "stops" / id):
            path.unlink(missing_ok=True)

    def abandoned(self) -> list[str]:
        """Tasks whose runner is no more."""
        return [id for id in self._names("claimed") if self._ownerless(self._path("claimed", id))]

    def directory(self, id: str) -> Path:
        """A fresh directory for a task to work in."""
        place = self.root / "work" / id
        place.mkdir(mode=0o700)
        return place

    def clear_out(self, older_than: float) -> None:
        """Remove the directories of tasks that ended more than so many seconds ago; how they ended stays known."""
        for place in (self.root / "work").iterdir():
            with suppress(FileNotFoundError):
                if time.time() - self._path("ended", place.name).stat().st_mtime > older_than:
                    discard(place)

    # --- files --------------------------------------------------------------------------------------------------------

    def _path(self, state: JobState, id: str) -> Path:
        return self.root / state / f"{id}.json"

    def _names(self, state: JobState) -> list[str]:
        """Oldest first."""
        found = []
        for path in (self.root / state).glob("*.json"):
            with suppress(FileNotFoundError):  # another runner may have moved it on meanwhile
                found.append((path.stat().st_mtime_ns, path.stem))
        return [id for _, id in sorted(found)]

    def _ownerless(self, path: Path) -> bool:
        lock = self._lock(path)
        if lock is None:
            return False
        os.close(lock)
        return path.exists()

    def _lock(self, path: Path) -> int | None:
        """The file's lock, held as long as the number stays open; None if another has it or the file is gone."""
        try:
            file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        if lock_file(file):
            return file
        os.close(file)
        return None

    def _write(self, state: JobState, id: str, value: Value) -> None:
        """Whole or not at all, and never over what is there."""
        file, name = mkstemp(dir=self.root / "writing")
        try:
            with os.fdopen(file, "wb") as out:
                out.write(value.model_dump_json().encode("utf-8", "replace"))
                out.flush()
                os.fsync(out.fileno())
            with suppress(FileExistsError):
                os.link(name, self._path(state, id))
        finally:
            os.unlink(name)
        sync_to_disk(self.root / state)
