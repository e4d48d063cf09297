"""`hakoniwa runner`: what it says before it takes anything, and when it will not."""

from pathlib import Path

import pytest

from hakoniwa.capabilities.means import DelegateMeans
from hakoniwa.cli import runner as command
from hakoniwa.settings import config_file
from tests.cli.conftest import Run

AGENT = '[delegate.agent]\nargv = ["sh", "-c"]\nenvironment = {KEY = "canary"}\n'


@pytest.fixture(autouse=True)
def served(monkeypatch: pytest.MonkeyPatch) -> list[DelegateMeans]:
    """What it would have become a runner of; it stays what it is."""
    taken: list[DelegateMeans] = []
    monkeypatch.setattr(command, "become_runner", taken.append)
    monkeypatch.setattr(command, "sandbox_version", lambda: 6)
    return taken


def configure(text: str) -> None:
    config_file().parent.mkdir(parents=True, exist_ok=True)
    config_file().write_text(text, encoding="utf-8")


def test_with_nothing_configured_it_says_where_to_write_it(run: Run, served: list[DelegateMeans]) -> None:
    ended = run("runner")
    assert (ended.code, ended.out) == (2, "")
    assert "作業を任せられるプログラムが決まっていません" in ended.err
    assert str(config_file()) in ended.err
    assert served == []


def test_it_says_what_it_takes_and_gives_no_secret_away(run: Run, served: list[DelegateMeans], tmp_path: Path) -> None:
    mine = tmp_path / "bin" / "mine"
    mine.parent.mkdir()
    mine.write_text("#!/bin/sh\n")
    mine.chmod(0o700)
    configure(
        f'{AGENT}[delegate.gone]\nargv = ["/nonexistent/x"]\n[delegate.mine]\nargv = ["{mine}"]\n'
        f'[delegate.seen]\nargv = ["{mine}"]\nreadable = ["{mine.parent}"]\n'
        f'[delegate.free]\nargv = ["{mine}"]\nunconfined = true\n'
    )
    ended = run("runner", "--lang", "en")
    assert ended.code == 0
    assert ended.out.splitlines() == [
        "agent: sh (confined)",
        "gone: /nonexistent/x is not found, so it cannot be given anything.",
        f"mine: {mine} cannot be seen from inside the sandbox, so it cannot be given anything. "
        "Add the folder it is in to readable.",
        f"seen: {mine} (confined)",
        f"free: {mine} (not confined)",
        "Each task is confined to a folder of its own, and writes nowhere but there and where writable says.",
        f"Waiting for tasks (end with Ctrl-C): {tmp_path / 'hakoniwa' / 'delegated'}",
    ]
    assert list(served[0].commands) == ["agent", "gone", "mine", "seen", "free"]


@pytest.mark.parametrize(("more", "code"), [("", 2), ("unconfined = true\n", 0)])
def test_without_a_sandbox_only_what_is_unconfined_is_run(
    more: str, code: int, run: Run, served: list[DelegateMeans], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "sandbox_version", lambda: 0)
    configure(AGENT + more)
    ended = run("runner")
    assert (ended.code, len(served)) == (code, int(code == 0))
    assert "Landlock" in (ended.out if code == 0 else ended.err)


def test_elsewhere_than_on_linux_it_will_not(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command.sys, "platform", "darwin")
    configure(AGENT)
    ended = run("runner")
    assert (ended.code, "Linux" in ended.err) == (2, True)
