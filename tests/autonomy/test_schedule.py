"""When the scheduler looks again: when something falls due, or was written."""

import threading
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from hakoniwa.autonomy.schedule import UNFORESEEN, Scheduler, next_due
from hakoniwa.journal.open import open_journal
from tests.autonomy.cottage import NOON, Cottage, Puppet
from tests.jobs.contract import until

CHAT = "chat-mina"


def test_the_next_look_is_when_the_next_thing_falls_due_and_within_a_minute() -> None:
    home = Cottage({CHAT: Puppet()}).home(CHAT, "main")
    home.doings.control("start", NOON)
    beat = home.manners.heartbeat
    found = [next_due(home.doings, home.manners, NOON + after) - NOON for after in (timedelta(0), beat * 0.99, beat)]
    assert found == [UNFORESEEN, beat, beat + UNFORESEEN]


def test_what_is_written_wakes_the_scheduler_and_nothing_else_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_journal(f"sqlite:///{tmp_path / 'journal.db'}")) as journal:
        cottage = Cottage({CHAT: Puppet()}, journal=journal)
        monkeypatch.setattr(Cottage, "change_sign", lambda _: journal.database.change_sign(), raising=False)
        cottage.home(CHAT, "main").doings.control("start", NOON)
        beats: list[int] = []
        monkeypatch.setattr(Scheduler, "beat", lambda self: _quiet_beat(self, beats))
        threading.Event().wait(0.1)  # what was written a moment ago may be followed by more in the same tick
        scheduler = Scheduler(cottage, cottage.jobs, pulse=0.01)
        scheduler.start()
        until(lambda: beats)
        threading.Event().wait(0.3)
        assert len(beats) == 1
        cottage.home(CHAT, "main").doings.prompt(NOON)
        until(lambda: len(beats) > 1)
        scheduler.stop()


def _quiet_beat(scheduler: Scheduler, beats: list[int]) -> int:
    scheduler._busy, scheduler._seconds = False, 60.0
    beats.append(1)
    return 0
