"""`hakoniwa serve`: where it listens, for whom, and the token of the installation."""

import html
import os
import re
import shutil
import socket
import stat
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from hakoniwa import cli
from hakoniwa.cli import serve
from hakoniwa.cli import serve as command
from hakoniwa.messages import say
from hakoniwa.service.run import hakoniwa
from hakoniwa.settings import config_file
from tests.cli.conftest import Ended, Run

HOSTS = "HAKONIWA_HOSTS"


@pytest.fixture(autouse=True)
def ports(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The ports it would have served on; nothing is served, and a copy is made of what is there meanwhile."""
    found: list[int] = []

    def serve(door: socket.socket, **_: object) -> None:
        found.append(door.getsockname()[1])
        for file in token_file().parent.glob("entrance-*.html"):
            shutil.copy2(file, file.with_name("copy.html"))

    monkeypatch.setattr(command, "_run", serve)
    monkeypatch.setattr(os, "environ", dict(os.environ))
    return found


def token_file() -> Path:
    return Path(os.environ["HAKONIWA_HOME"]) / "token"


def entrance() -> Path:
    """The file for browsers, as it was while the server ran."""
    return token_file().with_name("copy.html")


def token_in(page: Path) -> str:
    """The token that a browser brings along which opens the file."""
    (found,) = re.findall(r"url=http://[^?]+:\d+/\?token=([^\"]+)", page.read_text(encoding="utf-8"))
    return unquote(html.unescape(found))


def served(run: Run, *argv: str) -> Ended:
    """Serve once; the next start is one of another process, which finds no token in its environment."""
    ended = run("serve", "--port", "0", *argv)
    os.environ.pop("HAKONIWA_TOKEN", None)
    return ended


def kept() -> str:
    return token_file().read_text(encoding="utf-8").strip()


def test_the_token_is_made_once_and_kept_to_oneself(run: Run, ports: list[int]) -> None:
    first = served(run)
    token = kept()
    second = served(run)
    assert (first.code, second.code) == (0, 0)
    assert kept() == token
    assert len(token) >= 32
    assert stat.S_IMODE(token_file().stat().st_mode) == 0o600
    assert f"http://127.0.0.1:{ports[0]}/" in first.out
    assert str(token_file()) in first.out
    assert token not in first.out + second.out


def test_a_file_for_its_owner_alone_hands_the_token_to_a_browser(run: Run, ports: list[int]) -> None:
    out = served(run).out
    file = token_file().with_name(f"entrance-{ports[0]}.html")
    assert file.as_uri() in out
    assert token_in(entrance()) == kept()
    assert stat.S_IMODE(entrance().stat().st_mode) == 0o600
    assert not file.exists()


def test_where_no_file_can_be_written_the_address_is_told_all_the_same(run: Run) -> None:
    os.environ |= {"HAKONIWA_TOKEN": "s3cret", "HAKONIWA_HOME": os.devnull}
    ended = run("serve", "--port", "0", "--journal", "memory:")
    assert ended.code == 0
    assert "http://127.0.0.1:" in ended.out
    assert "file:" not in ended.out


def options(command: Any) -> Iterator[str]:
    for one in command.params:
        yield from one.opts
    for inner in getattr(command, "commands", {}).values():
        yield from options(inner)


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_no_secret_is_an_option_of_a_command(name: str) -> None:
    assert not {"--token", "--api-key", "--password"} & set(options(cli.parser(name)))


def test_another_installation_has_another_token(run: Run, tmp_path: Path) -> None:
    served(run)
    one = kept()
    os.environ["HAKONIWA_HOME"] = str(tmp_path / "another")
    served(run)
    assert kept() != one


@pytest.mark.parametrize("left", ["", " \n"])
def test_a_file_that_holds_no_token_opens_no_door(run: Run, left: str) -> None:
    token_file().parent.mkdir(parents=True)
    token_file().write_text(left, encoding="utf-8")
    served(run)
    assert token_in(entrance()) == kept() != ""


def test_a_token_that_others_could_read_is_closed_to_them(run: Run) -> None:
    served(run)
    token_file().chmod(0o644)
    served(run)
    assert stat.S_IMODE(token_file().stat().st_mode) == 0o600


def test_a_token_that_is_named_takes_its_place_and_is_not_kept(run: Run) -> None:
    os.environ["HAKONIWA_TOKEN"] = "another"
    out = served(run).out
    assert token_in(entrance()) == "another"
    assert "another" not in out
    assert not token_file().exists()


def test_the_server_takes_over_what_was_said_on_the_command_line(run: Run) -> None:
    run("serve", "--port", "0", "--journal", "memory:")
    assert (os.environ["HAKONIWA_TOKEN"], os.environ["HAKONIWA_JOURNAL"]) == (kept(), "memory:")
    assert hakoniwa().title == "Hakoniwa"


@pytest.mark.parametrize("lang", ["ja", "en"])
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_for_others_it_must_know_its_names(run: Run, host: str, lang: str) -> None:
    ended = run("serve", "--host", host, "--lang", lang)
    assert ended.code == 2
    assert say("error.serve.no-hosts", lang, host=host) in ended.err


@pytest.mark.parametrize("command", [("serve",), ("gm", "serve")], ids=" ".join)
@pytest.mark.parametrize("lang", ["ja", "en"])
def test_for_others_a_token_must_not_be_short(run: Run, command: tuple[str, ...], lang: str) -> None:
    os.environ |= {HOSTS: "garden.example", "HAKONIWA_TOKEN": "fifteen-letters"}
    ended = run(*command, "--host", "0.0.0.0", "--lang", lang)
    assert ended.code == 2
    assert say("error.serve.weak-token", lang, host="0.0.0.0", least=16) in ended.err


def test_for_others_the_address_has_its_name(run: Run) -> None:
    os.environ[HOSTS] = "garden.example, other.example"
    out = served(run, "--host", "0.0.0.0").out
    assert "http://garden.example:" in out
    assert "file:" not in out


@pytest.mark.parametrize(("lang", "words"), [("ja", "--port で別の番号に"), ("en", "take another one with --port")])
def test_a_port_in_use_is_told(run: Run, lang: str, words: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ended = run("serve", "--port", str(taken.getsockname()[1]), "--lang", lang)
    assert ended.code == 2
    assert words in ended.err


# --- the browser -----------------------------------------------------------------------------------------------------


def machine(terminal: bool = True, platform: str = "linux") -> SimpleNamespace:
    return SimpleNamespace(platform=platform, stdout=SimpleNamespace(isatty=lambda: terminal))


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the browser was told to show, on a machine with a screen of its own."""
    found: list[str] = []
    for name in (*serve.SCREENS, *serve.FROM_AFAR):
        os.environ.pop(name, None)
    os.environ["DISPLAY"] = ":0"
    monkeypatch.setattr(serve, "sys", machine())
    monkeypatch.setattr(webbrowser, "open", lambda address: found.append(address) or True)
    return found


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_the_page_opens_in_the_browser(run: Run, seen: list[str], lang: str) -> None:
    out = served(run, "--lang", lang).out
    (address,) = seen
    assert address in out
    assert (urlsplit(address).scheme, Path(urlsplit(address).path).parent) == ("file", token_file().parent)
    assert say("serve.shown", lang) in out


def test_the_token_stands_on_no_command_line_of_a_browser(run: Run, seen: list[str]) -> None:
    served(run)
    assert len(seen) == 1
    assert kept() not in seen[0]


@pytest.mark.parametrize(
    ("argv", "environment"),
    [
        (["--no-open"], {}),
        ([], {"DISPLAY": ""}),
        ([], {"SSH_CONNECTION": "192.0.2.1 50000 192.0.2.2 22"}),
        (["--host", "0.0.0.0"], {HOSTS: "garden.example"}),
    ],
)
def test_no_browser_opens_where_nobody_would_see_it(
    run: Run, seen: list[str], argv: list[str], environment: dict[str, str]
) -> None:
    os.environ |= environment
    assert served(run, *argv).code == 0
    assert seen == []


def test_no_browser_opens_for_a_program_that_reads_along(
    run: Run, seen: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "sys", machine(terminal=False))
    assert served(run).code == 0
    assert seen == []


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_some_systems_always_have_a_screen(
    run: Run, seen: list[str], monkeypatch: pytest.MonkeyPatch, platform: str
) -> None:
    del os.environ["DISPLAY"]
    monkeypatch.setattr(serve, "sys", machine(platform=platform))
    served(run)
    assert len(seen) == 1


@pytest.mark.parametrize("lang", ["ja", "en"])
@pytest.mark.parametrize("mishap", [False, OSError("no such program"), webbrowser.Error("no browser")])
def test_a_browser_that_does_not_start_is_told(
    run: Run, seen: list[str], monkeypatch: pytest.MonkeyPatch, mishap: Exception | bool, lang: str
) -> None:
    def broken(_: str) -> bool:
        if isinstance(mishap, Exception):
            raise mishap
        return mishap

    monkeypatch.setattr(webbrowser, "open", broken)
    ended = served(run, "--lang", lang)
    assert ended.code == 0
    assert say("serve.not-shown", lang) in ended.out


def test_a_token_of_any_letters_reaches_the_server_as_it_is(run: Run) -> None:
    os.environ["HAKONIWA_TOKEN"] = 'a&b=c#d "><合言葉'
    served(run)
    assert token_in(entrance()) == 'a&b=c#d "><合言葉'


def test_whoever_comes_before_the_server_waits(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    listening: list[int] = []
    asked = (socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    monkeypatch.setattr(command, "_run", lambda door, **_: listening.append(door.getsockopt(*asked)))
    served(run)
    assert listening == [1]


# --- a new token -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_a_new_token_takes_the_place_of_the_old_one(run: Run, lang: str) -> None:
    served(run)
    old = kept()
    ended = run("token", "rotate", "--lang", lang)
    assert (ended.code, ended.out.strip()) == (0, say("token.rotated", lang, path=token_file()))
    assert kept() != old
    assert kept() not in ended.out
    assert len(kept()) >= 32
    assert stat.S_IMODE(token_file().stat().st_mode) == 0o600
    served(run)
    assert token_in(entrance()) == kept()


@pytest.mark.parametrize(
    ("lang", "words"), [("ja", "自分で決めた合言葉（設定ファイル）"), ("en", "you have set (settings file)")]
)
def test_a_token_that_is_set_is_not_for_us_to_change(run: Run, lang: str, words: str) -> None:
    config_file().parent.mkdir(parents=True, exist_ok=True)
    config_file().write_text('token = "s3cret"', encoding="utf-8")
    ended = run("token", "rotate", "--lang", lang)
    assert ended.code == 2
    assert words in ended.err
    assert "s3cret" not in ended.err + ended.out
    assert not token_file().exists()
