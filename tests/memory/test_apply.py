"""Applying a plan: everything it changes, with before and after; or nothing."""

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest

from hakoniwa.actor.character import Personality
from hakoniwa.memory.apply import apply_plan
from hakoniwa.memory.store import MemoryWriting
from hakoniwa.persona.generated import Generated, unseal
from hakoniwa.persona.inner import InnerState, fold
from hakoniwa.persona.mood import LongMoodState, move_mood
from hakoniwa.persona.persona import Persona
from hakoniwa.persona.records import (
    AboutTime,
    Affect,
    Entity,
    EntityType,
    LifeStage,
    LinkKind,
    Memory,
    MemoryLink,
    MemorySource,
    Revision,
    StateKind,
    Vad,
)
from hakoniwa.persona.write_plan import WritePlan, plan_by_rule

NOON = datetime(2026, 4, 1, 12, tzinfo=UTC)
LATER = NOON + timedelta(hours=2)
MEMORY = Memory(
    seq=7, source=MemorySource.CHAT, text=Generated("京都を離れたよ。"), user_text="京都を離れたよ。", at=NOON
)


def persona(neuroticism: float = 0.5) -> Persona:
    return Persona(
        name="灯",
        persona_text="静かな灯台守。",
        second_person_label="あなた",
        personality=Personality(neuroticism=neuroticism),
    )


def plan(**parts: Any) -> WritePlan:
    return WritePlan.model_validate(parts)


def kept(kind: str = "fact", text: str = "京都に住んでいる", **more: Any) -> dict[str, Any]:
    return {"kind": kind, "op": "upsert", "body_text": text, **more}


def written(
    plan: WritePlan, inner: InnerState | None = None, memory: Memory = MEMORY, now: datetime = NOON, **more: Any
) -> MemoryWriting:
    writing = apply_plan(
        plan, inner or InnerState(), memory, more.pop("affects", ()), more.pop("persona", persona()), now, **more
    )
    assert writing is not None
    return writing


def numbered(writing: MemoryWriting, start: int) -> list[Revision]:
    """The revisions as a store gives them back."""
    ids = count(start)
    return [
        one.model_copy(update={"id": id, "item": one.item or id})
        for one, id in zip(writing.revisions, ids, strict=False)
    ]


def lived(*plans: WritePlan) -> InnerState:
    """Who has applied these plans, the first revision of each being numbered 10, 20, 30 …"""
    inner = InnerState()
    for place, one in enumerate(plans, start=1):
        inner = fold(numbered(written(one, inner), place * 10), inner)
    return inner


def of_kind(writing: MemoryWriting, kind: str) -> list[Revision]:
    return [one for one in writing.revisions if (one.after or one.before or {}).get("kind") == kind]


# --- states -----------------------------------------------------------------------------------------------------------


def test_a_new_state_has_its_evidence_and_reason() -> None:
    update = kept(confidence=0.7, evidence_event_ids=[3], reason="そう聞いた", payload={"since": 2019})
    [revision] = of_kind(written(plan(state_updates=[update])), "fact")
    assert (revision.item, revision.before, revision.evidence) == (0, None, (3, 7))
    assert (revision.reason, revision.at) == ("そう聞いた", NOON)
    assert revision.after is not None
    assert revision.after["body_text"] == "京都に住んでいる"
    assert (revision.after["confidence"], revision.after["payload"]) == (0.7, {"since": 2019})


def test_a_state_is_changed_by_its_number_and_its_past_is_kept() -> None:
    place = {"type": "place", "name": "京都"}
    inner = lived(plan(state_updates=[kept(entities=[place], payload={"since": 2019})]))
    update = kept(text="京都の北に住んでいる", state_id=10, payload={"rooms": 2})
    [revision] = of_kind(written(plan(state_updates=[update]), inner, now=LATER), "fact")
    assert revision.item == 10
    assert revision.before is not None
    assert revision.after is not None
    assert revision.before["body_text"] == "京都に住んでいる"
    assert revision.after["body_text"] == "京都の北に住んでいる"
    assert revision.after["payload"] == {"since": 2019, "rooms": 2}
    assert [one["name"] for one in revision.after["entities"]] == ["京都"]
    assert revision.after["last_confirmed_at"] == "2026-04-01T14:00:00Z"


def test_a_task_is_done_and_a_state_is_closed() -> None:
    inner = lived(plan(state_updates=[kept("task", "電話する"), kept()]))
    updates = [{"kind": "task", "op": "mark_done", "state_id": 10}, {"kind": "fact", "op": "close", "state_id": 11}]
    writing = written(plan(state_updates=updates), inner)
    after = fold(numbered(writing, 20), inner)
    assert {item: state.done for item, state in after.states.items()} == {10: True}
    assert unseal(after.states[10].body_text) == "電話する"
    [closed] = [one for one in writing.revisions if one.after is None]
    assert (closed.item, closed.reason) == (11, "close")


def test_contradictions_coexist() -> None:
    inner = lived(plan(state_updates=[kept()]))
    against = kept(text="もう京都にはいない", links=[{"state_id": 10, "kind": "contradicts", "confidence": 0.9}])
    writing = written(plan(state_updates=[kept(text="一人暮らし"), against]), inner)
    assert list(fold(numbered(writing, 20), inner).states) == [10, 20, 21]
    assert writing.links == (MemoryLink(of="state", source=-2, target=10, kind=LinkKind.CONTRADICTS, confidence=0.9),)


def test_a_state_that_has_a_number_is_linked_by_it() -> None:
    inner = lived(plan(state_updates=[kept(), kept(text="寺が好き")]))
    update = kept(text="寺の近く", state_id=10, links=[{"state_id": 11, "kind": "supports"}])
    assert written(plan(state_updates=[update]), inner).links == (
        MemoryLink(of="state", source=10, target=11, kind=LinkKind.SUPPORTS),
    )


@pytest.mark.parametrize(
    "parts",
    [
        {"state_updates": [kept(), kept(state_id=99)]},
        {"state_updates": [kept(), {"kind": "task", "op": "close", "state_id": 99}]},
        {"state_updates": [kept(links=[{"state_id": 99, "kind": "contradicts"}])]},
        {"context_updates": {"links": [{"event_id": 7, "kind": "same_topic"}]}},
    ],
)
def test_a_plan_that_names_what_it_cannot_changes_nothing_at_all(parts: dict[str, Any]) -> None:
    assert apply_plan(plan(**parts), lived(plan(state_updates=[kept()])), MEMORY, (), persona(), NOON) is None


def test_nobody_reaches_the_mood_by_its_number() -> None:
    inner = lived(plan(event_affect={"v": 0.5, "a": 0, "d": 0}))
    [item] = [item for kind, (item, _) in inner.singles.items() if kind is StateKind.LONG_MOOD_STATE]
    assert apply_plan(plan(state_updates=[kept(state_id=item)]), inner, MEMORY, (), persona(), NOON) is None


# --- the event --------------------------------------------------------------------------------------------------------


def test_an_event_keeps_what_was_known_of_it_and_gains_what_the_plan_adds() -> None:
    mother, kyoto = Entity(type=EntityType.PERSON, name="母"), Entity(type=EntityType.PLACE, name="京都")
    memory = MEMORY.model_copy(update={"entities": (mother,), "threads": ("家族",)})
    entities = [{"type": "person", "name": "母", "confidence": 0.3}, {"type": "place", "name": "京都"}]
    writing = written(
        plan(
            event_annotations={"about_year_start": 2019, "life_stage": "university", "entities": entities},
            context_updates={"threads": ["引っ越し", "家族"], "links": [{"event_id": 3, "kind": "continuation"}]},
        ),
        memory=memory,
    )
    [annotation] = writing.annotations
    assert annotation.about == AboutTime(year_start=2019, life_stage=LifeStage.UNIVERSITY)
    assert (annotation.entities, annotation.threads) == ((mother, kyoto), ("家族", "引っ越し"))
    assert writing.links == (MemoryLink(source=7, target=3, kind=LinkKind.CONTINUATION),)


# --- mood and interest ------------------------------------------------------------------------------------------------

SAD = {"text": "寂しい", "labels": ["寂しさ"], "v": -0.6, "a": 0.2, "d": -0.1, "confidence": 0.8}


@pytest.mark.parametrize("neuroticism", [0.1, 0.5, 0.9])
def test_what_is_felt_moves_the_mood_of_this_persona(neuroticism: float) -> None:
    writing = written(plan(event_affect=SAD), persona=persona(neuroticism), now=LATER)
    [affect] = writing.affects
    assert (affect.seq, affect.labels, affect.vad, affect.at) == (7, ("寂しさ",), Vad(v=-0.6, a=0.2, d=-0.1), NOON)
    mood = fold(numbered(writing, 10)).mood
    assert mood.model_dump() == move_mood(LongMoodState(), affect, LATER, neuroticism).model_dump()


def test_an_event_is_felt_once_however_often_its_plan_is_made() -> None:
    felt_before = Affect(seq=7, vad=Vad(v=-0.6), at=NOON)
    again = written(plan(event_affect=SAD), affects=[felt_before])
    assert again.affects == ()
    assert of_kind(again, "long_mood_state") == []
    other = felt_before.model_copy(update={"seq": 6})
    assert len(written(plan(event_affect=SAD), affects=[other]).affects) == 1


def test_the_mood_is_one_state_revised_and_its_words_change_once_a_day() -> None:
    worded = plan(event_affect=SAD, state_updates=[kept("long_mood_state", "しんみりしている")])
    inner = lived(worded, plan(event_affect=SAD, state_updates=[kept("long_mood_state", "けろりとした")]))
    assert unseal(inner.mood.text) == "しんみりしている"
    assert inner.singles[StateKind.LONG_MOOD_STATE][0] == 10
    [revision] = of_kind(written(worded, inner, now=NOON + timedelta(days=1)), "long_mood_state")
    assert (revision.item, revision.evidence) == (10, (7,))
    assert revision.before == inner.singles[StateKind.LONG_MOOD_STATE][1].model_dump(mode="json")


def test_without_a_feeling_only_the_interest_moves() -> None:
    [revision] = written(plan_by_rule(MEMORY)).revisions
    assert revision.after is not None
    assert revision.after["kind"] == "persona_interest_state"
    assert revision.after["payload"]["attention_targets"][0]["value"] == "chat"


def test_interest_goes_on_from_event_to_event() -> None:
    about_mother = plan(event_annotations={"entities": [{"type": "person", "name": "母"}]})
    inner = lived(about_mother)
    after = fold(numbered(written(plan(), inner, now=NOON + timedelta(days=3)), 20), inner)
    assert {one.value: one.weight for one in after.interest.attention_targets} == {
        "母": pytest.approx(0.45),
        "chat": 0.4,
    }
    assert after.interest.updated_from == "write_plan"
    assert after.interest.updated_from_event_ids == (7,)
    assert len(after.singles) == 1


@pytest.mark.parametrize(
    ("affect", "intents", "mode"),
    [
        ({"v": 0.5, "a": 1.0, "d": 0.0}, 0, "explore"),
        ({"v": 0.0, "a": -0.9, "d": -0.9}, 0, "wait"),
        (SAD, 0, "observe"),
        (SAD, 2, "support"),
    ],
)
def test_the_way_to_meet_the_world_follows_from_how_it_feels_now(affect: Any, intents: int, mode: str) -> None:
    writing = written(plan(event_affect=affect), active_intents=intents)
    assert fold(numbered(writing, 10)).interest.interaction_mode == mode


# --- preferences ------------------------------------------------------------------------------------------------------

LIKES_TEA = {"op": "confirm", "domain": "food", "polarity": "like", "subject": "紅茶"}


@pytest.mark.parametrize(("evidence", "status"), [(3, "confirmed"), (0, "candidate")])
def test_a_liking_is_confirmed_only_by_an_event(evidence: int, status: str) -> None:
    update = {**LIKES_TEA, "evidence_event_id": evidence}
    inner = fold(numbered(written(plan(preference_updates=[update])), 10))
    assert [one.status for one in inner.preferences.values()] == [status]


def test_applying_changes_nothing_that_went_in() -> None:
    inner = lived(plan(state_updates=[kept()], event_affect=SAD))
    before = (dict(inner.states), inner.mood, inner.interest)
    parts = plan(state_updates=[kept(text="東京にいる", state_id=10)], event_affect=SAD)
    first, second = (written(parts, inner, now=LATER) for _ in range(2))
    assert first.model_dump(mode="json") == second.model_dump(mode="json")
    assert (dict(inner.states), inner.mood, inner.interest) == before
