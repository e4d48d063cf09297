"""Files that are written whole: beside their place first, so that what was there before is not lost half-way."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex

PUBLIC, PRIVATE = 0o666, 0o600  # for whom, as far as the user's umask lets them
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
SQLITE_SUFFIXES = ("", "-wal", "-shm", "-journal")  # what SQLite may keep beside a file


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
