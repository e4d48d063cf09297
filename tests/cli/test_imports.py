"""`hakoniwa import`: what SillyTavern has comes in by name of file, is remembered, and goes out again."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.service.test_imports import BOOK, CARD, CHAT, lines


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    monkeypatch.setenv("HAKONIWA_HOME", str(tmp_path / "home"))
    found = {"card.json": json.dumps(CARD), "book.json": json.dumps(BOOK), "chat.jsonl": lines(CHAT).decode()}
    for name, text in found.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return {name: tmp_path / name for name in found}


def test_card_chat_and_lorebook_are_imported_and_talked_on(run: Run, files: dict[str, Path]) -> None:
    ended = run("import", files["card.json"], files["chat.jsonl"], files["book.json"], "--as", "Aria")
    assert (ended.code, ended.err) == (0, "")
    assert "2件のやりとりを覚えました。" in ended.out
    assert "新しい2件を、シート「Aria」に加えました。" in ended.out
    talked = run("chat", typed="It is black.\n")
    assert "What colour?" in talked.out
    (id,) = [word for word in ended.out.split("「") if word.startswith("Aria-")]
    out = run("export", id.partition("」")[0], "--format", "sillytavern")
    told = [json.loads(line) for line in out.out.splitlines()]
    assert told[1:4] == CHAT[1:]
    assert told[4]["mes"] == "It is black."


def test_a_card_is_talked_with_by_the_command_that_its_import_names(run: Run, files: dict[str, Path]) -> None:
    assert "chat --persona Aria" in run("import", files["card.json"]).out
    assert run("chat", "--persona", "Aria", typed="Hello.\n").code == 0


def test_a_lorebook_wants_a_sheet_and_a_bad_chat_is_named_by_its_line(run: Run, files: dict[str, Path]) -> None:
    run("import", files["card.json"])
    assert run("import", files["book.json"]).code == 2
    files["chat.jsonl"].write_text(lines(CHAT).decode() + "\n{", encoding="utf-8")
    ended = run("import", files["chat.jsonl"])
    assert ended.code == 3
    assert "5行目" in ended.err


def test_who_the_user_is_is_said_once_and_chosen(run: Run, files: dict[str, Path]) -> None:
    run("import", files["card.json"])
    saved = run("me", "save", "Nao", "--description", "A painter.")
    assert (saved.code, "Nao" in saved.out) == (0, True)
    run("me", "save", "Nao", "--description", "A singer.")
    assert run("me", "list").out == "Nao  Nao  A singer.\n"
    assert run("chat", "--me", "nobody").code == 3
    assert run("chat", "--persona", "yana", "--me", "Nao", typed="やあ\n").code == 0
    played = run("play", "tea_room", "--me", "Nao", "--turns", "1", "--seed", "1", typed='/as Nao "Good morning."\n')
    assert (played.code, played.err) == (0, "")
    assert run("me", "delete", "Nao").code == 0
    assert json.loads(run("me", "list", "--json").out) == []


def test_a_garden_goes_out_as_a_file_and_comes_in_where_it_is_not_known(run: Run, tmp_path: Path) -> None:
    here, there = f"sqlite:///{tmp_path / 'here.db'}", f"sqlite:///{tmp_path / 'there.db'}"
    run("play", "kitchen_morning", "--turns", "3", "--seed", "3", "--garden", "asa", "--new", "--journal", here)
    file = tmp_path / "asa.hakoniwa"
    out = run("export", "asa", "-o", file, "--journal", here)
    assert (out.code, out.out) == (0, "")
    assert "やな, あゆ。3ターン、枝1本" in out.err
    ended = run("import", file, "--journal", there)
    assert (ended.code, ended.err) == (0, "")
    assert "play --garden asa" in ended.out
    same = [run("export", "asa", "--format", "jsonl", "--journal", journal).out for journal in (here, there)]
    assert same[0] == same[1]
    file.write_bytes(file.read_bytes()[:-100])
    assert run("import", file, "--journal", there).code == 3
    assert run("export", "asa", "--format", "hakoniwa", "--journal", here).code == 2


def test_a_chat_is_called_something_found_and_deleted(run: Run, files: dict[str, Path]) -> None:
    run("import", files["card.json"], files["chat.jsonl"])
    (found,) = json.loads(run("find", "what COLOUR", "--json").out)
    assert run("label", found["id"], "--title", "Cats", "--tag", "home", "--archive").out == (
        f"{found['id']}  Cats  #home  （しまってあります）\n"
    )
    assert run("label", found["id"], "--tag", "").out == f"{found['id']}  Cats  （しまってあります）\n"
    assert "Cats" in run("find", "colour").out
    kept = run("delete", found["id"], typed="n\n")
    assert ("2件の記録" in kept.err, kept.code) == (True, 0)
    assert run("delete", found["id"], typed="y\n").code == 0
    assert json.loads(run("find", "colour", "--json").out) == []
    assert run("delete", found["id"], "--yes").code == 3
