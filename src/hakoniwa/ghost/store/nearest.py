"""The nearest vectors on PostgreSQL, found by pgvector.

Beside the table of vectors lies one for each embedder with the same vectors as pgvector wants them, and an HNSW index
over it. It is made when it is first asked for and follows from the other, so that no backup needs it."""

import struct
from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, text

from hakoniwa.ghost.store.columns import instant
from hakoniwa.ghost.store.lines import seq_of, sight_of_keys, statement
from hakoniwa.ghost.store.values import Scope
from hakoniwa.ghost.store.vectors import Kept
from hakoniwa.journal.texts import hash_text

PREFIX = "nearest_"
BATCH = 500
EFFORT = 200
# Not to_regclass, which may answer from a cache that has not heard of a table another process has just made.
OWN = text("SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'nearest\\_%' ORDER BY relname")


def possible(connection: Connection) -> bool:
    """Whether this is a PostgreSQL that has pgvector."""
    if connection.dialect.name != "postgresql":
        return False
    return bool(connection.scalar(text("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'")))


def table_of(embedder: str) -> str:
    return f"{PREFIX}{hash_text(embedder)[:16]}"


def made(connection: Connection, embedder: str) -> bool:
    return table_of(embedder) in connection.execute(OWN).scalars()


def make(connection: Connection, embedder: str, dim: int) -> None:
    """Make the table of an embedder and fill it from the vectors there are; one process makes it, others wait."""
    name = table_of(embedder)
    connection.execute(text("SELECT pg_advisory_xact_lock(hashtext(:name))"), {"name": name})
    if made(connection, embedder):
        return
    connection.execute(text("CREATE EXTENSION IF NOT EXISTS vector"))
    connection.execute(
        text(
            f"CREATE TABLE {name} (ghost bigint NOT NULL, seq bigint NOT NULL, vector halfvec({dim}) NOT NULL,"
            f" CONSTRAINT {name}_key PRIMARY KEY (ghost, seq))"
        )
    )
    every = text("SELECT ghost, key, vector FROM vectors WHERE embedder = :embedder AND of = 'event'")
    found = connection.execute(every, {"embedder": embedder}, execution_options={"yield_per": BATCH})
    for part in found.partitions(BATCH):
        _insert(connection, name, [_row(ghost, seq, bytes(vector)) for ghost, seq, vector in part])
    connection.execute(text(f"CREATE INDEX {name}_hnsw ON {name} USING hnsw (vector halfvec_ip_ops)"))


def put(connection: Connection, ghost: int, embedder: str, all: Iterable[Kept]) -> None:
    """Keep the table of an embedder, if it has one, in step."""
    if made(connection, embedder):
        rows = [_row(ghost, key, vector) for of, key, vector in all if of == "event"]
        _insert(connection, table_of(embedder), rows)


def drop(connection: Connection, ghost: int, embedder: str | None = None, seqs: Collection[int] | None = None) -> None:
    """Remove a ghost's vectors: of one embedder or of each, of some events or of all."""
    every = [table_of(embedder)] if embedder else list(connection.execute(OWN).scalars())
    for name in every:
        if embedder is None or made(connection, embedder):
            chosen = f"DELETE FROM {name} WHERE ghost = :ghost"
            if seqs is None:
                connection.execute(statement(chosen), {"ghost": ghost})
            else:
                connection.execute(
                    statement(f"{chosen} AND seq IN :seqs", "seqs"), {"ghost": ghost, "seqs": sorted(seqs)}
                )


def find(
    connection: Connection, scope: Scope, embedder: str, vector: bytes, limit: int, since: datetime | None
) -> list[tuple[int, float]]:
    """The events the line can see that are nearest to a vector, nearest first, with how near they are."""
    seen = sight_of_keys(scope, "memories.id", "memories.span")
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
    values: dict[str, Any] = {**seen.values, "ghost": scope.ghost, "vector": _written(vector), "limit": limit}
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
    return {"ghost": ghost, "seq": seq, "vector": _written(vector)}


def _written(vector: bytes) -> str:
    return str(list(struct.unpack(f"<{len(vector) // 2}e", vector)))
