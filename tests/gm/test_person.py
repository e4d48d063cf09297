"""Pockets, clothes and living things: where they are, who sees them, and how they are told of."""

from typing import Any

import pytest

from hakoniwa.director.direct import scene_items
from hakoniwa.gm.options import possible_acts
from hakoniwa.gm.step import rule_on
from hakoniwa.stage.belief import Belief, first_belief, perceive, witness
from hakoniwa.stage.patch import apply
from hakoniwa.stage.scene import look, to_xml
from hakoniwa.stage.world import WorldState, problems, sight
from tests.worlds import kitchen, tiny


def wardrobe(**changes: Any) -> WorldState:
    """楓 has a purse in the pocket and glasses on; 蓬 holds a fan; a hat and a cat are in the room."""
    things = {
        "財布": {"carried_by": "楓"}, "眼鏡": {"worn_by": "楓"}, "扇": {"held_by": "蓬"},
        "帽子": {"location": "茶室", "wearable": True}, "猫": {"location": "茶室", "alive": True},
        "巾着": {"carried_by": "楓", "container": True}, "飴": {"inside": "巾着", "edible": "food"},
    }  # fmt: skip
    people = {"楓": {"location": "茶室"}, "蓬": {"location": "茶室", "holding": ["扇"]}}
    return tiny(things, characters=people, **changes)


def done(world: WorldState, who: str, *acts: str) -> WorldState:
    for act in acts:
        ruling = rule_on(world, who, act).ruling
        assert ruling.allowed, (act, ruling.explanation)
        world = apply(world, ruling.world_delta)
    assert problems(world) == []
    return world


def place(world: WorldState, name: str) -> dict[str, Any]:
    kept = ("location", "inside", "on", "held_by", "carried_by", "worn_by")
    return world.props[name].model_dump(include={*kept}, exclude_none=True)


HERE = {"location": "茶室"}


@pytest.mark.parametrize(
    ("who", "acts", "name", "where"),
    [
        ("楓", ["(GET: 財布)"], "財布", {"held_by": "楓"}),
        ("楓", ["(PRODUCE: 財布)", "(PRODUCE: 財布)"], "財布", {"held_by": "楓"}),
        ("楓", ["(GET: 財布)", "(STOW: 財布)"], "財布", {"carried_by": "楓"}),
        ("楓", ["(GET: 財布)", "(GIVE: 財布 -> 蓬)"], "財布", {"held_by": "蓬"}),
        ("楓", ["(GET: 飴)"], "飴", {"held_by": "楓"}),
        ("楓", ["(REMOVE: 眼鏡)"], "眼鏡", {"held_by": "楓"}),
        ("楓", ["(GET: 眼鏡)", "(WEAR: 眼鏡)"], "眼鏡", {"worn_by": "楓"}),
        ("楓", ["(REMOVE: 眼鏡)", "(PUT: 眼鏡)"], "眼鏡", {}),
        ("楓", ["(GET: 帽子)", "(WEAR: 帽子)"], "帽子", {"worn_by": "楓"}),
        ("蓬", ["(STOW: 扇)"], "扇", {"carried_by": "蓬"}),
    ],
    ids=str,
)
def test_what_one_has_about_oneself_goes_into_the_hand_and_back(
    who: str, acts: list[str], name: str, where: dict[str, str]
) -> None:
    after = done(wardrobe(), who, *acts)
    assert place(after, name) == HERE | where
    assert (name in after.characters["楓"].holding) == (where.get("held_by") == "楓")


def workshop() -> WorldState:
    """Ada holds a coat and wears boots, a fan and a radio stand by, and a closed door leads to the yard."""
    things = {
        "coat": {"held_by": "Ada"}, "boots": {"worn_by": "Ada"}, "file": {"location": "workshop"},
        "purse": {"carried_by": "Ada"}, "fan": {"location": "workshop", "state": ["off"]},
        "radio": {"location": "workshop", "state": ["on"]},
        "gate": {"location": "workshop", "fixed": True, "state": ["closed"]},
    }  # fmt: skip
    rooms = {"workshop": {"exits": {"yard": {"via": "gate"}}}, "yard": {"exits": {"workshop": {"via": "gate"}}}}
    people = {"Ada": {"location": "workshop", "holding": ["coat"]}, "Mrs. Bell": {"location": "workshop"}}
    return tiny(things, characters=people, locations=rooms, location={"current": "workshop"})


@pytest.mark.parametrize(
    ("told", "name", "where"),
    [
        ("*takes the file and slips it into her breast pocket*", "file", {"carried_by": "Ada"}),
        ("*pockets the file*", "file", {"carried_by": "Ada"}),
        ("*takes the purse from her pocket, presses it into Mrs. Bell's hand*", "purse", {"held_by": "Mrs. Bell"}),
        ("*shrugs the coat on*", "coat", {"worn_by": "Ada"}),
        ("*works her arms into the coat*", "coat", {"worn_by": "Ada"}),
        ("*kicks the boots off*", "boots", {"held_by": "Ada"}),
        ("*hurls the coat at the wall*", "coat", {}),
    ],
)
def test_prose_moves_things_between_hand_pocket_and_body(told: str, name: str, where: dict[str, str]) -> None:
    assert place(done(workshop(), "Ada", told), name) == {"location": "workshop"} | where


@pytest.mark.parametrize(
    ("told", "name", "state"),
    [
        ("*flips the switch on the fan*", "fan", "on"), ("*thumbs the fan on*", "fan", "on"),
        ("*clicks the radio off*", "radio", "off"), ("*cuts the radio*", "radio", "off"),
        ("（radioを切る）", "radio", "off"), ("（fanのスイッチを入れる）", "fan", "on"),
    ],
)  # fmt: skip
def test_whatever_is_done_to_its_switch_a_machine_goes_on_or_off(told: str, name: str, state: str) -> None:
    assert done(workshop(), "Ada", told).props[name].state == (state,)


@pytest.mark.parametrize(
    "told", ["*opens the gate and slips through*", "（gateを開けて、中へ入る）", "（gateを開け、足早に奥へ進む）"]
)
def test_behind_a_door_just_opened_lies_the_next_room(told: str) -> None:
    assert done(workshop(), "Ada", told).characters["Ada"].location == "yard"


@pytest.mark.parametrize(
    ("told", "name", "where"),
    [
        ("（扇を懐に差し入れる）", "扇", {"carried_by": "蓬"}),
        ("（扇を着物の袂に突っ込む）", "扇", {"carried_by": "蓬"}),
        ("（帽子を、眉をひそめて拾い上げる）", "帽子", {"held_by": "蓬"}),
        ("（扇をとんと置く）", "扇", {}),
    ],
)
def test_japanese_prose_moves_things_between_hand_and_pocket(told: str, name: str, where: dict[str, str]) -> None:
    assert place(done(wardrobe(), "蓬", told), name) == HERE | where


def test_a_living_thing_goes_into_no_pocket() -> None:
    ruling = rule_on(wardrobe(), "蓬", "（猫を抱き上げて、懐に入れる）").ruling
    assert ruling.explanation is not None
    assert ruling.explanation.rule == "state.no-pocket"


def test_an_animal_in_the_hand_is_him_or_her() -> None:
    world = tiny({"Rex": {"location": "茶室", "alive": True}, "scales": {"location": "茶室"}})
    assert place(done(world, "楓", "*picks up Rex and sets him down on the scales*"), "Rex") == HERE | {"on": "scales"}


def test_what_is_taken_off_can_be_put_on_again() -> None:
    world = wardrobe()
    assert "(REMOVE: 眼鏡)" in [act.tag for act in possible_acts(world, "楓")]
    off = done(world, "楓", "(REMOVE: 眼鏡)")
    assert {"(WEAR: 眼鏡)", "(STOW: 眼鏡)"} <= {act.tag for act in possible_acts(off, "楓")}


def test_it_goes_where_its_owner_goes_with_all_that_is_in_it() -> None:
    after = done(wardrobe(), "楓", "(MOVE: 中庭)")
    assert {name for name, prop in after.props.items() if prop.location == "中庭"} == {"財布", "眼鏡", "巾着", "飴"}


def test_clothes_are_seen_and_pockets_are_not() -> None:
    world = wardrobe()
    assert {*sight(world, "楓")} == {"財布", "眼鏡", "扇", "帽子", "猫", "巾着", "飴"}
    assert {*sight(world, "蓬")} == {"眼鏡", "扇", "帽子", "猫"}
    assert "財布" not in scene_items(world, "蓬")
    assert {one.name: one.place for one in look(world, "楓").things if one.place} == {
        "財布": "楓が持ち歩いている", "巾着": "楓が持ち歩いている", "飴": "巾着の中", "眼鏡": "楓が身につけている",
        "扇": "蓬が持っている",
    }  # fmt: skip
    assert "<wearing>眼鏡</wearing>" in to_xml(look(world, "蓬"))


def test_others_learn_of_a_pocket_by_what_goes_in_and_out_of_it() -> None:
    world = wardrobe()
    belief = first_belief(world, "蓬", "all")
    assert {*belief.props} == {"眼鏡", "扇", "帽子", "猫"}

    def after(world: WorldState, belief: Belief, act: str) -> tuple[WorldState, Belief]:
        delta = rule_on(world, "楓", act).ruling.world_delta
        new = apply(world, delta)
        return new, witness(belief, delta, world, new)

    out, saw = after(world, belief, "(GET: 財布)")
    assert saw.props["財布"].prop.held_by == "楓"
    back, saw = after(out, saw, "(STOW: 財布)")
    assert saw.props["財布"].prop.carried_by == "楓"
    assert perceive(saw, back, "蓬").props["財布"].prop.carried_by == "楓"
    gone, saw = after(back, saw, "(MOVE: 中庭)")
    assert {*saw.props} == {"扇", "帽子", "猫"}
    assert problems(gone) == []


@pytest.mark.parametrize(
    ("reply", "allowed", "told"),
    [
        ("（扇をポケットに入れる）", True, "蓬は扇をしまった。"),
        ("（扇を懐にしまう）", True, "蓬は扇をしまった。"),
        ("（扇を置く）", True, "蓬は扇を置いた。"),
        ("（猫を手に取る）", True, "蓬は猫を抱き上げた。"),
        ("(GET: 猫) (PUT: 猫)", True, "蓬は猫を下ろした。"),
        ("(STOW: 猫)", False, "猫を抱いていない"),
        ("(GET: 猫) (GET: 猫)", False, "猫はもう抱いている"),
        ("(GET: 財布)", False, "財布は楓が持ち歩いている"),
        ("(GET: 眼鏡)", False, "眼鏡は楓が身につけている"),
    ],
)
def test_it_is_told_in_words_that_fit(reply: str, allowed: bool, told: str) -> None:
    ruling = rule_on(wardrobe(), "蓬", reply).ruling
    assert ruling.allowed == allowed
    assert (ruling.told[-1] if ruling.explanation is None else ruling.explanation.why) == told


@pytest.mark.parametrize("reply", ["(HANG: 羽織 -> 衣桁)", "(PUT: 羽織 -> 衣桁)", "（羽織を衣桁に掛ける）"])
def test_what_is_hung_up_hangs_there(reply: str) -> None:
    things = {"羽織": {"held_by": "楓"}, "衣桁": {"location": "茶室", "hangs": True}}
    world = tiny(things, characters={"楓": {"location": "茶室", "holding": ["羽織"]}})
    ruling = rule_on(world, "楓", reply).ruling
    assert ruling.told == ("楓は羽織を衣桁に掛けた。",)
    assert place(apply(world, ruling.world_delta), "羽織") == HERE | {"on": "衣桁"}


def test_what_lives_is_somewhere_else_in_the_verb_of_the_living() -> None:
    cat = tiny({"猫": {"location": "中庭", "alive": True}, "鞠": {"location": "中庭"}})
    told = {name: rule_on(cat, "楓", f"(GET: {name})").ruling.explanation for name in ("猫", "鞠")}
    assert {name: one.why for name, one in told.items() if one} == {"猫": "猫は中庭にいる", "鞠": "鞠は中庭にある"}


@pytest.mark.parametrize(
    ("status", "act", "reason"),
    [
        (["眼鏡をかけている"], "（眼鏡を外す）", None),
        (["眼鏡をかけている"], "（指輪を外す）", "MISSING_OBJECT"),
        (["寝起き"], "（眼鏡を外す）", "MISSING_OBJECT"),
    ],
)
def test_in_a_world_of_another_engine_the_status_says_what_is_worn(
    status: list[str], act: str, reason: str | None
) -> None:
    people = {"やな": {"location": "キッチン", "status": status}, "あゆ": {"location": "キッチン"}}
    world = WorldState.model_validate(kitchen(characters=people))
    assert rule_on(world, "やな", act).ruling.denied_reason == reason
    assert ("眼鏡" in scene_items(world, "やな")) == ("眼鏡をかけている" in status)


def test_there_nothing_is_put_away_or_on() -> None:
    world = WorldState.model_validate(kitchen())
    held = done(world, "やな", "(GET: マグカップ)")
    assert not {"(STOW: マグカップ)", "(WEAR: マグカップ)"} & {act.tag for act in possible_acts(held, "やな")}
    for verb in ("STOW", "WEAR"):
        assert done(held, "やな", f"({verb}: マグカップ)").props["マグカップ"].bearer is None


@pytest.mark.parametrize(
    ("exits", "reply", "outcome"),
    [
        (["中庭"], "(GO_OUT)", "OUT_OF_SCOPE"),
        (["中庭"], "(GO_OUT: 中庭)", "中庭"),
        (["中庭"], "(GO_OUT: 駅)", "OUT_OF_SCOPE"),
        (["街"], "(GO_OUT)", "街"),
    ],
)
def test_leaving_the_house_needs_a_way_that_leads_out(exits: list[str], reply: str, outcome: str) -> None:
    rooms: dict[str, Any] = {"茶室": {"exits": exits}, "中庭": {}, "街": {}}
    world = tiny(locations=rooms)
    ruling = rule_on(world, "楓", reply).ruling
    moved = apply(world, ruling.world_delta).characters["楓"].location
    assert (ruling.denied_reason or moved) == outcome
