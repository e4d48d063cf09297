"""Gather: ask every source, each within its time, and put what they found together."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import NamedTuple

from hakoniwa.ghost import sources as package
from hakoniwa.ghost.asking import Ask, Finds, Missed, all_brief, at_once, in_turn, one_thread_each
from hakoniwa.ghost.candidate import Candidate, Key, Kind, of_affect, of_event, of_state
from hakoniwa.ghost.embedding import Vector
from hakoniwa.ghost.fuse import NOTHING, Fused, fuse
from hakoniwa.ghost.ghost import Ghost
from hakoniwa.ghost.memory import Affect, LifeStage, Memory
from hakoniwa.ghost.plan import Diversify, RetrievalPlan
from hakoniwa.ghost.source import Asked, Once, sources
from hakoniwa.ghost.when import TimeHint
from hakoniwa.ghost.words import words

Ways = Mapping[Key, Fused]  # how each thing was found, best first
Loaded = Mapping[Key, Candidate]

sources.load(package)

SEEDS = 6
YEARS_PER_BUCKET = 5
QUICK = 0.25  # seconds for asking all of them in turn, the embedder included
IN_TIME = 2.5  # what lies in the time that was spoken of


class Gathered(NamedTuple):
    """What might be called to mind, best first, and the sources that are not in it."""

    candidates: tuple[Candidate, ...]
    missed: tuple[Missed, ...]


async def gather(ghost: Ghost, plan: RetrievalPlan, now: datetime, reply_to: int | None = None) -> Gathered:
    """Every candidate there is for a plan: by asking in turn, and if that is not done soon, each source by itself."""
    question = partial(_gathered, ghost, plan, now, reply_to, _vector(ghost, plan))
    if all_brief():
        quick = asyncio.get_running_loop().run_in_executor(one_thread_each, question, in_turn)
        await asyncio.wait({quick}, timeout=QUICK)
        if quick.done() and quick.exception() is None:
            return quick.result()
        quick.cancel()  # if it has begun it goes on, but nobody waits for it
    return await asyncio.to_thread(question, at_once)


def _gathered(
    ghost: Ghost, plan: RetrievalPlan, now: datetime, reply_to: int | None, vector: Once[Vector] | None, ask: Ask
) -> Gathered:
    """Ask the sources that need nothing first, then those that go on from what these found."""
    spoken = dict.fromkeys(word for query in plan.queries for word in words(query, ghost.persona.language))
    asked = Asked(plan=plan, words=list(spoken), vector=vector, reply_to=reply_to, now=now)
    with ghost.memories.database.together():
        first = ask(ghost, asked, False)
        fused = _fused(first.found)
        loaded = _loaded(ghost, plan, fused, {})
        second = ask(ghost, _seeded(asked, fused, loaded), True)
        if any(second.found.values()):
            fused = _fused(second.found, fused)
            loaded = _loaded(ghost, plan, fused, loaded)
    return Gathered(ranked(plan, fused, loaded), (*first.missed, *second.missed))


def _vector(ghost: Ghost, plan: RetrievalPlan) -> Once[Vector] | None:
    """The vector of the input, for whichever source wants it first."""
    embedder = ghost.embedder
    if embedder is None or ghost.index is None:
        return None
    return Once(lambda: embedder.embed(plan.queries[:1])[0])


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


def _fused(found: Finds, before: Ways = NOTHING) -> Ways:
    return fuse(found, {name: sources[name].weight for name in found}, before)


def _loaded(ghost: Ghost, plan: RetrievalPlan, fused: Ways, known: Loaded) -> Loaded:
    """What can still be read, along this line of play, of the best finds; what is known already is not read again."""
    best = list(fused)[: plan.limits.max_candidates]
    return {**known, **read(ghost, [id for id in best if id not in known])}


def read(ghost: Ghost, ids: Sequence[Key]) -> Loaded:
    """What is still to be read of these, along this line of play."""
    seqs = {key for type, key in ids if type != "state"}
    memories = ghost.memories.load(ghost.scope, seqs) if seqs else {}
    felt = {key for type, key in ids if type == "event_affect"}
    affects = ghost.memories.affects_of(ghost.scope, felt) if felt else {}
    found = {(type, key): _read(ghost, type, memories.get(key), affects, key) for type, key in ids}
    return {id: one for id, one in found.items() if one is not None}


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
    return one.placed(way.ranks, tuple(way.cues), score)


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
