"""Index: what one Ghost remembers, by nearness in meaning.

Up to some ten thousand vectors are compared one by one. Beyond that a graph holds them, and the newest are compared one
by one as well. PostgreSQL finds the nearest events by itself; there only the states are compared here."""

import logging
from collections import deque
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from threading import Event, Lock, RLock, Thread
from typing import NamedTuple

import numpy as np

from hakoniwa.errors import HakoniwaError
from hakoniwa.ghost.embedding import Embedder, Vector, Vectors, packed, space, unpacked
from hakoniwa.ghost.embedding.arrivals import Arrivals, Arrived
from hakoniwa.ghost.embedding.exact import Exact
from hakoniwa.ghost.embedding.graph import Graph, Held, Shelf, Stopped
from hakoniwa.ghost.embedding.labels import Labels, events, label_of, named
from hakoniwa.ghost.store import Memories, Of, Scope

log = logging.getLogger("hakoniwa.ghost")

EXACT = 50_000  # vectors; more make a graph worth while
NEWEST = 1_000  # of those in the graph that are compared one by one too
WAITING = 5_000  # that many more, and the graph grows
GROWS = 50  # the graph takes in what is new once that is a fiftieth of it
PAGE = 2_000
MARGIN = 8  # found beyond what is wanted, since the line may not see all of it
WIDER, WIDEST = 4, 1_024


class Near(NamedTuple):
    """An event by its seq or a state by its revision, and how near it is to what was asked: 1 is the same."""

    of: Of
    key: int
    score: float


class Index:
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

    def search(self, scope: Scope, vector: Vector, limit: int, since: datetime | None = None) -> list[Near]:
        """What is nearest of that which the line can see, best first; with `since`, only events from that hour on."""
        if not vector.any():
            return []
        since = since and since.replace(minute=0, second=0, microsecond=0)
        with self._lock:
            self.refresh()
            own = self._nearest(scope, vector, limit, since) if len(vector) == self._dim else []
        found = [*self._nearest_elsewhere(scope, vector, limit, since), *own] if self._elsewhere else own
        return sorted(found, key=lambda near: -near.score)[:limit]

    def _nearest_elsewhere(self, scope: Scope, vector: Vector, limit: int, since: datetime | None) -> list[Near]:
        found = self.memories.nearest(scope, space(self.embedder), packed(vector), limit, since)
        return [Near("event", seq, score) for seq, score in found]

    def _nearest(self, scope: Scope, vector: Vector, limit: int, since: datetime | None) -> list[Near]:
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

    def _found(self, graph: Graph | None, vector: Vector, count: int, oldest: int) -> list[Near]:
        """The nearest, whoever may see them."""
        scores = self._exact.near(vector, count, oldest)
        if graph is not None:  # where there is an oldest, much of what it finds is older
            scores = {**graph.near(vector, count * (WIDER if oldest else 1), oldest), **scores}
        best = sorted(scores.items(), key=lambda pair: -pair[1])[:count]
        return [Near(*named(label), score) for label, score in best]

    def _all_newer(self, oldest: int) -> bool:
        """Whether every event from the oldest on is among what is compared one by one."""
        compared = self._exact.labels[events(self._exact.labels)]
        return bool(compared.size and oldest >= compared[0])

    def _seen_from(self, scope: Scope, found: Sequence[Near], since: datetime | None) -> list[Near]:
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
        self._shelf = Shelf(self.folder, self.ghost, space)
        self._arrivals = Arrivals(self.memories, self.ghost, space)
        graph = self._shelf.newest(self._dim) if space else None
        if space and (graph is None or not self._fits(graph)):
            self._shelf.clear()
            graph = None
        self._stand_on(graph)

    def _fits(self, graph: Graph) -> bool:
        """Whether a graph has as many vectors as the store up to its last one, and the same one there."""
        upto = graph.held.upto
        last = next(iter(self._arrivals.after(upto - 1, 1)), None)
        if last is None or last.id != upto or self._arrivals.count(upto) != graph.held.size:
            return False
        return graph.has(unpacked([last.vector], self._dim)[0])

    def _stand_on(self, graph: Graph | None) -> None:
        self._graph, self._exact, self._fresh = graph, Exact(self._dim), 0
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

    def _grown(self, shelf: Shelf, graph: Graph | None, arrivals: Arrivals) -> Graph:
        """The graph with everything that the store has by now."""
        growth = shelf.growth(graph, self._dim)
        newest: deque[int] = deque([0], maxlen=NEWEST)
        last = growth.start
        while rows := arrivals.after(last, PAGE):
            if self._closed.is_set():
                raise Stopped
            growth.add(labels_of(rows), vectors_of(rows, self._dim))
            newest.extend(row.id for row in rows)
            last = rows[-1].id
        return growth.done(Held(kept=newest[0], upto=last, size=arrivals.count(last)))

    def _tend_quietly(self) -> None:
        try:
            self.tend()
        except Stopped:
            pass
        except (HakoniwaError, OSError, RuntimeError):
            self._closed.set()  # it would fail as surely at the next search
            log.warning("the index of ghost %d could not grow", self.ghost, exc_info=True)


def labels_of(rows: Sequence[Arrived]) -> Labels:
    return np.array([label_of(row.of, row.key) for row in rows], np.uint64)


def vectors_of(rows: Sequence[Arrived], dim: int) -> Vectors:
    return unpacked([row.vector for row in rows], dim)
