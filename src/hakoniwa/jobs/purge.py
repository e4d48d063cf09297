"""Purging: what flows found out on their way is gone for good, out of the rows and out of the bytes, whoever runs them.

The tables are those of dbos, which is not needed for this and takes long to load. A flow that is not over is cancelled
in the same transaction, the way dbos does it: whoever carries it out can record nothing more of it."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, NullPool, bindparam, create_engine, event, inspect, text
from sqlalchemy.exc import SQLAlchemyError

from hakoniwa.sqlite import set_up_connection

SCHEMA = "hakoniwa_jobs"
STATUS, PAYLOADS = "workflow_status", ("workflow_input", "workflow_output", "operation_outputs")
CHOSEN = "workflow_uuid IN :keys"
CANCELLED = "status = 'CANCELLED', owner_xid = NULL, queue_name = NULL, deduplication_id = NULL"
BATCH = 500
PATIENCE = 5.0


def jobs_beside(journal: URL) -> URL:
    """Where work under way is kept: in the journal's own server, or in a file beside the journal's."""
    if journal.get_backend_name() != "sqlite":
        return journal
    return journal.set(database=str(Path(str(journal.database)).with_suffix(".jobs.db")))


def purge(url: URL, keys: Collection[str]) -> bool:
    """Keep nothing of what these flows found out, and no byte of what was removed before; whether some of it had to
    stay for now."""
    if url.get_backend_name() == "sqlite" and not Path(str(url.database)).exists():
        return False
    engine = _engine(url)
    try:
        tables = _tables(engine)
        with engine.begin() as connection:
            _remove(connection, tables, sorted(keys))
        return _scrub_files(engine, tables)
    except SQLAlchemyError:
        return True
    finally:
        engine.dispose()


def _engine(url: URL) -> Engine:
    if url.get_backend_name() != "sqlite":
        waits = {"options": f"-c lock_timeout={int(PATIENCE * 1000)}"}
        return create_engine(url.set(drivername="postgresql+psycopg"), poolclass=NullPool, connect_args=waits)
    engine = create_engine(url, poolclass=NullPool, connect_args={"timeout": PATIENCE})

    @event.listens_for(engine, "connect")
    def settings(connection: Any, _: Any) -> None:
        set_up_connection(connection, PATIENCE)

    return engine


def _tables(engine: Engine) -> dict[str, str]:
    """What there is of the tables that hold words, by their names, as a statement names them."""
    schema = None if engine.name == "sqlite" else SCHEMA
    found = set(inspect(engine).get_table_names(schema))
    return {one: f"{schema}.{one}" if schema else one for one in (STATUS, *PAYLOADS) if one in found}


def _remove(connection: Connection, tables: dict[str, str], keys: Sequence[str]) -> None:
    for start in range(0, len(keys), BATCH):
        for one, name in tables.items():
            for statement in _cancel_statements(name) if one == STATUS else (f"DELETE FROM {name} WHERE {CHOSEN}",):
                _run(connection, statement, {"keys": keys[start : start + BATCH]})


def _cancel_statements(status: str) -> tuple[str, str]:
    """A flow keeps its place among those that were begun, so that whoever carries it out sees that it is to end."""
    return (
        f"UPDATE {status} SET {CANCELLED} WHERE {CHOSEN} AND status NOT IN ('SUCCESS', 'ERROR')",
        f"UPDATE {status} SET inputs = NULL, output = NULL, error = NULL WHERE {CHOSEN}",
    )


def _run(connection: Connection, statement: str, chosen: dict[str, Any]) -> None:
    connection.execute(text(statement).bindparams(bindparam("keys", expanding=True)), chosen)


def _scrub_files(engine: Engine, tables: dict[str, str]) -> bool:
    """Write the files anew; whether somebody who reads keeps the old pages alive."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if engine.name != "sqlite":
            for one in tables.values():
                connection.execute(text(f"VACUUM FULL {one}"))
            return False
        connection.execute(text("VACUUM"))
        return bool(connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)")).one()[0])
