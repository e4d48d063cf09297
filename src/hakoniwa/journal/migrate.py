"""Bringing a journal's tables to the newest revision, in one transaction and one process at a time."""

from alembic import command
from alembic.config import Config
from sqlalchemy import Engine, func, select

from hakoniwa.journal.engine import refuse_newer, revision, writing

LOCK = 0x68616B6F  # any number will do, as long as every Hakoniwa asks PostgreSQL for the same


def migrate(engine: Engine, path: str) -> None:
    """Run the migrations that are missing; whoever comes second finds nothing left to do."""
    with writing(engine).begin() as connection:
        if engine.name == "postgresql":
            connection.execute(select(func.pg_advisory_xact_lock(LOCK)))
        refuse_newer(revision(connection), path)
        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", "hakoniwa.journal:migrations")
        command.upgrade(config, "head")
