"""Forgetting: events are removed with everything that came of them alone, and no byte of them is left."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, RowMapping, Table, delete, func, select, text, update

from hakoniwa.errors import JournalLocked
from hakoniwa.journal.database import Database
from hakoniwa.journal.queries import take
from hakoniwa.journal.rows import read_json
from hakoniwa.journal.tables import (
    GHOST_TABLES,
    PURGES,
    affects,
    annotations,
    calls,
    events,
    forgotten,
    ghosts,
    links,
    marks,
    memories,
    moments,
    revisions,
    runs,
    snapshots,
    spans,
    taken,
    texts,
    vectors,
    words,
    works,
)
from hakoniwa.memory.store import nearest
from hakoniwa.memory.store.columns import storable_json
from hakoniwa.memory.store.intake import ENTITY, THREAD
from hakoniwa.memory.store.lines import key, seq_of, statement
from hakoniwa.memory.store.values import ForgetResult

BATCH = 500
KINDS = {"state": "states", "preference": "preferences", "goal": "goals", "world_model_item": "world_model_items"}


class DerivedItems(NamedTuple):
    """What came of some events: items that stand on them alone, and single revisions of others."""

    items: dict[int, str]
    revisions: set[int]


def forget(connection: Connection, ghost: int, seqs: Collection[int]) -> ForgetResult:
    """Remove events and what came of them from one ghost's memory; what was removed."""
    take(connection, 1, PURGES)
    keys = [key(ghost, seq) for seq in sorted(set(seqs))]
    names = _names(connection, ghost, keys)
    came = _derived_items(connection, ghost, set(seqs))
    counts = _remove_events(connection, ghost, keys)
    counts |= {"runs": _remove_runs(connection, ghost, set(seqs), came.items)}
    counts |= _remove_items(connection, ghost, came)
    counts["links"] += _remove(connection, links, links.c.of == "state", links.c.source, sorted(came.items))
    counts["links"] += _remove(connection, links, links.c.of == "state", links.c.target, sorted(came.items))
    counts["vectors"] += _remove(
        connection, vectors, _rows_of_kind(ghost, "state"), vectors.c.key, sorted(came.revisions)
    )
    lost = names - _names(connection, ghost, None, names)
    _blot_out(connection, ghost, lost)
    if nearest.is_available(connection):
        nearest.drop(connection, ghost, seqs=seqs)
    return ForgetResult.model_validate(counts)


def memories_of(connection: Connection, garden: str) -> int:
    """How much everybody of a garden remembers, on all of its branches."""
    own = select(func.count()).select_from(memories).where(memories.c.ghost.in_(_numbers_of(connection, garden)))
    return int(connection.execute(own).scalar_one())


def _numbers_of(connection: Connection, garden: str) -> list[int]:
    return list(connection.execute(select(ghosts.c.no).where(ghosts.c.garden == garden)).scalars())


def forget_garden(connection: Connection, garden: str) -> None:
    """Remove everything that anybody of a garden remembers."""
    take(connection, 1, PURGES)
    numbers = _numbers_of(connection, garden)
    for table in GHOST_TABLES:
        if "ghost" in table.c:
            connection.execute(delete(table).where(table.c.ghost.in_(numbers)))
    connection.execute(delete(taken).where(taken.c.span.in_(select(spans.c.start).where(spans.c.garden == garden))))
    for table in (spans, moments, ghosts):
        connection.execute(delete(table).where(table.c.garden == garden))
    if nearest.is_available(connection):
        for number in numbers:
            nearest.drop(connection, number)


def is_purged(connection: Connection, seq: int) -> bool:
    """Whether the words of a row are gone for good."""
    return connection.execute(select(forgotten.c.seq).where(forgotten.c.seq == seq)).first() is not None


def _remove(connection: Connection, table: Table, whose: Any, column: Any, keys: Sequence[int]) -> int:
    gone = 0
    for start in range(0, len(keys), BATCH):
        chosen = delete(table).where(whose, column.in_(keys[start : start + BATCH]))
        gone += connection.execute(chosen).rowcount
    return gone


def _rows_of_kind(ghost: int, of: str) -> Any:
    return (vectors.c.ghost == ghost) & (vectors.c.of == of)


def _remove_events(connection: Connection, ghost: int, keys: Sequence[int]) -> dict[str, int]:
    seqs = [seq_of(one) for one in keys]
    whose = {table.name: table.c.ghost == ghost for table in GHOST_TABLES if "ghost" in table.c}
    for table in (words, marks, annotations):
        _remove(connection, table, whose[table.name], table.c.memory, keys)
    tied = whose[links.name] & (links.c.of == "event")
    return {
        "events": _remove(connection, memories, whose[memories.name], memories.c.id, keys),
        "links": sum(_remove(connection, links, tied, end, seqs) for end in (links.c.source, links.c.target)),
        "affects": _remove(connection, affects, whose[affects.name], affects.c.memory, keys),
        "vectors": _remove(connection, vectors, _rows_of_kind(ghost, "event"), vectors.c.key, seqs),
        "works": _remove(connection, works, whose[works.name], works.c.seq, seqs),
        "snapshots": connection.execute(delete(snapshots).where(whose[snapshots.name])).rowcount,
    }


# --- what came of them ------------------------------------------------------------------------------------------------


def _derived_items(connection: Connection, ghost: int, seqs: set[int]) -> DerivedItems:
    """What stands on these events alone. A revision without evidence stands on what its item stood on before."""
    chosen = select(revisions.c.id, revisions.c.item, revisions.c.kind, revisions.c.evidence, revisions.c.anchor)
    found = connection.execute(chosen.where(revisions.c.ghost == ghost).order_by(revisions.c.id)).mappings()
    by_item: defaultdict[int, list[RowMapping]] = defaultdict(list)
    for row in found:
        by_item[row["item"]].append(row)
    items: dict[int, str] = {}
    single: set[int] = set()
    for item, rows in by_item.items():
        theirs = {row["id"] for row in rows if set(read_json(row["evidence"]) or [row["anchor"]]) <= seqs}
        single |= theirs
        if len(theirs) == len(rows):
            items[item] = rows[0]["kind"]
    return DerivedItems(items, single)


def _remove_items(connection: Connection, ghost: int, came: DerivedItems) -> dict[str, int]:
    """Take the revisions away; one that stays and quoted one that went now quotes the one before."""
    counts = dict.fromkeys(KINDS.values(), 0)
    for kind in came.items.values():
        counts[KINDS[kind]] += 1
    chosen = statement("SELECT DISTINCT item FROM revisions WHERE id IN :ids", "ids")
    touched: set[int] = set()
    ids = sorted(came.revisions)
    for start in range(0, len(ids), BATCH):
        touched.update(connection.execute(chosen, {"ids": ids[start : start + BATCH]}).scalars())
    gone = _remove(connection, revisions, revisions.c.ghost == ghost, revisions.c.id, ids)
    for item in sorted(touched - came.items.keys()):
        _rejoin(connection, item)
    return {**counts, "revisions": gone}


def _rejoin(connection: Connection, item: int) -> None:
    """Let each revision begin where the one before it along the same span, or else any, ended."""
    own = select(revisions).where(revisions.c.item == item).order_by(revisions.c.id)
    before: str | None = None
    ended: dict[int, str | None] = {}
    for row in connection.execute(own).mappings().all():
        start = ended.get(row["span"], before)
        connection.execute(update(revisions).where(revisions.c.id == row["id"]).values(before=start))
        before = ended[row["span"]] = row["after"]


def _remove_runs(connection: Connection, ghost: int, seqs: set[int], items: Mapping[int, str]) -> int:
    """Runs that considered what is gone, and those that were asked in the words of an event that is gone, before it or
    after it."""
    asked = {*_parents(connection, seqs), *seqs}
    chosen = select(runs.c.id, runs.c.anchor, runs.c.candidates).where(runs.c.ghost == ghost)
    gone = [
        row["id"]
        for row in connection.execute(chosen).mappings()
        if row["anchor"] in asked or _considers_any(read_json(row["candidates"]), seqs, items)
    ]
    return _remove(connection, runs, runs.c.ghost == ghost, runs.c.id, gone)


def _considers_any(candidates: list[dict[str, Any]], seqs: set[int], items: Mapping[int, str]) -> bool:
    return any(one.get("key") in (items if one.get("type") == "state" else seqs) for one in candidates)


def _parents(connection: Connection, seqs: set[int]) -> list[int]:
    """The row that each of these followed."""
    before = text(
        "SELECT coalesce((SELECT max(prior.seq) FROM taken AS prior WHERE prior.span = t.span AND prior.seq < t.seq),"
        " (SELECT parent FROM spans WHERE start = t.span)) FROM taken AS t WHERE t.seq = :seq"
    )
    found = (connection.execute(before, {"seq": seq}).scalar() for seq in sorted(seqs))
    return [one for one in found if one is not None]


# --- names that occurred nowhere else ---------------------------------------------------------------------------------


def _names(connection: Connection, ghost: int, keys: Sequence[int] | None, among: Collection[str] = ()) -> set[str]:
    """The names and threads that some memories have, or (without keys) those among some that any still has."""
    own = select(marks.c.name).where(marks.c.ghost == ghost, marks.c.kind.in_((ENTITY, THREAD))).distinct()
    column, wanted = (marks.c.name, sorted(among)) if keys is None else (marks.c.memory, list(keys))
    found: set[str] = set()
    for start in range(0, len(wanted), BATCH):
        found.update(connection.execute(own.where(column.in_(wanted[start : start + BATCH]))).scalars())
    return found


def _blot_out(connection: Connection, ghost: int, names: Collection[str]) -> None:
    """Remove attention to names that nothing remembered has any more from what is still held."""
    if not names:
        return
    every = select(revisions.c.id, revisions.c.before, revisions.c.after).where(revisions.c.ghost == ghost)
    for row in connection.execute(every).mappings().all():
        cleaned = {side: _without_names(row[side], names) for side in ("before", "after")}
        if cleaned != {side: row[side] for side in cleaned}:
            connection.execute(update(revisions).where(revisions.c.id == row["id"]).values(cleaned))


def _without_names(text: str | None, names: Collection[str]) -> str | None:
    if text is None or not any(name in text.casefold() for name in names):
        return text
    return storable_json(_prune_names(read_json(text), names))


def _prune_names(data: Any, names: Collection[str]) -> Any:
    """Data without the entries of lists that have such a name as their `value` or `name`."""
    if isinstance(data, dict):
        return {field: _prune_names(value, names) for field, value in data.items()}
    if isinstance(data, list):
        return [_prune_names(one, names) for one in data if not _names_one(one, names)]
    return data


def _names_one(entry: Any, names: Collection[str]) -> bool:
    if not isinstance(entry, dict):
        return False
    return any(str(entry.get(field, "")).casefold().strip() in names for field in ("value", "name"))


# --- bytes ------------------------------------------------------------------------------------------------------------


def scrub(database: Database) -> bool:
    """Leave nothing of what was removed in the database's files; whether some of it had to stay for now.

    A backup, a disk's own snapshots and PostgreSQL's log of changes are beyond reach."""
    try:
        if database.engine.name == "postgresql":
            every = [table.name for table in (*GHOST_TABLES, events, calls, texts)]
            database.outside(*(f"VACUUM FULL {name}" for name in every))
            return False
        # A page that was split or freed before may still hold old text, so the file is written anew.
        *_, (busy, _, _) = database.outside("VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)")
        return bool(busy)
    except JournalLocked:
        return True
