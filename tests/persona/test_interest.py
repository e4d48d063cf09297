"""Interest: targets with their weights, merged with decay, and the way to meet the world."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hakoniwa.persona.action import ActionDecision, ActionResult
from hakoniwa.persona.generated import Generated
from hakoniwa.persona.interest import (
    AttentionTarget,
    InterestState,
    Mode,
    interest_as_state,
    interest_of,
    merge_interest,
    mode_from,
    targets_from_decision,
    targets_from_plan,
    targets_from_result,
    targets_from_world,
)
from hakoniwa.persona.records import Entity, EntityType, Memory, MemorySource, Vad, WorldItem
from hakoniwa.persona.write_plan import WritePlan

NOON = datetime(2026, 4, 1, 12, tzinfo=UTC)
THREE_DAYS = timedelta(days=3)


def target(value: str, weight: float, type: str = "topic", at: datetime = NOON) -> AttentionTarget:
    return AttentionTarget(type=type, value=value, weight=weight, updated_at=at)


def weights(targets: tuple[AttentionTarget, ...]) -> dict[str, float]:
    return {f"{one.type}:{one.value}": pytest.approx(one.weight) for one in targets}


def after(
    state: InterestState, *targets: AttentionTarget, now: datetime = NOON, mode: Mode | None = None
) -> InterestState:
    return merge_interest(state, targets, mode, [], "write_plan", now)


def test_what_does_not_come_up_again_fades_by_half_in_three_days() -> None:
    state = after(InterestState(), target("天気", 0.8), target("猫", 0.6))
    later = after(state, target("猫", 0.5, at=NOON + THREE_DAYS), now=NOON + THREE_DAYS)
    assert weights(later.attention_targets) == {"topic:猫": 0.5, "topic:天気": 0.4}
    assert [one.updated_at for one in later.attention_targets] == [NOON + THREE_DAYS, NOON]


def test_the_same_thing_keeps_the_larger_weight() -> None:
    state = after(InterestState(), target("天気", 0.8))
    assert weights(after(state, target("天気", 0.3)).attention_targets) == {"topic:天気": 0.8}
    assert weights(after(state, target("天気", 0.9)).attention_targets) == {"topic:天気": 0.9}
    assert len(after(state, target("天気", 0.3, type="entity_person")).attention_targets) == 2


def test_the_lowest_fall_out_and_what_has_faded_is_gone() -> None:
    state = after(InterestState(), *(target(str(number), number / 100) for number in range(1, 41)))
    assert [one.value for one in state.attention_targets] == [str(number) for number in range(40, 16, -1)]
    assert after(state, now=NOON + 7 * THREE_DAYS).attention_targets == ()


def test_the_last_twenty_events_are_named_each_once() -> None:
    state = merge_interest(InterestState(), [], None, range(1, 16), "write_plan", NOON)
    state = merge_interest(state, [], "support", range(10, 26), "deliberation", NOON)
    assert state.updated_from_event_ids == tuple(range(6, 26))
    assert (state.interaction_mode, state.updated_from) == ("support", "deliberation")


def test_without_a_mode_it_goes_on_in_the_one_it_was_in() -> None:
    assert after(after(InterestState(), mode="explore")).interaction_mode == "explore"


TARGETS = st.lists(
    st.builds(
        AttentionTarget,
        type=st.sampled_from(["topic", "entity_person", "goal"]),
        value=st.text("あいうえおかきくけこさしすせそ", min_size=1, max_size=2),
        weight=st.floats(0, 1),
        updated_at=st.just(NOON),
    ),
    max_size=40,
)


@given(TARGETS, TARGETS)
def test_at_one_instant_merging_is_idempotent_and_its_order_does_not_matter(
    some: list[AttentionTarget], others: list[AttentionTarget]
) -> None:
    once = after(InterestState(), *some)
    assert after(once, *some) == once
    assert after(once, *others) == after(after(InterestState(), *others), *some)
    assert after(once, *others) == after(InterestState(), *others, *some)


@given(TARGETS, st.floats(0, 30), st.floats(0, 30))
def test_weights_only_fade_and_stay_in_order(targets: list[AttentionTarget], first: float, second: float) -> None:
    start = after(InterestState(), *targets)
    there = NOON + timedelta(days=first)
    here = there + timedelta(days=second)
    by_steps, at_once = after(after(start, now=there), now=here), after(start, now=here)
    before = {(one.type, one.value): one.weight for one in start.attention_targets}

    assert all(one.weight <= before[one.type, one.value] for one in at_once.attention_targets)
    for one in by_steps.attention_targets:
        [same] = [other for other in at_once.attention_targets if (other.type, other.value) == (one.type, one.value)]
        assert one.weight == pytest.approx(same.weight)


@pytest.mark.parametrize(
    ("vad", "intents", "preferred", "mode"),
    [
        (Vad(), 0, None, "observe"),
        (Vad(a=0.45, v=-0.2), 0, None, "explore"),
        (Vad(a=0.45, v=-0.21), 0, None, "observe"),
        (Vad(a=0.44), 0, None, "observe"),
        (Vad(a=-0.3, d=-0.2), 0, None, "wait"),
        (Vad(a=-0.3, d=-0.1), 0, None, "observe"),
        (Vad(a=0.9), 2, None, "support"),
        (Vad(a=0.9), 1, None, "explore"),
        (Vad(a=0.9), 2, "avoid", "wait"),
        (Vad(a=-0.9, d=-0.9), 2, "explore", "explore"),
    ],
)
def test_the_mode_follows_from_numbers(vad: Vad, intents: int, preferred: Any, mode: Mode) -> None:
    assert mode_from(vad, intents, preferred) == mode


# --- where targets come from ------------------------------------------------------------------------------------------


def test_an_event_and_its_plan_draw_attention() -> None:
    mother = Entity(type=EntityType.PERSON, name="母", confidence=0.2)
    memory = Memory(seq=7, source=MemorySource.CHAT, text=Generated("…"), at=NOON, entities=(mother,))
    liking = {"op": "upsert_candidate", "domain": "food", "polarity": "like", "subject": "紅茶", "confidence": 0.5}
    plan = WritePlan.model_validate(
        {
            "event_annotations": {"entities": [{"type": "person", "name": "母"}, {"type": "place", "name": "京都"}]},
            "state_updates": [
                {"kind": "task", "op": "upsert", "body_text": "電話する"},
                {"kind": "long_mood_state", "op": "upsert", "body_text": "懐かしい"},
            ],
            "preference_updates": [liking, {**liking, "subject": "酒", "polarity": "dislike"}],
            "event_affect": {"v": 0.1, "a": 0.0, "d": 0.0},
            "context_updates": {"threads": ["里帰り"]},
        }
    )
    state = after(InterestState(), *targets_from_plan(plan, memory, NOON))
    assert weights(state.attention_targets) == {
        "entity_person:母": 0.9,
        "entity_place:京都": 0.9,
        "preference:紅茶": 0.7,
        "topic:里帰り": 0.6,
        "state_kind:task": 0.5,
        "event_source:chat": 0.4,
        "state_kind:long_mood_state": 0.35,
    }


def decision(outcome: str, **more: Any) -> ActionDecision:
    why = {"summary": "…", "traits": ["慎重"], "preferred_direction": "observe"}
    return ActionDecision.model_validate(
        {
            "decision_outcome": outcome,
            "reason": "…",
            "persona_influence": why,
            "mood_influence": {"summary": "…", "vad": {}},
            "evidence": {"goal_ids": [3]},
            **more,
        }
    )


def test_a_decision_draws_attention_by_whether_it_is_to_be_done() -> None:
    do = decision("do_action", action_type="web_research", action_payload={}, console_delivery={})
    assert weights(targets_from_decision(do, NOON)) == {"action_type:web_research": 0.75, "goal:3": 0.9}
    skip = decision("skip", action_type="web_research")
    assert weights(targets_from_decision(skip, NOON)) == {"action_type:web_research": 0.55, "goal:3": 0.7}
    assert weights(targets_from_decision(decision("skip"), NOON)) == {"goal:3": 0.7}


@pytest.mark.parametrize(("status", "expected"), [("success", (0.75, 0.65, 0.9)), ("failed", (0.55, 0.45, 0.7))])
def test_a_result_draws_attention_by_whether_it_failed(status: Any, expected: tuple[float, ...]) -> None:
    result = ActionResult(capability_name="web_access", result_status=status, summary_text=Generated("…"))
    found = targets_from_result("web_research", result, NOON, goals=[3])
    names = ("action_type:web_research", "capability:web_access", "goal:3")
    assert weights(found) == dict(zip(names, expected, strict=True))


def test_the_world_draws_attention_the_more_so_where_it_was_just_seen() -> None:
    seen, gone = (
        WorldItem(key=key, item_class="fact", fingerprint="", confidence=0.8, active=active, seen_at=NOON)
        for key, active in (("prop:鍵", True), ("prop:笛", False))
    )
    assert weights(targets_from_world([seen, gone], NOON)) == {"world_fact:prop:鍵": 0.75}
    assert weights(targets_from_world([seen], NOON, frozenset({"prop:鍵"}))) == {"world_fact:prop:鍵": 0.9}


def test_an_interest_comes_back_from_the_state_that_keeps_it() -> None:
    state = merge_interest(InterestState(), [target("天気", 1 / 3)], "support", [4], "action_result", NOON)
    assert interest_of(interest_as_state(state, NOON)) == state
