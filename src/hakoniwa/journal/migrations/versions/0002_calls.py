"""Calls to a model beside the events, and the texts their prompts are made of."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.create_table(
        "texts",
        sa.Column("hash", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("hash", name="texts_key"),
    )
    op.create_table(
        "calls",
        sa.Column("id", ID, nullable=False),
        sa.Column("garden", sa.Text, sa.ForeignKey("gardens.id", name="calls_garden"), nullable=False),
        sa.Column("branch", sa.Text, nullable=False),
        sa.Column("after", sa.BigInteger),
        sa.Column("seen", sa.BigInteger, nullable=False),
        sa.Column("turn", sa.BigInteger, nullable=False),
        sa.Column("speaker", sa.Text),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("call", sa.Text, nullable=False),
        sa.Column("prompt", sa.Text, nullable=False),
        sa.Column("recorded_at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="calls_key"),
    )
    op.create_index("calls_of_garden", "calls", ["garden", "key"])
