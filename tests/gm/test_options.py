"""possible_acts: sound (the judge allows each), complete (no other canonical act is allowed), and in a stable order."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hakoniwa.gm import options
from hakoniwa.gm.act import Act
from hakoniwa.gm.judge import after_act, denial_of
from hakoniwa.gm.options import CORE, possible_acts
from hakoniwa.gm.step import rule_on
from hakoniwa.pack import verb_of
from hakoniwa.stage.patch import apply
from hakoniwa.stage.world import Prop, WorldState, build_index, problems, rooms
from hakoniwa.turn import PatchOp
from tests.worlds import LANGUAGES, kitchen, lighthouse, small_worlds, tiny


def is_there_to_bear(prop: Prop) -> bool:
    """Boxes, surfaces and hooks, and furniture that does not say that it is none; nobody lays things on a pen."""
    return bool(prop.container or prop.surface or prop.hangs or (prop.fixed and prop.surface is None))


def every_canonical_act(world: WorldState, who: str) -> Iterator[Act]:
    """The cross product: core verbs on everything but oneself, listed verbs on what lists them, every place for things.

    What is worn is taken off rather than taken; in 0.1 worlds nothing is put away or on."""
    held = [name for figure in world.characters.values() for name in figure.holding]
    things = [*dict.fromkeys([*world.props, *held])]
    others = [name for name in world.characters if name != who]
    everything = [*things, *others, *rooms(world), "どこにもないもの"]
    worn = [name for name, prop in world.props.items() if prop.worn_by]
    dressed = [name for name, prop in world.props.items() if prop.wearable or prop.worn_by]
    for verb in (*CORE, "PUT", "INSPECT", "MOVE", *(["STOW"] if world.version == "0.2" else [])):
        yield from (Act(verb_of(verb), name) for name in everything)
    yield from (Act(verb_of("GET"), name) for name in everything if name not in worn)
    yield from (Act(verb_of("REMOVE"), name) for name in worn)
    yield from (Act(verb_of("WEAR"), name) for name in dressed)
    for name, prop in world.props.items():
        yield from (Act(verb_of(one.verb), name) for one in prop.affordances)
    for name in things:
        yield from (Act(verb_of("PUT"), name, place) for place in [*filter(world.props.get, things), *rooms(world)]
                    if place not in world.props or is_there_to_bear(world.props[place]))  # fmt: skip
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
    assert (len(world.index.lore), world.index.notes) == (1, {})


def afresh(world: WorldState) -> WorldState:
    """The same world, of which nobody has worked out anything yet."""
    return WorldState.model_validate(world.model_dump())


def listed(world: WorldState) -> dict[str, list[str]]:
    return {who: [act.tag for act in possible_acts(world, who)] for who in world.characters}


@given(st.data())
def test_on_any_walk_the_acts_listed_are_those_of_a_world_that_remembers_nothing(data: st.DataObject) -> None:
    world = data.draw(st.one_of(small_worlds(), st.sampled_from(LANGUAGES).map(lighthouse)))
    for _ in range(8):
        who = data.draw(st.sampled_from([*world.characters]))
        if acts := list(possible_acts(world, who)):
            world = after_act(world, who, data.draw(st.sampled_from(acts)))
        assert listed(world) == listed(afresh(world))


def op(kind: Any, path: str, value: Any = None) -> PatchOp:
    return PatchOp(op=kind, path=path, value=value)


def storehouse() -> WorldState:
    """楓 has a key in the hand, 蓬 food; there is a chest to unlock, a kettle that makes tea, more food, a shelf."""
    return tiny(
        {
            "鍵": {"location": "茶室", "held_by": "楓"},
            "長持": {"location": "茶室", "container": True, "state": ["locked"], "affordances": ["開ける(要:鍵)"]},
            "鉄瓶": {"location": "茶室", "affordances": [{"verb": "TURN_ON", "makes": {"お茶": {}}}], "fixed": True},
            "饅頭": {"location": "茶室", "edible": True},
            "団子": {"location": "茶室", "edible": True, "held_by": "蓬"},
            "棚": {"location": "茶室", "fixed": True},
        },
        characters={"楓": {"location": "茶室", "holding": ["鍵"]}, "蓬": {"location": "茶室", "holding": ["団子"]}},
    )


CHANGES: dict[str, list[PatchOp]] = {
    "hands": [op("add", "/characters/蓬/hands", 1)],
    "the state of a thing": [op("replace", "/props/長持/state", ["open"])],
    "what a thing affords": [op("replace", "/props/長持/affordances", ["閉める"])],
    "whose it is": [op("add", "/props/長持/owner", "楓")],
    "that it is worn": [op("add", "/props/饅頭/worn_by", "蓬")],
    "that it is in a pocket": [op("add", "/props/饅頭/carried_by", "楓")],
    "that it can be put on": [op("add", "/props/鍵/wearable", True)],
    "that it lives": [op("add", "/props/鍵/alive", True)],
    "that things are laid on it": [op("add", "/props/饅頭/surface", True)],
    "that nothing is laid on it": [op("add", "/props/棚/surface", False)],
    "that it is a hook": [op("add", "/props/饅頭/hangs", True)],
    "that it is drunk": [op("replace", "/props/団子/edible", "drink")],
    "that it is furniture": [op("add", "/props/饅頭/fixed", True)],
    "that it is a container": [op("add", "/props/饅頭/container", True)],
    "that it is food": [op("replace", "/props/団子/edible", False)],
    "that it is in a closed box": [op("add", "/props/饅頭/inside", "長持")],
    "what a thing would make": [op("add", "/props/お茶", {"location": "中庭"})],
    "the key": [op("remove", "/characters/楓/holding/0"), op("remove", "/props/鍵/held_by")],
    "another key": [
        op("remove", "/characters/楓/holding/0"), op("remove", "/props/鍵/held_by"),
        op("add", "/characters/蓬/holding/-", "鍵"), op("add", "/props/鍵/held_by", "蓬"),
        op("add", "/props/団子/aliases", ["鍵"]),
    ],
    "who is here": [op("replace", "/characters/蓬/location", "中庭"), op("replace", "/props/団子/location", "中庭")],
    "the ways out": [op("remove", "/locations/茶室/exits/中庭")],
    "a door": [op("add", "/locations/茶室/exits/中庭/via", "棚")],
}  # fmt: skip


@pytest.mark.parametrize("delta", CHANGES.values(), ids=CHANGES.keys())
def test_whatever_changes_the_acts_change_with_it(delta: list[PatchOp]) -> None:
    world = storehouse()
    before = listed(world)

    after = apply(world, delta)

    assert listed(after) == listed(afresh(after)) != before
    assert listed(world) == before


def test_what_elsewhere_is_needed_counts_too() -> None:
    kettle = {"location": "茶室", "fixed": True, "affordances": [{"verb": "TURN_ON", "needs": ["off", {"元栓": "開"}]}]}
    tap = {"location": "中庭", "fixed": True, "state": ["閉"]}
    kite = {
        "location": "茶室",
        "fixed": True,
        "affordances": [{"verb": "空に上げてみる", "needs": {"weather": "晴れ"}}],
    }
    world = tiny({"釜": {**kettle, "state": ["off"]}, "元栓": tap, "凧": kite}, meta={"weather": "雨"})
    assert not {"(TURN_ON: 釜)", "(空に上げてみる: 凧)"} & {*listed(world)["楓"]}
    after = apply(world, [op("replace", "/props/元栓/state", ["開"])])
    assert "(TURN_ON: 釜)" in listed(after)["楓"]
    assert "(空に上げてみる: 凧)" in listed(apply(after, [op("replace", "/meta/weather", "快晴れ")]))["楓"]


def test_things_are_put_where_things_go() -> None:
    things = {
        "筆": {"held_by": "楓"}, "琴": {"location": "茶室"}, "盆": {"location": "茶室", "surface": True},
        "文机": {"location": "茶室", "fixed": True}, "掛け軸": {"location": "茶室", "fixed": True, "surface": False},
        "衣桁": {"location": "茶室", "hangs": True}, "籠": {"location": "茶室", "container": True},
        "カステラ": {"location": "茶室", "edible": "food"}, "抹茶": {"location": "茶室", "edible": "drink"},
        "猫": {"location": "茶室", "alive": True},
    }  # fmt: skip
    people = {"楓": {"location": "茶室", "holding": ["筆"], "hands": 4}}
    world = tiny(things, characters=people)
    assert [act for act in listed(world)["楓"] if "->" in act] == [
        f"(PUT: 筆 -> {place})" for place in ("文机", "盆", "籠", "衣桁")
    ]
    for name in ("カステラ", "抹茶", "猫"):
        world = after_act(world, "楓", Act(verb_of("GET"), name))
    acts = {act for act in listed(world)["楓"] if act.partition(":")[0] in ("(EAT", "(DRINK", "(STOW")}
    assert acts == {"(EAT: カステラ)", "(DRINK: 抹茶)", "(STOW: 筆)", "(STOW: カステラ)"}


def test_without_rooms_the_eye_of_the_story_names_a_way_out() -> None:
    world = WorldState.model_validate(kitchen())
    before = listed(world)

    after = apply(world, [op("replace", "/location/current", "居間")])

    assert "(MOVE: 居間)" not in before["やな"]
    assert "(MOVE: 居間)" in listed(after)["やな"]


def test_words_change_nothing_that_is_possible() -> None:
    world = storehouse()
    before = listed(world)

    after = apply(world, [op("add", "/events/-", "蓬はあくびをした。")])

    assert after.index.notes is world.index.notes
    assert listed(after) == before


def test_what_is_remembered_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(options, "KEPT", 8)
    monkeypatch.setattr(options, "LONG", 8)
    world = tiny({f"豆{place}": {"location": "茶室"} for place in range(30)})

    first, again = listed(world), listed(world)

    assert first == again == listed(afresh(world))
    assert 0 < len(world.index.lore) <= 8
    assert world.index.notes == {}


def test_what_is_merely_listed_in_a_hand_is_no_place() -> None:
    hands = {"やな": {"location": "キッチン", "holding": ["マグカップ", "盆"]}}
    world = WorldState.model_validate(kitchen(characters=hands))

    denial = denial_of(world, "やな", Act(verb_of("PUT"), "マグカップ", "盆"))

    assert denial is not None
    assert denial.rule == "state.not-a-place"
    assert "(PUT: マグカップ -> 盆)" not in listed(world)["やな"]


def test_what_can_be_done_in_the_lighthouse() -> None:
    tags = [act.tag for act in possible_acts(lighthouse("en"), "Tilda")]

    assert tags == [
        "(OPEN: spyglass)", "(CLOSE: spyglass)", "(TURN_ON: spyglass)", "(TURN_OFF: spyglass)", "(USE: spyglass)",
        "(INSPECT: spyglass)", "(PUT: spyglass)", "(STOW: spyglass)", "(KICK: iron door)", "(INSPECT: iron door)",
    ]  # fmt: skip


def test_looking_at_the_people_here_is_possible_too() -> None:
    tags = {act.tag for act in possible_acts(lighthouse("ja"), "汐里")}

    assert {"(INSPECT: 鉄平)", "(INSPECT: オウム)"} <= tags
    assert "(INSPECT: 音羽)" not in tags
