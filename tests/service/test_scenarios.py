"""Scenarios over HTTP: to read, to check while they are written, to keep, and to play; and never another file."""

import json
from pathlib import Path
from typing import Any

import pytest

from hakoniwa.app.user_files import UserFiles
from hakoniwa.stage import scenario as scenarios
from tests.service.door import WholeDoor, refused
from tests.service.plot import IN_ONE_PIECE

MINE = """\
id: mine
title: わたしの台所
world:
  location: {current: 台所}
  locations: {台所: {}}
  characters: {やな: {location: 台所}}
  props: {窓: {location: 台所, fixed: true, state: [closed]}}
cast:
  やな: {sheet: yana}
opening: おはよう。
"""


def linted(door: WholeDoor, text: str, language: str = "ja") -> dict[str, Any]:
    draft = {"text": text, "name": "mine"}
    found: dict[str, Any] = door.post("/v1/scenarios/lint", draft, **{"accept-language": language})
    return found


def test_shipped_scenarios_can_be_read_as_they_are_written(open_door: WholeDoor) -> None:
    listed = open_door.get("/v1/scenarios")
    assert [one["name"] for one in listed] == scenarios.shipped_scenarios()
    tea = next(one for one in listed if one["name"] == "tea_room")
    assert (tea["origin"], tea["language"]) == ("shipped", "en")
    read = open_door.get("/v1/scenarios/tea_room")
    assert read["text"] == scenarios.find("tea_room").read_text(encoding="utf-8")
    assert read["title"] == tea["title"]


def test_ones_own_is_kept_listed_and_played(door: WholeDoor, tmp_path: Path) -> None:
    kept = door.post("/v1/scenarios", {"name": "mine", "text": MINE})
    assert kept["playable"]
    assert (tmp_path / "scenarios" / "mine.yaml").read_text(encoding="utf-8") == MINE
    assert door.get("/v1/scenarios")[-1] == {
        "name": "mine", "origin": "own", "title": "わたしの台所", "description": "", "language": "ja", "shelf": "story",
    }  # fmt: skip
    door.post("/v1/gardens", {"scenario": "mine", "name": "g"})
    assert door.post("/v1/gardens/g/turn", {}, **IN_ONE_PIECE)["who"] == "やな"
    door.post("/v1/scenarios", {"name": "mine", "text": MINE.replace("わたし", "みんな")})
    assert door.get("/v1/scenarios/mine")["title"] == "みんなの台所"


@pytest.mark.parametrize("name", ["台所の夜", "my kitchen", "朝、はじまる。"])
def test_any_name_is_a_title_and_the_id_is_made_from_it(door: WholeDoor, name: str) -> None:
    text = MINE.replace("id: mine", f'id: "{name}"').replace("わたしの台所", name)
    assert door.post("/v1/scenarios/lint", {"name": name, "text": text})["playable"]
    kept = door.post("/v1/scenarios", {"name": name, "text": text})
    assert kept["playable"], kept["flaws"]
    assert door.get(f"/v1/scenarios/{kept['name']}")["title"] == name
    assert door.post("/v1/scenarios", {"name": name, "text": text})["name"] == kept["name"]
    assert door.post("/v1/gardens", {"scenario": kept["name"], "name": "g"})["title"] == name


def test_what_is_not_finished_is_kept_and_said_to_be_so(door: WholeDoor) -> None:
    kept = door.post("/v1/scenarios", {"name": "draft", "text": "title: まだ\n"})
    assert not kept["playable"]
    assert door.get("/v1/scenarios/draft")["text"] == "title: まだ\n"
    refused(door.send(b'{"scenario": "draft"}', "/v1/gardens"), 422)


FLAWS: dict[str, tuple[str, str, int, str, str]] = {
    "a misspelt key": ("fixed:", "fixde:", 7, "fixde", "scenario.unknown-key"),
    "not YAML": ("cast:", "cast: [", 10, "opening", "scenario.not-yaml"),
    "a world that does not add up": ("台所, fixed", "居間, fixed", 7, "location", "scenario.inconsistent"),
    "a bare boolean": ("[closed]", "[off]", 7, "props", "scenario.bare-boolean"),
    "a sheet that is nowhere": ("sheet: yana", "sheet: nobody", 9, "sheet", "unknown.sheet"),
}


@pytest.mark.parametrize("flaw", FLAWS)
def test_what_is_wrong_is_told_with_its_place(open_door: WholeDoor, flaw: str) -> None:
    old, new, line, word, key = FLAWS[flaw]
    text = MINE.replace(old, new, 1)
    found = linted(open_door, text)
    assert not found["playable"]
    (told,) = found["flaws"]
    assert (told["grade"], told["file"], told["line"], told["key"]) == ("error", "mine.yaml", line, key)
    assert text.splitlines()[line - 1][told["column"] - 1 :].startswith(word)
    assert told["message"]


def test_what_only_looks_wrong_is_a_warning_in_ones_own_language(open_door: WholeDoor) -> None:
    wish = "{name: 剣がほしい, kind: gain, strength: 0.5, goal: {holding: 剣}}"
    text = MINE.replace("{sheet: yana}", f"{{sheet: yana, desires: [{wish}]}}")
    ja, en = (linted(open_door, text, language) for language in ("ja", "en"))
    assert ja["playable"]
    warned = [one for one in ja["flaws"] if one["key"] == "lint.unknown-thing"]
    assert [(one["grade"], one["line"]) for one in warned] == [("warning", 9)]
    assert "剣" in warned[0]["message"]
    assert warned[0]["message"] not in [one["message"] for one in en["flaws"]]


def test_every_shipped_scenario_passes(open_door: WholeDoor) -> None:
    for name in ("tea_room", "kitchen_morning"):
        text = open_door.get(f"/v1/scenarios/{name}")["text"]
        assert open_door.post("/v1/scenarios/lint", {"text": text, "name": name})["playable"]


HOSTILE = [
    "../outside", "..", ".hidden", "a/b", "a\\b", "/etc/passwd", "con", "nul.yaml", "a\x00b", "a:b", "~root", "x" * 65,
    "", "mine\n", "ﾐ/../ﾐ",
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_that_leads_elsewhere_is_none(open_door: WholeDoor, house: Path, name: str) -> None:
    (house / "outside.yaml").write_text(MINE, encoding="utf-8")
    response = open_door.send(json.dumps({"name": name, "text": MINE}).encode(), "/v1/scenarios")
    assert response.status_code == 422
    response = open_door.send(json.dumps({"scenario": name}).encode(), "/v1/gardens")
    assert response.status_code in (404, 422)
    assert {path.name for path in house.rglob("*") if path.is_file()} == {"outside.yaml"}


@pytest.mark.parametrize("sheet", ["../../outside", "/etc/hosts", "..", "a/../b"])
def test_nor_does_a_sheet_that_a_scenario_names(door: WholeDoor, tmp_path: Path, sheet: str) -> None:
    (tmp_path / "outside.yaml").write_text("display_name: 秘密\npersona: 誰にも言うな。\n", encoding="utf-8")
    found = linted(door, MINE.replace("sheet: yana", f'sheet: "{sheet}"'))
    assert [one["key"] for one in found["flaws"]] == ["unknown.sheet"]
    assert "秘密" not in json.dumps(found, ensure_ascii=False)
    door.post("/v1/scenarios", {"name": "evil", "text": MINE.replace("sheet: yana", f'sheet: "{sheet}"')})
    refused(door.send(b'{"scenario": "evil"}', "/v1/gardens"), 404)


@pytest.mark.parametrize("path", ["..%2foutside", "%2e%2e%2foutside", "..%5coutside", "outside.yaml%00"])
def test_nor_does_an_address(open_door: WholeDoor, house: Path, path: str) -> None:
    (house / "outside.yaml").write_text(MINE, encoding="utf-8")
    assert open_door.send(b"", f"/v1/scenarios/{path}", "GET").status_code in (404, 422)


def test_complaints_name_no_place_on_this_machine(door: WholeDoor, tmp_path: Path) -> None:
    folder = tmp_path / "scenarios"
    folder.mkdir()
    (folder / "broken.yaml").write_bytes(b"\xff\xfe title")
    (folder / "wrong.yaml").write_text("title: [", encoding="utf-8")
    for name in ("broken", "wrong"):
        told = refused(door.send(json.dumps({"scenario": name}).encode(), "/v1/gardens"), 422)
        assert str(tmp_path) not in told["detail"]
        assert f"{name}.yaml" in told["detail"]


def test_what_comes_with_hakoniwa_stays_as_it_is(open_door: WholeDoor) -> None:
    response = open_door.send(json.dumps({"name": "tea_room", "text": MINE}).encode(), "/v1/scenarios")
    assert refused(response, 409)["key"] == "shelf.shipped"


def test_there_is_a_limit_to_what_is_kept(door: WholeDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hakoniwa.app.user_files.MOST_OWN", 1)
    door.post("/v1/scenarios", {"name": "one", "text": MINE})
    door.post("/v1/scenarios", {"name": "one", "text": MINE})
    response = door.send(json.dumps({"name": "two", "text": MINE}).encode(), "/v1/scenarios")
    assert refused(response, 409)["key"] == "shelf.full"
    refused(door.send(json.dumps({"name": "big", "text": "#" * (256 * 1024 + 1)}).encode(), "/v1/scenarios"), 422)


def test_an_alias_of_aliases_and_a_deep_nest_are_refused(open_door: WholeDoor) -> None:
    bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{new}: &{new} [{', '.join(['*' + old] * 10)}]\n" for old, new in zip("abcdef", "bcdefg", strict=True)
    )
    for text in (bomb, "[" * 2_000):
        assert not linted(open_door, text)["playable"]


def test_the_shelf_knows_its_own(tmp_path: Path) -> None:
    shelf = UserFiles(tmp_path)
    shelf.save("mine", MINE)
    assert shelf.scenarios()[-1] == ("mine", "own")
