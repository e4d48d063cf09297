"""Copies of a journal: backups, and the one that is made before an upgrade: complete, or not at all."""

import os
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from glob import escape
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, create_engine, delete, insert, inspect, text
from sqlalchemy.exc import DBAPIError

from hakoniwa.errors import JournalError
from hakoniwa.journal.database import Database, file_url, make_tables
from hakoniwa.journal.faults import cannot_make, translate_errors
from hakoniwa.own_files import PRIVATE, partial_file, private_folder, remove, sync_to_disk

Contents = Iterable[tuple[Table, Iterable[Mapping[str, Any]]]]
BATCH = 1000


def write_backup(to: Path, contents: Contents) -> None:
    """Fill a file beside the place, and put it there once it is complete; what has that name already stays."""
    try:
        private_folder(to.parent)
        if os.path.lexists(to):
            raise FileExistsError
        with partial_file(to, PRIVATE, new=True) as partial:
            _fill(partial, contents, called=str(to))
        sync_to_disk(to.parent)
    except FileExistsError as error:
        raise JournalError("journal.exists", path=str(to)) from error
    except OSError as error:
        raise cannot_make(to, error) from error


def _fill(file: Path, contents: Contents, called: str) -> None:
    make_tables(file, called)
    engine = create_engine(file_url(file))  # a bare one: a damaged journal may break foreign keys
    try:
        with translate_errors(called), engine.begin() as connection:
            for table, rows in contents:
                _copy(connection, table, rows)
    finally:
        engine.dispose()


def _copy(connection: Connection, table: Table, rows: Iterable[Mapping[str, Any]]) -> None:
    connection.execute(delete(table))
    remaining = iter(rows)
    while batch := [dict(row) for row in islice(remaining, BATCH)]:
        connection.execute(insert(table), batch)


UNFINISHED = ".*partial"  # what a process that was killed has left
SCHEMAS = "hakoniwa_before_upgrade_"


def keep_copy(connection: Connection, found: str) -> str:
    """Copy the journal while its writers wait, and say where the copy is; an earlier one of that revision is replaced.

    Nobody can have used the journal at that revision since an earlier copy but to add to it."""
    return _as_file(connection, found) if connection.dialect.name == "sqlite" else _as_schema(connection, found)


def copy_of(journal: Path, found: str) -> Path:
    """Where the copy of a file goes: beside it, named after the revision it has."""
    return journal.with_name(f"{journal.stem}.before-upgrade-{found}{journal.suffix}")


def copies_of(journal: Path, end: str = "") -> list[Path]:
    """The copies there are of a file, or those that were not finished."""
    return sorted(journal.parent.glob(copy_of(Path(escape(str(journal))), "*").name + end))


def remove_copies(database: Database) -> tuple[int, bool]:
    """Remove every such copy, for it is older than what is purged now and would bring it back; how many there were,
    and whether one had to stay."""
    try:
        return _drop_schemas(database) if database.engine.name == "postgresql" else _unlink_copies(database)
    except (OSError, JournalError):
        return 0, True


def _unlink_copies(database: Database) -> tuple[int, bool]:
    if database.engine.url.database is None:
        return 0, False
    journal = Path(database.engine.url.database)
    found = [*copies_of(journal), *copies_of(journal, UNFINISHED)]
    for one in found:
        one.unlink(missing_ok=True)
    return len(found), False


def _drop_schemas(database: Database) -> tuple[int, bool]:
    with database.writing() as connection:
        found = [one for one in inspect(connection).get_schema_names() if one.startswith(SCHEMAS)]
        for one in found:
            connection.execute(text(f'DROP SCHEMA IF EXISTS "{one}" CASCADE'))
    return len(found), False


def _as_file(connection: Connection, found: str) -> str:
    journal = Path(str(connection.engine.url.database))
    copy = copy_of(journal, found)
    try:
        for unfinished in copies_of(journal, UNFINISHED):
            remove(unfinished)
        with partial_file(copy, PRIVATE) as partial:
            with translate_errors(str(copy)):
                _copy_file(journal, partial)
            sync_to_disk(partial)
        sync_to_disk(copy.parent)
    except OSError as error:
        raise cannot_make(copy, error) from error
    return str(copy)


def _copy_file(journal: Path, to: Path) -> None:
    """Through a connection of its own: the one that upgrades holds the lock, and has written nothing yet."""
    try:
        with closing(sqlite3.connect(journal)) as source, closing(sqlite3.connect(to)) as target:
            source.backup(target)
            target.execute("PRAGMA journal_mode=DELETE")  # one file, whole in itself, wherever it is carried
    except sqlite3.Error as error:
        raise DBAPIError.instance("backup", {}, error, sqlite3.Error) from error


def _as_schema(connection: Connection, found: str) -> str:
    """On a server the copy is a schema of the same database, made in the same transaction as the upgrade."""
    schema = f"{SCHEMAS}{found}"
    tables = inspect(connection).get_table_names()
    connection.execute(text(f"DROP SCHEMA IF EXISTS {schema} CASCADE"))
    connection.execute(text(f"CREATE SCHEMA {schema}"))
    for table in tables:
        connection.execute(text(f'CREATE TABLE {schema}."{table}" AS TABLE "{table}"'))
    return schema
