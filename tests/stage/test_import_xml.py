"""Importing a `<scene_state>`: the detective's desk becomes a scenario that plays, and no file can reach further."""

import asyncio
from itertools import pairwise
from pathlib import Path

import pytest

from hakoniwa.app import new_session
from hakoniwa.errors import ScenarioError
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.play.loop import play
from hakoniwa.stage.import_xml import read_scene
from hakoniwa.stage.scenario import Scenario, faults
from hakoniwa.stage.scene import look, to_xml
from hakoniwa.stage.world import problems
from hakoniwa.turn import Turn
from tests.worlds import lighthouse

DESK = """\
<scene_state>
  <meta>
    <location>探偵事務所のデスク</location>
    <time>深夜 02:15</time>
    <weather>激しい雨</weather>
    <tension_level>High</tension_level> </meta>

  <actors>
    <actor id="char_A">
      <name>レイモンド</name>
      <posture>椅子に深く腰掛けている</posture>
      <holding>何も持っていない</holding>
      <status>疲労(Lv.4), 警戒(Lv.2)</status>
    </actor>
  </actors>

  <environment>
    <object id="obj_01" type="prop" state="clickable">
      <name>冷めたコーヒー</name>
      <affordance>飲む, 捨てる, こぼす</affordance>
    </object>
    <object id="obj_02" type="prop" state="locked">
      <name>引き出し</name>
      <affordance>開ける(要:鍵), 叩く</affordance>
    </object>
  </environment>

  <rules>
    <rule>environmentにあるオブジェクト以外は使用禁止</rule>
    <rule>行動は物理的に可能な範囲に限定する</rule>
  </rules>
</scene_state>
"""


def imported(tmp_path: Path, text: str, name: str = "desk.xml") -> Scenario:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_scene(path)


def room_of(scene: str) -> str:
    nobody = "<actors><actor><name>凪</name></actor></actors>"
    return f"<scene_state><meta><location>{scene}</location></meta>{nobody}</scene_state>"


def test_the_detectives_desk_is_imported_whole(tmp_path: Path) -> None:
    scenario = imported(tmp_path, DESK)
    world = scenario.world

    assert (scenario.id, scenario.title, [*scenario.cast]) == ("desk", "探偵事務所のデスク", ["レイモンド"])
    assert (world.time.label, world.time.clock, world.meta.weather, world.meta.tension) == (
        "深夜", "02:15", "激しい雨", "High",
    )  # fmt: skip
    assert world.characters["レイモンド"].posture == "椅子に深く腰掛けている"
    assert world.characters["レイモンド"].status == ("疲労(Lv.4)", "警戒(Lv.2)")
    assert world.characters["レイモンド"].holding == ()
    assert [one.verb for one in world.props["冷めたコーヒー"].affordances] == ["飲む", "捨てる", "こぼす"]
    drawer = world.props["引き出し"]
    assert (drawer.state, drawer.fixed, drawer.container) == (("locked",), True, True)
    assert [(one.verb, one.requires) for one in drawer.affordances] == [("開ける", ("鍵",)), ("叩く", ())]
    assert len(world.rules) == 2
    assert faults(scenario) == []


def test_the_detectives_desk_plays(tmp_path: Path) -> None:
    path = tmp_path / "desk.xml"
    path.write_text(DESK, encoding="utf-8")
    session = new_session(MemoryJournal(), str(path), seed=3)

    async def turns() -> list[Turn]:
        return [turn async for turn in play(session, 12)]

    played = asyncio.run(turns())
    session.close()

    assert [turn.speaker for turn in played] == ["レイモンド"] * 12
    assert any(turn.take.ruling.world_delta for turn in played)


def test_what_somebody_holds_is_in_their_hand_whichever_way_it_is_told(tmp_path: Path) -> None:
    scenario = imported(
        tmp_path,
        """<scene_state><meta><location>駅</location></meta>
        <actors><actor id="a"><name>凪</name><holding>切符, 傘</holding></actor></actors>
        <environment><object id="o" state="held_by_a, wet"><name>手紙</name></object>
        <object state="open"><name>傘</name></object></environment></scene_state>""",
    )

    assert set(scenario.world.characters["凪"].holding) == {"切符", "傘", "手紙"}
    assert scenario.world.props["手紙"].state == ("wet",)
    assert problems(scenario.world) == []


def test_only_a_state_that_says_so_puts_a_thing_into_a_hand(tmp_path: Path) -> None:
    scenario = imported(
        tmp_path,
        """<scene_state><actors><actor id=""><name>凪</name></actor><actor id="d"><name>汐</name></actor></actors>
        <environment><object state="wet"><name>手紙</name></object><object state="varnished"><name>封筒</name>
        </object></environment></scene_state>""",
    )

    assert [one.holding for one in scenario.world.characters.values()] == [(), ()]


@pytest.mark.parametrize(
    ("written", "parts"),
    [
        ("眠い, 寒い、 空腹", ("眠い", "寒い", "空腹")),
        ("疲労(Lv.4, 昨日から), 警戒（弱、たぶん）", ("疲労(Lv.4, 昨日から)", "警戒（弱、たぶん）")),
        ("a(b, c", ("a(b", "c")),
        (", ,なし,、", ()),
    ],
)
def test_a_list_is_parted_at_commas_that_no_bracket_holds(tmp_path: Path, written: str, parts: tuple[str, ...]) -> None:
    actor = f"<actors><actor><name>凪</name><status>{written}</status></actor></actors>"
    assert imported(tmp_path, f"<scene_state>{actor}</scene_state>").world.characters["凪"].status == parts


def test_a_scene_of_ours_can_be_imported_again(tmp_path: Path) -> None:
    world = lighthouse("ja")

    scenario = imported(tmp_path, to_xml(look(world, "汐里")))

    assert set(scenario.world.characters) == {"汐里", "鉄平", "オウム"}
    assert scenario.world.characters["汐里"].holding == ("手帳",)
    assert {"ストーブ", "長持"} <= {*scenario.world.props}
    assert problems(scenario.world) == []


@pytest.mark.parametrize(
    "entity",
    ['SYSTEM "{secret}"', 'SYSTEM "http://192.0.2.1/x"', '"展開された"'],
    ids=["a file", "the network", "inside"],
)
def test_entities_are_never_expanded(tmp_path: Path, entity: str) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("ひみつ", encoding="utf-8")
    declared = f"<!DOCTYPE s [<!ENTITY e {entity.format(secret=secret.as_uri())}>]>"

    scenario = imported(tmp_path, declared + room_of("部屋&e;")).model_dump_json()

    assert "ひみつ" not in scenario
    assert "展開された" not in scenario


def test_a_dtd_from_outside_is_not_loaded(tmp_path: Path) -> None:
    (tmp_path / "scene.dtd").write_text('<!ENTITY e "ひみつ">', encoding="utf-8")

    scenario = imported(tmp_path, f'<!DOCTYPE scene_state SYSTEM "scene.dtd">{room_of("部屋&e;")}')

    assert "ひみつ" not in scenario.model_dump_json()


def test_entities_of_entities_are_refused(tmp_path: Path) -> None:
    names = "abcdefghijkl"
    bomb = "".join(f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in pairwise(names))

    with pytest.raises(ScenarioError) as caught:
        imported(tmp_path, f'<!DOCTYPE s [<!ENTITY a "x">{bomb}]>{room_of("部屋&l;")}')
    assert caught.value.key == "scenario.not-xml"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("<scene_state><meta>", "scenario.not-xml"),
        ("何でもない", "scenario.not-xml"),
        ("", "scenario.not-xml"),
        ("<scene_state>" + "<a>" * 500 + "</a>" * 500 + "</scene_state>", "scenario.not-xml"),
        ("<scene/>", "scenario.not-a-scene"),
        (room_of("長" * 65), "scenario.bad-value"),
        (DESK.replace("High", "Extreme"), "scenario.bad-value"),
    ],
    ids=["open", "text", "empty", "deep", "another root", "long name", "tension"],
)
def test_what_is_no_scene_is_refused(tmp_path: Path, text: str, key: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        imported(tmp_path, text)
    assert (caught.value.key, caught.value.details["file"]) == (key, str(tmp_path / "desk.xml"))


def test_a_scene_without_anybody_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError):
        imported(tmp_path, "<scene_state><meta><location>無人駅</location></meta></scene_state>")


def test_a_file_has_a_limit(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError) as caught:
        imported(tmp_path, room_of("部屋") + " " * (1 << 20))
    assert caught.value.key == "scenario.too-large"


def test_any_file_name_gives_an_id(tmp_path: Path) -> None:
    assert [imported(tmp_path, DESK, name).id for name in ("My Desk (2).xml", "机.xml")] == ["my_desk_2", "scene"]
