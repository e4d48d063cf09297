"""Sources: the ways of searching memory, by time, by words, by meaning, and by what hangs together."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import chain, zip_longest
from math import log
from threading import Lock
from typing import Any, Generic, Literal, TypeVar

from hakoniwa.memory.candidate import Candidate, SourceFind, event_finds
from hakoniwa.memory.embedding import Vector
from hakoniwa.memory.embedding.index import Neighbour
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.retrieval_plan import RetrievalPlan
from hakoniwa.memory.store import search
from hakoniwa.memory.when import NO_TIME
from hakoniwa.memory.words import words
from hakoniwa.persona.records import AboutTime, PersonaState

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


Find = Callable[[Ghost, SourceQuery], list[SourceFind]]
Look = Callable[[Ghost, SourceQuery, int], list[SourceFind]]  # for at most so many


def _always(_: SourceQuery) -> bool:
    return True


@dataclass(frozen=True)
class CandidateSource:
    """One way of searching: at most `limit` finds, best first, in at most `timeout` seconds.

    `weight` is how much its word counts beside the others'; one that `expands` goes on from what the others found.
    One that is not `concerned` has nothing to look for. One that is `brief` takes hardly longer than a thread to wake
    up, and need not have one to itself."""

    limit: int
    timeout: float
    weight: float
    find: Find
    concerned: Callable[[SourceQuery], bool] = _always
    expands: bool = False
    brief: bool = True


sources: dict[str, CandidateSource] = {}


def source(*, limit: int, **more: Any) -> Callable[[Look], Look]:
    """Makes a function the source of its name."""

    def register(look: Look) -> Look:
        sources[look.__name__] = CandidateSource(
            limit=limit, find=lambda ghost, asked: look(ghost, asked, limit), **more
        )
        return look

    return register


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


@source(limit=8, timeout=0.4, weight=0.05)
def recent_events(ghost: Ghost, _: SourceQuery, limit: int) -> list[SourceFind]:
    recent = ghost.memories.recent(ghost.scope, limit)
    return event_finds([one.seq for one in recent if one.searchable])


LATELY = 4  # runs: what was chosen before these belongs to another talk


@source(limit=6, timeout=0.4, weight=0.5, concerned=lambda asked: asked.reply_to is not None)
def own_choice(ghost: Ghost, _: SourceQuery, limit: int) -> list[SourceFind]:
    """What a model called to mind in the persona's place after the last exchange."""
    runs = ghost.memories.runs(ghost.scope, LATELY)
    chosen: list[dict[str, Any]] = next((one.selection["selected"] for one in runs if one.by == "model"), [])
    return [SourceFind(one["type"], one["event_id"] or one["state_id"] or one["affect_id"]) for one in chosen[:limit]]


FELT = 4


@source(limit=16, timeout=0.4, weight=0.2)
def recent_states(ghost: Ghost, asked: SourceQuery, limit: int) -> list[SourceFind]:
    held = [(id, one) for id, one in ghost.inner.states.items() if one.searchable and not one.done]
    held.sort(key=lambda pair: (_is_named(pair[1], asked), pair[1].last_confirmed_at, pair[0]), reverse=True)
    felt = ghost.memories.affects(ghost.scope, FELT)
    return [
        *(SourceFind("state", id, one.confidence) for id, one in held[: limit - FELT]),
        *(SourceFind("event_affect", one.seq, one.confidence) for one in felt),
    ]


def _is_named(state: PersonaState, asked: SourceQuery) -> bool:
    """Whether a state is about somebody or something that is spoken of."""
    return any(entity.name in asked.plan.queries[0] for entity in state.entities)


@source(limit=40, timeout=0.8, weight=0.1, concerned=lambda asked: asked.plan.time_hint != NO_TIME)
def about_time(ghost: Ghost, asked: SourceQuery, limit: int) -> list[SourceFind]:
    when, spread = asked.plan.time_hint, asked.plan.diversify.per_bucket
    spans = [AboutTime(life_stage=stage) for stage in when.life_stage_hint]
    if when.about_year_start is not None:
        spans.append(AboutTime(year_start=when.about_year_start, year_end=when.about_year_end))
    seqs = [seq for span in spans for seq in ghost.memories.about(ghost.scope, span, limit, spread)]
    if when.at_from and when.at_to:
        seqs += ghost.memories.during(ghost.scope, when.at_from, when.at_to, limit)
    return event_finds(list(dict.fromkeys(seqs))[:limit])


# Chosen on the half of tests/memory/diary/en/questions.yaml that is there for it, as is the weight of about_time; but
# PER_WORD was kept with LoCoMo in view, and the weight of vector_global with the whole Japanese diary, so that it stays
# at .91.
PER_WORD = 64  # of a word in more events than these the newest are enough: it says little
MOST_WORDS = 24
SHARE, REACH, AROUND = 0.6, 3, 20  # what lies so near to one of so many best has this share of its score, a step
PAUSE = timedelta(hours=1)  # what comes after a longer one is another talk


@source(limit=40, timeout=0.8, weight=0.8, concerned=lambda asked: bool(asked.words))
def full_text(ghost: Ghost, asked: SourceQuery, limit: int) -> list[SourceFind]:
    """Events with the words, the rarer the better, and what was said right before and after them."""
    hits = ghost.memories.with_words(ghost.scope, asked.words[:MOST_WORDS], PER_WORD)
    own, whole = _score_words(hits, PER_WORD)
    shared = _share_with_neighbours(ghost, own)
    return [SourceFind("event", seq, min(1.0, shared[seq] / whole)) for seq in _best_first(shared)[:limit]]


def _score_words(hits: Mapping[str, Sequence[int]], most: int) -> tuple[dict[int, float], float]:
    """How rare the words are that each event has, and how rare all of them are together."""
    rarity = {word: log(1 + most / max(len(seqs), 1)) for word, seqs in hits.items()}
    scores: dict[int, float] = defaultdict(float)
    for word, seqs in hits.items():
        for seq in seqs:
            scores[seq] += rarity[word]
    return scores, sum(rarity.values())


def _best_first(scores: Mapping[int, float]) -> list[int]:
    """Of those that score alike, the newest first."""
    return sorted(sorted(scores, reverse=True), key=scores.__getitem__, reverse=True)


def _share_with_neighbours(ghost: Ghost, own: Mapping[int, float]) -> dict[int, float]:
    """The scores of events, and what each of the best gives to what was said around it."""
    best = _best_first(own)[:AROUND]
    line = ghost.memories.beside(ghost.scope, best, REACH)
    shared, places = defaultdict(float, own), {seq: place for place, (seq, _) in enumerate(line)}
    for seq in best:
        for step in (-1, 1):
            for far, near in enumerate(_same_talk(line, places[seq], step), start=1):
                shared[near] += own[seq] * SHARE**far
    return shared


def _same_talk(line: Sequence[tuple[int, datetime]], place: int, step: Literal[-1, 1]) -> Iterator[int]:
    """What was said next, or before, as long as no pause lies between."""
    end = place + step * (REACH + 1)
    for there in range(place + step, min(max(end, -1), len(line)), step):
        if abs(line[there][1] - line[there - step][1]) > PAUSE:
            return
        yield line[there][0]


PER_CUE = 60
ENTITY = "entity_"
WORDED = ("topic", "preference_topic", "preference_food")


def _cares_for_something(asked: SourceQuery) -> bool:
    hint = asked.plan.persona_focus_hint
    return bool(hint.topic_bias or hint.interest_targets_hint)


@source(limit=48, timeout=0.8, weight=0.3, concerned=_cares_for_something)
def persona_focus(ghost: Ghost, asked: SourceQuery, _: int) -> list[SourceFind]:
    hint = asked.plan.persona_focus_hint
    cues = dict.fromkeys([*(f"topic:{topic}" for topic in hint.topic_bias), *hint.interest_targets_hint])
    found = [event_finds(_led_to_by(cue, ghost), cue) for cue in cues]
    return [one for one in chain.from_iterable(zip_longest(*found)) if one is not None]


def _led_to_by(cue: str, ghost: Ghost) -> list[int]:
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


ORDINARY = 20  # a word in so many events sets nothing apart


@source(limit=24, timeout=0.4, weight=0.01, concerned=lambda asked: bool(asked.words))
def own_words(ghost: Ghost, _: SourceQuery, limit: int) -> list[SourceFind]:
    """Events with the words that say who the persona is and what it lastingly wants, the rarer the better."""
    found = ghost.memories.with_words(ghost.scope, ghost.own_words, ORDINARY)
    scores, whole = _score_words({word: seqs for word, seqs in found.items() if 0 < len(seqs) < ORDINARY}, ORDINARY)
    return [SourceFind("event", seq, scores[seq] / whole) for seq in _best_first(scores)[:limit]]


NEAR = 60  # as far as the last of so many is the question from anything


@source(limit=40, timeout=2.2, weight=0.9, concerned=lambda asked: asked.vector is not None)
def vector_global(ghost: Ghost, asked: SourceQuery, limit: int) -> list[SourceFind]:
    """What was meant alike, and what was said right before and after it."""
    near = find_near(ghost, asked, NEAR)
    floor = near[-1].sure if near else 0.0
    shared = _share_with_neighbours(ghost, {one.key: one.sure - floor for one in near if one.type == "event"})
    beside = [SourceFind("event", seq, floor) for seq in shared.keys() - {one.key for one in near}]
    scores = {one: shared[one.key] if one.type == "event" else one.sure - floor for one in (*near, *beside)}
    return sorted(scores, key=lambda one: (-scores[one], -one.key))[:limit]


RECENT = timedelta(days=90)


@source(limit=24, timeout=2.0, weight=0.15, concerned=lambda asked: asked.vector is not None)
def vector_recent(ghost: Ghost, asked: SourceQuery, limit: int) -> list[SourceFind]:
    since = (asked.now - RECENT).replace(minute=0, second=0, microsecond=0)
    return find_near(ghost, asked, limit, since)


@source(limit=12, timeout=0.4, weight=0.2, expands=True, concerned=lambda asked: bool(asked.seeds))
def context_links(ghost: Ghost, asked: SourceQuery, limit: int) -> list[SourceFind]:
    known = {one.key for one in asked.seeds}
    links = ghost.memories.linked(ghost.scope, sorted(known), limit)
    ends = [end for link in sorted(links, key=lambda one: -one.confidence) for end in (link.source, link.target)]
    return event_finds([seq for seq in dict.fromkeys(ends) if seq not in known][:limit])


@source(
    limit=12,
    timeout=0.4,
    weight=0.2,
    expands=True,
    concerned=lambda asked: any(one.threads for one in asked.seeds),
)
def context_threads(ghost: Ghost, asked: SourceQuery, limit: int) -> list[SourceFind]:
    threads = list(dict.fromkeys(thread for one in asked.seeds for thread in one.threads))
    return event_finds(ghost.memories.in_threads(ghost.scope, threads, limit))


NAMED, MET = 8, 6


@source(limit=12, timeout=0.4, weight=0.2, expands=True)
def entity_expand(ghost: Ghost, asked: SourceQuery, limit: int) -> list[SourceFind]:
    met = [entity.name for one in asked.seeds for entity in one.entities]
    named = [name for name in dict.fromkeys(met) if name in asked.plan.queries[0]]
    names = list(dict.fromkeys([*named, *asked.words[:NAMED], *met[:MET]]))
    return event_finds(ghost.memories.of_entities(ghost.scope, names, limit)) if names else []


@source(limit=6, timeout=0.4, weight=0.1, concerned=lambda asked: asked.reply_to is not None)
def reply_chain(ghost: Ghost, asked: SourceQuery, limit: int) -> list[SourceFind]:
    assert asked.reply_to is not None
    return event_finds(ghost.memories.reply_chain(ghost.scope, asked.reply_to, limit)[:limit])


@source(limit=8, timeout=0.4, weight=0.1, expands=True, concerned=lambda asked: bool(asked.seed_states))
def state_link_expand(ghost: Ghost, asked: SourceQuery, limit: int) -> list[SourceFind]:
    known = set(asked.seed_states)
    links = ghost.memories.linked(ghost.scope, sorted(known), limit, of="state")
    ends = [end for link in sorted(links, key=lambda one: -one.confidence) for end in (link.source, link.target)]
    return [SourceFind("state", id) for id in dict.fromkeys(ends) if id not in known][:limit]
