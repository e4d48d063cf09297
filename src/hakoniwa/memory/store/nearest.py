"""Vectors of events and states by embedder (float16, length 1); on PostgreSQL pgvector finds the nearest."""

import struct
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, text

from hakoniwa.journal.queries import take
from hakoniwa.journal.rows import hash_text
from hakoniwa.journal.tables import IDS, memories, vectors
from hakoniwa.memory.store.columns import instant
from hakoniwa.memory.store.lines import key, key_visibility, seq_of, statement
from hakoniwa.memory.store.values import MemoryScope, Of

KeptVector = tuple[Of, int, bytes]

# Of a state the newest revision with words; a fork may have another one, which is as good to be found by.
STATES = (
    "SELECT id, body FROM revisions AS r WHERE ghost = :ghost AND body IS NOT NULL AND NOT EXISTS"
    " (SELECT 1 FROM revisions AS newer WHERE newer.ghost = r.ghost AND newer.item = r.item AND newer.id > r.id)"
)
BARE_EVENTS = statement(
    "SELECT id, text FROM memories WHERE id > :after AND id <= :high AND searchable AND NOT EXISTS"
    " (SELECT 1 FROM vectors WHERE ghost = :ghost AND embedder = :embedder AND of = 'event'"
    " AND key = memories.id - :low)"
    " ORDER BY id LIMIT :limit"
)
BARE_STATES = statement(
    f"{STATES} AND NOT EXISTS (SELECT 1 FROM vectors"
    " WHERE ghost = :ghost AND embedder = :embedder AND of = 'state' AND key = r.id) ORDER BY id LIMIT :limit"
)
COUNT_STATES = statement(f"SELECT count(*) FROM ({STATES}) AS held")


def bare_events(connection: Connection, ghost: int, embedder: str, after: int, limit: int) -> list[tuple[int, str]]:
    """The oldest events after a row that still have no vector of that embedder."""
    low = key(ghost, 0)
    found = connection.execute(
        BARE_EVENTS,
        {
            "ghost": ghost,
            "embedder": embedder,
            "low": low,
            "after": low + after,
            "high": key(ghost + 1, 0) - 1,
            "limit": limit,
        },
    )
    return [(seq_of(id), text) for id, text in found]


def bare_states(connection: Connection, ghost: int, embedder: str, limit: int) -> list[tuple[int, str]]:
    """The states, by their newest revision, that still have none."""
    found = connection.execute(BARE_STATES, {"ghost": ghost, "embedder": embedder, "limit": limit})
    return [(id, body) for id, body in found]


def put(connection: Connection, ghost: int, embedder: str, all: Sequence[KeptVector]) -> list[KeptVector]:
    """Keep vectors, each in the place of an older one; those that are kept, for what was forgotten gets none."""
    first = take(connection, len(all), IDS) - len(all) + 1
    there = _existing_keys(connection, ghost, all)
    fresh = [one for one in all if (one[0], one[1]) in there]
    for of in ("event", "state"):
        _drop(connection, ghost, of, [key for kind, key, _ in fresh if kind == of], embedder)
    rows = [
        {"id": first + place, "ghost": ghost, "embedder": embedder, "of": of, "key": key, "vector": vector}
        for place, (of, key, vector) in enumerate(fresh)
    ]
    if rows:
        connection.execute(insert(vectors), rows)
    return fresh


def _existing_keys(connection: Connection, ghost: int, all: Sequence[KeptVector]) -> set[tuple[Of, int]]:
    """Those of the events and revisions that still are."""
    of_events = statement("SELECT id FROM memories WHERE id IN :keys", "keys")
    of_states = statement("SELECT id FROM revisions WHERE id IN :keys", "keys")
    events = connection.execute(of_events, {"keys": [key(ghost, one) for of, one, _ in all if of == "event"]}).scalars()
    states = connection.execute(of_states, {"keys": [one for of, one, _ in all if of == "state"]}).scalars()
    return {("event", seq_of(one)) for one in events} | {("state", one) for one in states}


def _drop(connection: Connection, ghost: int, of: str, keys: Collection[int], embedder: str | None = None) -> int:
    own = (vectors.c.ghost == ghost) & (vectors.c.of == of) & vectors.c.key.in_(sorted(keys))
    whose = own if embedder is None else own & (vectors.c.embedder == embedder)
    return connection.execute(delete(vectors).where(whose)).rowcount if keys else 0


def drop_all(connection: Connection, ghost: int, embedder: str) -> int:
    """Remove every vector of an embedder; how many there were."""
    own = (vectors.c.ghost == ghost) & (vectors.c.embedder == embedder)
    return connection.execute(delete(vectors).where(own)).rowcount


def counts(connection: Connection, ghost: int) -> dict[str, tuple[int, int]]:
    """How many vectors each embedder has, and how many it would have if it had all."""
    searchable = select(func.count()).where(memories.c.ghost == ghost, memories.c.searchable)
    states = connection.execute(COUNT_STATES, {"ghost": ghost}).scalar_one()
    whole = connection.execute(searchable).scalar_one() + states
    have = select(vectors.c.embedder, func.count()).where(vectors.c.ghost == ghost).group_by(vectors.c.embedder)
    return {embedder: (count, whole) for embedder, count in connection.execute(have)}


PREFIX = "nearest_"
PG_BATCH = 500
EFFORT = 200
# Not to_regclass, which may answer from a cache that has not heard of a table another process has just made.
OWN = text("SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'nearest\\_%' ORDER BY relname")


def is_available(connection: Connection) -> bool:
    """Whether this is a PostgreSQL that has pgvector."""
    if connection.dialect.name != "postgresql":
        return False
    return bool(connection.scalar(text("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'")))


def table_of(embedder: str) -> str:
    return f"{PREFIX}{hash_text(embedder)[:16]}"


def has_table(connection: Connection, embedder: str) -> bool:
    return table_of(embedder) in connection.execute(OWN).scalars()


def make_table(connection: Connection, embedder: str, dim: int) -> None:
    """Make the table of an embedder and fill it from the vectors there are; one process makes it, others wait."""
    name = table_of(embedder)
    connection.execute(text("SELECT pg_advisory_xact_lock(hashtext(:name))"), {"name": name})
    if has_table(connection, embedder):
        return
    connection.execute(text("CREATE EXTENSION IF NOT EXISTS vector"))
    connection.execute(
        text(
            f"CREATE TABLE {name} (ghost bigint NOT NULL, seq bigint NOT NULL, vector halfvec({dim}) NOT NULL,"
            f" CONSTRAINT {name}_key PRIMARY KEY (ghost, seq))"
        )
    )
    every = text("SELECT ghost, key, vector FROM vectors WHERE embedder = :embedder AND of = 'event'")
    found = connection.execute(every, {"embedder": embedder}, execution_options={"yield_per": PG_BATCH})
    for part in found.partitions(PG_BATCH):
        _insert(connection, name, [_row(ghost, seq, bytes(vector)) for ghost, seq, vector in part])
    connection.execute(text(f"CREATE INDEX {name}_hnsw ON {name} USING hnsw (vector halfvec_ip_ops)"))


def put_in_pgvector(connection: Connection, ghost: int, embedder: str, all: Iterable[KeptVector]) -> None:
    """Keep the table of an embedder, if it has one, in step."""
    if has_table(connection, embedder):
        rows = [_row(ghost, key, vector) for of, key, vector in all if of == "event"]
        _insert(connection, table_of(embedder), rows)


def drop(connection: Connection, ghost: int, embedder: str | None = None, seqs: Collection[int] | None = None) -> None:
    """Remove a ghost's vectors: of one embedder or of each, of some events or of all."""
    every = [table_of(embedder)] if embedder else list(connection.execute(OWN).scalars())
    for name in every:
        if embedder is None or has_table(connection, embedder):
            chosen = f"DELETE FROM {name} WHERE ghost = :ghost"
            if seqs is None:
                connection.execute(statement(chosen), {"ghost": ghost})
            else:
                connection.execute(
                    statement(f"{chosen} AND seq IN :seqs", "seqs"), {"ghost": ghost, "seqs": sorted(seqs)}
                )


def find(
    connection: Connection, scope: MemoryScope, embedder: str, vector: bytes, limit: int, since: datetime | None
) -> list[tuple[int, float]]:
    """The events the line can see that are nearest to a vector, nearest first, with how near they are."""
    seen = key_visibility(scope, "memories.id", "memories.span")
    newer = "" if since is None else " AND memories.at >= :since"
    # The index is asked again and again until enough of what it finds is this ghost's and on this line.
    connection.execute(text("SET LOCAL hnsw.iterative_scan = strict_order"))
    connection.execute(text(f"SET LOCAL hnsw.ef_search = {EFFORT}"))
    name = table_of(embedder)
    chosen = statement(
        f"SELECT memories.id, -(vector <#> CAST(:vector AS halfvec)) AS near FROM {name}"
        f" JOIN memories ON memories.id = :low + {name}.seq"
        f" WHERE {name}.ghost = :ghost AND {seen.sql}{newer} ORDER BY vector <#> CAST(:vector AS halfvec) LIMIT :limit"
    )
    values: dict[str, Any] = {**seen.values, "ghost": scope.ghost, "vector": _vector_text(vector), "limit": limit}
    if since is not None:
        values["since"] = instant(since)
    return [(seq_of(id), float(near)) for id, near in connection.execute(chosen, values)]


def _insert(connection: Connection, name: str, rows: list[dict[str, Any]]) -> None:
    if rows:
        connection.execute(
            text(
                f"INSERT INTO {name} (ghost, seq, vector) VALUES (:ghost, :seq, CAST(:vector AS halfvec))"
                " ON CONFLICT (ghost, seq) DO UPDATE SET vector = excluded.vector"
            ),
            rows,
        )


def _row(ghost: int, seq: int, vector: bytes) -> dict[str, Any]:
    return {"ghost": ghost, "seq": seq, "vector": _vector_text(vector)}


def _vector_text(vector: bytes) -> str:
    return str(list(struct.unpack(f"<{len(vector) // 2}e", vector)))
