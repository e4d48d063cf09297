"""A database and its transactions: readers as many as like, writers one after the other."""

import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from functools import cache
from threading import Lock, local
from typing import Any

from sqlalchemy import URL, Connection, Engine, Table, create_engine, insert, select
from sqlalchemy.pool import StaticPool

from hakoniwa.errors import JournalLocked
from hakoniwa.journal.engine import open_engine, outside_engine, place, snapshot_engine, writing_engine
from hakoniwa.journal.faults import translate_errors
from hakoniwa.journal.ghost_tables import GHOST_TABLES, IDS, PURGES, forgotten
from hakoniwa.journal.tables import COUNTER, counters, metadata

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
