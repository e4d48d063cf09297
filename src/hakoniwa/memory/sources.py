"""Sources: the ways of searching memory, by time, by words, by meaning, and by what hangs together."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import chain, zip_longest
from math import log
from threading import Lock
from typing import ClassVar, Generic, Protocol, TypeVar

from hakoniwa.memory.candidate import Candidate, SourceFind, event_finds
from hakoniwa.memory.embedding import Vector
from hakoniwa.memory.embedding.index import Neighbour
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.retrieval_plan import RetrievalPlan
from hakoniwa.memory.store import search
from hakoniwa.memory.when import NO_TIME
from hakoniwa.memory.words import words
from hakoniwa.persona.records import AboutTime, PersonaState
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


@sources.add("recent_events")
class RecentEvents(CandidateSource):
    limit: ClassVar = 8
    timeout: ClassVar = 0.4
    weight: ClassVar = 0.05
    brief: ClassVar = True

    def find(self, ghost: Ghost, asked: SourceQuery) -> list[SourceFind]:
        recent = ghost.memories.recent(ghost.scope, self.limit)
        return event_finds([one.seq for one in recent if one.searchable])


FELT = 4


@sources.add("recent_states")
class RecentStates(CandidateSource):
    limit: ClassVar = 16
    timeout: ClassVar = 0.4
    weight: ClassVar = 0.2
    brief: ClassVar = True

    def find(self, ghost: Ghost, asked: SourceQuery) -> list[SourceFind]:
        held = [(id, one) for id, one in ghost.inner.states.items() if one.searchable and not one.done]
        held.sort(key=lambda pair: (_is_named(pair[1], asked), pair[1].last_confirmed_at, pair[0]), reverse=True)
        felt = ghost.memories.affects(ghost.scope, FELT)
        return [
            *(SourceFind("state", id, one.confidence) for id, one in held[: self.limit - FELT]),
            *(SourceFind("event_affect", one.seq, one.confidence) for one in felt),
        ]


def _is_named(state: PersonaState, asked: SourceQuery) -> bool:
    """Whether a state is about somebody or something that is spoken of."""
    return any(entity.name in asked.plan.queries[0] for entity in state.entities)


@sources.add("about_time")
class AboutTimes(CandidateSource):
    limit: ClassVar = 40
    timeout: ClassVar = 0.8
    weight: ClassVar = 0.5
    brief: ClassVar = True

    def concerned(self, asked: SourceQuery) -> bool:
        return asked.plan.time_hint != NO_TIME

    def find(self, ghost: Ghost, asked: SourceQuery) -> list[SourceFind]:
        when, spread = asked.plan.time_hint, asked.plan.diversify.per_bucket
        spans = [AboutTime(life_stage=stage) for stage in when.life_stage_hint]
        if when.about_year_start is not None:
            spans.append(AboutTime(year_start=when.about_year_start, year_end=when.about_year_end))
        seqs = [seq for span in spans for seq in ghost.memories.about(ghost.scope, span, self.limit, spread)]
        if when.at_from and when.at_to:
            seqs += ghost.memories.during(ghost.scope, when.at_from, when.at_to, self.limit)
        return event_finds(list(dict.fromkeys(seqs))[: self.limit])


PER_WORD = 32  # of a word in more events than these the newest are enough: it says little
MOST_WORDS = 24


@sources.add("full_text")
class FullText(CandidateSource):
    limit: ClassVar = 40
    timeout: ClassVar = 0.8
    weight: ClassVar = 0.8
    brief: ClassVar = True

    def concerned(self, asked: SourceQuery) -> bool:
        return bool(asked.words)

    def find(self, ghost: Ghost, asked: SourceQuery) -> list[SourceFind]:
        hits = ghost.memories.with_words(ghost.scope, asked.words[:MOST_WORDS], PER_WORD)
        rarity = {word: log(1 + PER_WORD / max(len(seqs), 1)) for word, seqs in hits.items()}
        shared: dict[int, float] = defaultdict(float)
        for word, seqs in hits.items():
            for seq in seqs:
                shared[seq] += rarity[word]
        newest_first = sorted(shared, reverse=True)
        best = sorted(newest_first, key=shared.__getitem__, reverse=True)[: self.limit]
        whole = sum(rarity.values())
        return [SourceFind("event", seq, shared[seq] / whole) for seq in best]


PER_CUE = 60
ENTITY = "entity_"
WORDED = ("topic", "preference_topic", "preference_food")


@sources.add("persona_focus")
class PersonaFocus(CandidateSource):
    limit: ClassVar = 48
    timeout: ClassVar = 0.8
    weight: ClassVar = 0.3
    brief: ClassVar = True

    def concerned(self, asked: SourceQuery) -> bool:
        hint = asked.plan.persona_focus_hint
        return bool(hint.topic_bias or hint.interest_targets_hint)

    def find(self, ghost: Ghost, asked: SourceQuery) -> list[SourceFind]:
        hint = asked.plan.persona_focus_hint
        cues = dict.fromkeys([*(f"topic:{topic}" for topic in hint.topic_bias), *hint.interest_targets_hint])
        found = [event_finds(self._led_to_by(cue, ghost), cue) for cue in cues]
        return [one for one in chain.from_iterable(zip_longest(*found)) if one is not None]

    def _led_to_by(self, cue: str, ghost: Ghost) -> list[int]:
        """What one thing the persona cares for leads to, newest first."""
        kind, _, value = cue.partition(":")
        if kind.startswith(ENTITY):
            return ghost.memories.of_entities(ghost.scope, [value], PER_CUE)
        if kind not in WORDED:
            return []
        spelled = words(value, ghost.persona.language)
        hits = ghost.memories.with_words(ghost.scope, spelled, PER_CUE) if spelled else {}
        common = set.intersection(*(set(hits.get(word, ())) for word in spelled)) if spelled else set()
        return sorted(common, reverse=True)


@sources.add("vector_global")
class VectorGlobal(CandidateSource):
    limit: ClassVar = 40
    timeout: ClassVar = 2.2
    weight: ClassVar = 1.0
    brief: ClassVar = True

    def concerned(self, asked: SourceQuery) -> bool:
        return asked.vector is not None

    def find(self, ghost: Ghost, asked: SourceQuery) -> list[SourceFind]:
        return find_near(ghost, asked, self.limit)


RECENT = timedelta(days=90)


@sources.add("vector_recent")
class VectorRecent(CandidateSource):
    limit: ClassVar = 24
    timeout: ClassVar = 2.0
    weight: ClassVar = 0.15
    brief: ClassVar = True

    def concerned(self, asked: SourceQuery) -> bool:
        return asked.vector is not None

    def find(self, ghost: Ghost, asked: SourceQuery) -> list[SourceFind]:
        since = (asked.now - RECENT).replace(minute=0, second=0, microsecond=0)
        return find_near(ghost, asked, self.limit, since)


@sources.add("context_links")
class ContextLinks(CandidateSource):
    limit: ClassVar = 12
    timeout: ClassVar = 0.4
    weight: ClassVar = 0.2
    brief: ClassVar = True
    expands: ClassVar = True

    def concerned(self, asked: SourceQuery) -> bool:
        return bool(asked.seeds)

    def find(self, ghost: Ghost, asked: SourceQuery) -> list[SourceFind]:
        known = {one.key for one in asked.seeds}
        links = ghost.memories.linked(ghost.scope, sorted(known), self.limit)
        ends = [end for link in sorted(links, key=lambda one: -one.confidence) for end in (link.source, link.target)]
        return event_finds([seq for seq in dict.fromkeys(ends) if seq not in known][: self.limit])


@sources.add("context_threads")
class ContextThreads(CandidateSource):
    limit: ClassVar = 12
    timeout: ClassVar = 0.4
    weight: ClassVar = 0.2
    brief: ClassVar = True
    expands: ClassVar = True

    def concerned(self, asked: SourceQuery) -> bool:
        return any(one.threads for one in asked.seeds)

    def find(self, ghost: Ghost, asked: SourceQuery) -> list[SourceFind]:
        threads = list(dict.fromkeys(thread for one in asked.seeds for thread in one.threads))
        return event_finds(ghost.memories.in_threads(ghost.scope, threads, self.limit))


NAMED, MET = 8, 6


@sources.add("entity_expand")
class EntityExpand(CandidateSource):
    limit: ClassVar = 12
    timeout: ClassVar = 0.4
    weight: ClassVar = 0.2
    brief: ClassVar = True
    expands: ClassVar = True

    def find(self, ghost: Ghost, asked: SourceQuery) -> list[SourceFind]:
        met = [entity.name for one in asked.seeds for entity in one.entities]
        named = [name for name in dict.fromkeys(met) if name in asked.plan.queries[0]]
        names = list(dict.fromkeys([*named, *asked.words[:NAMED], *met[:MET]]))
        return event_finds(ghost.memories.of_entities(ghost.scope, names, self.limit)) if names else []


@sources.add("reply_chain")
class ReplyChain(CandidateSource):
    limit: ClassVar = 6
    timeout: ClassVar = 0.4
    weight: ClassVar = 0.1
    brief: ClassVar = True

    def concerned(self, asked: SourceQuery) -> bool:
        return asked.reply_to is not None

    def find(self, ghost: Ghost, asked: SourceQuery) -> list[SourceFind]:
        assert asked.reply_to is not None
        return event_finds(ghost.memories.reply_chain(ghost.scope, asked.reply_to, self.limit)[: self.limit])


@sources.add("state_link_expand")
class StateLinkExpand(CandidateSource):
    limit: ClassVar = 8
    timeout: ClassVar = 0.4
    weight: ClassVar = 0.1
    brief: ClassVar = True
    expands: ClassVar = True

    def concerned(self, asked: SourceQuery) -> bool:
        return bool(asked.seed_states)

    def find(self, ghost: Ghost, asked: SourceQuery) -> list[SourceFind]:
        known = set(asked.seed_states)
        links = ghost.memories.linked(ghost.scope, sorted(known), self.limit, of="state")
        ends = [end for link in sorted(links, key=lambda one: -one.confidence) for end in (link.source, link.target)]
        return [SourceFind("state", id) for id in dict.fromkeys(ends) if id not in known][: self.limit]
