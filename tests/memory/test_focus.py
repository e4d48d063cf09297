"""Focus: which way a persona leans, and how that moves candidates up and down."""

from datetime import UTC, datetime
from typing import Any

import pytest

from hakoniwa.memory.candidate import Candidate
from hakoniwa.memory.gather import sources
from hakoniwa.memory.retrieval_plan import FAVOURED_SOURCES, TOUCHED, PersonaFocusHint, focus_of, order_candidates
from hakoniwa.persona.generated import Generated
from hakoniwa.persona.interest import AttentionTarget, InterestState
from hakoniwa.persona.preferences import confirmed_preferences
from hakoniwa.persona.records import Entity, EntityType, MemorySource, Preference, StateKind, Vad

NOW = datetime(2025, 11, 12, tzinfo=UTC)


def liking(subject: str, domain: str = "topic", polarity: str = "like", status: str = "confirmed") -> Preference:
    return Preference.model_validate(
        {"domain": domain, "polarity": polarity, "subject": subject, "status": status, "confidence": 0.9}
    )


def interest(mode: str = "observe", **weights: float) -> InterestState:
    """An interest in things written `type__value`."""
    pairs = [(*name.split("__"), weight) for name, weight in weights.items()]
    targets = tuple(
        AttentionTarget(type=type, value=value, weight=weight, updated_at=NOW) for type, value, weight in pairs
    )
    return InterestState.model_validate({"attention_targets": targets, "interaction_mode": mode, "updated_at": NOW})


def event(key: int, score: float = 1.0, **more: Any) -> Candidate:
    return Candidate(type="event", key=key, text=Generated("…"), at=NOW, source=MemorySource.CHAT, score=score, **more)


def state(key: int, score: float = 1.0, **more: Any) -> Candidate:
    return Candidate(type="state", key=key, text=Generated("…"), at=NOW, kind=StateKind.FACT, score=score, **more)


def test_the_hint_comes_from_confirmed_preferences_interest_and_mood() -> None:
    preferences = [
        liking("旅行"), liking("ゲーム"), liking("紅茶", "food"), liking("寄り添い", "style"),
        liking("説教調", "style", "dislike"), liking("辛いもの", "food", "dislike"), liking("競馬", status="candidate"),
        liking("株", status="revoked"),
    ]  # fmt: skip
    targets = interest("support", entity_person__ミナ=0.9, event_source__chat=0.4)
    hint = focus_of(confirmed_preferences(preferences), targets, Vad(v=0.2, a=-0.1, d=0.0))
    assert hint == PersonaFocusHint(
        topic_bias=("ゲーム", "旅行", "紅茶"),
        style_bias=("寄り添い",),
        avoid_bias=("説教調",),
        mood_vad_hint=Vad(v=0.2, a=-0.1, d=0.0),
        interest_mode_hint="support",
        interest_targets_hint=("entity_person:ミナ", "event_source:chat"),
    )


def test_a_hint_holds_no_more_than_it_may() -> None:
    preferences = [liking(f"話題{count}") for count in range(10)]
    targets = interest(**{f"topic__{count}": 0.5 for count in range(20)})
    hint = focus_of(confirmed_preferences(preferences), targets, Vad())
    assert (len(hint.topic_bias), len(hint.interest_targets_hint)) == (6, 8)


def test_somebody_without_likings_or_interest_leans_nowhere() -> None:
    assert focus_of(confirmed_preferences([]), InterestState(), Vad()) == PersonaFocusHint()
    found = order_candidates([event(1, 0.5), event(2, 0.9)], InterestState(), PersonaFocusHint())
    assert [(one.key, one.score) for one in found] == [(2, 0.9), (1, 0.5)]


@pytest.mark.parametrize(
    ("mode", "one", "factor"),
    [
        ("observe", event(1, ranks={"full_text": 1}), 1.0),
        ("observe", state(1, ranks={"recent_states": 1}), 1.0),
        ("support", state(1, ranks={"recent_states": 1}), 1.25),
        ("support", event(1, ranks={"full_text": 1}), 1.0),
        ("support", event(1, ranks={"reply_chain": 1}), 1.20),
        ("support", event(1, ranks={"context_threads": 1}), 1.20),
        ("support", event(1, ranks={"context_links": 1, "reply_chain": 2}), 1.20),
        ("explore", event(1, ranks={"recent_events": 1}), 1.20),
        ("explore", event(1, ranks={"full_text": 3}), 1.38),
        ("explore", event(1, ranks={"vector_global": 1}), 1.38),
        ("explore", state(1, ranks={"vector_global": 1}), 1.18),
        ("wait", state(1, ranks={"recent_states": 1}), 1.22),
        ("wait", event(1, ranks={"full_text": 1}), 1.0),
    ],
)
def test_the_way_somebody_meets_the_world_favours_states_events_and_sources(
    mode: Any, one: Candidate, factor: float
) -> None:
    (found,) = order_candidates([one], InterestState(), PersonaFocusHint(interest_mode_hint=mode))
    assert found.score == pytest.approx(factor)


def test_the_sources_that_are_favoured_are_sources_there_are() -> None:
    for favoured in FAVOURED_SOURCES.values():
        assert favoured <= set(sources)


@pytest.mark.parametrize(
    ("one", "weights", "touches", "kind", "pull"),
    [
        (event(1), {"event_source__chat": 0.4}, (), 1.2, 0.0),
        (event(1), {"event_source__garden": 0.4}, (), 1.0, 0.0),
        (state(1), {"state_kind__fact": 0.5}, (), 1.2, 0.0),
        (state(1), {"event_source__chat": 0.5}, (), 1.0, 0.0),
        (event(1, entities=(Entity(type=EntityType.PERSON, name="ミナ"),)), {"entity_person__ミナ": 0.5},
         ("entity_person:ミナ",), 1.0, 0.5),
        (event(1, entities=(Entity(type=EntityType.PLACE, name="ミナ"),)), {"entity_person__ミナ": 0.5}, (), 1.0, 0.0),
        (event(1, threads=("旅行",)), {"topic__旅行": 0.8}, ("topic:旅行",), 1.0, 0.8),
        (event(1, cues=("preference_food:紅茶",)), {"preference_food__紅茶": 0.9}, ("preference_food:紅茶",), 1.0, 0.9),
        (event(1, cues=("topic:茶", "topic:猫")), {"topic__茶": 0.3, "topic__猫": 0.6}, ("topic:茶", "topic:猫"),
         1.0, 0.6),
    ],
)  # fmt: skip
def test_what_has_attention_moves_what_it_is_about_up(
    one: Candidate, weights: dict[str, float], touches: tuple[str, ...], kind: float, pull: float
) -> None:
    (found,) = order_candidates([one], interest(**weights), PersonaFocusHint())
    assert found.touches == touches
    assert found.score == pytest.approx(kind * (1 + TOUCHED * pull))


def test_a_liked_topic_weighs_as_much_as_full_attention() -> None:
    hint = PersonaFocusHint(topic_bias=("旅行",))
    liked, other = order_candidates([event(1), event(2, cues=("topic:旅行",))], InterestState(), hint)
    assert (liked.key, liked.score / other.score) == (2, pytest.approx(1 + TOUCHED))


def test_equals_stand_newest_first_and_always_the_same() -> None:
    mixed, hint = [event(3), state(4), event(5)], PersonaFocusHint()
    assert order_candidates(mixed, InterestState(), hint) == order_candidates(mixed[::-1], InterestState(), hint)
