"""Opening the database of the work: whole syncs, whole transactions, and the tables dbos needs."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dbos import DBOSClient
from dbos._sys_db import SystemDatabase
from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry

from hakoniwa.address import bare_address
from hakoniwa.errors import JournalError
from hakoniwa.file_modes import private_database, private_folder
from hakoniwa.jobs.purge import SCHEMA
from hakoniwa.jobs.serial import JsonSerializer
from hakoniwa.sqlite import set_up_connection

APPLICATION = "hakoniwa"
PATIENCE = 30.0


def open_engine(url: URL) -> Engine:
    """An engine over a database that has every table, made now if need be."""
    engine = _sqlite(url) if url.get_backend_name() == "sqlite" else _postgres(url)
    try:
        with translate_errors(url):
            _make_tables(engine)
    except BaseException:
        engine.dispose()
        raise
    return engine


def client(engine: Engine, patient: bool) -> DBOSClient:
    """A view of the work; a patient one waits for a database that is away, the other one says so."""
    return DBOSClient(
        system_database_engine=engine,
        dbos_system_schema=SCHEMA,
        serializer=JsonSerializer(),
        application_name=APPLICATION,
        lazy=True,
        retry_connection_errors=patient,
    )


@contextmanager
def translate_errors(url: URL) -> Iterator[None]:
    """Raise what the database complains of inside as an error of ours."""
    try:
        yield
    except SQLAlchemyError as error:
        problem = str(error.orig if isinstance(error, DBAPIError) else error).strip()
        raise JournalError("journal.failed", path=bare_address(url.render_as_string()), problem=problem) from error


def _make_tables(engine: Engine) -> None:
    # dbos makes them on launch, but whoever only starts work launches nothing; its own migrate() would open SQLite
    # so that a kill in the middle leaves half of them, which no later start could repair.
    database = SystemDatabase.create(
        system_database_url=f"{engine.dialect.name}://",
        engine_kwargs={},
        engine=engine,
        schema=SCHEMA,
        serializer=JsonSerializer(),
        executor_id=None,
        use_listen_notify=False,
    )
    database.run_migrations()


def _sqlite(url: URL) -> Engine:
    path = Path(str(url.database))
    private_folder(path.parent)
    private_database(path)
    engine = create_engine(url, connect_args={"timeout": PATIENCE, "isolation_level": None})

    @event.listens_for(engine, "connect")
    def settings(connection: Any, _: ConnectionPoolEntry) -> None:
        set_up_connection(connection, PATIENCE)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")  # a reader that turns writer late would be refused

    return engine


def _postgres(url: URL) -> Engine:
    engine = create_engine(
        url.set(drivername="postgresql+psycopg"), pool_pre_ping=True, connect_args={"connect_timeout": 10}
    )

    @event.listens_for(engine, "connect")
    def settings(connection: Any, _: ConnectionPoolEntry) -> None:
        connection.autocommit = True
        connection.execute("SET synchronous_commit = on")
        connection.execute("SET idle_in_transaction_session_timeout = 60000")
        connection.autocommit = False

    return engine
