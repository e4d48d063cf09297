"""Searching memory: every way of finding events along a line, newest first, none of which looks at another ghost's."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, RowMapping

from hakoniwa.ghost.memory import AboutTime, Affect, LifeStage, Link, Memory, Source
from hakoniwa.ghost.store.columns import affect_of, folded, instant, link_of, memory_of
from hakoniwa.ghost.store.lines import key, seq_of, sight, sight_of_keys, statement
from hakoniwa.ghost.store.values import Of, Scope

YEARS_PER_BUCKET = 5


def recent(connection: Connection, scope: Scope, limit: int, sources: Collection[Source]) -> list[Memory]:
    """The newest events; of each source by itself where sources are named, so that a rare one is found as quickly."""
    seen = sight_of_keys(scope, "id")
    values = {**seen.values, "ghost": scope.ghost, "limit": limit}
    newest = f"SELECT * FROM memories WHERE {seen.sql} ORDER BY id DESC LIMIT :limit"
    if not sources:
        return _memories(connection, scope, connection.execute(statement(newest), values).mappings())
    of_source = newest.replace("WHERE", "WHERE ghost = :ghost AND source = :source AND")
    found = [
        row
        for source in sorted(sources)
        for row in connection.execute(statement(of_source), {**values, "source": source.value}).mappings()
    ]
    return _memories(connection, scope, sorted(found, key=lambda row: -row["id"])[:limit])


def load(connection: Connection, scope: Scope, seqs: Collection[int]) -> dict[int, Memory]:
    """Those of the events that the line can see."""
    seen = sight_of_keys(scope, "id")
    chosen = statement(f"SELECT * FROM memories WHERE id IN :keys AND {seen.sql}", "keys")
    found = connection.execute(chosen, {**seen.values, "keys": _keys(scope, seqs)}).mappings()
    return {one.seq: one for one in _memories(connection, scope, found)}


def _memories(connection: Connection, scope: Scope, found: Iterable[RowMapping]) -> list[Memory]:
    rows = list(found)
    seen = sight(scope)
    about = statement(f"SELECT * FROM annotations WHERE memory IN :keys AND {seen.sql} ORDER BY id", "keys")
    notes: defaultdict[int, list[RowMapping]] = defaultdict(list)
    if rows:
        for note in connection.execute(about, {**seen.values, "keys": [row["id"] for row in rows]}).mappings():
            notes[note["memory"]].append(note)
    return [memory_of(row, notes[row["id"]]) for row in rows]


def _keys(scope: Scope, seqs: Iterable[int]) -> list[int]:
    return [key(scope.ghost, seq) for seq in sorted(set(seqs))]


# --- by what they say, name or belong to -----------------------------------------------------------------------------


def with_words(connection: Connection, scope: Scope, words: Sequence[str], limit: int) -> dict[str, list[int]]:
    """For each word the newest events that have it."""
    seen = sight_of_keys(scope, "memory")
    one = (
        "SELECT word AS name, memory FROM memory_words"
        f" WHERE ghost = :ghost AND word = :name AND {seen.sql} ORDER BY memory DESC LIMIT :limit"
    )
    found: dict[str, list[int]] = {word: [] for word in words}
    for word, memory in _for_each(connection, one, list(found), {**seen.values, "ghost": scope.ghost, "limit": limit}):
        found[word].append(seq_of(memory))
    return found


def marked(connection: Connection, scope: Scope, kind: str, names: Collection[str], limit: int) -> list[int]:
    """The newest events that have one of the names; visible by the row at which the name was found."""
    seen = sight(scope)
    one = (
        "SELECT name, memory FROM marks"
        f" WHERE ghost = :ghost AND kind = :kind AND name = :name AND {seen.sql} ORDER BY memory DESC LIMIT :limit"
    )
    values = {**seen.values, "ghost": scope.ghost, "kind": kind, "limit": limit}
    wanted = sorted({folded(name) for name in names})
    found = {memory for _, memory in _for_each(connection, one, wanted, values)}
    return [seq_of(memory) for memory in sorted(found, reverse=True)[:limit]]


def _for_each(connection: Connection, one: str, names: Sequence[str], values: dict[str, Any]) -> Iterable[Any]:
    """A question asked for each of the names, as one statement."""
    if not names:
        return []
    parts = (f"SELECT * FROM ({one.replace(':name', f':name{place}')}) AS part{place}" for place in range(len(names)))
    bound = {f"name{place}": name for place, name in enumerate(names)}
    return connection.execute(statement(" UNION ALL ".join(parts)), {**values, **bound})


def about(connection: Connection, scope: Scope, time: AboutTime, limit: int, per_bucket: int) -> list[int]:
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
    seen = sight(scope)
    chosen = statement(
        "SELECT memory FROM (SELECT memory, row_number() OVER"
        " (PARTITION BY life_stage, year_start / :years ORDER BY memory DESC, id DESC) AS place"
        f" FROM annotations WHERE ghost = :ghost AND ({' OR '.join(ways)}) AND {seen.sql}) AS ranked"
        " WHERE place <= :most GROUP BY memory ORDER BY memory DESC LIMIT :limit"
    )
    values = {"ghost": scope.ghost, "limit": limit, "most": per_bucket, "years": YEARS_PER_BUCKET}
    times = {"start": start, "end": end, "stage": time.life_stage.value}
    used = {name: value for name, value in times.items() if f":{name}" in chosen.text}
    return [seq_of(one) for one in connection.execute(chosen, {**seen.values, **values, **used}).scalars()]


def during(connection: Connection, scope: Scope, start: datetime, end: datetime, limit: int) -> list[int]:
    """The newest searchable events from `start` until just before `end`."""
    seen = sight_of_keys(scope, "id")
    chosen = statement(
        "SELECT id FROM memories WHERE ghost = :ghost AND at >= :start AND at < :end AND searchable"
        f" AND {seen.sql} ORDER BY at DESC, id DESC LIMIT :limit"
    )
    values = {"ghost": scope.ghost, "start": instant(start), "end": instant(end), "limit": limit}
    return [seq_of(one) for one in connection.execute(chosen, {**seen.values, **values}).scalars()]


# --- by what they hang together with ---------------------------------------------------------------------------------


def reply_chain(connection: Connection, scope: Scope, seq: int, depth: int) -> list[int]:
    """What an event answers, and what that answered, and so on, as far as the line can see it."""
    seen = sight_of_keys(scope, "memories.id", "memories.span")
    chosen = statement(
        "WITH RECURSIVE up (id, reply_to, depth) AS ("
        f" SELECT id, reply_to, 0 FROM memories WHERE id = :key AND {seen.sql}"
        " UNION ALL SELECT memories.id, memories.reply_to, up.depth + 1 FROM up"
        " JOIN memories ON memories.id = :low + up.reply_to"
        f" WHERE up.depth < :depth AND memories.id < up.id AND {seen.sql}"
        ") SELECT id FROM up WHERE depth > 0 ORDER BY depth"
    )
    values = {**seen.values, "key": key(scope.ghost, seq), "depth": depth}
    return [seq_of(one) for one in connection.execute(chosen, values).scalars()] if scope.line.spans else []


def linked(connection: Connection, scope: Scope, ids: Collection[int], limit: int, of: Of) -> list[Link]:
    """The links of events or states, either way, newest first; of two that say the same, the newer one."""
    seen = sight(scope)
    ends = (
        f"SELECT * FROM links WHERE ghost = :ghost AND of = :of AND {end} IN :ids AND {seen.sql}"
        for end in ("source", "target")
    )
    chosen = statement(f"{' UNION '.join(ends)} ORDER BY id DESC LIMIT :limit", "ids")
    values = {**seen.values, "ghost": scope.ghost, "of": of, "ids": sorted(set(ids)), "limit": limit}
    found = [link_of(row) for row in connection.execute(chosen, values).mappings()] if ids else []
    return list({(one.source, one.target, one.kind): one for one in reversed(found)}.values())[::-1]


# --- how they felt ---------------------------------------------------------------------------------------------------


def affects(connection: Connection, scope: Scope, limit: int) -> list[Affect]:
    """How the newest events felt, newest first."""
    seen = sight(scope)
    chosen = statement(
        f"SELECT * FROM affects WHERE id IN (SELECT max(id) FROM affects WHERE ghost = :ghost AND {seen.sql}"
        " GROUP BY memory ORDER BY memory DESC LIMIT :limit) ORDER BY memory DESC"
    )
    found = connection.execute(chosen, {**seen.values, "ghost": scope.ghost, "limit": limit}).mappings()
    return [affect_of(row) for row in found]


def affects_of(connection: Connection, scope: Scope, seqs: Collection[int]) -> dict[int, Affect]:
    """How those events felt."""
    seen = sight(scope)
    chosen = statement(
        f"SELECT * FROM affects WHERE ghost = :ghost AND memory IN :keys AND {seen.sql} ORDER BY id", "keys"
    )
    values = {**seen.values, "ghost": scope.ghost, "keys": _keys(scope, seqs)}
    found = [affect_of(row) for row in connection.execute(chosen, values).mappings()]
    return {one.seq: one for one in found}
