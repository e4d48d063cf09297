"""Goals: where they come from, how they come further and end; what a persona thinks of people and things."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hakoniwa.actor.character import Character
from hakoniwa.memory.apply import apply_plan
from hakoniwa.persona.generated import unseal
from hakoniwa.persona.goals import step_revisions
from hakoniwa.persona.inner import InnerState, fold
from hakoniwa.persona.persona import Persona, persona_of
from hakoniwa.persona.records import Memory, MemorySource, PersonaGoal
from hakoniwa.persona.write_plan import WritePlan

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
SHEET = {
    "display_name": "ミナ",
    "persona": "ミナ。店主。",
    "speech": {"address": {"user": "マスター"}},
    "desires": [
        {"name": "店を続ける", "kind": "duty", "term": "long", "strength": 0.8},
        {"name": "お茶を飲む", "kind": "body"},
    ],
}
MINA = persona_of(Character.model_validate(SHEET), "ja")


def memory(seq: int) -> Memory:
    return Memory(source=MemorySource.CHAT, text="春子と話した", at=NOON, seq=seq)


def after(inner: InnerState, seq: int, persona: Persona = MINA, **updates: Any) -> InnerState:
    """What is held once a plan with these updates is made of an event."""
    plan = WritePlan.model_validate(updates)
    writing = apply_plan(plan, inner, memory(seq), [], persona, NOON + timedelta(hours=seq))
    assert writing is not None
    assert all(seq in one.evidence for one in writing.revisions)
    numbered = [one.model_copy(update={"id": 100 * seq + n}) for n, one in enumerate(writing.revisions)]
    return fold(numbered, inner)


def only_goal(inner: InnerState) -> tuple[int, PersonaGoal]:
    (found,) = [pair for pair in inner.goals.items() if pair[1].desire is None]
    return found


def test_the_lasting_desires_of_the_sheet_become_goals_once() -> None:
    inner = after(after(InnerState(), 1), 2)
    ((item, goal),) = inner.goals.items()
    assert (unseal(goal.title), goal.desire, goal.horizon, goal.priority) == ("店を続ける", "店を続ける", "long", 80)
    given_up = after(inner, 3, goal_updates=[{"op": "drop", "goal_id": item}])
    assert [one.status for one in after(given_up, 4).goals.values()] == ["dropped"]


def test_a_promise_is_a_goal_with_the_one_it_was_made_to() -> None:
    inner = after(InnerState(), 1, goal_updates=[{"op": "set", "title": "茶碗を直す", "promised": True}])
    goal = only_goal(inner)[1]
    assert (unseal(goal.title), goal.promised_to, goal.status, goal.progress) == (
        "茶碗を直す",
        "マスター",
        "active",
        0.0,
    )


def test_a_goal_comes_further_and_ends() -> None:
    inner = after(InnerState(), 1, goal_updates=[{"op": "set", "title": "茶碗を直す", "priority": 90}])
    item, _ = only_goal(inner)
    assert next(iter(inner.active_goals)) == item  # the most pressing first
    inner = after(inner, 2, goal_updates=[{"op": "progress", "goal_id": item, "progress": 0.6}])
    inner = after(inner, 3, goal_updates=[{"op": "progress", "goal_id": item, "progress": 0.2}])
    assert only_goal(inner)[1].progress == 0.6  # what has come about is not undone by a lower guess
    inner = after(inner, 4, goal_updates=[{"op": "done", "goal_id": item}])
    assert (only_goal(inner)[1].status, only_goal(inner)[1].progress) == ("done", 1.0)
    assert item not in inner.active_goals


def test_a_goal_nobody_has_is_not_changed() -> None:
    plan = WritePlan.model_validate({"goal_updates": [{"op": "done", "goal_id": 9}]})
    assert apply_plan(plan, InnerState(), memory(1), [], MINA, NOON) is None


def test_an_act_for_a_goal_is_a_step_towards_it() -> None:
    inner = after(InnerState(), 1, goal_updates=[{"op": "set", "title": "茶碗を直す"}])
    item, _ = only_goal(inner)
    (revision,) = step_revisions(inner.goals, [item, 9999], 7, NOON)
    assert (revision.evidence, revision.reason) == ((7,), "step")
    assert only_goal(fold([revision], inner))[1].steps == 1


def thinks(view: str, taken_for: str, confidence: float = 0.6) -> dict[str, Any]:
    return {"type": "person", "name": "春子", "view": view, "taken_for": taken_for, "confidence": confidence}


def test_what_is_thought_of_somebody_is_revised_with_evidence() -> None:
    inner = after(InnerState(), 1, world_updates=[thinks("頼りになる", "friend")])
    ((item, first),) = inner.world.items()
    assert first.view is not None
    assert (first.key, unseal(first.view), first.relation) == ("person:春子", "頼りになる", {"taken_for": "friend"})
    again = after(inner, 2, world_updates=[thinks("とても頼りになる", "friend")]).world[item]
    assert (again.observation_count, again.confidence > first.confidence) == (2, True)
    other = after(inner, 2, world_updates=[thinks("何か隠している", "threat")]).world[item]
    assert (other.observation_count, other.confidence < first.confidence) == (1, True)


def test_what_was_seen_often_enough_becomes_a_state_of_which_there_is_one() -> None:
    inner = InnerState()
    for seq, sure, states in ((1, 0.9, 0), (2, 0.9, 1), (3, 0.9, 1)):
        inner = after(
            inner, seq, world_updates=[{**thinks(f"看板を直した {seq}", "friend", sure), "item_class": "fact"}]
        )
        assert len(inner.states) == states
    (state,) = inner.states.values()
    assert (unseal(state.body_text), [one.name for one in state.entities]) == ("看板を直した 3", ["春子"])
    guessed = after(after(InnerState(), 1, world_updates=[thinks("a", "friend", 1.0)]), 2,
                    world_updates=[thinks("a", "friend", 1.0)])  # fmt: skip
    assert not guessed.states


def test_what_is_thought_of_somebody_draws_attention_to_them() -> None:
    inner = after(InnerState(), 1, world_updates=[thinks("頼りになる", "friend")])
    assert ("world_inferred", "person:春子") in {(one.type, one.value) for one in inner.interest.attention_targets}


@pytest.mark.parametrize("who", [MINA, MINA.model_copy(update={"desires": ()})])
def test_without_lasting_desires_there_is_no_goal_of_the_sheet(who: Persona) -> None:
    assert len(after(InnerState(), 1, who).goals) == len(who.desires)
