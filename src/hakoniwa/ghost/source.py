"""CandidateSource: one way of searching memory."""

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Protocol

from hakoniwa.ghost.candidate import Candidate, Found
from hakoniwa.ghost.embedding import Vector
from hakoniwa.ghost.embedding.index import Near
from hakoniwa.ghost.ghost import Ghost
from hakoniwa.ghost.plan import RetrievalPlan
from hakoniwa.registry import Registry


@dataclass(frozen=True)
class Asked:
    """What is searched for: the plan, its words and its vector, the event that is answered, and the moment.

    The vector may still be in the making; there is none without an embedder. `seeds` and `seed_states` are the best of
    what the first sources found, for those that go on from there."""

    plan: RetrievalPlan
    words: Sequence[str]
    vector: "Future[Vector] | None"
    reply_to: int | None
    now: datetime
    seeds: Sequence[Candidate] = ()
    seed_states: Sequence[int] = ()


class CandidateSource(Protocol):
    """One way of searching: at most `limit` finds, best first, in at most `timeout` seconds.

    `weight` is how much its word counts beside the others'; one that `expands` goes on from what the others found."""

    limit: ClassVar[int]
    timeout: ClassVar[float]
    weight: ClassVar[float]
    expands: ClassVar[bool] = False

    def concerned(self, asked: Asked) -> bool:
        """Whether there is anything to look for; most always look."""
        return True

    def find(self, ghost: Ghost, asked: Asked) -> list[Found]: ...


sources: Registry[CandidateSource] = Registry("candidate source")


def near(ghost: Ghost, asked: Asked, limit: int, since: datetime | None = None) -> list[Found]:
    """What was meant alike, nearest first; nothing where there are no vectors."""
    if asked.vector is None or ghost.index is None:
        return []
    nearest = ghost.index.search(ghost.scope, asked.vector.result(), limit, since)
    return [found for one in nearest if (found := _found(ghost, one)) is not None]


def _found(ghost: Ghost, one: Near) -> Found | None:
    """An event by its row; a state, which is filed by its newest revision, by its number."""
    sure = max(0.0, min(1.0, one.score))
    if one.of == "event":
        return Found("event", one.key, sure)
    item = ghost.state_of(one.key)
    return None if item is None else Found("state", item, sure)
