"""What people ask of a memory: what there is about something, what came of an event, what it would tell another."""

import asyncio
import copy
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from hakoniwa.autonomy.log import ACT, AutonomyLog
from hakoniwa.capabilities.spool import job_id, remove_task_files
from hakoniwa.chat.clock import Clock
from hakoniwa.chat.rewriting import repetitions
from hakoniwa.errors import UnknownName
from hakoniwa.jobs.purge import jobs_beside, purge
from hakoniwa.llm import ChatModel
from hakoniwa.memory.candidate import Candidate, Key
from hakoniwa.memory.gather import gather, read_candidates
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.recall import Recall, current_interest, recall
from hakoniwa.memory.retrieval_plan import focus_of, order_candidates, plan_for
from hakoniwa.memory.store import ForgetResult, RetrievalRun
from hakoniwa.persona.generated import unseal
from hakoniwa.persona.inner import InnerState
from hakoniwa.persona.interest import InterestState
from hakoniwa.persona.mood import LongMoodState, feeling_at
from hakoniwa.persona.persona import Persona
from hakoniwa.persona.records import (
    Affect,
    Memory,
    MemoryLink,
    MemorySource,
    PersonaGoal,
    PersonaState,
    Preference,
    Revision,
    Vad,
)
from hakoniwa.turn import Value

LINKS = 40


class EventTrace(Value):
    """One event and everything that hangs on it."""

    memory: Memory
    affect: Affect | None = None
    links: tuple[MemoryLink, ...] = ()
    revisions: tuple[Revision, ...] = ()


class RecallComparison(Value):
    """What the same words bring to the minds of two personas."""

    one: Recall
    other: Recall

    @property
    def overlap(self) -> float:
        """How much of what either called to mind came to both: 1 for all of it, 0 for nothing."""
        mine, theirs = ({item.id for item in side.chosen} for side in (self.one, self.other))
        return len(mine & theirs) / len(mine | theirs) if mine | theirs else 1.0


class InnerLife(Value):
    """Everything a persona holds just now, by number; `felt` is the mood at this moment."""

    persona: Persona
    mood: LongMoodState
    felt: Vad
    interest: InterestState
    states: dict[int, PersonaState]
    preferences: dict[int, Preference]
    goals: dict[int, PersonaGoal]


def now_of(ghost: Ghost, now: datetime) -> datetime:
    """What time it is for a Ghost: in a garden that is when it last lived through something."""
    newest = ghost.memories.recent(ghost.scope, 1)
    return newest[0].at if newest and newest[0].source is MemorySource.GARDEN else now


async def search(ghost: Ghost, words: str, now: datetime, limit: int = 12) -> Sequence[Candidate]:
    """What memory has about something, the most fitting first."""
    then = await asyncio.to_thread(now_of, ghost, now)
    interest = current_interest(ghost.inner.interest, then)
    hint = focus_of(ghost.inner.confirmed_preferences, interest, feeling_at(ghost.inner.mood, then))
    gathered = await gather(ghost, plan_for(words, then, hint, ghost.persona.language, limit), then, None)
    return order_candidates(gathered.candidates, interest, hint)[:limit]


def runs_of(ghost: Ghost, limit: int) -> list[RetrievalRun]:
    """What was called to mind lately; what was considered has its words and its time again, unless it is forgotten."""
    runs = ghost.memories.runs(ghost.scope, limit)
    known = read_candidates(ghost, list({(one["type"], one["key"]): None for run in runs for one in run.candidates}))
    return [run.with_field("candidates", [_add_words(one, known) for one in run.candidates]) for run in runs]


def _add_words(one: dict[str, Any], known: Mapping[Key, Candidate]) -> dict[str, Any]:
    found = known.get((one["type"], one["key"]))
    return {**one, "text": unseal(found.text), "at": found.at} if found else one


def load_events(ghost: Ghost, seqs: Sequence[int]) -> dict[int, Memory]:
    """These events as they are remembered, or UnknownName."""
    found = ghost.memories.load(ghost.scope, seqs)
    if missing := [seq for seq in seqs if seq not in found]:
        raise UnknownName("ghost.no-event", id=missing[0])
    return found


def trace(ghost: Ghost, seq: int) -> EventTrace:
    """An event with how it felt, what it is linked to, and every change it is evidence for."""
    return EventTrace(
        memory=load_events(ghost, [seq])[seq],
        affect=ghost.memories.affects_of(ghost.scope, [seq]).get(seq),
        links=tuple(ghost.memories.linked(ghost.scope, [seq], LINKS)),
        revisions=tuple(one for one in ghost.memories.revisions(ghost.scope) if seq in one.evidence),
    )


def forget(ghost: Ghost, seqs: Sequence[int], spool: Path | None = None) -> ForgetResult:
    """Purge events for good, out of the files of the index too, and what the persona did by itself because of them,
    which goes no further if it is under way; what was removed. Takes with the same words go, too. `spool` is where
    tasks are given away.

    What was purged before may be asked for again, for the sake of traces that had to stay."""
    load_events(ghost, [seq for seq in seqs if not _is_purged(ghost, seq)])
    seqs = sorted(repetitions(ghost.memories.journal, ghost.garden, seqs))
    doings = AutonomyLog(ghost.memories.journal, ghost.garden, ghost.branch, ghost.who)
    done = doings.break_off(seqs, Clock(ghost.memories, ghost.garden, ghost.branch).now())
    gone = ghost.memories.forget(ghost.scope, ghost.garden, sorted({*seqs, *done.rows}))
    if ghost.index is not None:
        ghost.index.forget()
    flows = {*done.flows, *doings.broken_off}
    left = [_purge_work(ghost, flows), _remove_tasks(spool, flows)]
    return gone.model_copy(update={"traces": gone.traces or any(left)})


def _is_purged(ghost: Ghost, seq: int) -> bool:
    found = ghost.memories.journal.since(seq - 1, 1, ghost.garden)
    return bool(found and found[0].seq == seq and found[0].event.payload.get("forgotten"))


def _remove_tasks(spool: Path | None, flows: Collection[str]) -> bool:
    """Remove what tasks of flows left; whether one is still being done."""
    return spool is not None and remove_task_files(spool, [job_id(f"{flow}/{ACT}") for flow in sorted(flows)])


def _purge_work(ghost: Ghost, flows: Collection[str]) -> bool:
    """Purge what flows found out from where work is kept; whether some of it had to stay for now."""
    journal = ghost.memories.database.engine.url
    return journal.database is not None and purge(jobs_beside(journal), flows)


def inner_life(ghost: Ghost, now: datetime) -> InnerLife:
    inner = ghost.inner
    return InnerLife(
        persona=ghost.persona,
        mood=inner.mood,
        felt=feeling_at(inner.mood, now_of(ghost, now)),
        interest=inner.interest,
        states=held_states(ghost),
        preferences=dict(inner.preferences),
        goals=dict(inner.goals),
    )


def held_states(ghost: Ghost) -> dict[int, PersonaState]:
    """The states a persona holds, newest first."""
    return dict(sorted(ghost.inner.states.items(), key=lambda pair: pair[1].last_confirmed_at, reverse=True))


async def compare(ghost: Ghost, other: Ghost, heard: str, now: datetime, model: ChatModel | None) -> RecallComparison:
    """The same words heard by two who share one memory."""
    then = await asyncio.to_thread(now_of, ghost, now)
    one, another = [await recall(each, heard, then, model, keep=False) for each in (ghost, other)]
    return RecallComparison(one=one, other=another)


def substitute_persona(ghost: Ghost, persona: Persona, inner: InnerState) -> Ghost:
    """Somebody else with this Ghost's memory, only to see what they would make of it."""
    other = copy.copy(ghost)
    other.persona, other.inner = persona, inner
    return other
