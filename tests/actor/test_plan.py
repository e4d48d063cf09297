"""Planning: from a goal to the acts that bring it about, over the world as it is believed to be."""

from typing import Any

import pytest

from hakoniwa.actor.plan import Aim, aims, deed_done, holds_true, obstacle, plan, unexplored_aims
from hakoniwa.gm.act import Act
from hakoniwa.gm.judge import after_act, denial_of
from hakoniwa.pack import verb_of
from hakoniwa.stage.goal import Goal
from hakoniwa.stage.world import WorldState
from tests.worlds import LANGUAGES, WORDS, lighthouse, tiny


def tags(acts: list[Act] | None) -> list[str] | None:
    return None if acts is None else [act.tag for act in acts]


def way(world: WorldState, who: str, verb: str, target: str, destination: str | None = None) -> list[str] | None:
    """The planned tags, each of which is allowed on the world the ones before leave."""
    acts = plan(Aim(verb_of(verb), target, destination), world, who)
    for act in acts or []:
        assert denial_of(world, who, act) is None, act.tag
        world = after_act(world, who, act)
    return tags(acts)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_key_in_the_tin_in_the_cupboard_opens_the_door(language: str) -> None:
    words = WORDS[language]
    found = way(lighthouse(language), words["mate"], "MOVE", words["loft"])

    assert found == [
        tag.format(**words)
        for tag in (
            "(OPEN: {cupboard})", "(OPEN: {tin})", "(GET: {brass_key})", "(UNLOCK: {iron_door})", "(OPEN: {iron_door})",
            "(MOVE: {loft})",
        )
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("verb", "target", "destination", "expected"),
    [
        ("INSPECT", "卓", None, ["(INSPECT: 卓)"]),
        ("EAT", "干し芋", None, ["(GET: 干し芋)", "(EAT: 干し芋)"]),
        ("MOVE", "桟橋", None, ["(OPEN: 木戸)", "(MOVE: 桟橋)"]),
        ("PUT", "干し芋", "手桶", ["(GET: 干し芋)", "(PUT: 干し芋 -> 手桶)"]),
        ("GIVE", "綱", "汐里", ["(GET: 綱)", "(GIVE: 綱 -> 汐里)"]),
        ("GET", "錆びた鍵", None, ["(OPEN: 木戸)", "(MOVE: 桟橋)", "(GET: 錆びた鍵)"]),
        ("BREW", "ストーブ", None, ["(TURN_ON: ストーブ)"]),
        ("DRINK", "ココア", None, ["(TURN_ON: ストーブ)"]),
        ("GET", "ピアノ", None, None),
        ("GET", "望遠鏡", None, None),
        ("GET", "卓", None, None),
    ],
)
def test_a_plan_is_the_shortest_way(
    verb: str, target: str, destination: str | None, expected: list[str] | None
) -> None:
    assert way(lighthouse("ja"), "鉄平", verb, target, destination) == expected


def test_what_is_in_a_locked_trunk_needs_the_key_from_another_room() -> None:
    found = way(lighthouse("en"), "Ivo", "READ", "chart")

    assert found is not None
    assert found[:3] == ["(OPEN: gate)", "(MOVE: pier)", "(GET: rusty key)"]
    assert found[-3:] == ["(OPEN: trunk)", "(GET: chart)", "(READ: chart)"]


def test_full_hands_are_emptied_first() -> None:
    world = tiny(
        {name: {"held_by": "楓"} for name in ("扇", "袱紗")} | {"柄杓": {"location": "茶室"}},
        characters={"楓": {"location": "茶室", "holding": ["扇", "袱紗"]}},
    )

    found = way(world, "楓", "GET", "柄杓")

    assert found is not None
    assert (len(found), found[-1]) == (2, "(GET: 柄杓)")
    assert found[0] in ("(PUT: 扇)", "(PUT: 袱紗)")


def test_what_is_in_the_pocket_is_taken_out_first() -> None:
    world = lighthouse("ja", {"rope": {"carried_by": "keeper"}, "coat": {"owner": None, "worn_by": "keeper"}})

    assert way(world, "汐里", "PUT", "綱", "卓") == ["(GET: 綱)", "(PUT: 綱 -> 卓)"]
    assert way(world, "鉄平", "PUT", "綱", "卓") is None


def test_what_is_needed_of_another_thing_is_seen_to_first() -> None:
    lamp = {"verb": "TURN_ON", "needs": ["off", {"元栓": "open"}]}
    things = {
        "行灯": {"location": "茶室", "fixed": True, "state": ["off"], "affordances": [lamp]},
        "元栓": {"location": "中庭", "fixed": True, "state": ["closed"]},
        "凧": {"location": "茶室", "fixed": True, "affordances": [{"verb": "READ", "needs": {"weather": "晴れ"}}]},
    }
    world = tiny(things)

    assert way(world, "楓", "TURN_ON", "行灯") == ["(MOVE: 中庭)", "(OPEN: 元栓)"]
    assert way(world, "楓", "READ", "凧") is None


def test_a_thing_that_must_be_made_is_made_of_what_makes_it() -> None:
    make = {"verb": "淹れる", "requires": ["茶葉"], "makes": {"薄茶": {"edible": True}}}
    world = tiny(
        {
            "釜": {"location": "茶室", "fixed": True, "affordances": [make]},
            "棚": {"location": "中庭", "container": True, "state": ["closed"]},
            "茶葉": {"inside": "棚"},
        }
    )

    assert way(world, "楓", "DRINK", "薄茶") == [
        "(MOVE: 中庭)", "(OPEN: 棚)", "(GET: 茶葉)", "(MOVE: 茶室)", "(BREW: 釜)",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("goal", "true"),
    [
        ({}, True),
        ({"state": {"鉄扉": "locked"}}, True),
        ({"state": {"鉄扉": "open"}}, False),
        ({"state": {"ピアノ": "open"}}, False),
        ({"holding": "手帳"}, True),
        ({"holding": "干し芋"}, False),
        ({"at": "詰所"}, True),
        ({"at": "桟橋"}, False),
        ({"seen": "卓"}, True),
        ({"seen": "真鍮の鍵"}, False),
        ({"placed": {"干し芋": "卓"}}, True),
        ({"placed": {"外套": "詰所"}}, True),
        ({"placed": {"手帳": "詰所"}}, False),
        ({"at": "詰所", "holding": "干し芋"}, False),
        ({"did": {"verb": "INSPECT"}}, False),
        ({"talked": "*"}, False),
    ],
)
def test_a_goal_is_true_or_not(goal: dict[str, Any], true: bool) -> None:
    assert holds_true(Goal.model_validate(goal), lighthouse("ja"), "汐里") is true


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ({"did": {"verb": "READ"}}, ["READ 海図", "READ 手帳"]),
        ({"did": {"verb": "DRINK", "target": ["湯のみ", "ココア"]}}, ["DRINK 湯のみ", "DRINK ココア"]),
        ({"did": {"verb": "PUT", "target": "綱", "destination": ["卓"]}}, ["PUT 綱 卓"]),
        ({"state": {"戸棚": "open"}}, ["OPEN 戸棚"]),
        ({"state": {"鉄扉": "closed"}}, ["CLOSE 鉄扉", "UNLOCK 鉄扉"]),
        ({"state": {"ストーブ": "on"}}, ["TURN_ON ストーブ", "BREW ストーブ", "TURN_ON ストーブ"]),
        ({"holding": "綱"}, ["GET 綱"]),
        ({"seen": "海図"}, ["INSPECT 海図"]),
        ({"placed": {"綱": "手桶"}}, ["PUT 綱 手桶"]),
        ({"placed": {"手帳": "桟橋"}}, ["PUT 手帳"]),
        ({"at": "桟橋"}, ["MOVE 桟橋"]),
        ({"at": "詰所"}, []),
    ],
)
def test_a_goal_says_what_to_aim_for(goal: dict[str, Any], expected: list[str]) -> None:
    found = aims(Goal.model_validate(goal), lighthouse("ja"), "汐里")

    assert [" ".join(filter(None, (one.verb.id, one.target, one.destination))) for one in found] == expected


def test_a_thing_is_carried_to_the_room_where_it_should_be() -> None:
    world = lighthouse("ja", {"gate": {"state": ["open"]}})
    (aim,) = aims(Goal.model_validate({"placed": {"手帳": "桟橋"}}), world, "汐里")

    found = plan(aim, world, "汐里")
    for act in found or []:
        world = after_act(world, "汐里", act)

    assert holds_true(Goal.model_validate({"placed": {"手帳": "桟橋"}}), world, "汐里")


def test_a_deed_is_done_by_any_of_its_verbs_forms_and_targets() -> None:
    deed = Goal.model_validate({"did": {"verb": "飲む", "target": ["茶", "水"]}}).did
    assert deed is not None

    assert deed_done(deed, [Act(verb_of("DRINK"), "水")])
    assert not deed_done(deed, [Act(verb_of("DRINK"), "酒"), Act(verb_of("GET"), "水")])


def test_the_obstacle_is_the_lock_in_the_way() -> None:
    world = lighthouse("ja")

    def barrier(verb: str, target: str) -> str | None:
        found = obstacle(Aim(verb_of(verb), target), world, "汐里")
        return found.name if found else None

    assert barrier("MOVE", "灯室") == "鉄扉"
    assert barrier("READ", "海図") == "長持"
    assert barrier("GET", "望遠鏡") == "鉄扉"
    assert barrier("GET", "干し芋") is None


def test_what_is_still_to_be_looked_into() -> None:
    world = lighthouse("ja")
    found = [(aim.verb.id, aim.target) for _, aim in unexplored_aims(world, "汐里", ["卓"], ["詰所", "灯室"])]

    assert ("OPEN", "戸棚") in found
    assert ("MOVE", "桟橋") in found
    assert ("INSPECT", "長持") in found
    assert not {("INSPECT", "卓"), ("MOVE", "詰所"), ("INSPECT", "鉄扉")} & {*found}
