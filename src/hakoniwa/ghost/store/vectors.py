"""Vectors of events and states, by embedder: float16 little endian, of length 1."""

from collections.abc import Collection, Iterator, Sequence

from sqlalchemy import Connection, delete, func, insert, select

from hakoniwa.ghost.store.lines import key, seq_of, statement
from hakoniwa.ghost.store.values import Of
from hakoniwa.journal.database import Database
from hakoniwa.journal.ghost_tables import IDS, memories, vectors
from hakoniwa.journal.queries import take

BATCH = 2000
Kept = tuple[Of, int, bytes]

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
PAGE = statement(
    "SELECT key, vector FROM vectors WHERE ghost = :ghost AND embedder = :embedder AND of = :of AND key > :after"
    " ORDER BY key LIMIT :limit"
)


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


def put(connection: Connection, ghost: int, embedder: str, all: Sequence[Kept]) -> list[Kept]:
    """Keep vectors, each in the place of an older one; those that are kept, for what was forgotten gets none."""
    first = take(connection, len(all), IDS) - len(all) + 1
    there = _there(connection, ghost, all)
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


def _there(connection: Connection, ghost: int, all: Sequence[Kept]) -> set[tuple[Of, int]]:
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


def pages(database: Database, ghost: int, embedder: str) -> Iterator[Kept]:
    """Every vector of an embedder, events first, read some thousands at a time."""
    kinds: tuple[Of, ...] = ("event", "state")
    for of in kinds:
        after = 0
        while True:
            values = {"ghost": ghost, "embedder": embedder, "of": of, "after": after, "limit": BATCH}
            with database.reading() as connection:
                page = connection.execute(PAGE, values).all()
            yield from ((of, key, bytes(vector)) for key, vector in page)
            if len(page) < BATCH:
                break
            after = page[-1].key


def counts(connection: Connection, ghost: int) -> dict[str, tuple[int, int]]:
    """How many vectors each embedder has, and how many it would have if it had all."""
    searchable = select(func.count()).where(memories.c.ghost == ghost, memories.c.searchable)
    states = connection.execute(COUNT_STATES, {"ghost": ghost}).scalar_one()
    whole = connection.execute(searchable).scalar_one() + states
    have = select(vectors.c.embedder, func.count()).where(vectors.c.ghost == ghost).group_by(vectors.c.embedder)
    return {embedder: (count, whole) for embedder, count in connection.execute(have)}
