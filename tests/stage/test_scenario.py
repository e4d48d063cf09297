"""Scenarios: YAML checked whole, with errors that name file, line, key and the nearest valid key."""

from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from hakoniwa.errors import ScenarioError, UnknownName
from hakoniwa.stage.document import Document
from hakoniwa.stage.scenario import Opening, Scenario, faults, find, load, shipped_scenarios
from hakoniwa.stage.schema import schema_of
from hakoniwa.stage.world import problems

BOATHOUSE = """\
id: boathouse
title: 舟小屋
world:
  version: "0.2"
  location: {current: 舟小屋}
  locations:
    舟小屋: {exits: [船溜まり]}
    船溜まり: {exits: [舟小屋]}
  characters:
    湊: {location: 舟小屋, holding: [櫂]}
  props:
    櫂: {held_by: 湊}
    ランタン:
      location: 舟小屋
      state: ["off"]
      affordances:
        - {verb: つける, needs: ["off"], becomes: ["on"]}
cast:
  湊: {sheet: sailor, knows: all}
opening: 霧が晴れそうだ。
incidents:
  - id: wind
    text: 風が立った。
    delta:
      - {op: replace, path: /meta/weather, value: 風}
"""


def written(tmp_path: Path, *changes: tuple[str, str]) -> Path:
    text = BOATHOUSE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path = tmp_path / "boathouse.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def refused(path: Path) -> tuple[str, dict[str, Any]]:
    with pytest.raises(ScenarioError) as caught:
        load(path)
    assert caught.value.details["file"] == str(path)
    return caught.value.key, caught.value.details


def test_a_scenario_is_loaded(tmp_path: Path) -> None:
    scenario = load(written(tmp_path))

    assert (scenario.id, scenario.language, scenario.turns) == ("boathouse", "ja", 30)
    assert scenario.opening == Opening(speaker="user", text="霧が晴れそうだ。")
    assert scenario.world.props["櫂"].location == "舟小屋"
    assert scenario.cast["湊"].knows == "all"


@pytest.mark.parametrize(
    ("old", "new", "line", "key", "nearest"),
    [
        ("needs:", "need:", 17, "world.props.ランタン.affordances.0.need", "needs"),
        ("      state:", "      stat:", 15, "world.props.ランタン.stat", "state"),
        ("knows:", "nows:", 19, "cast.湊.nows", "knows"),
        ("    delta:", "    delat:", 24, "incidents.0.delat", "delta"),
        ("opening:", "openning:", 20, "openning", "opening"),
        ("title:", "titel:", 2, "titel", "title"),
        ("{exits: [船溜まり]}", "{exists: [船溜まり]}", 7, "world.locations.舟小屋.exists", "exits"),
    ],
)
def test_a_misspelt_key_is_told_with_the_nearest(
    tmp_path: Path, old: str, new: str, line: int, key: str, nearest: str
) -> None:
    found, details = refused(written(tmp_path, (old, new)))

    assert (found, details["line"], details["key"], details["nearest"]) == ("scenario.unknown-key", line, key, nearest)


@pytest.mark.parametrize(
    ("old", "new", "error", "line", "key"),
    [
        ('["off"]', "[off]", "scenario.bare-boolean", 15, "world.props.ランタン.state.0"),
        ("title: 舟小屋", "title: 舟小屋\nid: again", "scenario.twice", 3, "id"),
        ("title: 舟小屋\n", "", "scenario.missing-key", 1, "title"),
        ("id: boathouse", "id: Boat House", "scenario.bad-value", 1, "id"),
        ("knows: all", "knows: everything", "scenario.bad-value", 19, "cast.湊.knows"),
        ("title: 舟小屋", "title: 舟小屋\nturns: 0", "scenario.bad-value", 3, "turns"),
        ("{current: 舟小屋}", "{current: 沖}", "scenario.inconsistent", 5, "world.location.current"),
        ("location: 舟小屋\n", "location: 沖\n", "scenario.inconsistent", 14, "world.props.ランタン.location"),
        ("{held_by: 湊}", "{location: 舟小屋}", "scenario.inconsistent", 10, "world.characters.湊.holding"),
        ("  湊: {sheet", "  港: {sheet", "scenario.inconsistent", 19, "cast.港"),
        ("cast:\n  湊: {sheet: sailor, knows: all}", "cast: {}", "scenario.inconsistent", 10, "world.characters.湊"),
        ("/meta/weather", "/meta/wether", "scenario.inconsistent", 24, "incidents.0.delta"),
        ("    text: 風が立った。", "    text: 風が立った。\n    at: 沖", "scenario.inconsistent", 24, "incidents.0.at"),
        ("{held_by: 湊}", "{held_by: 湊, worn_by: 湊}", "scenario.inconsistent", 12, "world.props.櫂"),
        ("櫂: {held_by: 湊}", "櫂: {held_by: 湊}\n    笛: {location: 舟小屋, carried_by: 蛍}",
         "scenario.inconsistent", 13, "world.props.笛"),
        ('["off"]', '["off"]\n      edible: soup', "scenario.bad-value", 16, "world.props.ランタン.edible"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line(
    tmp_path: Path, old: str, new: str, error: str, line: int, key: str
) -> None:
    found, details = refused(written(tmp_path, (old, new)))

    assert (found, details["line"], details["key"]) == (error, line, key)


def test_things_are_with_people_and_need_other_things(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        ("櫂: {held_by: 湊}", "櫂: {held_by: 湊}\n    笛: {carried_by: 湊}\n    合羽: {worn_by: 湊}"),
        ('needs: ["off"]', 'needs: ["off", {笛: 鳴る, weather: 霧}]'),
    )
    world = load(path).world
    assert {name: prop.location for name, prop in world.props.items()} == dict.fromkeys(world.props, "舟小屋")
    (way,) = world.props["ランタン"].affordances
    assert (way.needs, way.needs_elsewhere) == (("off",), {"笛": "鳴る", "weather": "霧"})
    jsonschema_rs.validator_for(schema_of(Scenario)).validate(Document.read(path).data)


def test_two_incidents_need_two_ids(tmp_path: Path) -> None:
    path = written(tmp_path, ("incidents:\n", "incidents:\n  - {id: wind, text: また風。}\n"))

    assert refused(path)[1]["key"] == "incidents.1.id"


@pytest.mark.parametrize(
    "told",
    ["{whom}が灯をつけた。", "灯{", "{0}が灯をつけた。", "{who.__class__}", "{who[0]}", "{who!r}", "{who:>999}", "{}"],
)
def test_a_narration_that_could_not_be_told_is_refused(tmp_path: Path, told: str) -> None:
    path = written(tmp_path, ('becomes: ["on"]}', f'becomes: ["on"], told: "{told}"}}'))

    key, details = refused(path)
    assert (key, details["line"]) == ("scenario.bad-value", 17)
    assert details["key"] == "world.props.ランタン.affordances.0.told"


def test_a_thing_that_is_made_is_in_nobodys_hand(tmp_path: Path) -> None:
    path = written(tmp_path, ('becomes: ["on"]}', 'becomes: ["on"], makes: {煤: {held_by: 湊}}}'))

    assert refused(path)[1]["line"] == 17


@pytest.mark.parametrize("name", shipped_scenarios())
def test_every_shipped_scenario_loads_without_fault(name: str) -> None:
    scenario = load(find(name))

    assert scenario.id == name
    assert faults(scenario) == []
    assert problems(scenario.world) == []


def test_the_promised_scenarios_are_shipped() -> None:
    assert {
        "kitchen_morning", "violation_induced", "stall_induced", "detective_office", "treasure_chest", "three_voices",
        "mansion", "tea_room",
    } <= {*shipped_scenarios()}  # fmt: skip


def test_a_scenario_survives_its_own_export(tmp_path: Path) -> None:
    scenario = load(written(tmp_path))

    again = Scenario.model_validate(scenario.model_dump(mode="json", exclude_unset=True))

    assert again.world.hash == scenario.world.hash


@pytest.mark.parametrize("name", ["nowhere", "nowhere.yaml", "some/where", "../escape"])
def test_a_scenario_that_is_not_there_is_told_with_those_that_are(name: str) -> None:
    with pytest.raises(UnknownName) as caught:
        find(name)
    assert caught.value.details["name"] == name
    assert "treasure_chest" in caught.value.details["known"]
