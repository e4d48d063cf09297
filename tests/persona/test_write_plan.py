"""WritePlan: taken as it is or dropped whole."""

import json
import re
from copy import deepcopy
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hakoniwa.llm.reply import fits
from hakoniwa.memory.schemas import schema_for
from hakoniwa.persona.generated import Generated
from hakoniwa.persona.records import AboutTime, Entity, EntityType, LifeStage, Memory, MemorySource, Vad
from hakoniwa.persona.write_plan import WritePlan, parse_plan, plan_by_rule

NOON = datetime(2026, 4, 1, 12, tzinfo=UTC)
EVENTS, STATES, GOALS = (3, 7), (20, 21), (31,)

# Everything a model held to the schema may write.
WHOLE: dict[str, Any] = {
    "event_annotations": {
        "about_year_start": 2019,
        "about_year_end": None,
        "life_stage": "university",
        "entities": [{"type": "place", "name": "京都"}],
    },
    "state_updates": [
        {
            "kind": "fact",
            "op": "upsert",
            "state_id": 0,
            "body_text": "もう京都には住んでいないらしい。",
            "entities": [{"type": "place", "name": "京都"}],
            "confidence": 0.7,
            "links": [{"state_id": 20, "kind": "contradicts"}],
            "reason": "本人がそう言った",
        },
        {
            "kind": "task",
            "op": "mark_done",
            "state_id": 21,
            "body_text": "",
            "entities": [],
            "confidence": 1.0,
            "links": [],
            "reason": "",
        },
    ],
    "preference_updates": [
        {
            "op": "confirm",
            "domain": "food",
            "polarity": "like",
            "subject": "八つ橋",
            "evidence_event_id": 3,
            "confidence": 0.9,
        }
    ],
    "goal_updates": [
        {"op": "progress", "goal_id": 31, "title": "", "horizon": "mid", "progress": 0.4, "promised": False}
    ],
    "world_updates": [
        {
            "type": "place",
            "name": "京都",
            "view": "遠くなってしまった町。",
            "taken_for": "unsure",
            "item_class": "inferred",
            "confidence": 0.6,
        }
    ],
    "event_affect": {"text": "少し寂しい", "labels": ["寂しさ"], "v": -0.3, "a": 0, "d": 0.1, "confidence": 0.8},
    "context_updates": {"threads": ["引っ越し"], "links": [{"event_id": 3, "kind": "same_topic"}]},
}


def taken(plan: dict[str, Any]) -> WritePlan | None:
    return parse_plan(Generated(json.dumps(plan, ensure_ascii=False)), EVENTS, STATES, GOALS)


def changed(path: str, value: Any) -> dict[str, Any]:
    """The whole plan with one thing in it put otherwise."""
    plan = deepcopy(WHOLE)
    *way, last = [int(step) if step.isdigit() else step for step in path.split("/")]
    place: Any = plan
    for step in way:
        place = place[step]
    place[last] = value
    return plan


def test_a_whole_plan_is_taken() -> None:
    plan = taken(WHOLE)
    assert plan is not None
    assert plan.event_annotations.about == AboutTime(year_start=2019, life_stage=LifeStage.UNIVERSITY)
    assert [update.op for update in plan.state_updates] == ["upsert", "mark_done"]
    assert plan.state_updates[1].body_text is None
    assert plan.event_affect is not None
    assert plan.event_affect.vad == Vad(v=-0.3, d=0.1)


def test_a_plan_may_have_nothing_to_say() -> None:
    assert taken({}) == WritePlan()


def test_what_the_schema_does_not_ask_for_can_still_be_said() -> None:
    update = {
        "kind": "task",
        "op": "upsert",
        "body_text": "土曜に電話する",
        "payload": {"times": 2, "urgent": True, "slot": "朝"},
        "valid_from": "2026-04-01T00:00:00Z",
        "valid_to": "2026-04-04T00:00:00+09:00",
        "evidence_event_ids": [3, 7],
    }
    plan = taken({"state_updates": [update]})
    assert plan is not None
    assert plan.state_updates[0].payload == {"times": 2, "urgent": True, "slot": "朝"}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("mood", {}),  # a field nobody knows
        ("event_affect/v", 1.1),
        ("event_affect/v", "0.5"),
        ("event_affect/v", None),
        ("event_affect/labels", ["喜び"] * 7),
        ("event_affect/text", "あ" * 241),
        ("event_annotations/life_stage", "kindergarten"),
        ("event_annotations/about_year_end", 2018),
        ("event_annotations/entities", [{"type": "animal", "name": "猫"}]),
        ("event_annotations/entities", [{"type": "place", "name": ""}]),
        ("event_annotations/entities", [{"type": "place", "name": str(number)} for number in range(13)]),
        ("state_updates/0/kind", "persona_interest_state"),
        ("state_updates/0/op", "delete"),
        ("state_updates/0/body_text", " \n"),
        ("state_updates/0/body_text", None),
        ("state_updates/0/body_text", "あ" * 601),
        ("state_updates/0/state_id", 99),  # not a state this ghost holds
        ("state_updates/0/state_id", 21),  # the same state twice
        ("state_updates/0/state_id", "20"),
        ("state_updates/0/state_id", True),
        ("state_updates/0/confidence", 1.5),
        ("state_updates/0/payload", {"deep": {"er": 1}}),
        ("state_updates/0/valid_from", "2026-04-01T00:00:00"),  # in nobody's time
        ("state_updates/0/evidence_event_ids", [8]),
        ("state_updates/0/links/0/state_id", 99),
        ("state_updates/0/links/0/kind", "same_topic"),
        ("state_updates/1/state_id", 0),
        ("state_updates/1/kind", "long_mood_state"),
        ("state_updates", [WHOLE["state_updates"][0]] * 9),
        ("preference_updates/0/domain", "music"),
        ("goal_updates/0/goal_id", 99),
        ("goal_updates/0/goal_id", 0),  # what comes further is a goal there is
        ("goal_updates/0/op", "set"),  # without words
        ("goal_updates/0/progress", 1.2),
        ("world_updates/0/view", " "),
        ("world_updates/0/taken_for", "prey"),
        ("preference_updates/0/subject", "あ" * 81),
        ("preference_updates/0/evidence_event_id", 99),
        ("context_updates/threads", ["あ", "い", "う", "え", "お"]),
        ("context_updates/links/0/event_id", 99),
        ("context_updates/links/0/kind", "contradicts"),
        ("event_affect/text", "\0"),
    ],
)
def test_one_thing_wrong_and_nothing_of_it_is_taken(path: str, value: Any) -> None:
    assert taken(changed(path, value)) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "わかりました。",
        "null",
        "[]",
        "{",
        '{"state_updates": []',
        '```json\n{"state_updates": []}\n```',
        '{"state_updates": [],}',
        '{"event_affect": {"v": NaN, "a": 0, "d": 0}}',
        '{"event_affect": {"v": 0, "a": 0, "d": 0, "text": "\\ud800"}}',
        "[" * 10_000,
    ],
)
def test_what_is_not_a_plan_is_never_mended(text: str) -> None:
    assert parse_plan(Generated(text), EVENTS, STATES) is None


@given(st.text() | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(json.dumps))
def test_whatever_a_model_writes_reading_it_does_not_fail(text: str) -> None:
    assert parse_plan(Generated(text), EVENTS, STATES) in (None, WritePlan())


# --- the schema -------------------------------------------------------------------------------------------------------


def test_the_schema_asks_for_what_a_plan_can_hold() -> None:
    schema = schema_for([3], STATES, [3], [2019], GOALS)
    assert fits(WHOLE, schema)
    assert list(schema["properties"]) == list(WritePlan.model_fields) == list(WHOLE)
    assert not fits(changed("event_affect/v", 1.1), schema)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("state_updates/0/state_id", 99),
        ("state_updates/0/links/0/state_id", 99),
        ("context_updates/links/0/event_id", 99),
        ("goal_updates/0/goal_id", 99),
    ],
)
def test_the_schema_lets_nobody_name_what_is_not_there(path: str, value: int) -> None:
    assert not fits(changed(path, value), schema_for([3], STATES, [3], [2019], GOALS))


def test_who_holds_nothing_is_asked_for_nothing_about_it() -> None:
    update = {"op": "upsert", "state_id": 0, "kind": "fact", "body_text": "雨", "entities": [], "confidence": 0.5}
    plan = {
        **WHOLE,
        "event_annotations": {**WHOLE["event_annotations"], "about_year_start": None},
        "preference_updates": [],
        "goal_updates": [],
        "state_updates": [{**update, "reason": ""}],
        "context_updates": {"threads": []},
    }
    assert fits(plan, schema_for((), ()))
    assert parse_plan(Generated(json.dumps(plan)), [], []) is not None
    assert not fits({**plan, "state_updates": [{**update, "reason": "", "op": "close"}]}, schema_for((), ()))


@pytest.mark.parametrize("value", [step / 10 for step in range(-10, 11)])
def test_every_step_the_schema_allows_is_taken(value: float) -> None:
    plan = changed("event_affect/v", value)
    assert fits(plan, schema_for([3], STATES, [3], [2019], GOALS))
    assert taken(plan) is not None


def test_the_schema_stays_small_and_plain() -> None:
    """Grammars made from references and patterns, or for long texts, are slow or refused."""
    text = json.dumps(schema_for(range(1, 5), range(1, 25)))
    assert len(text) < 6_000
    assert not any(word in text for word in ("$ref", "pattern", "anyOf", "oneOf"))
    assert all(int(length) <= 100 for length in re.findall(r'"maxLength": (\d+)', text))


# --- without a model --------------------------------------------------------------------------------------------------


def test_by_rule_a_plan_says_what_is_known_anyhow() -> None:
    cat, aunt = (Entity(type=EntityType.PERSON, name=name) for name in ("猫", "叔母"))
    memory = Memory(
        seq=7,
        source=MemorySource.GARDEN,
        text=Generated("…"),
        at=NOON,
        entities=(cat,),
        about=AboutTime(year_start=2001, life_stage=LifeStage.HIGH),
    )
    plan = plan_by_rule(memory, Vad(v=0.4), (aunt, cat))
    assert plan.entities == (aunt, cat)
    assert plan.event_annotations.about == memory.about
    assert plan.event_affect is not None
    assert (plan.event_affect.vad, plan.event_affect.confidence) == (Vad(v=0.4), 0.5)
    assert (plan.state_updates, plan.preference_updates) == ((), ())
    assert plan_by_rule(memory).event_affect is None
