"""`hakoniwa worker`: whom it looks after, how it ends, and what it says where it cannot begin."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hakoniwa.app.autonomy import ModelFinder
from hakoniwa.cli import workers as command
from hakoniwa.cli.terminal import Terminal
from hakoniwa.errors import ModelUnavailable
from hakoniwa.journal import Journal
from hakoniwa.journal.sql import SqlJournal
from hakoniwa.llm import ChatModel
from hakoniwa.memory.store import Memories
from hakoniwa.messages import say
from tests.autonomy.cottage import Cottage, Idle, Puppet
from tests.cli.conftest import Run

LOOKS_AFTER = {"name": "ミナ", "chat": "chat-mina", "branch": "main"}


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> Idle:
    hired = Idle()
    monkeypatch.setattr(command, "worker_of", lambda *_: hired)
    monkeypatch.setattr(command, "LOOKS", 0.02)
    return hired


@pytest.fixture
def journal() -> Iterator[Journal]:
    home = Path(os.environ["HAKONIWA_HOME"])
    home.mkdir(parents=True)
    with closing(SqlJournal(f"sqlite:///{home / 'journal.db'}")) as kept:
        Cottage({"chat-mina": None}, journal=kept)
        yield kept


def once_said(monkeypatch: pytest.MonkeyPatch, *steps: tuple[str, Callable[[], Any]]) -> None:
    """Do this when that line has been printed, one step after the other."""
    left, original = list(steps), Terminal.print

    def prints(self: Terminal, text: str) -> None:
        original(self, text)
        if left and text == say(f"worker.{left[0][0]}", "ja", **LOOKS_AFTER):
            left.pop(0)[1]()

    monkeypatch.setattr(Terminal, "print", prints)


def ended_by(name: signal.Signals) -> Callable[[], None]:
    return lambda: os.kill(os.getpid(), name)


@pytest.mark.parametrize("name", [signal.SIGTERM, signal.SIGINT])
def test_it_works_until_it_is_told_to_end_and_leaves_in_order(
    run: Run, idle: Idle, journal: Journal, monkeypatch: pytest.MonkeyPatch, name: signal.Signals
) -> None:
    before = signal.getsignal(name)
    once_said(monkeypatch, ("nobody", ended_by(name)))
    ended = run("worker")
    assert (ended.code, idle.notes) == (0, ["start", "close"])
    assert ended.out.splitlines() == [say(f"worker.{key}", "ja") for key in ("begun", "nobody", "ended")]
    assert signal.getsignal(name) is before


def test_it_says_whom_it_looks_after_whenever_that_changes(
    run: Run, idle: Idle, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    memories = Memories(journal)
    once_said(
        monkeypatch,
        ("nobody", lambda: memories.live("chat-mina", "main", True)),
        ("looks-after", lambda: memories.live("chat-mina", "main", False)),
        ("nobody", ended_by(signal.SIGTERM)),
    )
    shown = [("begun", {}), ("nobody", {}), ("looks-after", LOOKS_AFTER), ("left", LOOKS_AFTER), ("nobody", {})]
    assert run("worker").out.splitlines()[:-1] == [say(f"worker.{key}", "ja", **more) for key, more in shown]


def test_for_a_journal_that_is_forgotten_there_is_no_worker(run: Run) -> None:
    ended = run("worker", "--journal", "memory:")
    assert ended.code == 2
    assert say("error.autonomy.no-journal", "ja") in ended.err


# --- a model for it --------------------------------------------------------------------------------------------------


def test_a_model_that_is_nowhere_is_not_looked_for_at_every_beat() -> None:
    time, asked = [0.0], []

    def nowhere() -> ChatModel | None:
        asked.append(time[0])
        if len(asked) == 2:
            raise ModelUnavailable("find.silent", url="http://127.0.0.1:1/v1")
        return Puppet() if len(asked) == 3 else None

    seek = ModelFinder(nowhere, again=30, clock=lambda: time[0])
    found = []
    for second in range(70):
        time[0] = float(second)
        found.append(seek())
        if found[-1]:
            break
    assert asked == [0, 30, 60]
    assert [second for second, one in enumerate(found) if one] == [60]
