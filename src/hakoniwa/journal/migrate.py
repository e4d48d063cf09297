"""Bringing a journal's tables to the newest revision, in one transaction and one process at a time; a copy of the
journal as it was is made first."""

import logging
from threading import Lock

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, Engine, func, select

from hakoniwa.journal.copies import keep_copy
from hakoniwa.journal.database import refuse_newer, revision, writing_engine
from hakoniwa.journal.tables import REVISIONS

log = logging.getLogger("hakoniwa.journal")

ALEMBIC = Lock()  # it keeps what it works on in its modules: one thread at a time
LOCK = 0x68616B6F  # any number will do, as long as every Hakoniwa asks PostgreSQL for the same


def migrate(engine: Engine, path: str) -> None:
    """Run the migrations that are missing; whoever comes second finds nothing left to do."""
    with writing_engine(engine).begin() as connection:
        if engine.name == "postgresql":
            connection.execute(select(func.pg_advisory_xact_lock(LOCK)))
        found = revision(connection)
        refuse_newer(found, path)
        if found not in (None, REVISIONS[-1]):
            log.info("the journal as it was before the upgrade: %s", keep_copy(connection, found))
        _upgrade(connection)


def _upgrade(connection: Connection) -> None:
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", "hakoniwa.journal:migrations")
    with ALEMBIC:
        command.upgrade(config, "head")
