"""Goals: what a persona is after. They arise from the sheet, from thinking, from what is lived through and promised;
each act for one is a step, and each change is a revision with its evidence."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from hakoniwa.persona.generated import Generated
from hakoniwa.persona.persona import Persona
from hakoniwa.persona.records import PersonaGoal, Revision
from hakoniwa.persona.write_plan import GoalUpdate

Goals = Mapping[int, PersonaGoal]
ENDED = {"done": "done", "drop": "dropped"}


def goal_revisions(
    updates: Iterable[GoalUpdate], goals: Goals, witness: str, evidence: tuple[int, ...], now: datetime
) -> Iterator[Revision]:
    """What updates make of goals; `witness` is the one a promise was made to."""
    for update in updates:
        before = goals.get(update.goal_id)
        after = _move_on(before, update) if before and update.op != "set" else _set_goal(before, update, witness)
        yield revise_goal(update.goal_id, before, after, update.op, evidence, now)


def _set_goal(before: PersonaGoal | None, update: GoalUpdate, witness: str) -> PersonaGoal:
    assert update.title is not None, "a goal that is set has words"
    changes: dict[str, Any] = {"title": update.title, "priority": update.priority, "horizon": update.horizon}
    if update.promised:
        changes["promised_to"] = witness
    start = before or PersonaGoal(goal_type=update.goal_type, title=update.title)
    return start.model_copy(update=changes)


def _move_on(before: PersonaGoal, update: GoalUpdate) -> PersonaGoal:
    """A goal that has come further, is reached, or is given up."""
    if update.op == "progress":
        return before.model_copy(update={"progress": max(before.progress, update.progress)})
    reached = {"progress": 1.0} if update.op == "done" else {}
    return before.model_copy(update={"status": ENDED[update.op], **reached})


def step_revisions(goals: Goals, taken_for: Iterable[int], evidence: int, now: datetime) -> Iterator[Revision]:
    """One more step towards each of these goals that is still pursued: an act for it came to something."""
    for item in taken_for:
        if (goal := goals.get(item)) is not None and goal.status == "active":
            after = goal.model_copy(update={"steps": goal.steps + 1})
            yield revise_goal(item, goal, after, "step", (evidence,), now)


def sheet_goals(persona: Persona, goals: Goals, evidence: int, now: datetime) -> Iterator[Revision]:
    """The lasting desires of the sheet that are no goals yet; one that was given up stays so."""
    known = {one.desire for one in goals.values()}
    for desire in persona.desires:
        if desire.name not in known:
            goal = PersonaGoal(
                goal_type="task", title=Generated(desire.name), horizon="long", desire=desire.name,
                priority=round(100 * desire.strength),
            )  # fmt: skip
            yield revise_goal(0, None, goal, "sheet", (evidence,), now)


def revise_goal(
    item: int, before: PersonaGoal | None, after: PersonaGoal, reason: str, evidence: tuple[int, ...], now: datetime
) -> Revision:
    return Revision(
        item=item,
        kind="goal",
        before=None if before is None else before.model_dump(mode="json"),
        after=after.model_dump(mode="json"),
        reason=reason,
        evidence=evidence,
        at=now,
    )
