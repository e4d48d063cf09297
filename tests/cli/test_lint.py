"""Linting: what ships is clean, mistakes are pointed at, and oversights are warned of."""

import json
from pathlib import Path

import jsonschema_rs
import pytest

from hakoniwa.actor import character
from hakoniwa.cli.lint import schema_text
from hakoniwa.stage import scenario as scenarios
from hakoniwa.stage.document import Document
from tests.cli.conftest import Run

PUBLISHED = {
    "scenario": scenarios.find(scenarios.shipped_scenarios()[0]).with_name("schema.json"),
    "sheet": character.find(character.shipped_sheets()[0], Path("nowhere")).with_name("schema.json"),
}


def test_everything_that_ships_is_sound(run: Run) -> None:
    findings = json.loads(run("lint", "--json").out)
    assert len(findings) == len(scenarios.shipped_scenarios()) + len(character.shipped_sheets())
    assert [one["file"] for one in findings if not one["ok"]] == []


def test_a_scenario_and_a_sheet_are_found_by_name(run: Run) -> None:
    ended = run("lint", "kitchen_morning", "yana")
    assert ended.code == 0
    assert [line.rpartition("/")[2] for line in ended.out.splitlines()] == ["kitchen_morning.yaml: OK", "yana.yaml: OK"]


def test_mistakes_have_a_place_and_a_code(run: Run, box: Path) -> None:
    box.write_text(box.read_text(encoding="utf-8").replace("turns: 4", "turns: many"), encoding="utf-8")
    ended = run("lint", box)
    assert ended.code == 3
    assert f"{box}:5 turns の値 'many' が正しくありません: 整数を書いてください" in ended.out


OVERSIGHTS = {
    "no-answer": ("phrasebook:", "phrasebook:\n  topics: {sky: {ask: [晴れる？]}}", "話題「sky」を蓬に尋ねますが"),
    "unknown-verb": ("verb: 開ける", "verb: 蒸発させる", "動詞「蒸発させる」は、辞書にもアフォーダンスにもありません"),
    "unknown-thing": ("target: 箱", "target: 金庫", "「金庫」は、どこにもなく、だれも作りません"),
    "same-name": ("display_name: 楓", "display_name: 蓬", "楓と蓬の表示名がどちらも「蓬」です"),
    "same-name-elsewhere": (
        "display_name: 楓",
        "display_name: 楓\ndisplay_names: [蓬]",
        "楓と蓬の表示名がどちらも「蓬」です",
    ),
    "no-phrasebook": ('phrasebook:\n  do: {"*": ["よし、やるか。"]}', "", "楓のシートに台詞集（phrasebook）が"),
}


@pytest.mark.parametrize("kind", OVERSIGHTS)
def test_oversights_are_warned_of(run: Run, box: Path, kind: str) -> None:
    before, after, told = OVERSIGHTS[kind]
    assert "注意" not in run("lint", box).out
    sheet = box.with_name("kaede.yaml")
    text = sheet.read_text(encoding="utf-8")
    assert before in text
    sheet.write_text(text.replace(before, after), encoding="utf-8")
    ended = run("lint", box)
    assert ended.code == 0
    assert told in ended.out


def test_a_goal_of_the_scenario_is_looked_at_too(run: Run, box: Path) -> None:
    text = box.read_text(encoding="utf-8")
    box.write_text(f"{text}goal: {{state: {{宝石: open}}}}\n", encoding="utf-8")
    assert f"{box}:17 注意: 目的にある「宝石」は、どこにもなく、だれも作りません。" in run("lint", box).out


def test_what_is_needed_of_other_things_is_looked_at_too(run: Run, box: Path) -> None:
    text = box.read_text(encoding="utf-8")
    box.write_text(text.replace("[開ける, 閉める]", "[{verb: 開ける, needs: {護符: 光る}}]"), encoding="utf-8")
    assert "「窓」にできることは「護符」の状態しだいですが、それはどこにもなく" in run("lint", box).out


def test_a_picture_that_there_is_not_is_named_with_those_near_it(run: Run, box: Path) -> None:
    text = box.read_text(encoding="utf-8")
    for picture, told in (("teapod", "「窓」の絵「teapod」はありません（近い名前: teapot"), ("teapot", "OK")):
        box.write_text(text.replace("[開ける, 閉める]", f"[開ける, 閉める], picture: {picture}"), encoding="utf-8")
        assert told in run("lint", box).out


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_schema_is_the_one_in_force(run: Run, name: str) -> None:
    printed = run("lint", "--schema", name).out
    hint = f"regenerate it: hakoniwa lint --schema {name} > {PUBLISHED[name].name}"
    assert PUBLISHED[name].read_text(encoding="utf-8") == printed, hint


@pytest.mark.parametrize(
    ("name", "path"),
    [
        *(("scenario", scenarios.find(name)) for name in scenarios.shipped_scenarios()),
        *(("sheet", character.find(name, Path("nowhere"))) for name in character.shipped_sheets()),
    ],
    ids=lambda value: value if isinstance(value, str) else value.stem,
)
def test_what_ships_follows_the_schema(name: str, path: Path) -> None:
    jsonschema_rs.validator_for(json.loads(schema_text(name))).validate(Document.read(path).data)


def test_the_schema_refuses_what_the_loader_refuses(box: Path) -> None:
    validator = jsonschema_rs.validator_for(json.loads(schema_text("scenario")))
    data = Document.read(box).data
    assert validator.is_valid(data)
    assert not validator.is_valid({**data, "turns": 0})
    assert not validator.is_valid({**data, "ending": "none"})
