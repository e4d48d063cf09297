"""The journal: gardens, their rows and branches, and the counter that numbers rows."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

SEQ = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    counters = op.create_table(
        "counters",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("value", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("name", name="counters_key"),
    )
    op.bulk_insert(counters, [{"name": "events", "value": 0}])
    create_gardens()
    create_events()
    create_branches()


def create_gardens() -> None:
    op.create_table(
        "gardens",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("seed", sa.BigInteger, nullable=False),
        sa.Column("scenario", sa.Text, nullable=False),
        sa.Column("sheets", sa.Text, nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="gardens_key"),
    )


def create_events() -> None:
    op.create_table(
        "events",
        sa.Column("seq", SEQ, autoincrement=False, nullable=False),
        sa.Column("parent", sa.BigInteger),
        sa.Column("garden", sa.Text, sa.ForeignKey("gardens.id", name="events_garden"), nullable=False),
        sa.Column("branch", sa.Text, nullable=False),
        sa.Column("turn", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("origin", sa.Text, nullable=False),
        sa.Column("state_hash", sa.Text),
        sa.Column("row_hash", sa.Text, nullable=False),
        sa.Column("recorded_at", sa.Text, nullable=False),
        sa.Column("witnesses", sa.Text, nullable=False),
        sa.Column("payload", sa.Text, nullable=False),
        sa.Column("world_delta", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("seq", name="events_key"),
        sa.UniqueConstraint("garden", "seq", name="events_of_garden"),
        sa.ForeignKeyConstraint(["garden", "parent"], ["events.garden", "events.seq"], name="events_parent"),
    )


def create_branches() -> None:
    op.create_table(
        "branches",
        sa.Column("garden", sa.Text, sa.ForeignKey("gardens.id", name="branches_garden"), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("head", sa.BigInteger),
        sa.Column("parent", sa.Text),
        sa.Column("turn", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("garden", "name", name="branches_key"),
        sa.ForeignKeyConstraint(["garden", "head"], ["events.garden", "events.seq"], name="branches_head"),
    )
