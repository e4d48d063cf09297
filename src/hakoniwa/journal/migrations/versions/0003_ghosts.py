"""What characters remember: memories and what grew from them, beside the journal's own tables."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

KEY = sa.BigInteger().with_variant(sa.Integer, "sqlite")
COUNTERS = sa.table("counters", sa.column("name", sa.Text), sa.column("value", sa.BigInteger))


def upgrade() -> None:
    op.bulk_insert(COUNTERS, [{"name": "ghost_ids", "value": 0}, {"name": "purges", "value": 0}])
    create_lines()
    create_memories()
    create_findings()
    create_items()
    create_doings()
    op.create_table(
        "forgotten",
        sa.Column("seq", KEY, autoincrement=False, nullable=False),
        sa.Column("row_hash", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("seq", name="forgotten_key"),
    )


def place() -> tuple[sa.Column[int], sa.Column[int]]:
    return sa.Column("span", sa.BigInteger, nullable=False), sa.Column("anchor", sa.BigInteger, nullable=False)


def create_lines() -> None:
    op.create_table(
        "ghosts",
        sa.Column("no", KEY, autoincrement=False, nullable=False),
        sa.Column("garden", sa.Text, nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("no", name="ghosts_key"),
        sa.UniqueConstraint("garden", "who", name="ghosts_of_garden"),
    )
    op.create_table(
        "spans",
        sa.Column("start", KEY, autoincrement=False, nullable=False),
        sa.Column("garden", sa.Text, nullable=False),
        sa.Column("parent", sa.BigInteger),
        sa.Column("parent_span", sa.BigInteger),
        sa.Column("newest", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("start", name="spans_key"),
    )
    op.create_table(
        "taken",
        sa.Column("seq", KEY, autoincrement=False, nullable=False),
        sa.Column("span", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("seq", name="taken_key"),
    )


def create_memories() -> None:
    op.create_table(
        "memories",
        sa.Column("id", KEY, autoincrement=False, nullable=False),
        sa.Column("ghost", sa.BigInteger, nullable=False),
        sa.Column("span", sa.BigInteger, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("searchable", sa.Boolean, nullable=False),
        sa.Column("reply_to", sa.BigInteger),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("user_text", sa.Text),
        sa.Column("assistant_text", sa.Text),
        sa.Column("entities", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="memories_key"),
    )
    op.create_index("memories_in_time", "memories", ["ghost", "at"])
    op.create_index("memories_of_source", "memories", ["ghost", "source", "id"])
    op.create_table(
        "memory_words",
        sa.Column("ghost", sa.BigInteger, nullable=False),
        sa.Column("word", sa.Text, nullable=False),
        sa.Column("memory", sa.BigInteger, nullable=False),
        sa.Column("span", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("ghost", "word", "memory", name="memory_words_key"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "vectors",
        sa.Column("id", KEY, autoincrement=False, nullable=False),
        sa.Column("ghost", sa.BigInteger, nullable=False),
        sa.Column("embedder", sa.Text, nullable=False),
        sa.Column("of", sa.Text, nullable=False),
        sa.Column("key", sa.BigInteger, nullable=False),
        sa.Column("vector", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("id", name="vectors_key"),
        sa.UniqueConstraint("ghost", "embedder", "of", "key", name="vectors_of_ghost"),
    )


def create_findings() -> None:
    op.create_table(
        "annotations",
        sa.Column("id", KEY, autoincrement=False, nullable=False),
        sa.Column("ghost", sa.BigInteger, nullable=False),
        sa.Column("memory", sa.BigInteger, nullable=False),
        *place(),
        sa.Column("year_start", sa.Integer),
        sa.Column("year_end", sa.Integer),
        sa.Column("life_stage", sa.Text, nullable=False),
        sa.Column("entities", sa.Text, nullable=False),
        sa.Column("threads", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="annotations_key"),
    )
    op.create_index("annotations_of_memory", "annotations", ["memory"])
    op.create_index("annotations_of_year", "annotations", ["ghost", "year_start"])
    op.create_index("annotations_of_stage", "annotations", ["ghost", "life_stage"])
    op.create_table(
        "marks",
        sa.Column("ghost", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("memory", sa.BigInteger, nullable=False),
        *place(),
        sa.PrimaryKeyConstraint("ghost", "kind", "name", "memory", "anchor", name="marks_key"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "links",
        sa.Column("id", KEY, autoincrement=False, nullable=False),
        sa.Column("ghost", sa.BigInteger, nullable=False),
        *place(),
        sa.Column("of", sa.Text, nullable=False),
        sa.Column("source", sa.BigInteger, nullable=False),
        sa.Column("target", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("confidence", sa.Float(53), nullable=False),
        sa.PrimaryKeyConstraint("id", name="links_key"),
    )
    op.create_index("links_from", "links", ["ghost", "of", "source"])
    op.create_index("links_to", "links", ["ghost", "of", "target"])
    op.create_table(
        "affects",
        sa.Column("id", KEY, autoincrement=False, nullable=False),
        sa.Column("ghost", sa.BigInteger, nullable=False),
        *place(),
        sa.Column("memory", sa.BigInteger, nullable=False),
        sa.Column("text", sa.Text),
        sa.Column("labels", sa.Text, nullable=False),
        sa.Column("v", sa.Float(53), nullable=False),
        sa.Column("a", sa.Float(53), nullable=False),
        sa.Column("d", sa.Float(53), nullable=False),
        sa.Column("confidence", sa.Float(53), nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="affects_key"),
    )
    op.create_index("affects_of_memory", "affects", ["ghost", "memory"])


def create_items() -> None:
    op.create_table(
        "revisions",
        sa.Column("id", KEY, autoincrement=False, nullable=False),
        sa.Column("ghost", sa.BigInteger, nullable=False),
        *place(),
        sa.Column("item", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("before", sa.Text),
        sa.Column("after", sa.Text),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("evidence", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("body", sa.Text),
        sa.PrimaryKeyConstraint("id", name="revisions_key"),
    )
    op.create_index("revisions_of_ghost", "revisions", ["ghost", "id"])
    op.create_index("revisions_of_item", "revisions", ["ghost", "item", "id", "span", "anchor"])


def create_doings() -> None:
    op.create_table(
        "retrieval_runs",
        sa.Column("id", KEY, autoincrement=False, nullable=False),
        sa.Column("ghost", sa.BigInteger, nullable=False),
        *place(),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("input", sa.Text, nullable=False),
        sa.Column("plan", sa.Text, nullable=False),
        sa.Column("candidates", sa.Text, nullable=False),
        sa.Column("selection", sa.Text, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("dropped", sa.Text),
        sa.PrimaryKeyConstraint("id", name="retrieval_runs_key"),
    )
    op.create_index("retrieval_runs_of_ghost", "retrieval_runs", ["ghost", "id"])
    op.create_table(
        "works",
        sa.Column("id", KEY, autoincrement=False, nullable=False),
        sa.Column("ghost", sa.BigInteger, nullable=False),
        sa.Column("seq", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("claimed_until", sa.BigInteger, nullable=False),
        sa.Column("problem", sa.Text),
        sa.PrimaryKeyConstraint("id", name="works_key"),
    )
    op.create_index("works_waiting", "works", ["ghost", "status", "id"])
    op.create_table(
        "runtime_snapshots",
        sa.Column("id", KEY, autoincrement=False, nullable=False),
        sa.Column("ghost", sa.BigInteger, nullable=False),
        *place(),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("board", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="runtime_snapshots_key"),
    )
    op.create_index("runtime_snapshots_of_ghost", "runtime_snapshots", ["ghost", "id"])
