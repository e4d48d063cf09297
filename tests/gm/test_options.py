"""possible_acts: sound (the judge allows each), complete (no other canonical act is allowed), and in a stable order."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hakoniwa.gm.act import Act
from hakoniwa.gm.judge import after_act, denial_of
from hakoniwa.gm.options import CORE, possible_acts
from hakoniwa.gm.step import rule_on
from hakoniwa.pack import verb_of
from hakoniwa.stage.world import WorldState, build_index, problems, rooms
from tests.worlds import LANGUAGES, lighthouse, small_worlds, tiny


def every_canonical_act(world: WorldState, who: str) -> Iterator[Act]:
    """The cross product: core verbs on everything but oneself, listed verbs on what lists them, every destination."""
    held = [name for figure in world.characters.values() for name in figure.holding]
    things = [*dict.fromkeys([*world.props, *held])]
    others = [name for name in world.characters if name != who]
    everything = [*things, *others, *rooms(world), "どこにもないもの"]
    for verb in (*CORE, "GET", "PUT", "INSPECT", "MOVE"):
        yield from (Act(verb_of(verb), name) for name in everything)
    for name, prop in world.props.items():
        yield from (Act(verb_of(one.verb), name) for one in prop.affordances)
    for name in things:
        yield from (Act(verb_of("PUT"), name, place) for place in [*things, *rooms(world)])
        yield from (Act(verb_of("GIVE"), name, other) for other in world.characters)


@given(small_worlds())
def test_what_is_possible_is_just_what_the_judge_allows(world: WorldState) -> None:
    for who in world.characters:
        listed = list(possible_acts(world, who))
        allowed = {act for act in every_canonical_act(world, who) if denial_of(world, who, act) is None}

        assert len(listed) == len({*listed})
        assert [act.tag for act in listed if denial_of(world, who, act)] == []
        assert {act.tag for act in allowed} - {act.tag for act in listed} == set()


@given(small_worlds())
def test_whatever_is_possible_can_be_done_and_leaves_a_good_world(world: WorldState) -> None:
    for who in world.characters:
        for act in possible_acts(world, who):
            assert problems(after_act(world, who, act)) == []


@given(st.data())
def test_any_walk_over_possible_acts_keeps_the_world_whole(data: st.DataObject) -> None:
    world = data.draw(small_worlds())
    for _ in range(10):
        who = data.draw(st.sampled_from([*world.characters]))
        acts = list(possible_acts(world, who))
        if acts:
            world = after_act(world, who, data.draw(st.sampled_from(acts)))
            assert problems(world) == []
            assert WorldState.model_validate(world.model_dump()).hash == world.hash


@given(small_worlds())
def test_the_same_world_gives_the_same_acts_in_the_same_order(world: WorldState) -> None:
    again = WorldState.model_validate(world.model_dump())
    for who in world.characters:
        acts = list(possible_acts(world, who))
        assert acts == list(possible_acts(again, who))
        assert acts[:3] == list(possible_acts(world, who, limit=3))


@given(small_worlds())
def test_a_filter_keeps_what_is_about_those_things(world: WorldState) -> None:
    for who in world.characters:
        acts = list(possible_acts(world, who))
        for name in [*world.props, *rooms(world)]:
            about = [act for act in acts if act.target == name and act.destination is None]
            assert set(possible_acts(world, who, about={name})) == {*about}


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_possible_act_is_allowed_when_it_is_written_as_a_tag(language: str) -> None:
    world = lighthouse(language)
    for who in world.characters:
        for act in possible_acts(world, who):
            step = rule_on(world, who, act.tag)
            assert (step.ruling.allowed, step.acts) == (True, (act,)), act.tag


def test_acts_are_found_lazily() -> None:
    world = tiny({f"豆{place}": {"location": "茶室"} for place in range(2000)})
    world.indexed(build_index(world))

    first = next(possible_acts(world, "楓"))

    assert first.target == "豆0"


def test_what_can_be_done_in_the_lighthouse() -> None:
    tags = [act.tag for act in possible_acts(lighthouse("en"), "Tilda")]

    assert tags == [
        "(OPEN: spyglass)", "(CLOSE: spyglass)", "(TURN_ON: spyglass)", "(TURN_OFF: spyglass)", "(USE: spyglass)",
        "(INSPECT: spyglass)", "(PUT: spyglass)", "(KICK: iron door)", "(INSPECT: iron door)",
    ]  # fmt: skip


def test_looking_at_the_people_here_is_possible_too() -> None:
    tags = {act.tag for act in possible_acts(lighthouse("ja"), "汐里")}

    assert {"(INSPECT: 鉄平)", "(INSPECT: オウム)"} <= tags
    assert "(INSPECT: 音羽)" not in tags
