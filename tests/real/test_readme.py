"""Every command of the README's tables works as written, one after the other, in a home that is new."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import pytest

from hakoniwa import cli
from hakoniwa.cli.complaint import INTERRUPTED
from hakoniwa.messages import say
from hakoniwa.settings import config_file
from tests.processes import running
from tests.test_docs import READMES, commands, quoted, rows, text_of

HAKONIWA = Path(sys.executable).with_name("hakoniwa")
PATIENCE = 60.0
DELEGATE = '[delegate.sh]\nargv = ["sh", "-c"]\ndashes = false\n'
FILES = {
    "SPEC.yaml": "name: tiny\nscenarios: [stall_induced]\nmodels: [builtin]\nseeds: 1\nturns: 2\n",
    "SHEET.yaml": "display_name: Nana\npersona: Keeps a shop.\n",
    "CARD.json": json.dumps({"name": "Nana", "description": "Keeps a shop.", "personality": "", "scenario": "",
                             "first_mes": "", "mes_example": ""}),
}  # fmt: skip
MEMBERS = [{"internal_id": name, "display_name": name, "short_name": name} for name in ("Ann", "Bob")]

# What is typed for each command; later ones use what earlier ones have made. GARDEN is the one that is played first.
WORDS = {
    "chat": "chat --persona theo",
    "memory search": "memory search tea", "memory show": "memory show", "memory stats": "memory stats",
    "memory compare": "memory compare tea --persona theo --persona marian",
    "autonomy start": "autonomy start", "autonomy status": "autonomy status", "autonomy why": "autonomy why",
    "autonomy digest": "autonomy digest", "autonomy pause": "autonomy pause", "autonomy resume": "autonomy resume",
    "autonomy stop": "autonomy stop", "memory forget": "memory forget EVENT --yes",
    "lab run": "lab run SPEC.yaml --out DIR --workers 1", "lab status": "lab status DIR",
    "lab report": "lab report DIR", "lab gate": "lab gate DIR",
    "doctor": "doctor", "gardens": "gardens", "replay": "replay GARDEN", "branch": "branch GARDEN",
    "export": "export GARDEN", "verify": "verify", "backup": "backup FILE.db", "lint": "lint SHEET.yaml",
    "card import": "card import CARD.json", "card export": "card export SHEET.yaml FILE.json",
    "sanitize": "sanitize '(takes a cup)'", "next-speaker": "next-speaker", "logs sanitizer": "logs sanitizer",
    "logs operation": "logs operation", "logs stall": "logs stall", "logs autonomy": "logs autonomy",
    "token rotate": "token rotate",
    "calls": "calls GARDEN", "config show": "config show", "mcp": "mcp",
}  # fmt: skip
TYPED = {
    "chat": "hello\n",
    "next-speaker": json.dumps({"response_text": "[Next: Bob]", "current_id": "Ann", "members": MEMBERS}),
}
ENDS_WITH = {"doctor": 6}  # no model server is running here, and it says so
SERVING = {
    "serve": ("serve --no-open --port 0", "http://"), "worker": ("worker", say("worker.begun", "en")),
    "runner": ("runner", "Ctrl-C"), "gm serve": ("gm serve --port 0", "http://"),
}  # fmt: skip
AT_THE_PROMPT = {
    "some words": "good morning", "/as": '/as Marian (looks around) "Rain."', "/act": "/act Marian",
    "/drop": "/drop letter", "/ring": "/ring", "/why": "/why", "/next": "/next Theo", "/mute": "/mute Theo",
    "/pin": "/pin Marian", "/undo": "/undo", "/fork": "/fork other", "/save": "/save FILE.md", "/look": "/look",
    "/who": "/who", "/map": "/map", "/pause": "/pause", "/run": "/run", "/step": "/step", "/speed": "/speed 0",
    "/help": "/help", "/quit": "/quit",
}  # fmt: skip


def table(page: Path, first: str) -> list[list[str]]:
    """The rows of the table that has this command in its first column."""
    found = [row for row in rows(text_of(page)) if quoted(row[0])]
    return [row for row in found if quoted(row[0])[0].startswith(first)]


def commands_of(page: Path) -> set[str]:
    """Every command of the table, and those that its second column adds to a group."""
    known, found = {name for name, _ in commands()}, set()
    for row in table(page, "hakoniwa "):
        words = quoted(row[0])[0].split()[1:]
        name = " ".join(words[:2]) if " ".join(words[:2]) in known else words[0]
        more = {f"{words[0]} {word.split()[-1]}" for word in quoted(row[1])} & known
        found |= {name, *more}
    return found


@pytest.mark.parametrize("page", READMES, ids=lambda page: page.name)
def test_every_command_of_the_tables_is_tried_here(page: Path) -> None:
    assert commands_of(page) == WORDS.keys() | SERVING.keys()
    typed = {word.split()[0] for row in table(page, "/") for word in quoted(row[0])}
    assert typed | {"some words"} == AT_THE_PROMPT.keys()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that commands ask for, in a home where nothing was done yet."""
    monkeypatch.setenv("HAKONIWA_LANG", "en")
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    config_file().parent.mkdir(parents=True, exist_ok=True)
    config_file().write_text(DELEGATE, encoding="utf-8")
    return tmp_path


def code_of(place: Path, words: str, typed: str, monkeypatch: pytest.MonkeyPatch) -> int:
    script = place / "typed.txt"
    script.write_text(typed, encoding="utf-8")
    with script.open(encoding="utf-8") as stdin, monkeypatch.context() as patched, patch.dict(os.environ):
        patched.setattr(sys, "stdin", stdin)
        return cli.run(shlex.split(words))


def an_event(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """The number of something that is remembered."""
    capsys.readouterr()
    assert code_of(place, "memory search hello --json", "", monkeypatch) == 0
    return str(json.loads(capsys.readouterr().out)[0]["key"])


def test_the_commands_work_one_after_the_other(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    played = "play tea_room --new --garden GARDEN --turns 2 --speed 0"
    assert code_of(place, played, "", monkeypatch) == 0
    ended = {}
    for name, words in WORDS.items():
        if "EVENT" in words:
            words = words.replace("EVENT", an_event(place, monkeypatch, capsys))
        code = code_of(place, words, TYPED.get(name, ""), monkeypatch)
        ended[name] = "" if code == ENDS_WITH.get(name, 0) else f"{code}: {capsys.readouterr().err}"
    assert {name: told for name, told in ended.items() if told} == {}


def test_what_is_typed_while_it_plays_is_understood(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    played = "play tea_room --new --garden GARDEN --turns 1 --speed 0"
    assert code_of(place, played, "", monkeypatch) == 0
    capsys.readouterr()
    assert code_of(place, "play --garden GARDEN --speed 0", "\n".join(AT_THE_PROMPT.values()), monkeypatch) == 0
    assert capsys.readouterr().err == ""
    assert (place / "FILE.md").is_file()


@pytest.mark.parametrize("name", SERVING)
def test_what_runs_until_it_is_ended_answers_and_ends(place: Path, name: str) -> None:
    words, answer = SERVING[name]
    command = [os.fspath(HAKONIWA), *words.split()]
    with running(command, stderr=subprocess.STDOUT, cwd=place) as process:
        assert process.stdout is not None
        heard = []
        for line in process.stdout:
            heard.append(line)
            if re.search(re.escape(answer), line):
                break
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode in (0, INTERRUPTED), "".join(heard) + rest
