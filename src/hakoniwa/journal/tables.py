"""The tables of an SQL journal and of memory, which lies beside it, as the newest migration leaves them.

A memory's key is its ghost's number and the row's seq in one: `(ghost << 40) | seq`, so that what one ghost remembers
lies together. `span` and `anchor` say where on the tree of play something came to be: it is visible from a line that
holds that span up to that row or further. No foreign key leads from memory to the events: a journal in memory
has them elsewhere."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
)

REVISIONS = ("0001", "0002", "0003", "0004")
REVISION_TABLE = "journal_revision"
COUNTER = "events"
DELETED = "deleted"  # the tombstone of a row that went with its whole garden

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


SEQ_BITS = 40
IDS = "ghost_ids"  # the counter that numbers whatever memory keeps, so that no number is ever used twice
PURGES = "purges"  # the counter of purges: who kept something in mind since before the last one must look again


def place() -> tuple[Column[int], Column[int]]:
    return Column("span", BigInteger, nullable=False), Column("anchor", BigInteger, nullable=False)


ghosts = Table(
    "ghosts",
    metadata,
    Column("no", Seq, autoincrement=False, nullable=False),
    Column("garden", Text, nullable=False),
    Column("who", Text, nullable=False),
    PrimaryKeyConstraint("no", name="ghosts_key"),
    UniqueConstraint("garden", "who", name="ghosts_of_garden"),
)

spans = Table(
    "spans",
    metadata,
    Column("start", Seq, autoincrement=False, nullable=False),
    Column("garden", Text, nullable=False),
    Column("parent", BigInteger),
    Column("parent_span", BigInteger),
    Column("newest", BigInteger, nullable=False),
    PrimaryKeyConstraint("start", name="spans_key"),
)

taken = Table(
    "taken",
    metadata,
    Column("seq", Seq, autoincrement=False, nullable=False),
    Column("span", BigInteger, nullable=False),
    PrimaryKeyConstraint("seq", name="taken_key"),
)

memories = Table(
    "memories",
    metadata,
    Column("id", Seq, autoincrement=False, nullable=False),
    Column("ghost", BigInteger, nullable=False),
    Column("span", BigInteger, nullable=False),
    Column("source", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("searchable", Boolean, nullable=False),
    Column("reply_to", BigInteger),
    Column("text", Text, nullable=False),
    Column("user_text", Text),
    Column("assistant_text", Text),
    Column("entities", Text, nullable=False),
    PrimaryKeyConstraint("id", name="memories_key"),
    Index("memories_in_time", "ghost", "at"),
    Index("memories_of_source", "ghost", "source", "id"),
)

words = Table(
    "memory_words",
    metadata,
    Column("ghost", BigInteger, nullable=False),
    Column("word", Text, nullable=False),
    Column("memory", BigInteger, nullable=False),
    Column("span", BigInteger, nullable=False),
    PrimaryKeyConstraint("ghost", "word", "memory", name="memory_words_key"),
    sqlite_with_rowid=False,
)

annotations = Table(
    "annotations",
    metadata,
    Column("id", Seq, autoincrement=False, nullable=False),
    Column("ghost", BigInteger, nullable=False),
    Column("memory", BigInteger, nullable=False),
    *place(),
    Column("year_start", Integer),
    Column("year_end", Integer),
    Column("life_stage", Text, nullable=False),
    Column("entities", Text, nullable=False),
    Column("threads", Text, nullable=False),
    PrimaryKeyConstraint("id", name="annotations_key"),
    Index("annotations_of_memory", "memory"),
    Index("annotations_of_year", "ghost", "year_start"),
    Index("annotations_of_stage", "ghost", "life_stage"),
)

marks = Table(
    "marks",
    metadata,
    Column("ghost", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("memory", BigInteger, nullable=False),
    *place(),
    PrimaryKeyConstraint("ghost", "kind", "name", "memory", "anchor", name="marks_key"),
    sqlite_with_rowid=False,
)

links = Table(
    "links",
    metadata,
    Column("id", Seq, autoincrement=False, nullable=False),
    Column("ghost", BigInteger, nullable=False),
    *place(),
    Column("of", Text, nullable=False),
    Column("source", BigInteger, nullable=False),
    Column("target", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("confidence", Float(53), nullable=False),
    PrimaryKeyConstraint("id", name="links_key"),
    Index("links_from", "ghost", "of", "source"),
    Index("links_to", "ghost", "of", "target"),
)

affects = Table(
    "affects",
    metadata,
    Column("id", Seq, autoincrement=False, nullable=False),
    Column("ghost", BigInteger, nullable=False),
    *place(),
    Column("memory", BigInteger, nullable=False),
    Column("text", Text),
    Column("labels", Text, nullable=False),
    Column("v", Float(53), nullable=False),
    Column("a", Float(53), nullable=False),
    Column("d", Float(53), nullable=False),
    Column("confidence", Float(53), nullable=False),
    Column("at", BigInteger, nullable=False),
    PrimaryKeyConstraint("id", name="affects_key"),
    Index("affects_of_memory", "ghost", "memory"),
)

revisions = Table(
    "revisions",
    metadata,
    Column("id", Seq, autoincrement=False, nullable=False),
    Column("ghost", BigInteger, nullable=False),
    *place(),
    Column("item", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("before", Text),
    Column("after", Text),
    Column("reason", Text, nullable=False),
    Column("evidence", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("body", Text),
    PrimaryKeyConstraint("id", name="revisions_key"),
    Index("revisions_of_ghost", "ghost", "id"),
    Index("revisions_of_item", "ghost", "item", "id", "span", "anchor"),
)

runs = Table(
    "retrieval_runs",
    metadata,
    Column("id", Seq, autoincrement=False, nullable=False),
    Column("ghost", BigInteger, nullable=False),
    *place(),
    Column("at", BigInteger, nullable=False),
    Column("input", Text, nullable=False),
    Column("plan", Text, nullable=False),
    Column("candidates", Text, nullable=False),
    Column("selection", Text, nullable=False),
    Column("by", Text, nullable=False),
    Column("dropped", Text),
    PrimaryKeyConstraint("id", name="retrieval_runs_key"),
    Index("retrieval_runs_of_ghost", "ghost", "id"),
)

works = Table(
    "works",
    metadata,
    Column("id", Seq, autoincrement=False, nullable=False),
    Column("ghost", BigInteger, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("claimed_until", BigInteger, nullable=False),
    Column("problem", Text),
    PrimaryKeyConstraint("id", name="works_key"),
    Index("works_waiting", "ghost", "status", "id"),
)

snapshots = Table(
    "runtime_snapshots",
    metadata,
    Column("id", Seq, autoincrement=False, nullable=False),
    Column("ghost", BigInteger, nullable=False),
    *place(),
    Column("kind", Text, nullable=False),
    Column("board", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    PrimaryKeyConstraint("id", name="runtime_snapshots_key"),
    Index("runtime_snapshots_of_ghost", "ghost", "id"),
)

vectors = Table(
    "vectors",
    metadata,
    Column("id", Seq, autoincrement=False, nullable=False),
    Column("ghost", BigInteger, nullable=False),
    Column("embedder", Text, nullable=False),
    Column("of", Text, nullable=False),
    Column("key", BigInteger, nullable=False),
    Column("vector", LargeBinary, nullable=False),
    PrimaryKeyConstraint("id", name="vectors_key"),
    UniqueConstraint("ghost", "embedder", "of", "key", name="vectors_of_ghost"),
)

forgotten = Table(
    "forgotten",
    metadata,
    Column("seq", Seq, autoincrement=False, nullable=False),
    Column("row_hash", Text, nullable=False),
    PrimaryKeyConstraint("seq", name="forgotten_key"),
)

moments = Table(
    "moments",
    metadata,
    Column("garden", Text, nullable=False),
    Column("branch", Text, nullable=False),
    Column("living", Boolean, nullable=False),
    Column("talking_until", BigInteger, nullable=False),
    Column("clock_ahead", BigInteger, nullable=False),
    PrimaryKeyConstraint("garden", "branch", name="moments_key"),
)

GHOST_TABLES = (
    ghosts, spans, taken, memories, words, annotations, marks, links, affects,
    revisions, runs, works, snapshots, vectors, moments,
)  # fmt: skip
