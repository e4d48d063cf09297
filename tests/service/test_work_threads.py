"""Work of one kind keeps no other waiting, and a journal that does not answer is told of."""

import asyncio
from threading import Event

import pytest

from hakoniwa.journal import Row
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.service.routes import health
from hakoniwa.service.work_threads import FILE_WORK, LONG_WORK
from tests.service.door import Door


def test_files_are_read_while_every_export_is_under_way() -> None:
    async def both() -> str:
        go_on = Event()
        exports = [asyncio.create_task(LONG_WORK.run(go_on.wait, 60)) for _ in range(8)]
        await asyncio.sleep(0)
        found = await asyncio.wait_for(FILE_WORK.run(str, "there"), 60)
        assert not any(one.done() for one in exports)
        go_on.set()
        await asyncio.gather(*exports)
        return found

    assert asyncio.run(both()) == "there"


class SilentJournal(MemoryJournal):
    """A journal whose database has been stopped."""

    def __init__(self) -> None:
        super().__init__()
        self.goes_on, self.asked = Event(), 0

    def since(self, seq: int, limit: int = 1000, garden: str | None = None) -> list[Row]:
        self.asked += 1
        self.goes_on.wait(60)
        return []


def test_ready_says_whether_the_journal_answers_and_asks_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "PATIENCE", 0.05)
    journal = SilentJournal()
    with Door(journal) as door:
        silent = [door.send(b"", "/ready", "GET") for _ in range(3)]
        assert {one.status_code for one in silent} == {503}
        assert journal.asked == 1
        assert door.send(b"", "/health", "GET").status_code == 200
        journal.goes_on.set()
        monkeypatch.setattr(health, "PATIENCE", 60.0)
        assert door.send(b"", "/ready", "GET").json() == {"status": "ready"}
