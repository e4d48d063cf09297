"""How a line of play stands at this moment: whether its persona lives by itself, whether somebody is talking on it, and
how far its clock was moved."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "moments",
        sa.Column("garden", sa.Text, nullable=False),
        sa.Column("branch", sa.Text, nullable=False),
        sa.Column("living", sa.Boolean, nullable=False),
        sa.Column("talking_until", sa.BigInteger, nullable=False),
        sa.Column("clock_ahead", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("garden", "branch", name="moments_key"),
    )
