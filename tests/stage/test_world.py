"""WorldState: what is accepted, how nested things find their room, and every invariant broken once."""

from typing import Any

import pytest
from pydantic import ValidationError

from hakoniwa.errors import WorldError
from hakoniwa.stage.world import (
    MAX_NAME,
    WorldState,
    carried_with,
    check_invariants,
    enclosing_container,
    holder,
    in_place,
    in_sight,
    is_at,
    next_states,
    people_in,
    problems,
    rooms,
    thing,
    things_here,
)
from tests.worlds import kitchen, lighthouse, tiny


def test_a_world_of_another_engine_is_taken_as_it_is() -> None:
    world = check_invariants(WorldState.model_validate(kitchen()))

    assert (world.version, world.language, rooms(world)) == ("0.1", "ja", ["キッチン"])
    assert world.props["コーヒーメーカー"].state == ("off",)


def test_fields_of_other_engines_can_be_ignored_but_not_by_default() -> None:
    data = kitchen(mood="sunny", props={"皿": {"location": "キッチン", "price": 3}})

    assert list(WorldState.model_validate(data, extra="ignore").props) == ["皿"]
    with pytest.raises(ValidationError, match="mood"):
        WorldState.model_validate(data)


def test_in_an_old_world_every_room_that_is_named_exists() -> None:
    world = WorldState.model_validate(kitchen(props={"傘": {"location": "玄関"}}))

    assert rooms(world) == ["キッチン", "玄関"]


def test_something_merely_listed_in_a_hand_counts_as_a_thing() -> None:
    world = WorldState.model_validate(kitchen(characters={"やな": {"location": "キッチン", "holding": ["鍋つかみ"]}}))

    assert problems(world) == []
    found = thing(world, "鍋つかみ")
    assert found is not None
    assert (found.location, found.held_by, holder(world, "鍋つかみ")) == ("キッチン", "やな", "やな")


@pytest.mark.parametrize(
    "exits",
    [["中庭"], {"中庭": None}, {"中庭": {}}, {"中庭": {"via": None}}],
    ids=["list", "bare", "empty", "via null"],
)
def test_exits_may_be_a_plain_list(exits: Any) -> None:
    world = tiny(locations={"茶室": {"exits": exits}, "中庭": {}})

    assert world.locations["茶室"].exits["中庭"].via is None


@pytest.mark.parametrize("exits", [[["中庭"]], [{"中庭": {}}], [1], 3, "中庭"])
def test_exits_that_are_no_names_are_refused(exits: Any) -> None:
    with pytest.raises(ValidationError):
        tiny(locations={"茶室": {"exits": exits}, "中庭": {}})


def test_things_in_on_or_held_by_others_are_where_those_are() -> None:
    world = tiny(
        {
            "匙": {"inside": "棗"},
            "棗": {"on": "棚"},
            "棚": {"location": "中庭"},
            "扇子": {"held_by": "楓"},
            "袱紗": {"inside": "巾着"},
            "巾着": {"held_by": "楓"},
        },
        characters={"楓": {"location": "茶室", "holding": ["扇子", "巾着"]}},
    )

    assert {name: prop.location for name, prop in world.props.items()} == {
        "匙": "中庭", "棗": "中庭", "棚": "中庭", "扇子": "茶室", "袱紗": "茶室", "巾着": "茶室",
    }  # fmt: skip
    assert problems(world) == []


@pytest.mark.parametrize(
    "props",
    [
        {"匙": {"inside": "どこにもない箱"}},
        {"匙": {"inside": "棗"}, "棗": {"inside": "匙"}},
        {"匙": {"held_by": "誰か"}},
        {"匙": {}},
    ],
    ids=["no such container", "a ring", "no such person", "no place at all"],
)
def test_a_thing_whose_room_cannot_be_worked_out_is_refused(props: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="location"):
        tiny(props)


@pytest.mark.parametrize("place", [["棗"], {"棗": 1}, 3], ids=["list", "mapping", "number"])
@pytest.mark.parametrize("field", ["inside", "on", "held_by"])
def test_a_place_that_is_no_name_is_refused(field: str, place: Any) -> None:
    with pytest.raises(ValidationError):
        tiny({"匙": {field: place}})


@pytest.mark.parametrize(
    ("name", "fine"),
    [
        ("や" * MAX_NAME, True),
        ("や" * (MAX_NAME + 1), False),
        ("", False),
        ("茶\n碗", False),
        ("茶\u200b碗", False),
        ("茶\u202e碗", False),
        ("茶\u2028碗", False),
        ("茶 碗", True),
        ("😀", True),
    ],
    ids=["64", "65", "empty", "newline", "zero width", "bidi", "line separator", "space", "emoji"],
)
def test_names_are_short_and_printable(name: str, fine: bool) -> None:
    if fine:
        assert name in tiny({name: {"location": "茶室"}}).props
        return
    with pytest.raises(ValidationError):
        tiny({name: {"location": "茶室"}})
    with pytest.raises(ValidationError):
        tiny({"碗": {"location": "茶室", "aliases": [name]}})


@pytest.mark.parametrize(
    "changes",
    [
        {"props": {f"豆{place}": {"location": "茶室"} for place in range(2001)}},
        {"characters": {f"客{place}": {"location": "茶室"} for place in range(65)}},
        {"locations": {f"間{place}": {} for place in range(257)}},
        {"version": "0.3"},
        {"time": {"turn": -1}},
        {"time": {"clock": "7時"}},
        {"meta": {"tension": "Extreme"}},
    ],
    ids=["props", "characters", "locations", "version", "turn", "clock", "tension"],
)
def test_a_world_has_limits(changes: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        tiny(**changes)


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "thing in no room": ({"props": {"匙": {"location": "天守"}}}, "props.匙.location: no room '天守'"),
    "person in no room": (
        {"characters": {"楓": {"location": "天守"}}},
        "characters.楓.location: no room '天守'",
    ),
    "camera in no room": ({"location": {"current": "天守"}}, "location.current: no room '天守'"),
    "exit to no room": (
        {"locations": {"茶室": {"exits": ["天守"]}, "中庭": {}}},
        "locations.茶室.exits: no room '天守'",
    ),
    "exit by no door": (
        {"locations": {"茶室": {"exits": {"中庭": {"via": "襖絵"}}}, "中庭": {}}},
        "locations.茶室.exits.中庭.via: no door '襖絵'",
    ),
    "in two places": (
        {"props": {"棗": {"location": "茶室"}, "匙": {"location": "茶室", "inside": "棗", "on": "棗"}}},
        "props.匙: more than one of inside, on, held_by, carried_by, worn_by",
    ),
    "held by nobody real": (
        {"props": {"匙": {"location": "茶室", "held_by": "幽霊"}}},
        "props.匙.held_by: '幽霊' does not hold it",
    ),
    "held but not in the hand": (
        {"props": {"匙": {"location": "茶室", "held_by": "楓"}}},
        "props.匙.held_by: '楓' does not hold it",
    ),
    "in the hand but not held": (
        {"characters": {"楓": {"location": "茶室", "holding": ["匙"]}}, "props": {"匙": {"location": "茶室"}}},
        "characters.楓.holding: '匙' is not held_by '楓'",
    ),
    "in two hands": (
        {
            "characters": {
                "楓": {"location": "茶室", "holding": ["匙"]},
                "蓬": {"location": "茶室", "holding": ["匙"]},
            },
            "props": {"匙": {"location": "茶室", "held_by": "楓"}},
        },
        "characters.蓬.holding: '匙' is not held_by '蓬'",
    ),
    "not where its holder is": (
        {
            "characters": {"楓": {"location": "茶室", "holding": ["匙"]}},
            "props": {"匙": {"location": "中庭", "held_by": "楓"}},
        },
        "props.匙.location: not where its holder is",
    ),
    "in something that is not there": (
        {"props": {"匙": {"location": "茶室", "inside": "棗"}}},
        "props.匙: in or on '棗', which does not exist",
    ),
    "not where its container is": (
        {"props": {"棗": {"location": "中庭"}, "匙": {"location": "茶室", "inside": "棗"}}},
        "props.匙.location: not where '棗' is",
    ),
    "inside itself": (
        {"props": {"棗": {"location": "茶室", "inside": "匙"}, "匙": {"location": "茶室", "on": "棗"}}},
        "props.匙: inside itself",
    ),
}


@pytest.mark.parametrize(("changes", "problem"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_invariant_is_named(changes: dict[str, Any], problem: str) -> None:
    world = tiny(**changes)

    assert problem in problems(world)
    with pytest.raises(WorldError) as caught:
        check_invariants(world)
    assert caught.value.key == "world.invariant"


def test_the_same_thing_twice_in_one_hand_is_a_problem() -> None:
    world = tiny(
        {"匙": {"location": "茶室", "held_by": "楓"}},
        characters={"楓": {"location": "茶室", "holding": ["匙", "匙"]}},
    )

    assert problems(world) != []


def test_a_good_world_has_no_problems() -> None:
    assert [problems(lighthouse(language)) for language in ("ja", "en")] == [[], []]


def test_a_door_stands_in_both_of_its_rooms() -> None:
    world = lighthouse("ja")

    assert [room for room in ("詰所", "灯室", "桟橋") if is_at(world, "鉄扉", room)] == ["詰所", "灯室"]
    assert "鉄扉" in things_here(world, "灯室")
    assert "鉄扉" not in things_here(world, "桟橋")


def test_what_is_shut_away_at_any_depth_is_out_of_reach() -> None:
    shut = lighthouse("ja")
    half_open = lighthouse("ja", {"cupboard": {"state": ["open"]}})
    open_ = lighthouse("ja", {"cupboard": {"state": ["open"]}, "tin": {"inside": "戸棚", "state": ["開"]}})

    assert [enclosing_container(world, "真鍮の鍵") for world in (shut, half_open, open_)] == ["茶筒", "茶筒", None]
    assert [enclosing_container(world, "茶筒") for world in (shut, half_open)] == ["戸棚", None]
    assert [in_sight(world, "汐里", "真鍮の鍵") for world in (shut, half_open, open_)] == [False, False, True]
    assert list(carried_with(shut, "戸棚")) == ["茶筒", "真鍮の鍵"]


def test_nothing_hidden_and_nothing_on_something_hidden_is_in_sight() -> None:
    world = tiny({"床板": {"location": "茶室", "state": ["hidden"]}, "手紙": {"on": "床板"}})

    assert [in_sight(world, "楓", name) for name in ("床板", "手紙")] == [False, False]


@pytest.mark.parametrize(
    ("prop", "expected"),
    [
        ({"fixed": True}, True),
        ({"container": True}, True),
        ({"state": ["on"]}, True),
        ({"state": ["brewing"]}, True),
        ({"state": ["default"]}, True),
        ({"state": ["施錠"]}, True),
        ({"state": ["消灯"]}, True),
        ({"state": ["clean"]}, False),
        ({}, False),
    ],
)
def test_things_are_handheld_or_operated_in_place(prop: dict[str, Any], expected: bool) -> None:
    world = tiny({"もの": {"location": "茶室", **prop}})

    assert in_place(world, "もの", world.props["もの"]) is expected


def test_a_door_is_operated_in_place_whatever_it_says_of_itself() -> None:
    world = tiny({"簾": {"location": "茶室"}}, locations={"茶室": {"exits": {"中庭": {"via": "簾"}}}, "中庭": {}})

    assert in_place(world, "簾", world.props["簾"])


def test_who_is_here_follows_the_order_of_the_cast() -> None:
    assert people_in(lighthouse("en"), "watch room") == ["Maren", "Ivo", "Kraa"]


@pytest.mark.parametrize(
    ("state", "becomes", "clears", "after"),
    [
        (["closed"], ["open"], [], ("open",)),
        (["locked", "dusty"], ["open"], [], ("dusty", "open")),
        (["施錠"], ["closed"], [], ("closed",)),
        (["default"], ["open"], [], ("open",)),
        (["on"], ["off"], [], ("off",)),
        (["on", "brewing"], ["on"], ["on", "brewing"], ("on",)),
        (["full", "hot"], ["empty"], [], ("hot", "empty")),
        (["clean"], ["clean"], [], ("clean",)),
        (["red"], ["blue"], ["red"], ("blue",)),
        (["red"], ["blue"], [], ("red", "blue")),
    ],
)
def test_a_new_state_drives_out_its_opposites(
    state: list[str], becomes: list[str], clears: list[str], after: tuple[str, ...]
) -> None:
    assert next_states(state, becomes, clears) == after


def test_the_hash_leaves_out_the_chronicle_and_the_turn_and_nothing_else() -> None:
    world = lighthouse("ja")
    later = world.model_copy(update={"events": ("霧笛が鳴った。",), "time": world.time.model_copy(update={"turn": 9})})
    dawn = world.model_copy(update={"time": world.time.model_copy(update={"clock": "05:00"})})

    assert len(world.hash) == 16
    assert later.hash == world.hash
    assert dawn.hash != world.hash
    assert lighthouse("ja", {"radio": {"state": ["on"]}}).hash != world.hash


def test_the_hash_does_not_depend_on_the_order_of_keys_or_on_empty_fields() -> None:
    data = kitchen()
    turned_round = dict(reversed([*data.items()])) | {"props": dict(reversed([*data["props"].items()]))}
    spoken = kitchen(props={name: {**prop, "inside": None} for name, prop in data["props"].items()})

    hashes = {WorldState.model_validate(one).hash for one in (data, turned_round, spoken)}
    assert len(hashes) == 1
