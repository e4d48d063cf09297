"""The tables of an SQL journal, as the newest migration leaves them."""

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
)

REVISIONS = ("0001", "0002", "0003", "0004")
REVISION_TABLE = "journal_revision"
COUNTER = "events"

# SQLite keeps a table in the order of its key only when the key is called INTEGER; it holds 64 bits all the same.
Seq = BigInteger().with_variant(Integer, "sqlite")
metadata = MetaData()

counters = Table(
    "counters",
    metadata,
    Column("name", Text, nullable=False),
    Column("value", BigInteger, nullable=False),
    PrimaryKeyConstraint("name", name="counters_key"),
)

gardens = Table(
    "gardens",
    metadata,
    Column("id", Text, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("scenario", Text, nullable=False),
    Column("sheets", Text, nullable=False),
    Column("settings", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    PrimaryKeyConstraint("id", name="gardens_key"),
)

events = Table(
    "events",
    metadata,
    Column("seq", Seq, autoincrement=False, nullable=False),
    Column("parent", BigInteger),
    Column("garden", Text, ForeignKey("gardens.id", name="events_garden"), nullable=False),
    Column("branch", Text, nullable=False),
    Column("turn", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("origin", Text, nullable=False),
    Column("state_hash", Text),
    Column("row_hash", Text, nullable=False),
    Column("recorded_at", Text, nullable=False),
    Column("witnesses", Text, nullable=False),
    Column("payload", Text, nullable=False),
    Column("world_delta", Text, nullable=False),
    PrimaryKeyConstraint("seq", name="events_key"),
    UniqueConstraint("garden", "seq", name="events_of_garden"),
    ForeignKeyConstraint(["garden", "parent"], ["events.garden", "events.seq"], name="events_parent"),
)

branches = Table(
    "branches",
    metadata,
    Column("garden", Text, ForeignKey("gardens.id", name="branches_garden"), nullable=False),
    Column("name", Text, nullable=False),
    Column("head", BigInteger),
    Column("parent", Text),
    Column("turn", BigInteger, nullable=False),
    PrimaryKeyConstraint("garden", "name", name="branches_key"),
    ForeignKeyConstraint(["garden", "head"], ["events.garden", "events.seq"], name="branches_head"),
)

texts = Table(
    "texts",
    metadata,
    Column("hash", Text, nullable=False),
    Column("text", Text, nullable=False),
    PrimaryKeyConstraint("hash", name="texts_key"),
)

calls = Table(
    "calls",
    metadata,
    Column("id", Seq, nullable=False),
    Column("garden", Text, ForeignKey("gardens.id", name="calls_garden"), nullable=False),
    Column("branch", Text, nullable=False),
    Column("after", BigInteger),
    Column("seen", BigInteger, nullable=False),
    Column("turn", BigInteger, nullable=False),
    Column("speaker", Text),
    Column("key", Text, nullable=False),
    Column("call", Text, nullable=False),
    Column("prompt", Text, nullable=False),
    Column("recorded_at", Text, nullable=False),
    PrimaryKeyConstraint("id", name="calls_key"),
    Index("calls_of_garden", "garden", "key"),
)
