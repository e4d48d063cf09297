"""`hakoniwa serve`: where it listens, for whom, and the token of the installation."""

import os
import re
import socket
import stat
import webbrowser
from pathlib import Path
from types import SimpleNamespace

import pytest

from hakoniwa.cli import browser
from hakoniwa.cli import serve as command
from hakoniwa.messages import say
from hakoniwa.service.run import hakoniwa
from tests.cli.conftest import Ended, Run

HOSTS = "HAKONIWA_HOSTS"


@pytest.fixture(autouse=True)
def ports(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The ports it would have served on; nothing is served."""
    found: list[int] = []
    monkeypatch.setattr(command, "_run", lambda door, **_: found.append(door.getsockname()[1]))
    monkeypatch.setattr(os, "environ", dict(os.environ))
    return found


def token_file() -> Path:
    return Path(os.environ["HAKONIWA_HOME"]) / "token"


def token_in(out: str) -> str:
    (found,) = re.findall(r"http://\S+:\d+/\?token=(\S+)", out)
    return str(found)


def served(run: Run, *argv: str) -> Ended:
    """Serve once; the next start is one of another process, which finds no token in its environment."""
    ended = run("serve", "--port", "0", *argv)
    os.environ.pop("HAKONIWA_TOKEN", None)
    return ended


def test_the_address_has_the_token_that_is_made_once_and_kept_to_oneself(run: Run, ports: list[int]) -> None:
    first, second = served(run), served(run)
    assert (first.code, second.code) == (0, 0)
    assert token_in(first.out) == token_in(second.out) == token_file().read_text(encoding="utf-8").strip()
    assert len(token_in(first.out)) >= 32
    assert stat.S_IMODE(token_file().stat().st_mode) == 0o600
    assert f"http://127.0.0.1:{ports[0]}/" in first.out


def test_another_installation_has_another_token(run: Run, tmp_path: Path) -> None:
    one = token_in(served(run).out)
    os.environ["HAKONIWA_HOME"] = str(tmp_path / "another")
    assert token_in(served(run).out) != one


@pytest.mark.parametrize("left", ["", " \n"])
def test_a_file_that_holds_no_token_opens_no_door(run: Run, left: str) -> None:
    token_file().parent.mkdir(parents=True)
    token_file().write_text(left, encoding="utf-8")
    assert token_in(served(run).out) == token_file().read_text(encoding="utf-8").strip() != ""


def test_a_token_that_others_could_read_is_closed_to_them(run: Run) -> None:
    served(run)
    token_file().chmod(0o644)
    served(run)
    assert stat.S_IMODE(token_file().stat().st_mode) == 0o600


def test_a_token_that_is_named_takes_its_place_and_is_not_kept(run: Run) -> None:
    assert token_in(served(run, "--token", "s3cret").out) == "s3cret"
    os.environ["HAKONIWA_TOKEN"] = "another"
    assert token_in(served(run).out) == "another"
    assert not token_file().exists()


def test_the_server_takes_over_what_was_said_on_the_command_line(run: Run) -> None:
    run("serve", "--port", "0", "--token", "s3cret", "--journal", "memory:")
    assert (os.environ["HAKONIWA_TOKEN"], os.environ["HAKONIWA_JOURNAL"]) == ("s3cret", "memory:")
    assert hakoniwa().title == "Hakoniwa"


@pytest.mark.parametrize("lang", ["ja", "en"])
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_for_others_it_must_know_its_names(run: Run, host: str, lang: str) -> None:
    ended = run("serve", "--host", host, "--lang", lang)
    assert ended.code == 2
    assert say("error.serve.no-hosts", lang, host=host) in ended.err


def test_for_others_the_address_has_its_name(run: Run) -> None:
    os.environ[HOSTS] = "garden.example, other.example"
    assert "http://garden.example:" in served(run, "--host", "0.0.0.0").out


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
    for name in (*browser.SCREENS, *browser.FROM_AFAR):
        os.environ.pop(name, None)
    os.environ["DISPLAY"] = ":0"
    monkeypatch.setattr(browser, "sys", machine())
    monkeypatch.setattr(webbrowser, "open", lambda address: found.append(address) or True)
    return found


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_the_page_opens_in_the_browser(run: Run, seen: list[str], lang: str) -> None:
    out = served(run, "--lang", lang).out
    assert [address in out and token_in(address) == token_in(out) for address in seen] == [True]
    assert say("serve.shown", lang) in out


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
    monkeypatch.setattr(browser, "sys", machine(terminal=False))
    assert served(run).code == 0
    assert seen == []


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_some_systems_always_have_a_screen(
    run: Run, seen: list[str], monkeypatch: pytest.MonkeyPatch, platform: str
) -> None:
    del os.environ["DISPLAY"]
    monkeypatch.setattr(browser, "sys", machine(platform=platform))
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


def test_a_token_of_any_letters_fits_into_the_address(run: Run) -> None:
    assert token_in(served(run, "--token", "a&b=c#d 合言葉").out) == "a%26b%3Dc%23d%20%E5%90%88%E8%A8%80%E8%91%89"


def test_whoever_comes_before_the_server_waits(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    listening: list[int] = []
    asked = (socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    monkeypatch.setattr(command, "_run", lambda door, **_: listening.append(door.getsockopt(*asked)))
    served(run)
    assert listening == [1]
