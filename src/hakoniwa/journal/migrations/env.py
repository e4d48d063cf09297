"""Alembic runs this: on the connection it was handed, inside the transaction that is already open."""

from alembic import context

from hakoniwa.journal.tables import REVISION_TABLE, metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=REVISION_TABLE,
    transactional_ddl=True,
)
context.run_migrations()
