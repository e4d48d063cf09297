"""Deliberation: the interest that the chat reads decides what is laid out; a decision is taken as it is or dropped."""

import asyncio
import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hakoniwa.autonomy.deliberate import BAD_DECISION, Deliberation, deliberate, schema_for, writing_of
from hakoniwa.autonomy.material import LIMITS, collect, focus_of_deliberation, shape
from hakoniwa.errors import ModelUnavailable
from hakoniwa.llm.reply import fits
from hakoniwa.llm.scripted import ScriptedModel
from hakoniwa.memory.ghost import Blackboard, Ghost, begin_intent, draw_attention
from hakoniwa.memory.recall import current_interest
from hakoniwa.persona.action import ActionOffer
from hakoniwa.persona.interest import AttentionTarget
from hakoniwa.persona.records import Entity, EntityType
from tests.memory.living import Cares, Past, ghost_of, lived, somebody

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
ACTIONS = [ActionOffer("web_research", ("query", "goal")), ActionOffer("schedule_action", ())]
DO: dict[str, Any] = {
    "decision_outcome": "do_action",
    "action_type": "web_research",
    "action_payload": {"query": "紅茶の淹れ方"},
    "priority": 60,
    "reason": "飲ませてあげたい",
    "persona_influence": {"summary": "世話好き", "traits": ["世話好き"], "preferred_direction": "support",
                          "concerns": ["冷めること"]},
    "mood_influence": {"summary": "穏やか", "vad": {"v": 0.2, "a": 0.0, "d": 0.1}, "action_threshold_bias": "neutral",
                       "defer_bias": "neutral"},
    "console_delivery": {"on_complete": "chat", "on_fail": "activity_only", "on_progress": "silent",
                         "message_kind": "report"},
    "confidence": 0.7,
}  # fmt: skip
LATER = {
    **{name: DO[name] for name in ("reason", "persona_influence", "mood_influence", "confidence", "priority")},
    "decision_outcome": "defer",
    "defer_reason": "夜だから",
    "defer_until": "2026-05-05T08:00:00Z",
    "next_deliberation_at": "2026-05-05T09:00:00Z",
}


def person(name: str) -> Entity:
    return Entity(type=EntityType.PERSON, name=name)


def past(count: int = 60) -> list[Past]:
    names = ["ミケ", "春子", "健太"]
    return [
        Past(f"{number}番目の話", NOW - timedelta(hours=count - number), (person(names[number % 3]),))
        for number in range(count)
    ]


def ghost(attention: dict[str, float] | None = None, mode: str = "observe", topics: Iterable[str] = ()) -> Ghost:
    persona = somebody("ミナ")
    memories, head = lived(past(), persona.name)
    return ghost_of(memories, head, Cares(persona, list(topics), (), attention or {}, mode), NOW)


def decided(reply: str | Exception, who: Ghost | None = None) -> tuple[Deliberation, str]:
    model = ScriptedModel({"ghost.deliberate": [reply]})
    found = asyncio.run(deliberate(who or ghost(), model, "heartbeat", ACTIONS, NOW))
    return found, model.calls[0][1][0].content


def test_what_has_the_personas_attention_is_laid_out_first() -> None:
    for name in ("ミケ", "春子"):
        who = ghost({f"entity_person:{name}": 0.9})
        focus = focus_of_deliberation(who.inner, who.board, NOW)
        laid_out = shape(collect(who, focus), focus).events
        assert {entity.name for memory in laid_out[:8] for entity in memory.entities} == {name}
        assert len(laid_out) == LIMITS["events"]


def test_chat_and_deliberation_read_the_same_interest() -> None:
    who = ghost({"topic:紅茶": 0.8}, "support")
    focus = focus_of_deliberation(who.inner, who.board, NOW)
    for_chat = current_interest(who.inner.interest, NOW)
    assert focus.interaction_mode_hint == for_chat.interaction_mode == "support"
    assert {(one.type, one.value) for one in for_chat.attention_targets} <= {
        (one.type, one.value) for one in focus.attention
    }


def test_a_decision_moves_the_interest_that_the_chat_reads() -> None:
    who = ghost({"topic:紅茶": 0.8})
    found, _ = decided(json.dumps(DO), who)
    assert found.decision is not None
    assert who.newest is not None
    later = NOW + timedelta(hours=1)
    who.apply(who.newest, writing_of(found.decision, who.inner, who.newest, later))
    interest = current_interest(who.inner.interest, later)
    assert ("action_type", "web_research") in {(one.type, one.value) for one in interest.attention_targets}
    assert ("topic", "紅茶") in {(one.type, one.value) for one in interest.attention_targets}
    assert interest.interaction_mode == "support"
    assert interest.updated_from == "deliberation"
    assert who.newest in interest.updated_from_event_ids


@pytest.mark.parametrize(
    ("mode", "events", "states"), [("observe", 24, 24), ("support", 18, 30), ("explore", 32, 18), ("wait", 12, 28)]
)
def test_the_mode_decides_how_much_of_what_is_laid_out(mode: str, events: int, states: int) -> None:
    who = ghost({"topic:紅茶": 0.5}, mode)
    limits = focus_of_deliberation(who.inner, who.board, NOW).limits
    assert (limits["events"], limits["states"]) == (events, states)


def test_the_board_and_likings_draw_attention_too() -> None:
    who = ghost(topics=["旅行"])
    board = draw_attention(Blackboard(), [AttentionTarget(type="goal", value="3", weight=0.9, updated_at=NOW)], NOW)
    focus = focus_of_deliberation(who.inner, begin_intent(begin_intent(board, 1, NOW), 2, NOW), NOW)
    assert {("goal", "3"), ("preference", "旅行")} <= {(one.type, one.value) for one in focus.attention}
    assert focus.continuity_bias == "high"


def test_the_prompt_has_every_part_of_the_input() -> None:
    _, prompt = decided(json.dumps(DO))
    wanted = (
        "persona_text", "addon_text", "long_mood_state", "recent_vad_average", "confirmed_preferences",
        "interest_state", "persona_deliberation_focus", "runtime_blackboard", "web_research", "59番目の話", "heartbeat",
    )  # fmt: skip
    assert [part for part in wanted if part not in prompt] == []


@pytest.mark.parametrize("reply", [DO, LATER, {**LATER, "decision_outcome": "skip"}])
def test_a_decision_is_taken_as_it_is(reply: dict[str, Any]) -> None:
    found, _ = decided(json.dumps(reply))
    assert found.dropped is None
    assert found.decision is not None
    assert found.decision.decision_outcome == reply["decision_outcome"]


BAD = {
    "no JSON": "やります",
    "nothing": "",
    "no delivery": {name: value for name, value in DO.items() if name != "console_delivery"},
    "no payload": {name: value for name, value in DO.items() if name != "action_payload"},
    "an action that is not offered": {**DO, "action_type": "device_action"},
    "a field nobody knows": {**DO, "shell": "rm"},
    "no trait": {**DO, "persona_influence": {**DO["persona_influence"], "traits": []}},
    "a delivery nobody knows": {**DO, "console_delivery": {**DO["console_delivery"], "on_progress": "chat"}},
    "evidence that was not laid out": {**DO, "evidence": {"event_ids": [9999]}},
    "later without a time": {name: value for name, value in LATER.items() if name != "defer_until"},
    "thinking again before it may": {**LATER, "next_deliberation_at": "2026-05-05T07:00:00Z"},
    "a priority beyond all": {**DO, "priority": 101},
}


@pytest.mark.parametrize("reply", BAD.values(), ids=BAD)
def test_what_is_no_decision_is_dropped(reply: Any) -> None:
    found, _ = decided(reply if isinstance(reply, str) else json.dumps(reply))
    assert found.decision is None
    assert found.dropped == BAD_DECISION


def test_a_model_that_is_away_decides_nothing() -> None:
    found, _ = decided(ModelUnavailable("model.refused"))
    assert (found.decision, found.dropped) == (None, "model.refused")


def test_the_schema_lets_through_what_is_a_decision() -> None:
    schema = schema_for(ACTIONS)
    assert fits(DO, schema)
    assert fits(LATER, schema)
    assert not fits({**DO, "action_type": "device_action"}, schema)
    assert not fits(DO, schema_for(()))
