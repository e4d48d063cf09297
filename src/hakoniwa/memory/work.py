"""Work that follows an event: a WritePlan in the persona's own view, and a vector. It is queued with the event itself,
in one transaction, and settled with its result in another: a kill in between loses nothing and does nothing twice."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import zip_longest
from threading import Event
from typing import Any

from hakoniwa.errors import ModelError, ModelUnavailable
from hakoniwa.llm import ChatModel, Message, join_stream
from hakoniwa.memory.apply import apply_plan
from hakoniwa.memory.embedding.filling import EmbeddingProgress, reembed
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.schemas import schema_for
from hakoniwa.memory.store import MemoryEntry, MemoryWork, MemoryWriting
from hakoniwa.messages import format_time
from hakoniwa.persona.generated import Generated, unseal
from hakoniwa.persona.records import Memory, PersonaState, StateKind, Vad
from hakoniwa.persona.write_plan import WritePlan, parse_plan, plan_by_rule
from hakoniwa.prompts import render

log = logging.getLogger("hakoniwa.memory")

Feel = Callable[[str], Vad | None]  # how somebody feels just now

TAKEN_BACK, BAD_PLAN = "ghost.taken-back", "ghost.bad-plan"
PLAN_TOKENS = 900
TRIES = 3
BEFORE, HELD = 4, 24
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
    states = revisable_states(ghost)
    prompt = Message(role="user", content=prompt_of(ghost, memory, before, states))
    schema = schema_for([one.seq for one in before], list(states))
    text = Generated(await join_stream(model.chat([prompt], "ghost.write_plan", PLAN_TOKENS, schema)))
    return parse_plan(text, [memory.seq, *(one.seq for one in before)], states)


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
        event=_memory_fields(memory, language),
        before=[_memory_fields(one, language) for one in before],
        states=[_state_fields(id, one) for id, one in states.items()],
        preferences=list(ghost.inner.preferences.values()),
    )  # fmt: skip


def _memory_fields(memory: Memory, language: str) -> dict[str, Any]:
    text = unseal(memory.text)[:LONGEST]
    return {"seq": memory.seq, "when": format_time(memory.at, language), "text": text}


def _state_fields(id: int, state: PersonaState) -> dict[str, Any]:
    return {"id": id, "kind": state.kind.value, "body_text": unseal(state.body_text)}
