"""Leavings: what delegated tasks leave in the folders between Hakoniwa and the runner, and how they are removed."""

import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

FORGET = "forget"  # what a wish to stop says if nothing is to be kept of the task either


def job_id(key: str) -> str:
    return sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def remove_leavings(spool: Path, ids: Iterable[str]) -> bool:
    """Keep nothing of these tasks; whether one has to stay for now, because it is being done. It is asked to stop, and
    whoever does it keeps nothing then."""
    stay = [_stays(spool, id) for id in ids] if spool.is_dir() else []
    return any(stay)


def _stays(spool: Path, id: str) -> bool:
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


def to_be_forgotten(spool: Path, id: str) -> bool:
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
