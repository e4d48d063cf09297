"""`hakoniwa memory`: found, shown, counted, compared and forgotten, for people and as JSON."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from hakoniwa.messages import say
from tests.cli.conftest import Run
from tests.cli.test_chat import SHEET

CANARY = "かなりやのぴいちゃん"


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of whoever told Mina three things, once somebody has."""
    return tmp_path_factory.mktemp("told") / "home"


@pytest.fixture(autouse=True)
def chat(run: Run, told: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mina has been told three things."""
    monkeypatch.setenv("HAKONIWA_EMBEDDER", "none")
    home = Path(os.environ["HAKONIWA_HOME"])
    if not told.exists():
        path = tmp_path / "mina.yaml"
        path.write_text(SHEET.format(persona="古道具屋の店主。"), encoding="utf-8")
        run("chat", "--persona", path, "--chat", "c", "--new", typed=f"紅茶を飲んだ\n鳥は{CANARY}\n雨が降っている\n")
        home.rename(told)
    shutil.copytree(told, home)


def data(run: Run, *argv: str) -> Any:
    ended = run("memory", *argv, "--json")
    assert ended.code == 0, ended.err
    return json.loads(ended.out)


def test_search_finds_words(run: Run) -> None:
    assert data(run, "search", "紅茶")[0]["key"] == 1
    assert len(data(run, "search", "紅茶", "--limit", "1")) == 1
    first = run("memory", "search", "紅茶").out.splitlines()[0]
    assert first.startswith("出来事1　")
    assert "紅茶を飲んだ" in first


def test_search_says_when_there_is_nothing(run: Run) -> None:
    run("chat", "--new", "--chat", "empty", "--persona", "ayu")
    assert say("chat.memory-none", "en") in run("memory", "search", "紅茶", "--of", "empty", "--lang", "en").out
    assert data(run, "search", "紅茶", "--of", "empty") == []


def test_show_has_what_is_held_and_one_event(run: Run) -> None:
    assert set(data(run, "show")) == {"persona", "mood", "felt", "interest", "states", "preferences", "goals"}
    assert "ミナはいま" in run("memory", "show").out
    assert data(run, "show", "2")["memory"]["user_text"] == f"鳥は{CANARY}"
    shown = run("memory", "show", "2").out
    assert shown.startswith("出来事2　")
    assert CANARY in shown


def test_stats_count(run: Run) -> None:
    assert data(run, "stats")["events"] == 3
    assert "出来事: 3" in run("memory", "stats").out
    assert "events: 3" in run("memory", "stats", "--lang", "en").out


def test_forget_purges_and_says_what_is_gone(run: Run, tmp_path: Path) -> None:
    assert _holds(tmp_path)
    gone = data(run, "forget", "2", "--yes")
    assert (gone["events"], gone["rows"], gone["traces"]) == (1, 1, False)
    assert not _holds(tmp_path)
    assert data(run, "stats")["events"] == 2
    assert run("verify", "c").code == 0
    assert "出来事1件" in run("memory", "forget", "1", "--yes").out


def _holds(folder: Path) -> bool:
    files = [one for one in (folder / "hakoniwa").rglob("*") if one.is_file()]
    return any(CANARY.encode() in one.read_bytes() for one in files)


def test_compare_puts_two_minds_side_by_side(run: Run) -> None:
    made = data(run, "compare", "紅茶", "--persona", "ayu")
    assert 0.0 <= made["overlap"] <= 1.0
    assert made["one"]["by"] == "rule"
    out = run("memory", "compare", "紅茶", "--persona", "ayu").out
    assert out.startswith("ミナ")
    assert "│ あゆ" in out.splitlines()[0]
    assert "二人が共に思い出すもの" in out
    both = run("memory", "compare", "紅茶", "--persona", "ayu", "--persona", "yana").out.splitlines()[0]
    assert both.startswith("あゆ")
    assert both.endswith("│ やな")


@pytest.mark.parametrize("lang", ["ja", "en"])
@pytest.mark.parametrize(
    ("argv", "code", "key", "details"),
    [
        (["forget", "2"], 2, "memory.needs-yes", {}),
        (["forget", "99", "--yes"], 3, "ghost.no-event", {"id": 99}),
        (["show", "99"], 3, "ghost.no-event", {"id": 99}),
        (["stats", "--of", "nowhere"], 3, "unknown.garden", {"name": "nowhere", "known": ""}),
        (["stats", "--who", "nobody"], 3, "unknown.character", {"name": "nobody", "known": ""}),
        (["stats", "--branch", "nowhere"], 3, "unknown.branch", {"name": "nowhere", "known": ""}),
        (["compare", "x", *["--persona", "ayu"] * 3], 2, "memory.two-personas", {}),
        (["compare", "x", "--persona", "nobody"], 3, "unknown.sheet", {"name": "nobody", "known": ""}),
        (["search"], 2, "usage.missing", {"name": "WORDS"}),
        (["forget"], 2, "usage.missing", {"name": "EVENT..."}),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, list) else str(one)[:20],
)
def test_what_cannot_be_is_told_in_the_users_language(
    run: Run, argv: list[str], code: int, key: str, details: dict[str, Any], lang: str
) -> None:
    ended = run("memory", *argv, "--lang", lang)
    assert ended.code == code, ended.err
    assert say(f"error.{key}", lang, **details).split("\n")[0] in ended.err
    assert data(run, "stats")["events"] == 3


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_where_nobody_ever_talked_there_is_no_memory(run: Run, lang: str) -> None:
    ended = run("memory", "stats", "--journal", "memory:", "--lang", lang)
    assert ended.code == 3
    assert ended.err


@pytest.mark.parametrize("command", [("memory", "stats"), ("autonomy", "status")])
def test_where_nobody_was_talked_with_it_is_said_how_to_begin(run: Run, command: tuple[str, str]) -> None:
    shutil.rmtree(os.environ["HAKONIWA_HOME"])
    ended = run(*command, "--lang", "en")
    assert (ended.code, say("error.unknown.no-chat", "en") in ended.err) == (3, True)
