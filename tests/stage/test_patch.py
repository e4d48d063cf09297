"""world_delta: RFC 6902 on the frozen world, its index, and its invariants."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hakoniwa.errors import WorldError
from hakoniwa.stage.names import NameTable
from hakoniwa.stage.patch import HEAVY, MAX_OPERATIONS, apply, apply_unchecked, escape, pointer, touched_names
from hakoniwa.stage.world import MAX_WORLD, WorldIndex, WorldState, build_index, problems
from hakoniwa.turn import PatchOp
from tests.worlds import THINGS, kitchen, lighthouse, small_worlds, tiny


def op(kind: str, path: str, value: Any = None) -> PatchOp:
    return PatchOp.model_validate({"op": kind, "path": path, "value": value})


def shelf() -> WorldState:
    return tiny(
        {
            "棚": {"location": "茶室", "fixed": True},
            "箱": {"location": "茶室", "container": True, "state": ["open"]},
            "硯": {"inside": "箱"},
            "筆": {"on": "棚", "aliases": ["毛筆"], "state": ["clean", "new"]},
        },
        events=["一", "二"],
    )


def reading(world: WorldState, path: str) -> Any:
    """What is at a JSON pointer of the world as JSON."""
    node: Any = world.model_dump(mode="json", exclude_none=True)
    for step in path.split("/")[1:]:
        node = node[int(step)] if isinstance(node, list) else node[step]
    return node


@pytest.mark.parametrize(
    ("operation", "path", "value"),
    [
        (op("replace", "/props/筆/state", ["dirty"]), "/props/筆/state", ["dirty"]),
        (op("add", "/props/筆/state", ["dirty"]), "/props/筆/state", ["dirty"]),
        (op("add", "/props/筆/state/-", "wet"), "/props/筆/state", ["clean", "new", "wet"]),
        (op("add", "/props/筆/state/0", "wet"), "/props/筆/state", ["wet", "clean", "new"]),
        (op("add", "/props/筆/state/2", "wet"), "/props/筆/state", ["clean", "new", "wet"]),
        (op("replace", "/props/筆/state/1", "wet"), "/props/筆/state", ["clean", "wet"]),
        (op("remove", "/props/筆/state/0"), "/props/筆/state", ["new"]),
        (op("add", "/props/紙", {"location": "茶室"}), "/props/紙/location", "茶室"),
        (op("remove", "/props/筆/description"), "/props/筆/description", ""),
        (op("add", "/events/-", "三"), "/events", ["一", "二", "三"]),
        (op("remove", "/events/0"), "/events", ["二"]),
        (op("replace", "/time/turn", 4), "/time/turn", 4),
        (op("replace", "/meta/tension", "High"), "/meta/tension", "High"),
        (op("add", "/characters/楓/status", ["眠い"]), "/characters/楓/status", ["眠い"]),
        (op("replace", "/locations/茶室/description", "狭い。"), "/locations/茶室/description", "狭い。"),
    ],
)
def test_an_operation_changes_what_it_names(operation: PatchOp, path: str, value: Any) -> None:
    assert reading(apply(shelf(), [operation]), path) == value


def test_what_is_removed_is_gone() -> None:
    world = apply(shelf(), [op("remove", "/props/筆"), op("remove", "/props/硯/inside")])

    assert "筆" not in world.props
    assert world.props["硯"].inside is None
    assert list(world.index.names.find("筆")) == [] or "筆" not in world.index.here["茶室"]


def test_a_delta_leaves_the_world_before_it_alone() -> None:
    before = shelf()
    copied = copy.deepcopy(before.model_dump())

    after = apply(before, [op("remove", "/props/筆"), op("add", "/events/-", "三")])

    assert before.model_dump() == copied
    assert after.props["棚"] is before.props["棚"]


def test_no_operations_no_new_world() -> None:
    world = shelf()

    assert apply(world, []) is world


@pytest.mark.parametrize("name", ["紙/墨", "~紙", "紙~1", "~0", "a/b~c", "/"])
def test_names_with_slashes_and_tildes_are_escaped(name: str) -> None:
    world = apply(shelf(), [op("add", pointer("props", name), {"location": "茶室"})])

    assert name in world.props
    assert touched_names([op("remove", pointer("props", name))], "props") == [name]
    assert escape(name).count("/") == 0
    assert apply(world, [op("remove", pointer("props", name))]).props.keys() == shelf().props.keys()


@pytest.mark.parametrize(
    "operation",
    [
        op("replace", "/props/ない", {"location": "茶室"}),
        op("remove", "/props/ない"),
        op("test", "/props/ない", 1),
        op("add", "/props/ない/state", []),
        op("add", "/props/筆/price", 3),
        op("add", "/nowhere", 3),
        op("add", "", {}),
        op("add", "props/紙", {"location": "茶室"}),
        op("remove", "/props/筆/location"),
        op("remove", "/version/0"),
        op("add", "/events/3", "四"),
        op("replace", "/events/2", "三"),
        op("remove", "/events/-"),
        op("replace", "/events/-", "三"),
        op("add", "/events/-1", "三"),
        op("add", "/events/x", "三"),
        op("add", "/events/0/0", "三"),
        op("add", "/time/turn/x", 1),
    ],
    ids=lambda operation: f"{operation.op} {operation.path}",
)
def test_a_path_that_leads_nowhere_is_refused(operation: PatchOp) -> None:
    with pytest.raises(WorldError) as caught:
        apply(shelf(), [operation])
    assert (caught.value.key, caught.value.details["path"]) == ("world.bad-path", operation.path)


@pytest.mark.parametrize("path", ["/events/00", "/events/01", "/events/１", f"/events/{'9' * 5_000}"])
def test_an_index_has_one_spelling(path: str) -> None:
    with pytest.raises(WorldError, match="bad-path"):
        apply(shelf(), [op("remove", path)])


@pytest.mark.parametrize(
    "operation",
    [
        op("replace", "/props/筆/state", "dirty"),
        op("replace", "/props/筆", {"state": []}),
        op("add", "/props/紙", {"location": "茶室", "price": 3}),
        op("replace", "/meta/tension", "Extreme"),
        op("replace", "/time/turn", -1),
        op("replace", "/time/clock", "夜中"),
        op("add", "/events/-", {"text": "三"}),
        op("replace", "/characters/楓/location", "茶\n室"),
        op("replace", "/location/current", None),
    ],
    ids=lambda operation: f"{operation.path} {operation.value}",
)
def test_a_value_the_world_cannot_hold_is_refused(operation: PatchOp) -> None:
    with pytest.raises(WorldError) as caught:
        apply(shelf(), [operation])
    assert caught.value.key == "world.bad-value"


@pytest.mark.parametrize(
    "name", ["", "長" * 65, "改\n行", "見え\u200bない"], ids=["empty", "long", "control", "zero width"]
)
@pytest.mark.parametrize(
    ("branch", "value"), [("props", {"location": "茶室"}), ("characters", {"location": "茶室"}), ("locations", {})]
)
def test_a_delta_cannot_bring_in_a_bad_name(branch: str, value: dict[str, str], name: str) -> None:
    with pytest.raises(WorldError):
        apply(shelf(), [op("add", pointer(branch, name), value)])


def test_a_delta_cannot_fill_the_world_beyond_its_limits() -> None:
    world = tiny({f"豆{place}": {"location": "茶室"} for place in range(2000)})

    with pytest.raises(WorldError):
        apply(world, [op("add", "/props/もう一粒", {"location": "茶室"})])


def test_a_world_is_weighed_again_after_a_heavy_delta() -> None:
    light, heavy = (op("add", "/events/-", "x" * size) for size in (HEAVY, MAX_WORLD))
    apply(shelf(), [light] * 3)

    with pytest.raises(WorldError, match="too-large"):
        apply(shelf(), [heavy])


def test_a_delta_has_a_limit() -> None:
    world = shelf()
    apply(world, [op("add", "/events/-", "x")] * MAX_OPERATIONS)

    with pytest.raises(WorldError, match="delta-too-long"):
        apply(world, [op("add", "/events/-", "x")] * (MAX_OPERATIONS + 1))


@pytest.mark.parametrize(
    ("path", "value", "holds"),
    [
        ("/props/筆/state", ["clean", "new"], True),
        ("/props/筆/state", ["new", "clean"], False),
        ("/props/筆/state/0", "clean", True),
        ("/props/筆/on", "棚", True),
        ("/props/筆/on", None, False),
        ("/props/筆/inside", None, True),
        ("/time/turn", 0, True),
        ("/time/turn", 1, False),
        ("/meta", {"weather": "", "tension": "Low"}, True),
    ],
)
def test_a_test_passes_or_stops_the_whole_delta(path: str, value: Any, holds: bool) -> None:
    delta = [op("add", "/events/-", "三"), op("test", path, value)]
    if holds:
        assert len(apply(shelf(), delta).events) == 3
        return
    with pytest.raises(WorldError, match="test-failed"):
        apply(shelf(), delta)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("/props/硯", {"location": "茶室", "inside": "箱"}),
        ("/locations/茶室/exits", {"中庭": {}}),
        ("/characters", {"楓": {"location": "茶室", "holding": []}, "蓬": {"location": "茶室", "holding": []}}),
        ("/props/箱/affordances", []),
    ],
)
def test_a_test_compares_whole_things_as_json(path: str, value: Any) -> None:
    assert apply(shelf(), [op("test", path, value)]).hash == shelf().hash
    with pytest.raises(WorldError, match="test-failed"):
        apply(shelf(), [op("test", path, "別物")])


BREAKING: dict[str, list[PatchOp]] = {
    "into no room": [op("replace", "/props/筆/location", "天守")],
    "into no container": [op("add", "/props/筆/inside", "重箱"), op("remove", "/props/筆/on")],
    "two places": [op("add", "/props/筆/inside", "箱")],
    "into a hand that is not closed": [op("add", "/props/硯/held_by", "楓"), op("remove", "/props/硯/inside")],
    "into a hand only": [op("add", "/characters/楓/holding/-", "筆")],
    "person into no room": [op("replace", "/characters/楓/location", "天守")],
    "round in a ring": [op("add", "/props/箱/inside", "硯")],
    "container away from its contents": [op("replace", "/props/箱/location", "中庭")],
    "container away altogether": [op("remove", "/props/箱")],
    "camera into no room": [op("replace", "/location/current", "天守")],
    "room away from its people": [op("remove", "/locations/茶室")],
    "exit to no room": [op("add", "/locations/茶室/exits/天守", {})],
    "exit by no door": [op("add", "/locations/茶室/exits/中庭", {"via": "襖絵"})],
    "all things at once": [op("replace", "/props", {"筆": {"location": "天守"}})],
}


@pytest.mark.parametrize("delta", BREAKING.values(), ids=BREAKING.keys())
def test_a_delta_that_breaks_an_invariant_is_refused(delta: list[PatchOp]) -> None:
    with pytest.raises(WorldError) as caught:
        apply(shelf(), delta)
    assert caught.value.key == "world.invariant"


def test_a_holder_cannot_leave_without_what_they_hold() -> None:
    world = apply(shelf(), [op("remove", "/props/筆/on"), op("add", "/props/筆/held_by", "楓"),
                            op("add", "/characters/楓/holding/-", "筆")])  # fmt: skip

    with pytest.raises(WorldError, match="invariant"):
        apply(world, [op("replace", "/characters/楓/location", "中庭")])


def test_a_door_cannot_be_taken_out_of_its_frame() -> None:
    world = lighthouse("ja")

    with pytest.raises(WorldError, match="invariant"):
        apply(world, [op("remove", "/props/木戸")])


def test_people_may_come_and_go() -> None:
    came = apply(shelf(), [op("add", "/characters/梅", {"location": "茶室", "aliases": ["お梅"]})])
    went = apply(came, [op("remove", "/characters/蓬")])

    assert list(went.characters) == ["楓", "梅"]
    assert went.index.names.find("お梅")[0] == ("alias", ("character", "梅"))


def test_a_test_that_passes_leaves_no_trace() -> None:
    world = shelf()

    after = apply(world, [op("test", "/meta/tension", "Low"), op("test", "/props/箱/on", None)])

    assert after.model_dump(exclude_unset=True) == world.model_dump(exclude_unset=True)


def test_only_what_a_delta_moves_is_copied_in_the_index() -> None:
    world = shelf()

    told = apply(world, [op("add", "/events/-", "三")])
    wet = apply(world, [op("add", "/props/筆/state/-", "wet")])

    assert told.index is world.index
    assert wet.index.here is world.index.here
    assert wet.index is not world.index


def test_a_patched_world_finds_things_where_they_are() -> None:
    world = shelf()

    after = apply_unchecked(world, [op("remove", "/props/箱")])

    assert "箱" in world.index.here["茶室"]
    assert "箱" not in after.index.here["茶室"]
    assert apply_unchecked(world, []).index is world.index


def test_patched_has_no_opinion() -> None:
    assert problems(apply_unchecked(shelf(), [op("remove", "/props/箱")])) != []


def plain(world: WorldState, index: WorldIndex) -> dict[str, Any]:
    """An index without what a lookup skips anyway: empty shelves and names of things that are gone."""
    spellings = [form for name in [*world.props, *THINGS, "削り屑"] for form in (name, f"お{name}", f"{name}ー")]
    return {
        "here": {room: names for room, names in index.here.items() if names},
        "contents": {name: names for name, names in index.contents.items() if names},
        "holder": index.holder,
        "doors": index.doors,
        "doors_of": {room: [door for door in doors if door in world.props] for room, doors in index.doors_of.items()},
        "names": {form: ways(index.names, form, {*world.props}) for form in spellings},
        "language": index.names.language,
    }


def ways(names: NameTable, written: str, among: set[str]) -> dict[str, str]:
    """How well each thing answers to a written name."""
    found = [(name, how) for how, (_, name) in names.find(written) if name in among]
    return dict(reversed(found))


@st.composite
def deltas(draw: st.DrawFn, world: WorldState) -> list[PatchOp]:
    """Operations on the things and people of a world, sensible or not."""
    names = [*world.props, *THINGS]
    rooms = [*world.locations] or [world.location.current]
    places = st.sampled_from([*rooms, *names, *world.characters])
    thing = {"location": draw(st.sampled_from(rooms)), "aliases": draw(st.lists(st.sampled_from(THINGS), max_size=1))}
    options = [
        op("add", pointer("props", draw(st.sampled_from(names))), thing),
        op("remove", pointer("props", draw(st.sampled_from(names)))),
        op("add", pointer("props", draw(st.sampled_from(names)), "aliases"), [draw(st.sampled_from(THINGS))]),
        *(op("add", pointer("props", draw(st.sampled_from(names)), field), draw(places))
          for field in ("location", "inside", "on", "held_by")),
        *(op("remove", pointer("props", draw(st.sampled_from(names)), field)) for field in ("inside", "on", "held_by")),
        op("add", pointer("characters", draw(st.sampled_from([*world.characters])), "holding"),
           draw(st.lists(st.sampled_from(names), max_size=2))),
        op("add", pointer("characters", draw(st.sampled_from([*world.characters])), "location"), draw(places)),
    ]  # fmt: skip
    return draw(st.lists(st.sampled_from(options), min_size=1, max_size=4))


@given(st.data())
def test_the_index_after_a_delta_is_that_of_a_fresh_world(data: st.DataObject) -> None:
    world = data.draw(small_worlds())
    for _ in range(3):
        delta = data.draw(deltas(world))
        try:
            after = apply(world, delta)
        except WorldError:
            continue
        assert plain(after, after.index) == plain(after, build_index(after))
        assert problems(after) == []
        world = after


def test_deltas_of_an_old_world_keep_its_own_keys() -> None:
    world = WorldState.model_validate(kitchen(props={"ﾏｸﾞｶｯﾌﾟ": {"location": "キッチン"}}))

    after = apply(world, [op("add", pointer("props", "ﾏｸﾞｶｯﾌﾟ", "state"), ["dirty"])])

    assert after.props["ﾏｸﾞｶｯﾌﾟ"].state == ("dirty",)
