"""What is in a stranger's file may be quoted, but never steers the terminal that shows it."""

import json
import re
import struct
import zipfile
import zlib
from io import BytesIO
from pathlib import Path

import pytest
from rich.text import Text

import hakoniwa.cli
from hakoniwa.actor.cards import containers
from hakoniwa.cli.screen import Screen
from hakoniwa.cli.terminal import Terminal
from tests.actor.deck import pictured
from tests.cli.conftest import Ended, Run

EVIL = "\x1b]0;pwned\x07\x1b[2J\x9b2J\x7f\u202e"
QUOTED = '"a\\e]0;pwned\\a\\e[2J\\x9b2J\\x7f\\u202e"'  # the same, as YAML spells it
STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def steering(ended: Ended) -> list[str]:
    return STEERING.findall(ended.out + ended.err)


YAML = {
    "a key": f"{QUOTED}: 1\n",
    "a key twice": f"{QUOTED}: 1\n{QUOTED}: 2\n",
    "a key further in": f"id: a\ntitle: t\nworld: {{{QUOTED}: 1}}\n",
    "a value": f"id: {QUOTED}\ntitle: {QUOTED}\nlanguage: {QUOTED}\n",
    "names": f"id: a\ntitle: t\nworld: {{location: {{current: {QUOTED}}}}}\ncast: {{{QUOTED}: {{sheet: {QUOTED}}}}}\n",
    "a tag": "title: !e%1b%5b2J x\n",
    "an alias": f"a: *x{EVIL[-1]}\n",
    "an anchor": "a: &\x85 1\n",
}


@pytest.mark.parametrize("kind", YAML)
@pytest.mark.parametrize(
    "words",
    [
        ("lint",), ("lint", "--json"), ("play", "--model", "builtin", "--turns", "1"), ("lab", "run", "--check"),
        ("chat", "--model", "builtin", "--new", "--persona"), ("card", "export", "--force", "out.json"), ("gm", "step"),
        ("play", "--json", "--model", "builtin", "--turns", "1"), ("card", "show"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_yaml(kind: str, words: tuple[str, ...], run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "evil.yaml"
    file.write_text(YAML[kind], encoding="utf-8")
    placed = [*words[:-1], str(file), words[-1]] if words[-1] == "out.json" else [*words, str(file)]
    ended = run(*placed)
    assert steering(ended) == []
    assert ended.out + ended.err


def cards() -> dict[str, bytes]:
    """Cards that quote something evil in every place that a command shows or complains of."""
    icon = {"type": "icon", "name": "main", "uri": f"embeded://{EVIL}", "ext": "png"}
    fields = {"name": f"A{EVIL}", "description": EVIL, "creator": EVIL, "tags": [EVIL], "extensions": {EVIL: EVIL}}
    book = {"entries": [{"keys": [f"{EVIL}("], "use_regex": True, "content": EVIL, "name": EVIL}], EVIL: 1}
    framed = {"spec": "chara_card_v2", "spec_version": "2.0", "data": {**fields, "character_book": book, EVIL: EVIL}}
    body = b"\x1b[2Jx"
    broken = struct.pack(">I", 1) + body + struct.pack(">I", zlib.crc32(body) ^ 1)
    plain = pictured([])
    return {
        "fields.json": json.dumps(framed).encode(),
        "spec.json": json.dumps({"spec": EVIL, "data": {}}).encode(),
        "type.json": json.dumps({"spec": "chara_card_v2", "data": {**fields, "description": 5}}).encode(),
        "chunk.png": plain[:33] + broken + plain[33:],
        "text.png": pictured([containers.Chunk(b"zTXt", b"chara\0\0\x1b")]),
        "icon.charx": archive({"name": "A", "assets": [icon]}),
    }


def archive(fields: dict[str, object]) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as target:
        target.writestr("card.json", json.dumps({"spec": "chara_card_v3", "spec_version": "3.0", "data": fields}))
        target.writestr(EVIL, containers.PNG_SIGNATURE + b"x" * 50)
    return out.getvalue().replace(b"x" * 50, b"y" * 50)


@pytest.mark.parametrize("words", [("card", "show"), ("card", "show", "--json"), ("card", "import")], ids=" ".join)
@pytest.mark.parametrize("name", list(cards()))
def test_cards(name: str, words: tuple[str, ...], run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / name
    file.write_bytes(cards()[name])
    ended = run(*words, str(file))
    assert steering(ended) == []
    assert ended.out + ended.err
    if "--json" in words and not ended.code:
        assert json.loads(ended.out)["creator"]


REQUESTS = {
    "gm step": {"session_id": EVIL, "turn_number": 0, "speaker": EVIL, "raw_output": EVIL, "world_state": {EVIL: EVIL}},
    "sanitize": {"output_text": f"（傘{EVIL}を差す）「{EVIL}」", "scene_items": [EVIL]},
    "next-speaker": {"current_id": EVIL, "text": EVIL, "cast": [{EVIL: EVIL}]},
}


@pytest.mark.parametrize("command", REQUESTS)
def test_requests_on_a_pipe_are_answered_with_json(command: str, run: Run) -> None:
    requests = [json.dumps(REQUESTS[command], ensure_ascii=plain) for plain in (True, False)]
    ended = run(*command.split(), "--jsonl", typed="\n".join([*requests, f"{{{EVIL}", f'{{"{EVIL}": 1}}']) + "\n")
    assert steering(ended) == []
    assert all(json.loads(line) for line in ended.out.splitlines())


def test_a_line_to_be_sanitized(run: Run) -> None:
    assert steering(run("sanitize", f"（傘{EVIL}を差す）「{EVIL}\tや」", "--scene", EVIL)) == []


@pytest.mark.parametrize(
    "command",
    [
        "gardens", "replay g", "replay g --json", "export g", "export g --format jsonl", "export g --format html",
        "calls g", "verify g", "branch g", "logs sanitizer", "logs sanitizer --json",
    ],
)  # fmt: skip
def test_what_was_said_in_a_garden(command: str, run: Run, box: Path) -> None:
    box.write_text(box.read_text(encoding="utf-8").replace("箱のある部屋", '"箱\\e[2J\\x9b"'), encoding="utf-8")
    played = run("play", str(box), "--model", "builtin", "--turns", "1", "--garden", "g", "--new", typed=f"{EVIL}\n")
    ended = run(*command.split())
    assert steering(played) + steering(ended) == []
    assert (ended.code, bool(ended.out)) == (0, True)


@pytest.mark.parametrize("words", [[EVIL], ["play", EVIL], ["card", "show", EVIL], ["lint", EVIL], ["export", EVIL],
                                   ["play", f"--{EVIL}"], ["chat", "--persona", EVIL], ["verify", EVIL]])  # fmt: skip
def test_what_was_pasted_onto_the_command_line(words: list[str], run: Run) -> None:
    ended = run(*words)
    assert steering(ended) == []
    assert ended.code


def test_settings(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "config.toml"
    monkeypatch.setenv("HAKONIWA_CONFIG", str(config))
    for text in ('model = "\\u001b[2J"', '"\\u001b[2J" = 1', 'lang = "\\u001b[2J"', "\x1b[2J", 'model = "\\u009b"'):
        config.write_text(text, encoding="utf-8")
        assert steering(run("config", "show")) == []
        assert steering(run("config", "show", "--json")) == []


def test_data_stay_what_they_are(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(json.dumps({"name": "A", "description": "d", "creator": "\x9b"}).encode())
    config = json.loads(run("config", "show", "--json").out)
    assert {one["name"] for one in config} >= {"home", "journal"}
    assert json.loads(run("card", "show", "--json", str(file)).out)["name"] == "A"


def test_colours_of_ours_stay_where_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    screen = Screen()
    with screen.capture() as shown:
        screen.print(Text.assemble(("a\x1b[2J", "bold"), "b\x9b"), "c\x07d", soft_wrap=True)
    assert shown.get() == "\x1b[1ma\ufffd[2J\x1b[0mb\ufffd cd\n"


def test_a_text_keeps_its_lines_and_tabs(capsys: pytest.CaptureFixture[str]) -> None:
    Terminal("ja").print("a\tb\nc\x1b[2Jd")
    Terminal("ja").complain("e\x07")
    assert capsys.readouterr() == ("a\tb\nc[2Jd\n", "e\n")


def test_nothing_is_printed_by_another_door() -> None:
    """What is printed goes through the terminal or the screen; a bar of progress has only words of ours."""
    other = re.compile(r"(?<![\w.])print\(|\bConsole\(|\becho\(|\bstd(?:out|err)\.write")
    folder = Path(hakoniwa.cli.__file__).parent
    found = {str(file.relative_to(folder)) for file in folder.rglob("*.py") if other.search(file.read_text("utf-8"))}
    assert found == {"terminal.py", "screen.py", "progress.py"}
