"""Opening a database so that what it has committed stays: WAL and full syncs, known revision, writers in a queue."""

import importlib
import os
import re
import sqlite3
import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from shlex import quote
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import ConnectionPoolEntry

from hakoniwa.address import bare_address
from hakoniwa.atomic_write import PRIVATE, partial_file
from hakoniwa.errors import JournalError, JournalNewer
from hakoniwa.file_modes import private_database
from hakoniwa.journal.faults import cannot_make, translate_errors
from hakoniwa.journal.tables import REVISION_TABLE, REVISIONS
from hakoniwa.sqlite import set_up_connection

T = TypeVar("T")
NAME = re.compile(r":([a-z_]+\d*)")


def rows(connection: Connection, sql: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """What a question answers."""
    found: list[tuple[Any, ...]] = _run_driver(connection, sql, values, lambda cursor: cursor.fetchall())
    return found


def run(connection: Connection, sql: str, values: Mapping[str, Any]) -> None:
    """A statement that answers nothing."""
    _run_driver(connection, sql, values, lambda _: None)


def _run_driver(connection: Connection, sql: str, values: Mapping[str, Any], finish: Callable[[Any], T]) -> T:
    driver: Any = connection.connection.driver_connection
    asked = sql if connection.dialect.name == "sqlite" else _in_percents(sql)
    errors = connection.dialect.loaded_dbapi.Error
    try:
        return finish(driver.execute(asked, values))
    except errors as error:
        raise DBAPIError.instance(sql, dict(values), error, errors, dialect=connection.dialect) from error


@lru_cache(maxsize=512)
def _in_percents(sql: str) -> str:
    """A statement with its values named as PostgreSQL's driver wants them."""
    return NAME.sub(r"%(\1)s", sql)


WRITES = "hakoniwa_writes"
OUTSIDE = "hakoniwa_outside"
MIGRATE = "hakoniwa.journal.migrate"


def open_engine(url: URL, patience: float) -> Engine:
    """An engine over a journal of this Hakoniwa's revision; waits `patience` seconds for other writers."""
    path = place(url)
    if url.get_backend_name() == "sqlite":
        _prepare_file(Path(path), patience)
        engine = _sqlite(url, patience)
    else:
        engine = _postgres(url, patience)
    try:
        with translate_errors(path):
            _settle(engine, path)
    except BaseException:
        engine.dispose()
        raise
    return engine


def file_url(file: Path) -> URL:
    return URL.create("sqlite", database=str(file))


def make_tables(file: Path, called: str) -> None:
    """Make an empty file a journal in which nothing stands; people are told of it by what it is `called`."""
    engine = _sqlite(file_url(file), patience=0)
    try:
        with translate_errors(called):
            _settle(engine, called)
    finally:
        engine.dispose()


def sync_to_disk(path: Path) -> None:
    """Have a file, or the names in a folder, survive a power cut."""
    place = os.open(path, os.O_RDONLY)
    try:
        os.fsync(place)
    finally:
        os.close(place)


def _prepare_file(file: Path, patience: float) -> None:
    """Have a journal at a place: a new one comes there whole, and what is no journal is refused."""
    if file.is_dir():
        return  # which SQLite cannot open, and says so
    if file.exists():
        _refuse_foreign(file, patience)
        return
    try:
        with partial_file(file, PRIVATE, new=True) as partial:
            make_tables(partial, called=str(file))
        sync_to_disk(file.parent)
    except FileExistsError:  # another process was faster
        return
    except OSError as error:
        raise cannot_make(file, error) from error


def _refuse_foreign(file: Path, patience: float) -> None:
    """Leave alone what is empty or another program's. Only read: whoever may write brings a log into its file when
    they close it, and an upgrade copies the journal before anything is written there."""
    try:
        readable = f"{file.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(readable, uri=True, timeout=patience)) as connection:
            known = connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", [REVISION_TABLE]).fetchone()
    except sqlite3.Error as error:
        with translate_errors(str(file)):
            raise DBAPIError.instance("open", {}, error, sqlite3.Error) from error
    if known is None:
        raise JournalError("journal.foreign" if file.stat().st_size else "journal.empty", path=str(file))


def place(url: URL) -> str:
    """Where the journal is, for people: the file, or the server without passwords."""
    return str(url.database) if url.get_backend_name() == "sqlite" else bare_address(url.render_as_string())


def writing_engine(engine: Engine) -> Engine:
    """The same engine, for transactions that write: on SQLite they take the lock before they read."""
    return engine.execution_options(**{WRITES: True})


def outside_engine(engine: Engine) -> Engine:
    """The same engine, for what can be part of no transaction."""
    if engine.name == "postgresql":
        return engine.execution_options(isolation_level="AUTOCOMMIT")
    return engine.execution_options(**{OUTSIDE: True})


def snapshot_engine(engine: Engine) -> Engine:
    """The same engine, for transactions that must see one moment throughout; on SQLite every one does."""
    return engine.execution_options(isolation_level="REPEATABLE READ") if engine.name == "postgresql" else engine


def revision(connection: Connection) -> str | None:
    """The revision the tables have, None before the first."""
    if not inspect(connection).has_table(REVISION_TABLE):
        return None
    found: str | None = connection.scalar(text(f"SELECT version_num FROM {REVISION_TABLE}"))
    return found


def refuse_newer(found: str | None, path: str) -> None:
    if found is not None and found not in REVISIONS:
        raise JournalNewer("journal.newer", path=path, found=found, known=REVISIONS[-1])


def _settle(engine: Engine, path: str) -> None:
    with engine.connect() as connection:
        found = revision(connection)
    refuse_newer(found, path)
    if found != REVISIONS[-1]:
        # Alembic costs as much to import as everything else here together, and an up-to-date journal does not need it.
        importlib.import_module(MIGRATE).migrate(engine, path)


def _sqlite(url: URL, patience: float) -> Engine:
    private_database(Path(str(url.database)))
    engine = create_engine(url, pool_use_lifo=True, connect_args={"timeout": patience, "isolation_level": None})

    @event.listens_for(engine, "connect")
    def settings(connection: Any, _: ConnectionPoolEntry) -> None:
        set_up_connection(connection, patience)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        if options.get(OUTSIDE, False):
            return
        writes = options.get(WRITES, False)
        run(connection, "BEGIN IMMEDIATE" if writes else "BEGIN", {})

    return engine


def _postgres(url: URL, patience: float) -> Engine:
    try:
        engine = create_engine(url.set(drivername="postgresql+psycopg"), pool_pre_ping=True)
    except ImportError as error:
        raise JournalError("journal.no-driver", path=place(url), python=quote(sys.executable)) from error

    @event.listens_for(engine, "connect")
    def settings(connection: Any, _: ConnectionPoolEntry) -> None:
        connection.autocommit = True
        connection.execute(f"SET lock_timeout = {int(patience * 1000)}")
        connection.execute("SET synchronous_commit = on")
        connection.autocommit = False

    return engine
