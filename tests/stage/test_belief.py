"""Belief: the fold of what somebody witnessed. It may be wrong, and looking puts it right."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hakoniwa.gm.judge import after_act, effect_of
from hakoniwa.gm.options import possible_acts
from hakoniwa.stage.belief import Belief, believed_world, first_belief, perceive, witness
from hakoniwa.stage.patch import apply
from hakoniwa.stage.scene import look
from hakoniwa.stage.world import WorldState, problems
from hakoniwa.turn import PatchOp
from tests.worlds import lighthouse, small_worlds, tiny


def op(kind: str, path: str, value: Any = None) -> PatchOp:
    return PatchOp.model_validate({"op": kind, "path": path, "value": value})


def where(belief: Belief) -> dict[str, str]:
    return {name: memory.prop.location for name, memory in belief.props.items()}


def garden(**changes: Any) -> WorldState:
    return tiny(
        {
            "鞠": {"location": "茶室"},
            "箪笥": {"location": "茶室", "fixed": True, "container": True, "state": ["closed"]},
            "文": {"inside": "箪笥"},
            "石灯籠": {"location": "中庭", "fixed": True},
        },
        **changes,
    )


def seen_by(who: str, before: WorldState, belief: Belief, delta: Sequence[PatchOp]) -> tuple[WorldState, Belief]:
    after = apply(before, delta)
    return after, witness(belief, delta, before, after)


def test_one_knows_what_one_sees() -> None:
    assert where(first_belief(garden(), "楓")) == {"鞠": "茶室", "箪笥": "茶室"}


@pytest.mark.parametrize(
    ("knows", "things"),
    [
        ("here", {"鞠", "箪笥"}),
        ("all", {"鞠", "箪笥", "石灯籠"}),
        (["中庭"], {"鞠", "箪笥", "石灯籠"}),
        (["文"], {"鞠", "箪笥", "文"}),
        ([], {"鞠", "箪笥"}),
    ],
)
def test_a_scenario_says_what_one_knows_from_the_start(knows: Any, things: set[str]) -> None:
    assert {*first_belief(garden(), "楓", knows).props} == things


def test_nobody_knows_from_the_start_what_is_hidden() -> None:
    world = tiny({"隠し扉": {"location": "茶室", "state": ["hidden"]}})

    assert first_belief(world, "楓", "all").props == {}


def test_what_moved_in_ones_absence_is_believed_where_it_was() -> None:
    before = garden(characters={"楓": {"location": "中庭"}, "蓬": {"location": "茶室", "holding": []}})
    belief = first_belief(before, "楓", "all")
    after = apply(before, [op("add", "/characters/蓬/holding/-", "鞠"), op("add", "/props/鞠/held_by", "蓬")])

    believed = believed_world(belief, after)

    assert believed.props["鞠"].held_by is None
    assert after.props["鞠"].held_by == "蓬"
    assert where(belief)["鞠"] == "茶室"


def test_arriving_corrects_what_one_believed() -> None:
    start = garden(characters={"楓": {"location": "中庭"}, "蓬": {"location": "茶室"}})
    belief = first_belief(start, "楓", "all")
    away = [op("replace", "/props/鞠/location", "中庭"), op("replace", "/characters/蓬/location", "中庭")]
    meanwhile = apply(start, away)

    step = [op("replace", "/characters/楓/location", "茶室")]
    after, belief = seen_by("楓", meanwhile, belief, step)

    assert "鞠" not in belief.props
    assert after.props["鞠"].location == "中庭"
    assert [name for name, figure in belief.people.items() if figure.location == "茶室"] == ["楓"]


def test_what_is_in_a_closed_container_is_unknown_until_it_is_opened() -> None:
    before = garden()
    belief = first_belief(before, "楓", "all")
    assert "文" not in believed_world(belief, before).props

    _, belief = seen_by("楓", before, belief, [op("replace", "/props/箪笥/state", ["open"])])

    assert belief.props["文"].prop.inside == "箪笥"


def test_what_was_seen_to_be_shut_away_is_remembered_inside() -> None:
    before = garden()
    before = apply(before, [op("replace", "/props/箪笥/state", ["open"])])
    belief = first_belief(before, "楓")

    after, belief = seen_by("楓", before, belief, [op("replace", "/props/箪笥/state", ["closed"])])

    assert belief.props["文"].prop.inside == "箪笥"
    assert [one.name for one in look(after, "楓", belief).last_seen] == ["文"]


def test_what_went_from_one_shut_place_to_another_in_a_turn_was_seen_on_its_way() -> None:
    world = apply(garden(), [op("add", "/props/文箱", {"location": "茶室", "container": True, "state": ["closed"]})])
    _, belief = seen_by("楓", world, first_belief(world, "楓"), [op("replace", "/props/文/inside", "文箱")])
    assert belief.props["文"].prop.inside == "文箱"
    _, untouched = seen_by("楓", world, first_belief(world, "楓"), [op("add", "/props/文/state", ["wet"])])
    assert "文" not in untouched.props


def test_who_is_elsewhere_learns_nothing_of_what_happens_here() -> None:
    before = garden(characters={"楓": {"location": "中庭"}, "蓬": {"location": "茶室"}})
    belief = first_belief(before, "楓", "all")

    _, belief = seen_by("楓", before, belief, [op("replace", "/props/鞠/state", ["破れた"])])

    assert belief.props["鞠"].prop.state == ()


def test_what_was_seen_to_vanish_is_gone_from_memory() -> None:
    before = garden()

    _, belief = seen_by("楓", before, first_belief(before, "楓"), [op("remove", "/props/鞠")])

    assert "鞠" not in belief.props


def test_seeing_somebody_carry_a_thing_off_is_knowing_where_it_went() -> None:
    held = {"鞠": {"location": "茶室", "held_by": "蓬"}}
    before = tiny(held, characters={"楓": {"location": "茶室"}, "蓬": {"location": "茶室", "holding": ["鞠"]}})
    walk = [op("replace", "/characters/蓬/location", "中庭"), op("replace", "/props/鞠/location", "中庭")]

    after, belief = seen_by("楓", before, first_belief(before, "楓"), walk)

    assert where(belief) == {"鞠": "中庭"}
    assert belief.people["蓬"].location == "中庭"
    assert problems(believed_world(belief, after)) == []


def test_looking_at_an_unchanged_thing_again_keeps_when_it_was_last_new() -> None:
    world = garden()
    belief = first_belief(world, "楓")
    later = apply(world, [op("replace", "/time/turn", 5), op("replace", "/props/箪笥/state", ["open"])])

    belief = perceive(belief, later, "楓")

    assert {name: memory.turn for name, memory in belief.props.items()} == {"鞠": 0, "箪笥": 5, "文": 5}


def test_a_believed_thing_in_something_unknown_lies_loose() -> None:
    world = tiny({"棚": {"location": "中庭"}, "文": {"on": "棚"}})

    believed = believed_world(first_belief(world, "楓", ["文"]), world)

    assert "棚" not in believed.props
    assert (believed.props["文"].on, believed.props["文"].location) == (None, "中庭")
    assert problems(believed) == []


def test_in_the_lighthouse_the_key_is_nobodys_to_know() -> None:
    world = lighthouse("ja")

    assert all("真鍮の鍵" not in first_belief(world, who, "all").props for who in world.characters)


@given(st.data())
def test_whoever_is_always_there_is_always_right(data: st.DataObject) -> None:
    """A witness of everything in their room believes of that room just what they would see by looking afresh."""
    world = data.draw(small_worlds())
    beliefs = {who: first_belief(world, who) for who in world.characters}
    for _ in range(4):
        who = data.draw(st.sampled_from([*world.characters]))
        options = list(possible_acts(world, who))
        if not options:
            continue
        act = data.draw(st.sampled_from(options))
        before, delta = world, effect_of(world, who, act).delta
        world = after_act(world, who, act)
        rooms = {before.characters[who].location, world.characters[who].location}
        for other in world.characters:
            if before.characters[other].location in rooms:
                beliefs[other] = witness(beliefs[other], delta, before, world)
                assert sighted(beliefs[other], world) == sighted(perceive(Belief(who=other), world, other), world)
            assert problems(believed_world(beliefs[other], world)) == []


def sighted(belief: Belief, world: WorldState) -> dict[str, Any]:
    """The believed things of one's own room that are in plain sight, or would be."""
    here = {one.name for one in look(world, belief.who).things}
    stale = {one.name for one in look(world, belief.who, belief).last_seen if one.gone}
    return {name: memory.prop for name, memory in sorted(belief.props.items()) if name in here | stale}


def test_what_is_two_boxes_deep_is_not_forgotten_when_the_outer_one_shuts() -> None:
    before = tiny(
        {
            "長櫃": {"location": "茶室", "container": True, "state": ["open"]},
            "小箱": {"inside": "長櫃", "container": True, "state": ["open"]},
            "印籠": {"inside": "小箱"},
        }
    )

    after, belief = seen_by("楓", before, first_belief(before, "楓"), [op("replace", "/props/長櫃/state", ["closed"])])

    assert {*belief.props} == {"長櫃", "小箱", "印籠"}
    assert [one.gone for one in look(after, "楓", belief).last_seen] == [False, False]


def test_who_sees_a_thing_shut_away_knows_where_it_is() -> None:
    """The box is open when the turn begins and shut when it ends; what went into it meanwhile was seen."""
    world = garden()
    world, belief = seen_by("楓", world, first_belief(world, "楓"), [op("replace", "/props/箪笥/state", ["open"])])
    shut = [op("add", "/props/鞠/inside", "箪笥"), op("replace", "/props/箪笥/state", ["closed"])]
    _, belief = seen_by("楓", world, belief, shut)
    assert belief.props["鞠"].prop.inside == "箪笥"
