"""Items and findings about events, written whole, one revision after the other; and how much there is."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, Table, insert, text

from hakoniwa.journal.queries import take
from hakoniwa.journal.tables import IDS, affects, annotations, links, revisions
from hakoniwa.memory.store.columns import (
    affect_columns,
    annotation_columns,
    fold_name,
    revision_columns,
    revision_of,
)
from hakoniwa.memory.store.intake import ENTITY, THREAD
from hakoniwa.memory.store.lines import Visibility, key, key_visibility, row_visibility, span_of, statement
from hakoniwa.memory.store.values import Annotation, MemoryScope, MemoryStats, MemoryWriting
from hakoniwa.persona.records import MemoryLink, Revision

Columns = dict[str, Any]

# What an event was taken in with may be found out about it once more.
MARK = text(
    "INSERT INTO marks (ghost, kind, name, memory, span, anchor)"
    " VALUES (:ghost, :kind, :name, :memory, :span, :anchor) ON CONFLICT DO NOTHING"
)


def write(connection: Connection, scope: MemoryScope, seq: int, writing: MemoryWriting) -> tuple[Revision, ...]:
    """Write everything that came of one event, in its place; the revisions as they are kept."""
    place = {"ghost": scope.ghost, "span": span_of(connection, seq), "anchor": seq}
    count = sum(map(len, (writing.annotations, writing.revisions, writing.affects, writing.links)))
    ids = iter(range((last := take(connection, count, IDS)) - count + 1, last + 1))
    made = tuple(_number_revision(one, next(ids)) for one in writing.revisions)
    _insert(connection, revisions, place, map(revision_columns, made))
    notes = [{"id": next(ids), **annotation_columns(scope.ghost, one)} for one in writing.annotations]
    _insert(connection, annotations, place, notes)
    if names := _marks(scope.ghost, writing.annotations):
        connection.execute(MARK, [{**place, **one} for one in names])
    felt = [{"id": next(ids), **affect_columns(scope.ghost, one)} for one in writing.affects]
    _insert(connection, affects, place, felt)
    tied = [{"id": next(ids), **_resolve_link(one, made).model_dump(mode="json")} for one in writing.links]
    _insert(connection, links, place, tied)
    return made


def _insert(connection: Connection, table: Table, place: Columns, rows: Iterable[Columns]) -> None:
    if whole := [{**place, **row} for row in rows]:
        connection.execute(insert(table), whole)


def _number_revision(revision: Revision, id: int) -> Revision:
    return revision.model_copy(update={"id": id, "item": revision.item or id})


def _resolve_link(link: MemoryLink, made: Sequence[Revision]) -> MemoryLink:
    """A link between states with the numbers of those that are new."""
    if link.of == "event":
        return link
    ends = {end: id if id > 0 else made[-id - 1].item for end, id in (("source", link.source), ("target", link.target))}
    return link.model_copy(update=ends)


def _marks(ghost: int, notes: Iterable[Annotation]) -> list[Columns]:
    found = {
        (kind, fold_name(name), key(ghost, note.seq))
        for note in notes
        for kind, names in ((ENTITY, [one.name for one in note.entities]), (THREAD, note.threads))
        for name in names
    }
    return [{"kind": kind, "name": name, "memory": memory} for kind, name, memory in sorted(found)]


# --- reading ---------------------------------------------------------------------------------------------------------


def newest(connection: Connection, scope: MemoryScope, after: int = 0) -> list[Revision]:
    """Of each item that changed since, the newest revision the line can see; oldest first."""
    seen = row_visibility(scope)
    chosen = statement(
        "SELECT * FROM revisions WHERE id IN (SELECT max(id) FROM revisions"
        f" WHERE ghost = :ghost AND id > :after AND {seen.sql} GROUP BY item) ORDER BY id"
    )
    values = {**seen.values, "ghost": scope.ghost, "after": after}
    return [revision_of(row) for row in connection.execute(chosen, values).mappings()]


def history(connection: Connection, scope: MemoryScope, item: int) -> list[Revision]:
    """Every revision of an item along the line, oldest first."""
    seen = row_visibility(scope)
    chosen = statement(f"SELECT * FROM revisions WHERE ghost = :ghost AND item = :item AND {seen.sql} ORDER BY id")
    values = {**seen.values, "ghost": scope.ghost, "item": item}
    return [revision_of(row) for row in connection.execute(chosen, values).mappings()]


def newest_id(connection: Connection, scope: MemoryScope) -> int:
    """The number of the newest revision the line can see, 0 where there is none."""
    seen = row_visibility(scope)
    chosen = statement(f"SELECT id FROM revisions WHERE ghost = :ghost AND {seen.sql} ORDER BY id DESC LIMIT 1")
    return connection.execute(chosen, {**seen.values, "ghost": scope.ghost}).scalar() or 0


def stats(connection: Connection, scope: MemoryScope) -> MemoryStats:
    seen, keys = row_visibility(scope), key_visibility(scope, "id")

    def count(what: str, table: str, by: Visibility = seen, more: str = "") -> int:
        counting = f"SELECT count({what}) FROM {table} WHERE ghost = :ghost AND {by.sql}{more}"
        return int(connection.execute(statement(counting), {**by.values, "ghost": scope.ghost}).scalar_one())

    def grouped(by: str, table: str) -> dict[str, int]:
        grouping = f"SELECT {by}, count(*) FROM {table} WHERE ghost = :ghost GROUP BY {by} ORDER BY {by}"
        return dict(connection.execute(statement(grouping), {"ghost": scope.ghost}).all())

    return MemoryStats(
        events=count("*", "memories", keys),
        searchable=count("*", "memories", keys, " AND searchable"),
        revisions=count("*", "revisions"),
        items=_item_counts(connection, scope),
        entities=count("DISTINCT name", "marks", more=" AND kind = 'entity'"),
        threads=count("DISTINCT name", "marks", more=" AND kind = 'thread'"),
        links=count("*", "links"),
        affects=count("*", "affects"),
        runs=count("*", "retrieval_runs"),
        works=grouped("status", "works"),
        vectors=grouped("embedder", "vectors"),
    )


def _item_counts(connection: Connection, scope: MemoryScope) -> dict[str, int]:
    """How many items of each kind are held; a closed one is not."""
    counts: dict[str, int] = {}
    for one in newest(connection, scope):
        if one.after is not None:
            counts[one.kind] = counts.get(one.kind, 0) + 1
    return counts
