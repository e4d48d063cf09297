"""A database, opened so that what it has committed stays, and its transactions: many readers, one writer at a time."""

import importlib
import os
import re
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from functools import cache, lru_cache
from pathlib import Path
from shlex import quote
from threading import Lock, local
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, Engine, Table, create_engine, event, insert, inspect, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import ConnectionPoolEntry, StaticPool

from hakoniwa.address import bare_address
from hakoniwa.errors import JournalError, JournalLocked, JournalNewer
from hakoniwa.journal.faults import cannot_make, translate_errors
from hakoniwa.journal.tables import (
    COUNTER,
    GHOST_TABLES,
    IDS,
    PURGES,
    REVISION_TABLE,
    REVISIONS,
    counters,
    forgotten,
    metadata,
)
from hakoniwa.own_files import PRIVATE, partial_file, private_database, sync_to_disk
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


PATIENCE = 5.0
TICK = 20_000_000  # nanoseconds within which two writes may bear the same time


class SharedRead(local):
    """The transaction that a thread reads in, while it reads together, or the one in which it does all there is."""

    whole: Connection | None = None
    stack: ExitStack | None = None
    connection: Connection | None = None

    def end(self) -> None:
        self.connection = None
        if self.stack is not None:
            self.stack.close()


class Database:
    """An engine of ours. Threads that write queue up here, because SQLite's own way of waiting is to doze."""

    def __init__(self, engine: Engine, path: str, patience: float, alone: bool = False) -> None:
        self.engine, self.path = engine, path
        self._writes, self._moments = writing_engine(engine), snapshot_engine(engine)
        self._patience = patience
        self._one_writer = Lock()
        self._alone = alone  # a database with a single connection has one reader or writer at a time
        self._shared = SharedRead()

    def reading(self) -> AbstractContextManager[Connection]:
        """A transaction that reads; while the thread reads `together`, a part of that one."""
        if self._shared.whole is not None:
            return nullcontext(self._shared.whole)
        if self._shared.stack is not None:
            return self._in_shared(self._shared, self._shared.stack)
        return self._in_turn(self.engine) if self._alone else self._begin(self.engine)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Let whatever this thread reads meanwhile be one transaction: to begin one takes as long as a small question.

        The first question begins it. Where there is one connection only, nobody keeps it from the others."""
        self._shared.stack = None if self._alone else ExitStack()
        try:
            yield
        finally:
            self._shared.end()
            self._shared.stack = None

    @contextmanager
    def as_one(self) -> Iterator[None]:
        """Let whatever this thread reads and writes meanwhile be one transaction that writes, or nothing of it.

        It takes the counter of rows first, so nobody else writes one meanwhile and every row it reads is the newest."""
        if self._shared.whole is not None:
            yield
            return
        with self.writing() as connection:
            connection.exec_driver_sql(f"UPDATE counters SET value = value WHERE name = '{COUNTER}'")
            self._shared.whole = connection
            try:
                yield
            finally:
                self._shared.whole = None

    def moment(self) -> AbstractContextManager[Connection]:
        """A transaction that reads and sees one moment throughout."""
        if self._shared.whole is not None:
            return nullcontext(self._shared.whole)
        return self._in_turn(self.engine) if self._alone else self._begin(self._moments)

    def writing(self) -> AbstractContextManager[Connection]:
        """A transaction that writes."""
        if self._shared.whole is not None:
            return nullcontext(self._shared.whole)
        return self._in_turn(self._writes)

    def outside(self, *statements: str) -> list[Any]:
        """Statements that go into no transaction, one after the other; the first row that each answers, if any."""
        with self._in_turn(outside_engine(self.engine)) as connection:
            answers = [connection.exec_driver_sql(one) for one in statements]
            return [answer.fetchone() if answer.returns_rows else None for answer in answers]

    def contents(self) -> dict[Table, list[dict[str, Any]]]:
        """Everything in the tables that memory uses."""
        with self.moment() as connection:
            return {
                table: [dict(row) for row in connection.execute(select(table)).mappings()]
                for table in (counters, *GHOST_TABLES)
            }

    def change_sign(self) -> object:
        """Another value than before if anything was written meanwhile, and now and then without that.

        In SQLite the files tell, which costs nothing; a server is asked one question, about all it keeps."""
        if self._alone:
            return object()
        if self.engine.name != "sqlite":
            with self.reading() as connection:
                return connection.exec_driver_sql("SELECT pg_current_wal_insert_lsn()").scalar()
        signs = [_file_sign(f"{self.engine.url.database}{end}") for end in ("", "-wal")]
        return object() if any(time.time_ns() - at < TICK for at, _ in signs) else signs

    def close(self) -> None:
        self.engine.dispose()

    @contextmanager
    def _begin(self, engine: Engine) -> Iterator[Connection]:
        """One transaction: committed at the end, and rolled back if anything is raised."""
        with translate_errors(self.path), engine.begin() as connection:
            yield connection

    @contextmanager
    def _in_shared(self, shared: "SharedRead", stack: ExitStack) -> Iterator[Connection]:
        """A part of what the thread reads together; after one that failed the next begins anew."""
        if shared.connection is None:
            shared.connection = stack.enter_context(self._begin(self.engine))
        try:
            with translate_errors(self.path):
                yield shared.connection
        except BaseException:
            shared.end()
            raise

    @contextmanager
    def _in_turn(self, engine: Engine) -> Iterator[Connection]:
        if not self._one_writer.acquire(timeout=self._patience):
            raise JournalLocked("journal.locked", path=self.path, problem="another thread is writing")
        try:
            with self._begin(engine) as connection:
                yield connection
        finally:
            self._one_writer.release()


def _file_sign(path: str) -> tuple[int, int]:
    """When a file was last written, in nanoseconds, and its size."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


def open_database(url: URL, patience: float) -> Database:
    """The database of a journal, brought to the newest revision."""
    return Database(open_engine(url, patience), place(url), patience)


def passing_database() -> Database:
    """A database that lives as long as its process, with the tables of memory in it."""
    engine = _in_memory()
    with closing(engine.raw_connection()) as connection:
        connection.driver_connection.executescript(_plan())  # type: ignore[union-attr]
    with engine.begin() as transaction:
        transaction.execute(insert(counters), [{"name": IDS, "value": 0}, {"name": PURGES, "value": 0}])
    return Database(engine, ":memory:", PATIENCE, alone=True)


def _in_memory() -> Engine:
    return create_engine("sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False})


@cache
def _plan() -> str:
    """The statements that make the tables: to work them out takes many times as long as to carry them out."""
    engine = _in_memory()
    metadata.create_all(engine, [counters, forgotten, *GHOST_TABLES])
    with engine.connect() as connection:
        made = connection.exec_driver_sql("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
        return ";\n".join(made.scalars())
