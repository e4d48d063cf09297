"""Gather: ask every source, each within its time, and put what they found together."""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from functools import partial
from time import monotonic
from typing import Literal, NamedTuple

from hakoniwa.memory.candidate import (
    NOTHING,
    Candidate,
    FusedFind,
    Key,
    Kind,
    SourceFind,
    affect_candidate,
    event_candidate,
    fuse,
    state_candidate,
)
from hakoniwa.memory.embedding import Vector
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.retrieval_plan import Diversify, RetrievalPlan
from hakoniwa.memory.sources import CandidateSource, LazyResult, SourceQuery, sources
from hakoniwa.memory.when import TimeHint
from hakoniwa.memory.words import words
from hakoniwa.persona.records import Affect, LifeStage, Memory
from hakoniwa.turn import Value

log = logging.getLogger("hakoniwa.memory")

FindsBySource = Mapping[str, Sequence[SourceFind]]  # by source

# Two, so that those who ask in turn and have to wait for a slow embedder leave room for asking at once.
one_thread_each = ThreadPoolExecutor(max_workers=16, thread_name_prefix="recall-in-turn")
threads = ThreadPoolExecutor(max_workers=16, thread_name_prefix="recall")


class MissedSource(Value):
    """A source that did not answer, and how it failed."""

    source: str
    problem: Literal["timeout", "failed"]


class SourceAnswers(NamedTuple):
    """What the sources found, and those of them that did not answer."""

    found: FindsBySource
    missed: tuple[MissedSource, ...] = ()


AskSources = Callable[[Ghost, SourceQuery, bool], SourceAnswers]


def all_brief() -> bool:
    """Whether there is no source that needs a thread to itself."""
    return all(one.brief for one in sources.values())


def ask_in_turn(ghost: Ghost, asked: SourceQuery, expanding: bool) -> SourceAnswers:
    """Ask one source after the other: quicker than waking threads, but where one hangs or fails, so does everything."""
    if asked.vector is not None:
        asked.vector.result()  # it may take long, and nothing should be held open in the database meanwhile
    return SourceAnswers({name: one.find(ghost, asked) for name, one in _concerned_sources(asked, expanding).items()})


def ask_at_once(ghost: Ghost, asked: SourceQuery, expanding: bool) -> SourceAnswers:
    """Ask each source on its own thread; one that fails or takes too long is missed, the others count."""
    chosen, began = _concerned_sources(asked, expanding), monotonic()
    looking = {name: threads.submit(one.find, ghost, asked) for name, one in chosen.items()}
    answers = {name: _wait_for_source(name, one, began + chosen[name].timeout) for name, one in looking.items()}
    found = {name: answer for name, answer in answers.items() if not isinstance(answer, MissedSource)}
    return SourceAnswers(found, tuple(answer for answer in answers.values() if isinstance(answer, MissedSource)))


def _concerned_sources(asked: SourceQuery, expanding: bool) -> dict[str, CandidateSource]:
    return {name: one for name, one in sorted(sources.items()) if one.expands is expanding and one.concerned(asked)}


def _wait_for_source(
    name: str, looking: "Future[list[SourceFind]]", until: float
) -> Sequence[SourceFind] | MissedSource:
    try:
        return looking.result(max(0.0, until - monotonic()))
    except TimeoutError:
        looking.cancel()
        log.warning("%s has not answered in time", name)
        return MissedSource(source=name, problem="timeout")
    except Exception:
        log.warning("%s failed", name, exc_info=True)
        return MissedSource(source=name, problem="failed")


FusedFinds = Mapping[Key, FusedFind]  # how each thing was found, best first
LoadedCandidates = Mapping[Key, Candidate]

SEEDS = 6
YEARS_PER_BUCKET = 5
QUICK = 0.25  # seconds for asking all of them in turn, the embedder included
IN_TIME = 2.5  # what lies in the time that was spoken of


class GatheredCandidates(NamedTuple):
    """What might be called to mind, best first, and the sources that are not in it."""

    candidates: tuple[Candidate, ...]
    missed: tuple[MissedSource, ...]


async def gather(ghost: Ghost, plan: RetrievalPlan, now: datetime, reply_to: int | None = None) -> GatheredCandidates:
    """Every candidate there is for a plan: by asking in turn, and if that is not done soon, each source by itself."""
    question = partial(_gather_by, ghost, plan, now, reply_to, _vector(ghost, plan))
    if all_brief():
        quick = asyncio.get_running_loop().run_in_executor(one_thread_each, question, ask_in_turn)
        await asyncio.wait({quick}, timeout=QUICK)
        if quick.done() and quick.exception() is None:
            return quick.result()
        quick.cancel()  # if it has begun it goes on, but nobody waits for it
    return await asyncio.to_thread(question, ask_at_once)


def _gather_by(
    ghost: Ghost,
    plan: RetrievalPlan,
    now: datetime,
    reply_to: int | None,
    vector: LazyResult[Vector] | None,
    ask: AskSources,
) -> GatheredCandidates:
    """Ask the sources that need nothing first, then those that go on from what these found."""
    spoken = dict.fromkeys(word for query in plan.queries for word in words(query, ghost.persona.language))
    asked = SourceQuery(plan=plan, words=list(spoken), vector=vector, reply_to=reply_to, now=now)
    with ghost.memories.database.together():
        first = ask(ghost, asked, False)
        fused = _fuse_finds(first.found)
        loaded = _load_best(ghost, plan, fused, {})
        second = ask(ghost, _seed_query(asked, fused, loaded), True)
        if any(second.found.values()):
            fused = _fuse_finds(second.found, fused)
            loaded = _load_best(ghost, plan, fused, loaded)
    return GatheredCandidates(rank_candidates(plan, fused, loaded), (*first.missed, *second.missed))


def _vector(ghost: Ghost, plan: RetrievalPlan) -> LazyResult[Vector] | None:
    """The vector of the input, for whichever source wants it first."""
    embedder = ghost.embedder
    if embedder is None or ghost.index is None:
        return None
    return LazyResult(lambda: embedder.embed(plan.queries[:1])[0])


def _seed_query(asked: SourceQuery, fused: FusedFinds, loaded: LoadedCandidates) -> SourceQuery:
    """The question with the best of the first finds, and what is being answered, to go on from."""
    first: list[Key] = [] if asked.reply_to is None else [("event", asked.reply_to)]
    seeds = [one for id in (*first, *fused) if (one := loaded.get(id)) is not None]
    return replace(
        asked,
        seeds=[one for one in seeds if one.type == "event"][:SEEDS],
        seed_states=[one.key for one in seeds if one.type == "state"][:SEEDS],
    )


# --- putting together ------------------------------------------------------------------------------------------------


def _fuse_finds(found: FindsBySource, before: FusedFinds = NOTHING) -> FusedFinds:
    return fuse(found, {name: sources[name].weight for name in found}, before)


def _load_best(ghost: Ghost, plan: RetrievalPlan, fused: FusedFinds, known: LoadedCandidates) -> LoadedCandidates:
    """What can still be read, along this line of play, of the best finds; what is known already is not read again."""
    best = list(fused)[: plan.limits.max_candidates]
    return {**known, **read_candidates(ghost, [id for id in best if id not in known])}


def read_candidates(ghost: Ghost, ids: Sequence[Key]) -> LoadedCandidates:
    """What is still to be read of these, along this line of play."""
    seqs = {key for type, key in ids if type != "state"}
    memories = ghost.memories.load(ghost.scope, seqs) if seqs else {}
    felt = {key for type, key in ids if type == "event_affect"}
    affects = ghost.memories.affects_of(ghost.scope, felt) if felt else {}
    found = {(type, key): _read_candidate(ghost, type, memories.get(key), affects, key) for type, key in ids}
    return {id: one for id, one in found.items() if one is not None}


def _read_candidate(
    ghost: Ghost, type: Kind, memory: Memory | None, affects: Mapping[int, Affect], key: int
) -> Candidate | None:
    if type == "state":
        return state_candidate(key, ghost.inner.states.get(key))
    if memory is None or not memory.searchable:
        return None
    return event_candidate(memory, ghost.persona) if type == "event" else affect_candidate(memory, affects.get(key))


def rank_candidates(plan: RetrievalPlan, fused: FusedFinds, loaded: LoadedCandidates) -> tuple[Candidate, ...]:
    """The candidates, best first: those in the time that was spoken of moved up, spread out, and cut to the limit."""
    placed = [_place_candidate(loaded[id], way, plan.time_hint) for id, way in fused.items() if id in loaded]
    placed.sort(key=lambda one: (-one.score, -one.at.timestamp()))
    return tuple(spread_by_time(placed, plan.diversify)[: plan.limits.max_candidates])


def _place_candidate(one: Candidate, way: FusedFind, when: TimeHint) -> Candidate:
    score = way.score * (IN_TIME if is_in_time(one, when) else 1.0)
    return one.placed(way.ranks, tuple(way.cues), score)


def is_in_time(one: Candidate, when: TimeHint) -> bool:
    """Whether a candidate happened in, or is about, the time that was spoken of."""
    if when.at_from and when.at_to and when.at_from <= one.at < when.at_to:
        return True
    if one.about.life_stage in when.life_stage_hint:
        return True
    start, end = one.about.year_start, one.about.year_end or one.about.year_start
    if start is None or end is None or when.about_year_start is None or when.about_year_end is None:
        return False
    return start <= when.about_year_end and when.about_year_start <= end


def spread_by_time(candidates: Sequence[Candidate], diversify: Diversify) -> list[Candidate]:
    """The candidates with no time of life in front more often than it may be; the rest of it comes at the end."""
    seen: Counter[tuple[str, str | int]] = Counter()
    front: list[Candidate] = []
    back: list[Candidate] = []
    for one in candidates:
        buckets = _buckets(one, diversify)
        full = any(seen[bucket] >= diversify.per_bucket for bucket in buckets)
        for bucket in buckets:
            seen[bucket] += 1
        (back if full else front).append(one)
    return front + back


def _buckets(one: Candidate, diversify: Diversify) -> list[tuple[str, str | int]]:
    """The times a candidate is about; what is not about any is in no bucket."""
    buckets: list[tuple[str, str | int]] = []
    if "life_stage" in diversify.by and one.about.life_stage is not LifeStage.UNKNOWN:
        buckets.append(("life_stage", one.about.life_stage.value))
    if "about_year_bucket" in diversify.by and one.about.year_start is not None:
        buckets.append(("year", one.about.year_start // YEARS_PER_BUCKET))
    return buckets
