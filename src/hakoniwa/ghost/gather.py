"""Gather: ask every source at once, each within its time, and put what they found together."""

import asyncio
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from time import monotonic
from typing import Literal, NamedTuple

from hakoniwa.ghost import sources as package
from hakoniwa.ghost.candidate import Candidate, Found, Key, Kind, of_affect, of_event, of_state
from hakoniwa.ghost.embedding import Vector
from hakoniwa.ghost.fuse import Fused, fuse
from hakoniwa.ghost.ghost import Ghost
from hakoniwa.ghost.memory import Affect, LifeStage, Memory
from hakoniwa.ghost.plan import Diversify, RetrievalPlan
from hakoniwa.ghost.source import Asked, sources
from hakoniwa.ghost.when import TimeHint
from hakoniwa.ghost.words import words
from hakoniwa.turn import Value

log = logging.getLogger("hakoniwa.ghost")

Finds = Mapping[str, Sequence[Found]]  # by source
Ways = Mapping[Key, Fused]  # how each thing was found, best first
Loaded = Mapping[Key, Candidate]

sources.load(package)

SEEDS = 6
YEARS_PER_BUCKET = 5
IN_TIME = 2.5  # what lies in the time that was spoken of

_threads = ThreadPoolExecutor(max_workers=16, thread_name_prefix="recall")


class Missed(Value):
    """A source that did not answer, and how it failed."""

    source: str
    problem: Literal["timeout", "failed"]


class Gathered(NamedTuple):
    """What might be called to mind, best first, and the sources that are not in it."""

    candidates: tuple[Candidate, ...]
    missed: tuple[Missed, ...]


async def gather(ghost: Ghost, plan: RetrievalPlan, now: datetime, reply_to: int | None = None) -> Gathered:
    """Every candidate there is for a plan."""
    return await asyncio.to_thread(gathered, ghost, plan, now, reply_to)


def gathered(ghost: Ghost, plan: RetrievalPlan, now: datetime, reply_to: int | None = None) -> Gathered:
    """Ask the sources that need nothing first, then those that go on from what these found."""
    asked = Asked(
        plan=plan,
        words=list(dict.fromkeys(word for query in plan.queries for word in words(query, ghost.persona.language))),
        vector=_vector(ghost, plan),
        reply_to=reply_to,
        now=now,
    )
    first, missed = _ask(ghost, asked, expanding=False)
    fused = _fused(first)
    loaded = _loaded(ghost, plan, fused, {})
    second, missed_too = _ask(ghost, _seeded(asked, fused, loaded), expanding=True)
    if any(second.values()):
        fused = _fused({**first, **second})
        loaded = _loaded(ghost, plan, fused, loaded)
    return Gathered(ranked(plan, fused, loaded), (*missed, *missed_too))


def _vector(ghost: Ghost, plan: RetrievalPlan) -> "Future[Vector] | None":
    """The vector of the input, while the other sources are already looking."""
    embedder = ghost.embedder
    if embedder is None or ghost.index is None:
        return None
    return _threads.submit(lambda: embedder.embed(plan.queries[:1])[0])


# --- asking ----------------------------------------------------------------------------------------------------------


def _ask(ghost: Ghost, asked: Asked, expanding: bool) -> tuple[Finds, tuple[Missed, ...]]:
    """What each source finds, all at the same time; one that fails or takes too long is missed, the others count."""
    every = {name: sources[name] for name in sources}
    chosen = {name: one for name, one in every.items() if one.expands is expanding and one.concerned(asked)}
    began = monotonic()
    looking = {name: _threads.submit(one.find, ghost, asked) for name, one in chosen.items()}
    answers = {name: _answer(name, one, began + chosen[name].timeout) for name, one in looking.items()}
    found = {name: answer for name, answer in answers.items() if not isinstance(answer, Missed)}
    return found, tuple(answer for answer in answers.values() if isinstance(answer, Missed))


def _answer(name: str, looking: "Future[list[Found]]", until: float) -> Sequence[Found] | Missed:
    try:
        return looking.result(max(0.0, until - monotonic()))
    except TimeoutError:
        looking.cancel()
        log.warning("%s has not answered in time", name)
        return Missed(source=name, problem="timeout")
    except Exception:
        log.warning("%s failed", name, exc_info=True)
        return Missed(source=name, problem="failed")


def _seeded(asked: Asked, fused: Ways, loaded: Loaded) -> Asked:
    """The question with the best of the first finds, and what is being answered, to go on from."""
    first: list[Key] = [] if asked.reply_to is None else [("event", asked.reply_to)]
    seeds = [one for id in (*first, *fused) if (one := loaded.get(id)) is not None]
    return replace(
        asked,
        seeds=[one for one in seeds if one.type == "event"][:SEEDS],
        seed_states=[one.key for one in seeds if one.type == "state"][:SEEDS],
    )


# --- putting together ------------------------------------------------------------------------------------------------


def _fused(found: Finds) -> Ways:
    return fuse(found, {name: sources[name].weight for name in found})


def _loaded(ghost: Ghost, plan: RetrievalPlan, fused: Ways, known: Loaded) -> Loaded:
    """What can still be read, along this line of play, of the best finds; what is known already is not read again."""
    best = list(fused)[: plan.limits.max_candidates]
    new = [id for id in best if id not in known]
    seqs = {key for type, key in new if type != "state"}
    memories = ghost.memories.load(ghost.scope, seqs) if seqs else {}
    felt = {key for type, key in new if type == "event_affect"}
    affects = ghost.memories.affects_of(ghost.scope, felt) if felt else {}
    read = {(type, key): _read(ghost, type, memories.get(key), affects, key) for type, key in new}
    return {**known, **{id: one for id, one in read.items() if one is not None}}


def _read(ghost: Ghost, type: Kind, memory: Memory | None, affects: Mapping[int, Affect], key: int) -> Candidate | None:
    if type == "state":
        return of_state(key, ghost.inner.states.get(key))
    if memory is None or not memory.searchable:
        return None
    return of_event(memory) if type == "event" else of_affect(memory, affects.get(key))


def ranked(plan: RetrievalPlan, fused: Ways, loaded: Loaded) -> tuple[Candidate, ...]:
    """The candidates, best first: those in the time that was spoken of moved up, spread out, and cut to the limit."""
    placed = [_placed(loaded[id], way, plan.time_hint) for id, way in fused.items() if id in loaded]
    placed.sort(key=lambda one: (-one.score, -one.at.timestamp()))
    return tuple(spread(placed, plan.diversify)[: plan.limits.max_candidates])


def _placed(one: Candidate, way: Fused, when: TimeHint) -> Candidate:
    score = way.score * (IN_TIME if in_time(one, when) else 1.0)
    return replace(one, ranks=way.ranks, cues=tuple(way.cues), score=score)


def in_time(one: Candidate, when: TimeHint) -> bool:
    """Whether a candidate happened in, or is about, the time that was spoken of."""
    if when.at_from and when.at_to and when.at_from <= one.at < when.at_to:
        return True
    if one.about.life_stage in when.life_stage_hint:
        return True
    start, end = one.about.year_start, one.about.year_end or one.about.year_start
    if start is None or end is None or when.about_year_start is None or when.about_year_end is None:
        return False
    return start <= when.about_year_end and when.about_year_start <= end


def spread(candidates: Sequence[Candidate], diversify: Diversify) -> list[Candidate]:
    """The candidates with no time of life in front more often than it may be; the rest of it comes at the end."""
    seen: Counter[tuple[str, str | int]] = Counter()
    front: list[Candidate] = []
    back: list[Candidate] = []
    for one in candidates:
        buckets = _buckets(one, diversify)
        full = any(seen[bucket] >= diversify.per_bucket for bucket in buckets)
        seen.update(buckets)
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
