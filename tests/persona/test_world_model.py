"""The world model: surer with every look, less sure with every surprise; in a garden, the character's belief."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hakoniwa.persona.records import WorldItem
from hakoniwa.persona.world_model import Observation, fingerprint, is_promotable, observe_item, world_items_of
from hakoniwa.stage.belief import first_belief
from tests.worlds import tiny

NOON = datetime(2026, 4, 1, 12, tzinfo=UTC)
LATER = NOON + timedelta(hours=1)


def observation(room: str = "茶室", confidence: float = 0.6, **more: Any) -> Observation:
    data = {"key": "prop:鍵", "item_class": "fact", "entity": {"name": "鍵"}, "location": {"room": room}}
    return Observation.model_validate({**data, "confidence": confidence, **more})


def item(**changes: Any) -> WorldItem:
    return observe_item(None, observation(), NOON).model_copy(update=changes)


def test_the_first_look_is_taken_at_its_word() -> None:
    first = item()
    assert (first.observation_count, first.confidence, first.seen_at) == (1, 0.6, NOON)
    assert first.location == {"room": "茶室"}


def test_the_same_again_makes_it_surer() -> None:
    again = observe_item(item(), observation(confidence=0.9), LATER)
    assert (again.observation_count, again.seen_at) == (2, LATER)
    assert again.confidence == pytest.approx(0.8 * 0.6 + 0.2 * 0.9 + 0.05)


def test_a_difference_makes_it_less_sure_and_counts_from_one() -> None:
    moved = observe_item(item(observation_count=5), observation("中庭", confidence=0.9), LATER)
    assert (moved.observation_count, moved.location) == (1, {"room": "中庭"})
    assert moved.confidence == pytest.approx(0.6 * 0.6 + 0.4 * 0.9 - 0.15)


def test_a_fingerprint_is_of_the_content_alone() -> None:
    one = observation(entity={"name": "鍵", "state": ["錆"]}, confidence=0.1)
    assert fingerprint(one) == fingerprint(observation(entity={"state": ["錆"], "name": "鍵"}, confidence=0.9))
    assert fingerprint(one) != fingerprint(observation(entity={"name": "鍵", "state": []}))
    assert fingerprint(one) != fingerprint(observation(entity=one.entity, item_class="inferred"))


@pytest.mark.parametrize(
    ("changes", "allowed"),
    [
        ({"confidence": 0.80, "observation_count": 2}, True),
        ({"confidence": 0.79, "observation_count": 9}, False),
        ({"confidence": 0.92, "observation_count": 1}, False),
        ({"confidence": 0.93, "observation_count": 1}, True),
        ({"confidence": 0.99, "item_class": "inferred"}, False),
        ({"confidence": 0.99, "active": False}, False),
        ({"confidence": 0.99, "seen_at": NOON - timedelta(days=7)}, True),
        ({"confidence": 0.99, "seen_at": NOON - timedelta(days=7, seconds=1)}, False),
    ],
)
def test_an_entry_earns_its_place_among_the_states(changes: dict[str, Any], allowed: bool) -> None:
    assert is_promotable(item(**changes), NOON) is allowed


@given(st.lists(st.tuples(st.sampled_from(["茶室", "中庭"]), st.floats(0, 1)), min_size=1, max_size=12))
def test_whatever_is_seen_confidence_stays_in_bounds(looks: list[tuple[str, float]]) -> None:
    entry: WorldItem | None = None
    for room, confidence in looks:
        entry = observe_item(entry, observation(room, confidence), NOON)
    assert entry is not None
    assert 0 <= entry.confidence <= 1
    assert 1 <= entry.observation_count <= len(looks)


def test_in_a_garden_the_world_model_is_the_belief() -> None:
    world = tiny(
        {
            "鞠": {"location": "茶室", "state": ["clean"], "affordances": ["つく"], "owner": "楓"},
            "石灯籠": {"location": "中庭", "fixed": True},
            "笛": {"location": "中庭"},
        }
    )
    belief = first_belief(world, "楓", ["石灯籠"])
    entries = {one.key: one for one in world_items_of(belief, NOON)}

    assert {key: one.item_class for key, one in entries.items()} == {
        "prop:鞠": "fact",
        "prop:石灯籠": "inferred",
        "person:蓬": "fact",
        "room:茶室": "fact",
    }
    ball = entries["prop:鞠"]
    assert ball.model_dump(include={"entity", "relation", "location", "affordance"}) == {
        "entity": {"name": "鞠", "state": ["clean"]},
        "relation": {"owner": "楓"},
        "location": {"room": "茶室"},
        "affordance": {"verbs": ["つく"]},
    }
    assert is_promotable(ball, NOON)
    assert not is_promotable(entries["prop:石灯籠"], NOON)
