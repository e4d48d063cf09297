"""CandidateSource: one way of searching memory."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock
from typing import ClassVar, Generic, Protocol, TypeVar

from hakoniwa.memory.candidate import Candidate, SourceFind
from hakoniwa.memory.embedding import Vector
from hakoniwa.memory.embedding.index import Neighbour
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.retrieval_plan import RetrievalPlan
from hakoniwa.memory.store import search
from hakoniwa.registry import Registry

WIDE = 120  # found at once: those nearest at any time, and as a rule enough of the recent ones among them


T = TypeVar("T")


class LazyResult(Generic[T]):
    """Something that whoever asks for it first works out; the others wait for that, and get the same."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work, self._first, self._made = work, Lock(), Future[T]()

    def result(self) -> T:
        if self._first.acquire(blocking=False):
            try:
                self._made.set_result(self._work())
            except BaseException as error:
                self._made.set_exception(error)
        return self._made.result()


@dataclass(frozen=True)
class SourceQuery:
    """What is searched for: the plan, its words and its vector, the event that is answered, and the moment.

    The vector is made when it is first asked for; there is none without an embedder. `seeds` and `seed_states` are the
    best of what the first sources found, for those that go on from there."""

    plan: RetrievalPlan
    words: Sequence[str]
    vector: "LazyResult[Vector] | Future[Vector] | None"
    reply_to: int | None
    now: datetime
    seeds: Sequence[Candidate] = ()
    seed_states: Sequence[int] = ()
    nearest: list[Neighbour] = field(default_factory=list)  # what was meant alike, once somebody has looked


class CandidateSource(Protocol):
    """One way of searching: at most `limit` finds, best first, in at most `timeout` seconds.

    `weight` is how much its word counts beside the others'; one that `expands` goes on from what the others found.
    One that is `brief` takes hardly longer than a thread to wake up, and need not have one to itself."""

    limit: ClassVar[int]
    timeout: ClassVar[float]
    weight: ClassVar[float]
    expands: ClassVar[bool] = False
    brief: ClassVar[bool] = False

    def concerned(self, asked: SourceQuery) -> bool:
        """Whether there is anything to look for; most always look."""
        return True

    def find(self, ghost: Ghost, asked: SourceQuery) -> list[SourceFind]: ...


sources: Registry[CandidateSource] = Registry("candidate source")


def find_near(ghost: Ghost, asked: SourceQuery, limit: int, since: datetime | None = None) -> list[SourceFind]:
    """What was meant alike, nearest first; nothing where there are no vectors."""
    if asked.vector is None or ghost.index is None:
        return []
    vector = asked.vector.result()
    if not asked.nearest:
        asked.nearest.extend(ghost.index.search(ghost.scope, vector, WIDE))
    nearest = asked.nearest if since is None else _events_since(ghost, asked.nearest, since)
    if since is not None and len(nearest) < limit:
        nearest = ghost.index.search(ghost.scope, vector, limit, since)
    return [found for one in nearest[:limit] if (found := _source_find(ghost, one)) is not None]


def _events_since(ghost: Ghost, nearest: Sequence[Neighbour], since: datetime) -> list[Neighbour]:
    """Those events that happened from a moment on; along a line, later ones have higher numbers."""
    with ghost.memories.database.reading() as connection:
        first = search.first_since(connection, ghost.scope, since)
    return [] if first is None else [one for one in nearest if one.of == "event" and one.key >= first]


def _source_find(ghost: Ghost, one: Neighbour) -> SourceFind | None:
    """An event by its row; a state, which is filed by its newest revision, by its number."""
    sure = max(0.0, min(1.0, one.score))
    if one.of == "event":
        return SourceFind("event", one.key, sure)
    item = ghost.state_of(one.key)
    return None if item is None else SourceFind("state", item, sure)
