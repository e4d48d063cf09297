"""Work that follows an event: a WritePlan in the persona's own view, and a vector. It is queued with the event itself,
in one transaction, and settled with its result in another: a kill in between loses nothing and does nothing twice."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import zip_longest
from threading import Event
from typing import Any, Literal

from pydantic import ValidationError

from hakoniwa.errors import ModelError, ModelMisbehaved, ModelUnavailable
from hakoniwa.llm import ChatModel, Message, join_stream
from hakoniwa.memory.apply import apply_plan
from hakoniwa.memory.candidate import attributed_text
from hakoniwa.memory.embedding.filling import EmbeddingProgress, reembed
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.schemas import ANSWERS, schema_for
from hakoniwa.memory.store import MemoryEntry, MemoryWork, MemoryWriting
from hakoniwa.memory.when import time_hint
from hakoniwa.memory.words import index_words
from hakoniwa.messages import format_time
from hakoniwa.persona.generated import Generated, unseal
from hakoniwa.persona.persona import Persona
from hakoniwa.persona.records import Memory, PersonaGoal, PersonaState, StateKind, Vad
from hakoniwa.persona.write_plan import PreferenceUpdate, WritePlan, parse_plan, plan_by_rule
from hakoniwa.prompts import render
from hakoniwa.turn import Value

log = logging.getLogger("hakoniwa.memory")

Feel = Callable[[str], Vad | None]  # how somebody feels just now

TAKEN_BACK, BAD_PLAN = "ghost.taken-back", "ghost.bad-plan"
PLAN_TOKENS, ANSWER_TOKENS = 1_200, 24
MOST_YEARS = 20
TRIES = 3
BEFORE, HELD, MOST_GOALS = 4, 24, 6
LONGEST = 1_200
KEPT = (StateKind.FACT, StateKind.RELATION, StateKind.TASK, StateKind.SUMMARY)


async def work_off(ghost: Ghost, model: ChatModel | None, now: datetime, limit: int = 20) -> int:
    """Do what is queued for a Ghost, oldest first, without a model by rule; how many pieces of work were settled."""
    if model is None:
        return await asyncio.to_thread(work_by_rule, [ghost], now, limit)
    settled = 0
    for work in await asyncio.to_thread(ghost.memories.pending, ghost.number, limit, now, "write_plan"):
        settled += await _settle_work(ghost, model, work, now)
    return settled


async def embed(ghost: Ghost, progress: Callable[[EmbeddingProgress], None] = lambda _: None) -> None:
    """Give a vector to everything that has none yet; after a change of embedder that is everything, and takes a while.

    A server that is away means no vectors this time: they are made when somebody asks again."""
    stopped = Event()
    if ghost.embedder is None:
        return
    try:
        await asyncio.to_thread(reembed, ghost.memories, ghost.number, ghost.embedder, progress, stopped.is_set)
    except ModelError as error:
        log.warning("no vectors for %s this time: %s", ghost.who, error.key)
    finally:
        stopped.set()


# --- by rule ----------------------------------------------------------------------------------------------------------


def work_by_rule(ghosts: Sequence[Ghost], now: datetime, limit: int, feel: Feel = lambda _: None) -> int:
    """Do what is queued for Ghosts that share a store, oldest first; how many pieces of work were settled.

    A plan is made from what is known of an event and, if somebody can tell, how it felt. Nobody is kept from it
    meanwhile: it costs little to be made twice, and only whoever writes it first has done it."""
    by_number = {ghost.number: ghost for ghost in ghosts}
    queued = ghosts[0].memories.queued(by_number, limit, now, "write_plan") if ghosts else []
    for works in _rounds(queued):
        _settle_by_rule([(by_number[work.ghost], work) for work in works], now, feel)
    return len(queued)


def _rounds(queued: Iterable[MemoryWork]) -> Iterator[list[MemoryWork]]:
    """What does not build on each other: the first piece of work of everybody, then everybody's second."""
    by_ghost: defaultdict[int, list[MemoryWork]] = defaultdict(list)
    for work in queued:
        by_ghost[work.ghost].append(work)
    for works in zip_longest(*by_ghost.values()):
        yield [work for work in works if work is not None]


def _settle_by_rule(works: Sequence[tuple[Ghost, MemoryWork]], now: datetime, feel: Feel) -> None:
    """Everybody's next piece of work, written in one transaction."""
    memories = works[0][0].memories
    with memories.database.together():
        made = [(ghost, work, _write_by_rule(ghost, work, now, feel)) for ghost, work in works]
    memories.write_all(
        [
            MemoryEntry(scope=ghost.scope, seq=work.seq, writing=writing, work=work.id)
            for ghost, work, writing in made
            if isinstance(writing, MemoryWriting)
        ]
    )
    for ghost, work, problem in made:
        if isinstance(problem, str):
            _drop(ghost, work, problem)
    with memories.database.together():
        for ghost, _ in works:
            ghost.take_up()


def _write_by_rule(ghost: Ghost, work: MemoryWork, now: datetime, feel: Feel) -> MemoryWriting | str:
    """What an event leaves in somebody, or why it leaves nothing."""
    memory = ghost.memories.load(ghost.scope, [work.seq]).get(work.seq)
    if memory is None:
        return TAKEN_BACK
    return _writing(ghost, plan_by_rule(memory, feel(ghost.who)), memory, now) or BAD_PLAN


def _writing(ghost: Ghost, plan: WritePlan, memory: Memory, now: datetime) -> MemoryWriting | None:
    """What a plan changes, if it can."""
    felt = ghost.memories.affects_of(ghost.scope, [memory.seq])
    return apply_plan(plan, ghost.inner, memory, list(felt.values()), ghost.persona, now)


def _drop(ghost: Ghost, work: MemoryWork, problem: str) -> None:
    log.warning("event %d leaves no trace in %s: %s", work.seq, ghost.who, problem)
    ghost.memories.settle(work.id, "dropped", problem)


# --- by a model -------------------------------------------------------------------------------------------------------


async def _settle_work(ghost: Ghost, model: ChatModel, work: MemoryWork, now: datetime) -> bool:
    """One piece of work; what a server that is away keeps from being done waits, what comes out wrong is dropped."""
    try:
        problem = await _plan_event(ghost, model, work, now)
    except ModelUnavailable as error:
        if work.tries + 1 >= TRIES:
            await asyncio.to_thread(_drop, ghost, work, error.key)
            return True
        await asyncio.to_thread(ghost.memories.settle, work.id, "queued", error.key)
        return False
    except ModelError as error:
        problem = error.key
    except asyncio.CancelledError:
        ghost.memories.settle(work.id, "queued", "model.stopped")
        raise
    if problem:
        await asyncio.to_thread(_drop, ghost, work, problem)
    return True


async def _plan_event(ghost: Ghost, model: ChatModel, work: MemoryWork, now: datetime) -> str | None:
    """Make the WritePlan of an event and apply it; why that cannot be, if it cannot."""
    lived = await asyncio.to_thread(_lived_through, ghost, work)
    if lived is None:
        return TAKEN_BACK
    memory, before = lived
    plan = await _ask_for_plan(ghost, model, memory, before)
    if plan is not None:
        bounded = within_bounds(plan, memory, before, ghost.persona)
        plan = await _hold_against_words(ghost, model, bounded, memory, before)
    if plan is None or not await asyncio.to_thread(_apply_plan, ghost, work, plan, memory, now):
        return BAD_PLAN
    return None


def _apply_plan(ghost: Ghost, work: MemoryWork, plan: WritePlan, memory: Memory, now: datetime) -> bool:
    """Write what a plan changes, if it can, in one transaction with what that is made from."""
    with ghost.memories.database.as_one():
        writing = _writing(ghost, plan, memory, now)
        if writing is not None:
            ghost.apply(work.seq, writing, work.id)
    return writing is not None


def _lived_through(ghost: Ghost, work: MemoryWork) -> tuple[Memory, list[Memory]] | None:
    """The event that work follows, and what happened before it; None if it was taken back."""
    with ghost.memories.database.together():
        memory = ghost.memories.load(ghost.scope, [work.seq]).get(work.seq)
        return None if memory is None else (memory, _memories_before(ghost, memory))


def _memories_before(ghost: Ghost, memory: Memory) -> list[Memory]:
    """What happened just before, oldest first."""
    found = ghost.memories.recent(ghost.scope, BEFORE * 4)
    return [one for one in found if one.seq < memory.seq][:BEFORE][::-1]


async def _ask_for_plan(ghost: Ghost, model: ChatModel, memory: Memory, before: Sequence[Memory]) -> WritePlan | None:
    """The plan as the model writes it in the persona's place, or None if it is not one."""
    states, goals = revisable_states(ghost), list(ghost.inner.active_goals)[:MOST_GOALS]
    prompt = Message(role="user", content=prompt_of(ghost, memory, before, states))
    spoken = [one.seq for one in (*before, memory) if one.user_text]
    years = sorted(years_spoken_of(memory, ghost.persona.language))
    schema = schema_for([one.seq for one in before], list(states), spoken, years, goals)
    text = Generated(await join_stream(model.chat([prompt], "ghost.write_plan", PLAN_TOKENS, schema)))
    return parse_plan(text, [memory.seq, *(one.seq for one in before)], states, goals)


# --- what a plan may claim --------------------------------------------------------------------------------------------


class StatedLiking(Value):
    """What somebody's own words say of one thing."""

    answer: Literal["like", "dislike", "neither"]


async def _hold_against_words(
    ghost: Ghost, model: ChatModel, plan: WritePlan, memory: Memory, before: Sequence[Memory]
) -> WritePlan:
    """The plan, in which only such likings are confirmed as the user's own words bear out when asked for alone."""
    spoken = {one.seq: one.user_text for one in (*before, memory) if one.user_text}
    updates = [
        one if one.op != "confirm" else await _confirm_by_words(ghost, model, one, spoken.get(one.evidence_event_id))
        for one in plan.preference_updates
    ]
    return plan.with_field("preference_updates", tuple(updates))


async def _confirm_by_words(
    ghost: Ghost, model: ChatModel, update: PreferenceUpdate, words: str | None
) -> PreferenceUpdate:
    """The liking as it is if these words state it, else as a candidate, which way round they have it."""
    answer = None if words is None else await _ask_of_words(ghost, model, update.subject, words)
    if answer == update.polarity:
        return update
    polarity = update.polarity if answer in (None, "neither") else answer
    return update.model_copy(update={"op": "upsert_candidate", "polarity": polarity})


async def _ask_of_words(ghost: Ghost, model: ChatModel, subject: str, words: str) -> str | None:
    """What these very words say of a thing; None if that cannot be found out."""
    prompt = render("ghost/stated", ghost.persona.language, subject=subject, words=words)
    try:
        text = await join_stream(
            model.chat([Message(role="user", content=prompt)], "ghost.stated", ANSWER_TOKENS, ANSWERS)
        )
        return StatedLiking.model_validate_json(text, strict=True).answer
    except (ModelMisbehaved, ValidationError):
        return None


def within_bounds(plan: WritePlan, memory: Memory, before: Sequence[Memory], persona: Persona) -> WritePlan:
    """The plan without years, people, things and threads that nothing in the event leads to: the index could not find
    it by them either."""
    words, noted = set(index_words(unseal(memory.text))), plan.event_annotations
    running = {thread for one in before for thread in one.threads}
    years = years_spoken_of(memory, persona.language)

    def _named(name: str) -> bool:
        return words.issuperset(index_words(name) or [name])

    told = {noted.about_year_start, noted.about_year_end} <= {None, *years}
    annotations = noted.model_copy(update={
        **({} if told else {"about_year_start": None, "about_year_end": None}),
        "entities": tuple(one for one in noted.entities if _named(one.name)),
    })  # fmt: skip
    world = tuple(one for one in plan.world_updates if _named(one.name))
    threads = tuple(
        one for one in plan.context_updates.threads if one in running or not words.isdisjoint(index_words(one))
    )
    context = plan.context_updates.with_field("threads", threads)
    return plan.model_copy(
        update={"event_annotations": annotations, "context_updates": context, "world_updates": world}
    )


def years_spoken_of(memory: Memory, language: str) -> set[int]:
    """The years that the words of an event lead to, and the one it happened in."""
    when = time_hint(unseal(memory.text), memory.at, language)
    named = range(when.about_year_start or 1, (when.about_year_end or when.about_year_start or 0) + 1)
    return {memory.at.year, *(named if len(named) <= MOST_YEARS else (named[0], named[-1]))}


def revisable_states(ghost: Ghost) -> dict[int, PersonaState]:
    """What a plan may revise: the states confirmed last."""
    kept = [(id, one) for id, one in ghost.inner.states.items() if one.kind in KEPT]
    return dict(sorted(kept, key=lambda pair: (pair[1].last_confirmed_at, pair[0]))[-HELD:])


def prompt_of(ghost: Ghost, memory: Memory, before: Sequence[Memory], states: Mapping[int, PersonaState]) -> str:
    """The persona, what it holds already, and what has happened."""
    language = ghost.persona.language
    return render(
        "ghost/write_plan", language,
        persona=ghost.persona,
        event=_memory_fields(memory, ghost.persona),
        before=[_memory_fields(one, ghost.persona) for one in before],
        states=[_state_fields(id, one) for id, one in states.items()],
        preferences=list(ghost.inner.preferences.values()),
        goals=[_goal_fields(id, one) for id, one in list(ghost.inner.active_goals.items())[:MOST_GOALS]],
    )  # fmt: skip


def _memory_fields(memory: Memory, persona: Persona) -> dict[str, Any]:
    text = unseal(attributed_text(memory, persona))[:LONGEST]
    return {"seq": memory.seq, "when": format_time(memory.at, persona.language), "text": text}


def _goal_fields(id: int, goal: PersonaGoal) -> dict[str, Any]:
    return {"id": id, "title": unseal(goal.title), "progress": round(100 * goal.progress)}


def _state_fields(id: int, state: PersonaState) -> dict[str, Any]:
    return {"id": id, "kind": state.kind.value, "body_text": unseal(state.body_text)}
