"""Searching memory: every way of finding events along a line, newest first, none of which looks at another ghost's."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection

from hakoniwa.journal.database import rows
from hakoniwa.memory.store.columns import (
    AFFECT,
    LINK,
    MEMORY,
    NOTE,
    Found,
    affect_of,
    fold_name,
    instant,
    link_of,
    memory_of,
    moment,
)
from hakoniwa.memory.store.lines import key, key_list, key_visibility, row_visibility, seq_of
from hakoniwa.memory.store.values import MemoryScope, Of
from hakoniwa.persona.records import AboutTime, Affect, LifeStage, Memory, MemoryLink, MemorySource

YEARS_PER_BUCKET = 5
FEW = 8


def recent_events(
    connection: Connection, scope: MemoryScope, limit: int, sources: Collection[MemorySource] = ()
) -> list[Memory]:
    """The newest events; of each source by itself where sources are named, so that a rare one is found as quickly."""
    seen = key_visibility(scope, "id")
    values = {**seen.values, "ghost": scope.ghost, "limit": limit}
    newest = f"SELECT {MEMORY} FROM memories WHERE {seen.sql} ORDER BY id DESC LIMIT :limit"
    if not sources:
        return _memories(connection, scope, rows(connection, newest, values))
    of_source = newest.replace("WHERE", "WHERE ghost = :ghost AND source = :source AND")
    found = [
        row for source in sorted(sources) for row in rows(connection, of_source, {**values, "source": source.value})
    ]
    return _memories(connection, scope, sorted(found, reverse=True)[:limit])


def load(connection: Connection, scope: MemoryScope, seqs: Collection[int]) -> dict[int, Memory]:
    """Those of the events that the line can see."""
    seen, wanted = key_visibility(scope, "id"), key_list(_keys(scope, seqs))
    chosen = f"SELECT {MEMORY} FROM memories WHERE id IN {wanted.sql} AND {seen.sql}"
    found = rows(connection, chosen, {**seen.values, **wanted.values}) if seqs else []
    return {one.seq: one for one in _memories(connection, scope, found)}


def _memories(connection: Connection, scope: MemoryScope, found: Sequence[Found]) -> list[Memory]:
    notes: defaultdict[int, list[Found]] = defaultdict(list)
    if found:
        seen, wanted = row_visibility(scope), key_list([row[0] for row in found])
        about = f"SELECT {NOTE} FROM annotations WHERE memory IN {wanted.sql} AND {seen.sql} ORDER BY id"
        for note in rows(connection, about, {**seen.values, **wanted.values}):
            notes[note[0]].append(note)
    return [memory_of(row, notes[row[0]]) for row in found]


def _keys(scope: MemoryScope, seqs: Iterable[int]) -> list[int]:
    return [key(scope.ghost, seq) for seq in sorted(set(seqs))]


# --- by what they say, name or belong to -----------------------------------------------------------------------------


def events_with_words(
    connection: Connection, scope: MemoryScope, words: Sequence[str], limit: int
) -> dict[str, list[int]]:
    """For each word the newest events that have it."""
    seen = key_visibility(scope, "memory")
    one = f"memory_words WHERE ghost = :ghost AND word = :name AND {seen.sql}"
    found: dict[str, list[int]] = {word: [] for word in words}
    add, low = [seqs.append for seqs in found.values()], key(scope.ghost, 0)
    for place, memory in _newest(connection, one, list(found), {**seen.values, "ghost": scope.ghost, "limit": limit}):
        add[place](memory - low)
    return found


def events_with_mark(
    connection: Connection, scope: MemoryScope, kind: str, names: Collection[str], limit: int
) -> list[int]:
    """The newest events that have one of the names; visible by the row at which the name was found."""
    seen = row_visibility(scope)
    one = f"marks WHERE ghost = :ghost AND kind = :kind AND name = :name AND {seen.sql}"
    values = {**seen.values, "ghost": scope.ghost, "kind": kind, "limit": limit}
    wanted = sorted({fold_name(name) for name in names})
    found = {memory for _, memory in _newest(connection, one, wanted, values)}
    return [seq_of(memory) for memory in sorted(found, reverse=True)[:limit]]


def _newest(connection: Connection, one: str, names: Sequence[str], values: dict[str, Any]) -> Iterable[Any]:
    """The newest memories for each of the names, with the place of the name, by a single statement."""
    if not names:
        return []
    bound = {f"name{place}": name for place, name in enumerate(names)}
    return rows(connection, _for_each(one, len(names)), {**values, **bound})


@lru_cache(maxsize=256)
def _for_each(one: str, count: int) -> str:
    parts = (
        f"SELECT * FROM (SELECT {place} AS place, memory FROM {one.replace(':name', f':name{place}')}"
        f" ORDER BY memory DESC LIMIT :limit) AS part{place}"
        for place in range(count)
    )
    return " UNION ALL ".join(parts)


def about(connection: Connection, scope: MemoryScope, time: AboutTime, limit: int, per_bucket: int) -> list[int]:
    """Events about those years or that time of life, only so many of each time of life and handful of years."""
    start = time.year_start if time.year_start is not None else time.year_end
    end = time.year_end if time.year_end is not None else start
    ways = []
    if start is not None:
        ways.append("(year_start <= :end AND year_end >= :start)")
    if time.life_stage is not LifeStage.UNKNOWN:
        ways.append("life_stage = :stage")
    if not ways:
        return []
    seen = row_visibility(scope)
    chosen = (
        "SELECT memory FROM (SELECT memory, row_number() OVER"
        " (PARTITION BY life_stage, year_start / :years ORDER BY memory DESC, id DESC) AS place"
        f" FROM annotations WHERE ghost = :ghost AND ({' OR '.join(ways)}) AND {seen.sql}) AS ranked"
        " WHERE place <= :most GROUP BY memory ORDER BY memory DESC LIMIT :limit"
    )
    values = {"ghost": scope.ghost, "limit": limit, "most": per_bucket, "years": YEARS_PER_BUCKET}
    times = {"start": start, "end": end, "stage": time.life_stage.value}
    return [seq_of(memory) for (memory,) in rows(connection, chosen, {**seen.values, **values, **times})]


def events_during(connection: Connection, scope: MemoryScope, start: datetime, end: datetime, limit: int) -> list[int]:
    """The newest searchable events from `start` until just before `end`."""
    seen = key_visibility(scope, "id")
    chosen = (
        "SELECT id FROM memories WHERE ghost = :ghost AND at >= :start AND at < :end AND searchable"
        f" AND {seen.sql} ORDER BY at DESC, id DESC LIMIT :limit"
    )
    values = {"ghost": scope.ghost, "start": instant(start), "end": instant(end), "limit": limit}
    return [seq_of(id) for (id,) in rows(connection, chosen, {**seen.values, **values})]


def first_since(connection: Connection, scope: MemoryScope, start: datetime) -> int | None:
    """The first event of the line from a moment on; None if there is none, or the next few are all of other lines."""
    seen = key_visibility(scope, "id")
    chosen = (
        "SELECT id FROM (SELECT id, span FROM memories WHERE ghost = :ghost AND at >= :start"
        f" ORDER BY at, id LIMIT {FEW}) AS first WHERE {seen.sql} ORDER BY id LIMIT 1"
    )
    found = rows(connection, chosen, {**seen.values, "ghost": scope.ghost, "start": instant(start)})
    return seq_of(found[0][0]) if found else None


# --- by what they hang together with ---------------------------------------------------------------------------------


def reply_chain(connection: Connection, scope: MemoryScope, seq: int, depth: int) -> list[int]:
    """What an event answers, and what that answered, and so on, as far as the line can see it."""
    seen = key_visibility(scope, "memories.id", "memories.span")
    chosen = (
        "WITH RECURSIVE up (id, reply_to, depth) AS ("
        f" SELECT id, reply_to, 0 FROM memories WHERE id = :key AND {seen.sql}"
        " UNION ALL SELECT memories.id, memories.reply_to, up.depth + 1 FROM up"
        " JOIN memories ON memories.id = :low + up.reply_to"
        f" WHERE up.depth < :depth AND memories.id < up.id AND {seen.sql}"
        ") SELECT id FROM up WHERE depth > 0 ORDER BY depth"
    )
    values = {**seen.values, "key": key(scope.ghost, seq), "depth": depth}
    return [seq_of(id) for (id,) in rows(connection, chosen, values)] if scope.line.spans else []


def beside(
    connection: Connection, scope: MemoryScope, seqs: Collection[int], reach: int
) -> list[tuple[int, datetime]]:
    """These events, oldest first, with the searchable ones before and after each, and when all of them were."""
    if not seqs or not scope.line.spans:
        return []
    seen, wanted = key_visibility(scope, "id"), key_list(_keys(scope, seqs))
    seeds = ", ".join(f"(:{name})" for name in wanted.values)
    sides = (
        "SELECT memories.id, memories.at FROM seed JOIN memories ON memories.id IN"
        f" (SELECT id FROM memories WHERE searchable AND id {side} seed.key AND {seen.sql}"
        f" ORDER BY id {order} LIMIT :most)"
        for side, order in (("<=", "DESC"), (">=", "ASC"))
    )
    chosen = f"WITH seed (key) AS (VALUES {seeds}) {' UNION '.join(sides)} ORDER BY id"
    found = rows(connection, chosen, {**seen.values, **wanted.values, "most": reach + 1})
    return [(seq_of(id), moment(at)) for id, at in found]


def load_links(
    connection: Connection, scope: MemoryScope, ids: Collection[int], limit: int, of: Of = "event"
) -> list[MemoryLink]:
    """The links of events or states, either way, newest first; of two that say the same, the newer one."""
    seen, wanted = row_visibility(scope), key_list(sorted(set(ids)))
    ends = (
        f"SELECT {LINK} FROM links WHERE ghost = :ghost AND of = :of AND {end} IN {wanted.sql} AND {seen.sql}"
        for end in ("source", "target")
    )
    values = {**seen.values, **wanted.values, "ghost": scope.ghost, "of": of, "limit": limit}
    found = rows(connection, f"{' UNION '.join(ends)} ORDER BY id DESC LIMIT :limit", values) if ids else []
    links = [link_of(row) for row in reversed(found)]
    return list({(one.source, one.target, one.kind): one for one in links}.values())[::-1]


# --- how they felt ---------------------------------------------------------------------------------------------------


def affects(connection: Connection, scope: MemoryScope, limit: int) -> list[Affect]:
    """How the newest events felt, newest first."""
    seen = row_visibility(scope)
    chosen = (
        f"SELECT {AFFECT} FROM affects WHERE id IN (SELECT max(id) FROM affects WHERE ghost = :ghost AND {seen.sql}"
        " GROUP BY memory ORDER BY memory DESC LIMIT :limit) ORDER BY memory DESC"
    )
    return [affect_of(row) for row in rows(connection, chosen, {**seen.values, "ghost": scope.ghost, "limit": limit})]


def affects_of(connection: Connection, scope: MemoryScope, seqs: Collection[int]) -> dict[int, Affect]:
    """How those events felt."""
    seen, wanted = row_visibility(scope), key_list(_keys(scope, seqs))
    chosen = f"SELECT {AFFECT} FROM affects WHERE ghost = :ghost AND memory IN {wanted.sql} AND {seen.sql} ORDER BY id"
    values = {**seen.values, **wanted.values, "ghost": scope.ghost}
    found = [affect_of(row) for row in rows(connection, chosen, values)] if seqs else []
    return {one.seq: one for one in found}
