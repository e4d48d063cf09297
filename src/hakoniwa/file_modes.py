"""Files and folders for their owner alone: what people say to their characters is in them, and others may have an
account on the same machine.

Where a system knows no such modes (Windows), its own rules for the user's folder hold."""

import os
import stat
import sys
from contextlib import suppress
from pathlib import Path

from hakoniwa.atomic_write import PRIVATE, SQLITE_SUFFIXES, create_new

FOLDER_FOR_OWNER = 0o700
OTHERS = 0o077


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
