"""Inner life: the fold of revisions, of which each item's newest counts."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hakoniwa.persona.generated import Generated, unseal
from hakoniwa.persona.inner import InnerState, fold
from hakoniwa.persona.interest import InterestState, interest_as_state
from hakoniwa.persona.mood import LongMoodState, mood_as_state
from hakoniwa.persona.records import (
    ItemKind,
    PersonaGoal,
    PersonaState,
    Preference,
    Revision,
    StateKind,
    Vad,
    WorldItem,
)
from hakoniwa.turn import Value
from tests.pace import busy

NOON = datetime(2026, 4, 1, 12, tzinfo=UTC)


def revision(id: int, after: Value | None, item: int = 0, kind: ItemKind = "state") -> Revision:
    return Revision(
        id=id, item=item or id, kind=kind, after=None if after is None else after.model_dump(mode="json"), at=NOON
    )


def fact(text: str) -> PersonaState:
    return PersonaState(kind=StateKind.FACT, body_text=Generated(text), last_confirmed_at=NOON)


def mood(v: float) -> PersonaState:
    return mood_as_state(LongMoodState(shock_vad=Vad(v=v), updated_at=NOON), NOON)


def goal(priority: int, status: Any = "active") -> PersonaGoal:
    return PersonaGoal(goal_type="task", title=Generated("…"), priority=priority, status=status)


def texts(inner: InnerState) -> dict[int, str]:
    return {item: unseal(state.body_text) for item, state in inner.states.items()}


def test_the_newest_of_each_item_counts_and_what_is_closed_is_gone() -> None:
    story = [
        revision(1, fact("雨が好き")),
        revision(2, fact("鍵をなくした")),
        revision(3, fact("霧雨が好き"), item=1),
        revision(4, None, item=2),
    ]
    assert texts(fold(story[:2])) == {1: "雨が好き", 2: "鍵をなくした"}
    assert texts(fold(story)) == {1: "霧雨が好き"}


def test_a_new_item_is_named_after_its_first_revision() -> None:
    unnumbered = revision(5, fact("…")).model_copy(update={"item": 0})
    assert list(fold([unnumbered]).states) == [5]


def test_every_kind_has_its_place() -> None:
    liking = Preference(domain="topic", polarity="like", subject="旅", status="confirmed")
    world = WorldItem(key="prop:鍵", fingerprint="", seen_at=NOON)
    inner = fold(
        [
            revision(1, liking, kind="preference"),
            revision(2, goal(10), kind="goal"),
            revision(3, goal(90), kind="goal"),
            revision(4, goal(99, "paused"), kind="goal"),
            revision(5, world, kind="world_model_item"),
        ]
    )
    assert [one["subject"] for one in inner.confirmed_preferences["topic"]["like"]] == ["旅"]
    assert list(inner.active_goals) == [3, 2]
    assert inner.world == {5: world}


def test_mood_and_interest_are_one_each_and_apart_from_the_states() -> None:
    interest = InterestState(interaction_mode="support")
    inner = fold(
        [
            revision(1, mood(0.1)),
            revision(2, interest_as_state(interest, NOON)),
            revision(3, mood(0.7), item=1),
        ]
    )
    assert inner.states == {}
    assert inner.mood.shock_vad == Vad(v=0.7)
    assert inner.interest == interest
    assert {kind: item for kind, (item, _) in inner.singles.items()} == {
        StateKind.LONG_MOOD_STATE: 1,
        StateKind.PERSONA_INTEREST_STATE: 2,
    }


def test_of_two_moods_the_one_that_moved_last_counts() -> None:
    story = [revision(1, mood(0.1)), revision(2, mood(0.2)), revision(3, mood(0.3), item=1)]
    assert fold(story).mood.shock_vad.v == 0.3
    assert fold(story[2:], fold(story[:2])).mood.shock_vad.v == 0.3


def test_who_has_lived_through_nothing_is_even_and_looks_around() -> None:
    inner = InnerState()
    assert inner.mood.model_dump() == LongMoodState().model_dump()
    assert inner.interest == InterestState()
    assert fold([revision(1, mood(0.5)), revision(2, None, item=1)]).mood.shock_vad == Vad()


STORIES = st.lists(st.tuples(st.integers(1, 4), st.sampled_from(["晴", "雨", None])), max_size=12)


@given(STORIES, st.integers(0, 12))
def test_absorbing_one_after_the_other_is_folding_all(story: list[tuple[int, str | None]], cut: int) -> None:
    revisions = [
        revision(number, None if text is None else fact(text), item=item)
        for number, (item, text) in enumerate(story, start=10)
    ]
    one_by_one = InnerState()
    for one in revisions:
        one_by_one = fold([one], one_by_one)
    assert texts(one_by_one) == texts(fold(revisions))
    assert texts(fold(revisions[cut:], fold(revisions[:cut]))) == texts(fold(revisions))


@pytest.mark.pace
def test_a_long_story_folds_at_the_cost_of_what_is_left() -> None:
    story = [revision(1, mood(0.1))] + [revision(n, mood(n / 20_000), item=1) for n in range(2, 20_000)]
    assert busy(lambda: fold(story), within=0.1) < 0.1


def test_a_kind_nobody_knows_is_refused() -> None:
    with pytest.raises(ValueError, match="kind"):
        Revision.model_validate({"kind": "whim", "at": NOON})
