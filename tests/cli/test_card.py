"""Cards on the command line: show, import into a scenario that plays, export; and refusals in plain words."""

import json
from pathlib import Path
from typing import Any

import pytest

from hakoniwa.actor import character
from hakoniwa.actor.cards.read import card_in
from hakoniwa.actor.character import Personality
from tests.actor.deck import packed, pictured
from tests.cli.conftest import Run

FIELDS: dict[str, Any] = {
    "name": "楓",
    "description": "{{char}}は箱が気になる。{{user}}の友人。",
    "first_mes": "「やあ」",
    "mes_example": "{{char}}: *笑う* 「開けてみようか」",
    "creator": "誰か\x1b[31m",
    "creator_notes": "やさしくしてね",
    "system_prompt": "Obey.",
    "tags": ["箱", 5],
    "assets": [{"type": "icon", "uri": "HTTPS://nowhere.example/a.png"}, {"type": "icon", "uri": "embeded://a.png"}, 1],
    "character_book": {"entries": [{"keys": ["箱"], "content": "箱は先代のもの。"}, {"keys": []}]},
    "x_unknown": {"深い": [1, None]},
}
CARD: dict[str, Any] = {"spec": "chara_card_v3", "spec_version": "3.0", "data": FIELDS}


@pytest.fixture
def card(tmp_path: Path) -> Path:
    path = tmp_path / "kaede.png"
    path.write_bytes(pictured([packed("ccv3", json.dumps(CARD).encode())]))
    return path


def test_a_card_is_shown(run: Run, card: Path) -> None:
    ended = run("card", "show", card)
    assert ended.code == 0
    assert ended.out.splitlines()[0] == "楓 (V3, PNG)"
    for words in ("誰か[31m", "やさしくしてね", "素材が1件", "ロアブックの1件は中身がない"):
        assert words in ended.out
    assert "\x1b" not in ended.out


def test_a_card_is_shown_as_data(run: Run, card: Path) -> None:
    shown = json.loads(run("card", "show", card, "--json", "--lang", "en").out)
    notes = shown.pop("notes")
    assert shown == {
        "name": "楓", "nickname": "", "spec": "v3", "container": "png", "creator": "誰か[31m", "version": "",
        "tags": ["箱"], "persona": 28, "greetings": 1, "examples": 1, "lore": 2, "sheet": False,
    }  # fmt: skip
    assert [note.split(":")[0] for note in notes] == ["Note"] * 2


def test_an_imported_character_passes_lint_and_plays(run: Run, card: Path, box: Path) -> None:
    ended = run("card", "import", card, "--to", box.parent, "--name", "kaede2", "--user", "蓬")
    assert ended.code == 0
    assert "楓: {sheet: kaede2}" in ended.out
    sheet = character.load("kaede2", box.parent)
    assert sheet.persona == "{{char}}は箱が気になる。蓬の友人。"
    assert sheet.personality == Personality()
    assert [one.content for one in sheet.lore] == ["箱は先代のもの。"]
    box.write_text(box.read_text(encoding="utf-8").replace("{sheet: kaede}", "{sheet: kaede2}"), encoding="utf-8")
    linted = run("lint", box.parent / "kaede2.yaml", box)
    assert linted.code == 0
    assert "注意" not in linted.out
    played = run("play", box, "--turns", "4", "--json", "--journal", "memory:")
    assert played.code == 0
    assert sum(json.loads(line)["kind"] == "turn" for line in played.out.splitlines() if line.startswith("{")) == 4


def test_a_sheet_is_named_after_its_character_and_overwrites_nothing(
    run: Run, card: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("card", "import", card).code == 0
    assert (tmp_path / "楓.yaml").is_file()
    assert (tmp_path / "楓.card.png").read_bytes() == card.read_bytes()
    again = run("card", "import", card)
    assert again.code == 3
    assert "楓.yaml はもうあります" in again.err
    assert run("card", "import", card, "--force").code == 0
    assert run("card", "import", card, "--name", "../楓").code == 3


def test_a_card_goes_out_as_it_came_in(run: Run, card: Path, tmp_path: Path) -> None:
    run("card", "import", card, "--to", tmp_path, "--name", "kaede")
    sheet = tmp_path / "kaede.yaml"
    assert run("card", "export", sheet, tmp_path / "out.png").code == 0
    assert (tmp_path / "out.png").read_bytes() == card.read_bytes()
    assert run("card", "export", sheet, tmp_path / "out.json").code == 0
    assert json.loads((tmp_path / "out.json").read_bytes()) == CARD


def test_what_was_edited_in_the_sheet_goes_out(run: Run, card: Path, tmp_path: Path) -> None:
    run("card", "import", card, "--to", tmp_path, "--name", "kaede")
    sheet = tmp_path / "kaede.yaml"
    text = sheet.read_text(encoding="utf-8")
    sheet.write_text(text.replace("箱は先代のもの。", "箱は空だ。").replace("grit: 0.5", "grit: 0.9"), encoding="utf-8")
    assert run("card", "export", sheet, tmp_path / "out.png", "--spec", "v2").code == 0
    out = card_in((tmp_path / "out.png").read_bytes())
    assert (out.spec, list(out.texts)) == ("v2", ["chara"])
    assert out.fields["character_book"]["entries"][0]["content"] == "箱は空だ。"
    assert out.fields["extensions"]["hakoniwa"]["sheet"]["personality"] == {"grit": 0.9}
    assert out.fields["x_unknown"] == FIELDS["x_unknown"]


def test_a_sheet_that_comes_with_hakoniwa_becomes_a_card(run: Run, tmp_path: Path) -> None:
    picture = tmp_path / "face.png"
    picture.write_bytes(pictured([]))
    out = tmp_path / "yana.png"
    assert run("card", "export", "yana", out, "--image", picture, "--spec", "v3").code == 0
    assert card_in(out.read_bytes()).fields["name"] == "やな"
    assert run("card", "import", out, "--to", tmp_path / "cast").code == 0
    again = character.load("やな", tmp_path / "cast")
    assert again.model_copy(update={"card": None}) == character.load("yana", tmp_path)


@pytest.mark.parametrize(
    ("argv", "code", "told"),
    [
        (("show", "nothing.png"), 3, "カードを読めません: nothing.png"),
        (("show", "note.txt"), 3, "note.txt はキャラクターカードではありません"),
        (("show", "wrong.json"), 3, "wrong.json description の値 5 が正しくありません: 文字列を書いてください"),
        (("import", "wrong.json"), 3, "文字列を書いてください"),
        (("export", "yana", "out.gif"), 2, "書き出せる形式ではありません: out.gif"),
        (("export", "yana", "out.png", "--spec", "v9"), 2, "v1, v2, v3"),
        (("export", "yana", "out.png", "--image", "note.txt"), 3, "note.txt はPNG画像ではありません"),
        (("export", "nobody", "out.png"), 3, "人物シート「nobody」が見つかりません"),
        (("export", "nobody.yaml", "out.png"), 4, "nobody.yaml"),
        (("export", "yana", "note.png"), 3, "note.png はもうあります"),
    ],
)
def test_refusals_say_what_was_found_and_what_to_do(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...], code: int, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("note.txt", "hello"), ("note.png", "mine"), ("wrong.json", '{"name": "x", "description": 5}')):
        (tmp_path / name).write_text(text, encoding="utf-8")
    ended = run("card", *argv)
    assert (ended.code, ended.out) == (code, "")
    assert told in ended.err
    assert "Traceback" not in ended.err
    assert (tmp_path / "note.png").read_text(encoding="utf-8") == "mine"
