"""A whole journal copied into a new SQLite file, as it stands: even one that no longer adds up can be saved."""

import errno
import os
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Table, create_engine, delete, insert

from hakoniwa.errors import JournalError, JournalFull
from hakoniwa.journal.engine import open_engine
from hakoniwa.journal.faults import named
from hakoniwa.private import private_folder
from hakoniwa.whole import PRIVATE, beside, claim

Contents = Iterable[tuple[Table, Iterable[Mapping[str, Any]]]]
BATCH = 1000


def write_backup(to: Path, contents: Contents) -> None:
    """Claim the name, fill a file beside it, and put that in its place once it is complete."""
    _claim(to)
    try:
        with beside(to, PRIVATE) as partial:
            _fill(partial, contents, called=str(to))
    except BaseException as error:
        to.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise cannot_make(to, error) from error
        raise
    on_disk(to.parent)


def _claim(to: Path) -> None:
    try:
        private_folder(to.parent)
        claim(to, PRIVATE)
    except FileExistsError as error:
        raise JournalError("journal.exists", path=str(to)) from error
    except OSError as error:
        raise cannot_make(to, error) from error


def on_disk(path: Path) -> None:
    """Have a file, or the names in a folder, survive a power cut."""
    place = os.open(path, os.O_RDONLY)
    try:
        os.fsync(place)
    finally:
        os.close(place)


def cannot_make(path: Path, error: OSError) -> JournalError:
    """Why a file or its directory cannot be made."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
        return JournalFull("journal.full", path=str(path), problem=str(error))
    return JournalError("journal.cannot-open", path=str(path), problem=str(error))


def _fill(file: Path, contents: Contents, called: str) -> None:
    url = URL.create("sqlite", database=str(file))
    open_engine(url, patience=0, called=called).dispose()
    engine = create_engine(url)  # a bare one does not enforce foreign keys, which a damaged journal may break
    try:
        with named(called), engine.begin() as connection:
            for table, rows in contents:
                _copy(connection, table, rows)
    finally:
        engine.dispose()


def _copy(connection: Connection, table: Table, rows: Iterable[Mapping[str, Any]]) -> None:
    connection.execute(delete(table))
    remaining = iter(rows)
    while batch := [dict(row) for row in islice(remaining, BATCH)]:
        connection.execute(insert(table), batch)
