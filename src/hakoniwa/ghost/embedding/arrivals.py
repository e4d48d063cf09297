"""Arrivals: what an index of one's own asks the store, beyond what everybody asks it."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, NamedTuple

from hakoniwa.ghost.store import Memories, Of, Scope
from hakoniwa.ghost.store.columns import instant
from hakoniwa.ghost.store.lines import key, seq_of, sight_of_keys, statement
from hakoniwa.journal.ghost_tables import PURGES

# The plus keeps SQLite from the index by ghost, for which it would have to sort everything.
ARRIVED = statement(
    "SELECT id, of, key, vector FROM vectors"
    " WHERE +ghost = :ghost AND embedder = :embedder AND id > :after ORDER BY id LIMIT :limit"
)
ARRIVED_STATES = statement(ARRIVED.text.replace("AND id", "AND of = 'state' AND id"))
NEWS = statement(
    "SELECT (SELECT value FROM counters WHERE name = :purges), (SELECT max(id) FROM vectors),"
    " (SELECT count(*) FROM spans WHERE garden = (SELECT garden FROM ghosts WHERE no = :ghost))"
)
BACK = statement(
    "SELECT id FROM vectors WHERE +ghost = :ghost AND embedder = :embedder ORDER BY id DESC LIMIT 1 OFFSET :count"
)
COUNTED = statement("SELECT count(*) FROM vectors WHERE ghost = :ghost AND embedder = :embedder AND id <= :upto")
FIRST_SINCE = statement("SELECT id FROM memories WHERE ghost = :ghost AND at >= :since ORDER BY at, id LIMIT 1")


class Arrived(NamedTuple):
    """A vector with the store's own number, which tells in what order they came."""

    id: int
    of: Of
    key: int
    vector: bytes


class News(NamedTuple):
    """How often something has been purged, which means looking again at all that is held; the newest vector; and
    whether play has never been forked or taken back and gone on from there."""

    purges: int
    newest: int
    unbroken: bool


class Arrivals:
    """The vectors of one ghost in one space."""

    def __init__(self, memories: Memories, ghost: int, space: str) -> None:
        self._database = memories.database
        self.ghost, self.space = ghost, space

    def after(self, last: int, limit: int, states_only: bool = False) -> list[Arrived]:
        """The next ones after a number."""
        values = {"ghost": self.ghost, "embedder": self.space, "after": last, "limit": limit}
        with self._database.reading() as connection:
            found = connection.execute(ARRIVED_STATES if states_only else ARRIVED, values).all()
        return [Arrived(id, of, key, bytes(vector)) for id, of, key, vector in found]

    def back(self, count: int) -> int:
        """The number after which only so many came; 0 if there are no more than that."""
        with self._database.reading() as connection:
            values = {"ghost": self.ghost, "embedder": self.space, "count": count}
            return connection.execute(BACK, values).scalar() or 0

    def count(self, upto: int) -> int:
        """How many there are up to a number."""
        with self._database.reading() as connection:
            values = {"ghost": self.ghost, "embedder": self.space, "upto": upto}
            return int(connection.execute(COUNTED, values).scalar_one())

    def news(self) -> News:
        """Whether there may be anything new, for anybody: cheap enough to ask every time."""
        with self._database.reading() as connection:
            purges, newest, spans = connection.execute(NEWS, {"purges": PURGES, "ghost": self.ghost}).one()
        return News(purges or 0, newest or 0, spans <= 1)

    def first_since(self, since: datetime) -> int:
        """The first event from a moment on, on whatever line of play; 0 if there is none yet."""
        with self._database.reading() as connection:
            found = connection.execute(FIRST_SINCE, {"ghost": self.ghost, "since": instant(since)}).scalar()
        return seq_of(found or 0)

    def visible(self, scope: Scope, seqs: Collection[int], since: datetime | None) -> set[int]:
        """Those of the events that the line can see and that are not too old."""
        if not seqs or not scope.line.spans:
            return set()
        seen = sight_of_keys(scope, "id")
        newer = "" if since is None else " AND at >= :since"
        chosen = statement(f"SELECT id FROM memories WHERE id IN :keys AND {seen.sql}{newer}", "keys")
        values: dict[str, Any] = {**seen.values, "keys": [key(self.ghost, seq) for seq in seqs]}
        if since is not None:
            values["since"] = instant(since)
        with self._database.reading() as connection:
            return {seq_of(one) for one in connection.execute(chosen, values).scalars()}
