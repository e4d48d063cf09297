"""Index: what one Ghost remembers, by nearness in meaning, kept in step with the store."""

import logging
from collections import deque
from collections.abc import Collection, Sequence
from datetime import datetime
from pathlib import Path
from threading import Event, Lock, RLock, Thread
from typing import Any, NamedTuple

import numpy as np

from hakoniwa.errors import HakoniwaError
from hakoniwa.journal.tables import PURGES
from hakoniwa.memory.embedding import Embedder, Vector, Vectors, pack_vector, space, unpack_vectors
from hakoniwa.memory.embedding.graph import (
    BuildStopped,
    ExactIndex,
    GraphExtent,
    GraphFiles,
    Labels,
    NeighbourGraph,
    events,
    label_of,
    parse_label,
)
from hakoniwa.memory.store import Memories, MemoryScope, Of
from hakoniwa.memory.store.columns import instant
from hakoniwa.memory.store.lines import key, key_visibility, seq_of, statement

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


class StoredVector(NamedTuple):
    """A vector with the store's own number, which tells in what order they came."""

    id: int
    of: Of
    key: int
    vector: bytes


class VectorNews(NamedTuple):
    """How often something has been purged, which means looking again at all that is held; the newest vector; and
    whether play has never been forked or taken back and gone on from there."""

    purges: int
    newest: int
    unbroken: bool


class StoredVectors:
    """The vectors of one ghost in one space."""

    def __init__(self, memories: Memories, ghost: int, space: str) -> None:
        self._database = memories.database
        self.ghost, self.space = ghost, space

    def after(self, last: int, limit: int, states_only: bool = False) -> list[StoredVector]:
        """The next ones after a number."""
        values = {"ghost": self.ghost, "embedder": self.space, "after": last, "limit": limit}
        with self._database.reading() as connection:
            found = connection.execute(ARRIVED_STATES if states_only else ARRIVED, values).all()
        return [StoredVector(id, of, key, bytes(vector)) for id, of, key, vector in found]

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

    def news(self) -> VectorNews:
        """Whether there may be anything new, for anybody: cheap enough to ask every time."""
        with self._database.reading() as connection:
            purges, newest, spans = connection.execute(NEWS, {"purges": PURGES, "ghost": self.ghost}).one()
        return VectorNews(purges or 0, newest or 0, spans <= 1)

    def first_since(self, since: datetime) -> int:
        """The first event from a moment on, on whatever line of play; 0 if there is none yet."""
        with self._database.reading() as connection:
            found = connection.execute(FIRST_SINCE, {"ghost": self.ghost, "since": instant(since)}).scalar()
        return seq_of(found or 0)

    def visible(self, scope: MemoryScope, seqs: Collection[int], since: datetime | None) -> set[int]:
        """Those of the events that the line can see and that are not too old."""
        if not seqs or not scope.line.spans:
            return set()
        seen = key_visibility(scope, "id")
        newer = "" if since is None else " AND at >= :since"
        chosen = statement(f"SELECT id FROM memories WHERE id IN :keys AND {seen.sql}{newer}", "keys")
        values: dict[str, Any] = {**seen.values, "keys": [key(self.ghost, seq) for seq in seqs]}
        if since is not None:
            values["since"] = instant(since)
        with self._database.reading() as connection:
            return {seq_of(one) for one in connection.execute(chosen, values).scalars()}


log = logging.getLogger("hakoniwa.memory")

EXACT = 50_000  # vectors; more make a graph worth while
NEWEST = 1_000  # of those in the graph that are compared one by one too
WAITING = 5_000  # that many more, and the graph grows
GROWS = 50  # the graph takes in what is new once that is a fiftieth of it
PAGE = 2_000
MARGIN = 8  # found beyond what is wanted, since the line may not see all of it
WIDER, WIDEST = 4, 1_024


class Neighbour(NamedTuple):
    """An event by its seq or a state by its revision, and how near it is to what was asked: 1 is the same."""

    of: Of
    key: int
    score: float


class VectorIndex:
    """The vectors of a Ghost in the space of its embedder, in step with the store. It may be searched by any thread."""

    def __init__(self, memories: Memories, ghost: int, embedder: Embedder, folder: Path | None = None) -> None:
        self.memories, self.ghost, self.embedder, self.folder = memories, ghost, embedder, folder
        self._elsewhere = memories.finds_nearest()
        self._lock, self._tending, self._closed = RLock(), Lock(), Event()
        self._looked, self._hour, self._unbroken = 0, (datetime.min, 0), False
        self._begin("", 0)

    @property
    def size(self) -> int:
        """How many vectors it holds."""
        with self._lock:
            return self._fresh + (self._graph.held.size if self._graph else 0)

    def close(self) -> None:
        """Stop building; what is unfinished is begun again next time."""
        self._closed.set()

    # --- searching ---------------------------------------------------------------------------------------------------

    def search(self, scope: MemoryScope, vector: Vector, limit: int, since: datetime | None = None) -> list[Neighbour]:
        """What is nearest of that which the line can see, best first; with `since`, only events from that hour on."""
        if not vector.any():
            return []
        since = since and since.replace(minute=0, second=0, microsecond=0)
        with self._lock:
            self.refresh()
            own = self._nearest(scope, vector, limit, since) if len(vector) == self._dim else []
        found = [*self._nearest_elsewhere(scope, vector, limit, since), *own] if self._elsewhere else own
        return sorted(found, key=lambda near: -near.score)[:limit]

    def _nearest_elsewhere(
        self, scope: MemoryScope, vector: Vector, limit: int, since: datetime | None
    ) -> list[Neighbour]:
        found = self.memories.nearest(scope, space(self.embedder), pack_vector(vector), limit, since)
        return [Neighbour("event", seq, score) for seq, score in found]

    def _nearest(self, scope: MemoryScope, vector: Vector, limit: int, since: datetime | None) -> list[Neighbour]:
        """Look at more and more until enough of it can be seen from here, or nothing is left to look at."""
        oldest = 0
        if since is not None:
            oldest = label_of("event", self._first_since(since))
            if not oldest:
                return []
        graph = None if self._all_newer(oldest) else self._graph
        count = limit + MARGIN
        while True:
            found = self._found(graph, vector, count, oldest)
            seen = self._seen_from(scope, found, since)
            nothing_left = count >= self.size or (graph is None and len(found) < count)
            if len(seen) >= limit or nothing_left or count >= WIDEST:
                return seen
            count = min(count * WIDER, WIDEST)

    def _first_since(self, since: datetime) -> int:
        """The first event since an hour; it is asked about the same one again and again."""
        if self._hour[0] != since:
            self._hour = since, self._arrivals.first_since(since)
        return self._hour[1]

    def _found(self, graph: NeighbourGraph | None, vector: Vector, count: int, oldest: int) -> list[Neighbour]:
        """The nearest, whoever may see them."""
        scores = self._exact.near(vector, count, oldest)
        if graph is not None:  # where there is an oldest, much of what it finds is older
            scores = {**graph.near(vector, count * (WIDER if oldest else 1), oldest), **scores}
        best = sorted(scores.items(), key=lambda pair: -pair[1])[:count]
        return [Neighbour(*parse_label(label), score) for label, score in best]

    def _all_newer(self, oldest: int) -> bool:
        """Whether every event from the oldest on is among what is compared one by one."""
        compared = self._exact.labels[events(self._exact.labels)]
        return bool(compared.size and oldest >= compared[0])

    def _seen_from(self, scope: MemoryScope, found: Sequence[Neighbour], since: datetime | None) -> list[Neighbour]:
        """Those that the line can see. Of states the Ghost itself knows which it holds."""
        events = [near for near in found if near.of == "event"]
        if self._unbroken:  # then there is one line only, in the order of time, which may have been cut short
            newest = max((upto for _, upto in scope.line.spans), default=0)
            seen = {near.key for near in events if near.key <= newest}
        else:
            seen = self._arrivals.visible(scope, [near.key for near in events], since)
        return [near for near in found if (near.key in seen if near.of == "event" else since is None)]

    # --- keeping in step ---------------------------------------------------------------------------------------------

    def forget(self) -> None:
        """Begin anew after a purge: no file of before it is left."""
        with self._lock:
            self._shelf.clear()
            self._begin("", 0)

    def refresh(self) -> None:
        """Take in what has come since; begin anew where something was purged or the embedder is another one."""
        with self._lock:
            now, news = space(self.embedder), self._arrivals.news()
            if (now, news.purges) != (self._space, self._purges):
                self._begin(now, news.purges)
            self._unbroken = news.unbroken
            if news.newest > self._looked:
                self._pull()
                self._looked = news.newest
        if self._due() and not self._tending.locked():
            Thread(target=self._tend_quietly, name="index", daemon=True).start()

    def _begin(self, space: str, purges: int) -> None:
        """Start from the file, if it holds what the store has and nothing else, or from nothing."""
        self._space, self._purges, self._dim = space, purges, int(space.rpartition("/")[2] or 0)
        self._shelf = GraphFiles(self.folder, self.ghost, space)
        self._arrivals = StoredVectors(self.memories, self.ghost, space)
        graph = self._shelf.newest(self._dim) if space else None
        if space and (graph is None or not self._fits(graph)):
            self._shelf.clear()
            graph = None
        self._stand_on(graph)

    def _fits(self, graph: NeighbourGraph) -> bool:
        """Whether a graph has as many vectors as the store up to its last one, and the same one there."""
        upto = graph.held.upto
        last = next(iter(self._arrivals.after(upto - 1, 1)), None)
        if last is None or last.id != upto or self._arrivals.count(upto) != graph.held.size:
            return False
        return graph.has(unpack_vectors([last.vector], self._dim)[0])

    def _stand_on(self, graph: NeighbourGraph | None) -> None:
        self._graph, self._exact, self._fresh = graph, ExactIndex(self._dim), 0
        # What is too much to be compared one by one and in no graph yet is not found until it is in one.
        self._last = max(graph.held.kept if graph else 0, self._arrivals.back(2 * EXACT))
        self._looked, self._hour = 0, (datetime.min, 0)

    def _pull(self) -> None:
        """Read what came after the last one that was read."""
        while rows := self._arrivals.after(self._last, PAGE, states_only=self._elsewhere):
            self._exact.add(labels_of(rows), vectors_of(rows, self._dim))
            upto = self._graph.held.upto if self._graph else 0
            self._fresh += sum(row.id > upto for row in rows)
            self._last = rows[-1].id

    # --- the graph ---------------------------------------------------------------------------------------------------

    def _due(self) -> bool:
        """Whether there is so much beside the graph that it should be in it."""
        limit = max(WAITING, self._graph.held.size // GROWS) if self._graph else EXACT
        return self._fresh > limit and not self._elsewhere and not self._closed.is_set()

    def tend(self) -> bool:
        """Let the graph take in what is new, if it is time to; searches go on meanwhile. Whether it has grown."""
        with self._tending:
            with self._lock:
                due, shelf, graph = self._due(), self._shelf, self._graph
                arrivals, purges = self._arrivals, self._purges
            if not due:
                return False
            grown = self._grown(shelf, graph, arrivals)
            with self._lock:
                if self._shelf is shelf and arrivals.news().purges == purges:
                    self._stand_on(grown)
                    return True
                shelf.clear()  # something was purged meanwhile, and must not come back
                return False

    def _grown(self, shelf: GraphFiles, graph: NeighbourGraph | None, arrivals: StoredVectors) -> NeighbourGraph:
        """The graph with everything that the store has by now."""
        growth = shelf.growth(graph, self._dim)
        newest: deque[int] = deque([0], maxlen=NEWEST)
        last = growth.start
        while rows := arrivals.after(last, PAGE):
            if self._closed.is_set():
                raise BuildStopped
            growth.add(labels_of(rows), vectors_of(rows, self._dim))
            newest.extend(row.id for row in rows)
            last = rows[-1].id
        return growth.done(GraphExtent(kept=newest[0], upto=last, size=arrivals.count(last)))

    def _tend_quietly(self) -> None:
        try:
            self.tend()
        except BuildStopped:
            pass
        except (HakoniwaError, OSError, RuntimeError):
            self._closed.set()  # it would fail as surely at the next search
            log.warning("the index of ghost %d could not grow", self.ghost, exc_info=True)


def labels_of(rows: Sequence[StoredVector]) -> Labels:
    return np.array([label_of(row.of, row.key) for row in rows], np.uint64)


def vectors_of(rows: Sequence[StoredVector], dim: int) -> Vectors:
    return unpack_vectors([row.vector for row in rows], dim)
