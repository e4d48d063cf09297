"""Files of our own: written whole or not at all, for their owner alone where they hold what people say, locked.

A file that is written whole grows beside its place, so that what was there before is not lost half-way. Where a system
knows no modes (Windows), its own rules for the user's folder hold."""

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

PUBLIC, PRIVATE = 0o666, 0o600  # for whom, as far as the user's umask lets them
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
SQLITE_SUFFIXES = ("", "-wal", "-shm", "-journal")  # what SQLite may keep beside a file
FOLDER_FOR_OWNER = 0o700
OTHERS = 0o077


def create_new(path: Path, mode: int) -> None:
    """Make a new, empty file; whatever has that name already, be it a link to nowhere, is left alone."""
    os.close(os.open(path, _NEW, mode))


@contextmanager
def partial_file(path: Path, mode: int = PUBLIC, *, new: bool = False) -> Iterator[Path]:
    """A new file to fill, under a name that nobody had; it takes its place in the end, or goes if that fails.

    A place that must be `new` is not taken from a file that has come there meanwhile (FileExistsError)."""
    partial = path.with_name(f"{path.name}.{token_hex(4)}.partial")
    create_new(partial, mode)
    try:
        yield partial
        if new:
            _link(partial, path)
        else:
            partial.replace(path)
    finally:
        remove(partial)


def _link(partial: Path, path: Path) -> None:
    """Give a complete file a second name, which nobody has."""
    try:
        path.hardlink_to(partial)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        create_new(path, PRIVATE)
        partial.replace(path)


def remove(path: Path) -> None:
    """Remove a file, with what SQLite may keep beside it."""
    for end in SQLITE_SUFFIXES:
        path.with_name(path.name + end).unlink(missing_ok=True)


def sync_to_disk(path: Path) -> None:
    """Have a file, or the names in a folder, survive a power cut."""
    place = os.open(path, os.O_RDONLY)
    try:
        os.fsync(place)
    finally:
        os.close(place)


def write_atomically(path: Path, raw: bytes) -> None:
    """Write a file whole, or not at all."""
    try:
        with partial_file(path) as partial:
            partial.write_bytes(raw)
    except OSError as error:  # which does not always know what it is about, or knows a name that is gone
        raise OSError(error.errno, error.strerror, str(path)) from error


def private_folder(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for its owner alone; one that is there keeps its mode."""
    try:
        folder.mkdir(mode=FOLDER_FOR_OWNER, exist_ok=True)
    except FileNotFoundError:
        if folder.parent == folder:
            raise
        private_folder(folder.parent)
        folder.mkdir(mode=FOLDER_FOR_OWNER, exist_ok=True)


def private_database(path: Path) -> None:
    """Let only its owner read a database from now on; a new one is there before SQLite would make it for everybody.

    What cannot be made or changed here is left to SQLite to complain of."""
    with suppress(OSError):
        create_new(path, PRIVATE)
    for beside in SQLITE_SUFFIXES:  # new ones get the mode of the database
        with suppress(OSError):
            _tighten(path.with_name(path.name + beside))


def _tighten(path: Path) -> None:
    found = path.stat()
    if sys.platform != "win32" and found.st_uid == os.geteuid() and found.st_mode & OTHERS:
        path.chmod(stat.S_IMODE(found.st_mode) & ~OTHERS)


def lock_file(file: int, *, wait: bool = False) -> bool:
    """Whether an open file is ours now: a lock that the end of the process lets go of, whatever it ended of."""
    try:
        if sys.platform == "win32":
            msvcrt.locking(file, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
