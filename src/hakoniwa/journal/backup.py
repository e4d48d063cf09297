"""A whole journal copied into a new SQLite file, as it stands: even one that no longer adds up can be saved."""

import os
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, create_engine, delete, insert

from hakoniwa.errors import JournalError
from hakoniwa.journal.engine import file_url, make_tables, on_disk
from hakoniwa.journal.faults import cannot_make, named
from hakoniwa.private import private_folder
from hakoniwa.whole import PRIVATE, beside

Contents = Iterable[tuple[Table, Iterable[Mapping[str, Any]]]]
BATCH = 1000


def write_backup(to: Path, contents: Contents) -> None:
    """Fill a file beside the place, and put it there once it is complete; what has that name already stays."""
    try:
        private_folder(to.parent)
        if os.path.lexists(to):
            raise FileExistsError
        with beside(to, PRIVATE, new=True) as partial:
            _fill(partial, contents, called=str(to))
        on_disk(to.parent)
    except FileExistsError as error:
        raise JournalError("journal.exists", path=str(to)) from error
    except OSError as error:
        raise cannot_make(to, error) from error


def _fill(file: Path, contents: Contents, called: str) -> None:
    make_tables(file, called)
    engine = create_engine(file_url(file))  # a bare one: a damaged journal may break foreign keys
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
