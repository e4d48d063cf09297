"""Recall: what a persona calls to mind on hearing something. Plan, gather, put in its own order, select, note."""

import asyncio
import logging
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Literal

from hakoniwa.llm import ChatModel
from hakoniwa.memory.candidate import Candidate
from hakoniwa.memory.gather import MissedSource, gather
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.retrieval_plan import RetrievalPlan, focus_of, order_candidates, plan_for
from hakoniwa.memory.select import SearchResultPack, Selection, select_by_model, select_by_rule, selection_context
from hakoniwa.memory.store import RetrievalRun
from hakoniwa.persona.generated import Generated
from hakoniwa.persona.interest import InterestState, fade_targets
from hakoniwa.persona.mood import feeling_at, recent_vad_average
from hakoniwa.persona.records import Affect, Vad
from hakoniwa.turn import Value

log = logging.getLogger("hakoniwa.memory")

RECENT_AFFECTS = 12
Chooser = Literal["rule", "model"]


class Recall(Value):
    """One act of remembering: the plan, what was considered, what came to mind, and by whose choice."""

    run: int = 0  # its number in the store; 0 while there is nothing to remember yet
    plan: RetrievalPlan
    candidates: tuple[Candidate, ...]
    missed: tuple[MissedSource, ...] = ()
    pack: SearchResultPack
    by: Chooser
    dropped: str | None = None

    @property
    def chosen(self) -> tuple[Candidate, ...]:
        """What came to mind, in that order and each once."""
        known = {one.id: one for one in self.candidates}
        return tuple(known[id] for id in dict.fromkeys(one.id for one in self.pack.selected))

    @property
    def snippets(self) -> tuple[tuple[datetime, Generated], ...]:
        """What came to mind as a reply wants it: when it was, and what it says."""
        return tuple((one.at, one.text) for one in self.chosen)


async def recall(
    ghost: Ghost,
    heard: str,
    now: datetime,
    model: ChatModel | None,
    reply_to: int | None = None,
    limit: int = 12,
    *,
    in_view: Collection[int] = (),
    keep: bool = True,
) -> Recall:
    """What comes to mind: chosen by the model in the persona's place, or by rule where there is none.

    Events `in_view` stand before the persona anyway, and are not called to mind. `keep` writes the run down; one that
    is only to be looked at is not."""
    interest = current_interest(ghost.inner.interest, now)
    hint = focus_of(ghost.inner.confirmed_preferences, interest, feeling_at(ghost.inner.mood, now))
    plan = plan_for(heard, now, hint, ghost.persona.language, limit)
    gathered = await gather(ghost, plan, now, reply_to)
    unseen = [one for one in gathered.candidates if one.type != "event" or one.key not in in_view]
    felt = await asyncio.to_thread(_feelings_then, ghost, unseen)
    candidates = order_candidates(unseen, interest, hint, felt)
    selection = await _select_memories(ghost, candidates, heard, limit, model)
    made = Recall(
        plan=plan, candidates=candidates, missed=gathered.missed, pack=selection.pack, by="model" if model else "rule",
        dropped=selection.dropped,
    )  # fmt: skip
    if made.dropped:
        log.warning("nothing comes to the mind of %s: %s", ghost.who, made.dropped)
    run = await asyncio.to_thread(_record_run, ghost, heard, now, made) if keep else 0
    return made.model_copy(update={"run": run})


def current_interest(interest: InterestState, now: datetime) -> InterestState:
    """The interest as it weighs now."""
    targets = fade_targets(interest.attention_targets, interest.updated_at, now)
    return interest.model_copy(update={"attention_targets": targets})


async def _select_memories(
    ghost: Ghost, candidates: Sequence[Candidate], heard: str, limit: int, model: ChatModel | None
) -> Selection:
    if model is None:
        return Selection(select_by_rule(candidates, limit, ghost.persona.language))
    recent = await asyncio.to_thread(_recent_feeling, ghost)
    context = selection_context(ghost.persona, ghost.inner, recent)
    return await select_by_model(model, ghost.persona, context, candidates, heard, limit)


def _feelings_then(ghost: Ghost, candidates: Sequence[Candidate]) -> dict[int, Affect]:
    """How those of the candidates that are events felt when they happened."""
    return ghost.memories.affects_of(ghost.scope, {one.key for one in candidates if one.type == "event"})


def _recent_feeling(ghost: Ghost) -> Vad:
    return recent_vad_average(ghost.memories.affects(ghost.scope, RECENT_AFFECTS))


def _record_run(ghost: Ghost, heard: str, now: datetime, made: Recall) -> int:
    """Keep the run; not before the first event, nor where something was forgotten that it may have considered."""
    if ghost.newest is None or ghost.purges != ghost.memories.purges():
        return 0
    run = RetrievalRun(
        at=now,
        input=heard,
        plan=made.plan.model_dump(mode="json"),
        candidates=[_candidate_fields(one) for one in made.candidates],
        selection=made.pack.model_dump(mode="json"),
        by=made.by,
        dropped=made.dropped,
    )
    return ghost.memories.record_run(ghost.scope, ghost.newest, run)


def _candidate_fields(one: Candidate) -> dict[str, Any]:
    """A candidate as a run keeps it: how it came there, not what it says, which memory itself knows."""
    return {
        "type": one.type, "key": one.key, "score": round(one.score, 6), "ranks": one.ranks,
        "touches": list(one.touches),
    }  # fmt: skip
