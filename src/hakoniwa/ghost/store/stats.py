"""How much a ghost remembers along a line."""

from sqlalchemy import Connection

from hakoniwa.ghost.store.items import newest
from hakoniwa.ghost.store.lines import Sight, sight, sight_of_keys, statement
from hakoniwa.ghost.store.values import Scope, Stats


def stats(connection: Connection, scope: Scope) -> Stats:
    seen, keys = sight(scope), sight_of_keys(scope, "id")

    def count(what: str, table: str, by: Sight = seen, more: str = "") -> int:
        counting = f"SELECT count({what}) FROM {table} WHERE ghost = :ghost AND {by.sql}{more}"
        return int(connection.execute(statement(counting), {**by.values, "ghost": scope.ghost}).scalar_one())

    def grouped(by: str, table: str) -> dict[str, int]:
        grouping = f"SELECT {by}, count(*) FROM {table} WHERE ghost = :ghost GROUP BY {by} ORDER BY {by}"
        return dict(connection.execute(statement(grouping), {"ghost": scope.ghost}).all())

    return Stats(
        events=count("*", "memories", keys),
        searchable=count("*", "memories", keys, " AND searchable"),
        revisions=count("*", "revisions"),
        items=_held(connection, scope),
        entities=count("DISTINCT name", "marks", more=" AND kind = 'entity'"),
        threads=count("DISTINCT name", "marks", more=" AND kind = 'thread'"),
        links=count("*", "links"),
        affects=count("*", "affects"),
        runs=count("*", "retrieval_runs"),
        works=grouped("status", "works"),
        vectors=grouped("embedder", "vectors"),
    )


def _held(connection: Connection, scope: Scope) -> dict[str, int]:
    """How many items of each kind are held; a closed one is not."""
    counts: dict[str, int] = {}
    for one in newest(connection, scope, 0):
        if one.after is not None:
            counts[one.kind] = counts.get(one.kind, 0) + 1
    return counts
