"""The tables of memory, which lie beside the journal's own; `memory/store` reads and writes them.

A memory's key is its ghost's number and the row's seq in one: `(ghost << 40) | seq`, so that what one ghost remembers
lies together. `span` and `anchor` say where on the tree of play something came to be: it is visible from a line that
holds that span up to that row or further. No foreign key leads to the events: a journal in memory
has them elsewhere."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
)

from hakoniwa.journal.tables import Seq, metadata

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
