"""Sessions of the GM over HTTP: what was answered and what to remember, kept in the journal across restarts.

The history is written behind the answers, a few milliseconds later and many steps at a time: the world is the caller's,
so a crash loses nothing but the newest answers, and a caller who asks again gets them anew.
"""

import asyncio
import hashlib
import logging
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice, takewhile
from typing import Any, TypeVar

from pydantic_core import to_json

from hakoniwa.errors import JournalError, JournalMovedOn
from hakoniwa.gm.request import GMStepRequest, step_for
from hakoniwa.journal import MAIN, Garden, Journal, Row
from hakoniwa.messages import tell
from hakoniwa.service.gm_answers import Answer, Chapter, GMSession, Key, Step, event_of, found_in

log = logging.getLogger("hakoniwa.service")

PREFIX = "gm/"
OPEN_SESSIONS, MAX_UNWRITTEN, PAGE = 256, 1024, 32
DELAY, RETRY = 0.05, 1.0
T = TypeVar("T")


class AlreadyAnswered(Exception):
    """The turn was allowed before, with another body."""


class GMSessions:
    """Every session, the latest ones open."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self._open: OrderedDict[str, GMSession] = OrderedDict()
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="journal")
        self._writing = asyncio.Lock()
        self._flush: asyncio.Task[None] | None = None
        self._trouble: JournalError | None = None
        self._closing = False

    async def step(self, request: GMStepRequest, raw: bytes) -> bytes:
        """The answer to a request as JSON: the same one to the same request, a new one to a retake after a denial."""
        key, digest = (request.turn_number, request.speaker), hashlib.sha256(raw).hexdigest()[:32]
        older = await self._older(await self._session(request.session_id), key)
        session = await self._session(request.session_id)  # it may have been closed meanwhile
        known = session.answers.get(key, older)
        if known and known.digest == digest:
            return known.body or await self._kept(session, key, known)
        if known and known.allowed:
            raise AlreadyAnswered
        self._able_to_write()
        step = step_for(request, session.history)
        body = to_json(step.ruling)
        session.answered(key, step.past, Answer(digest, step.ruling.allowed, body))
        self._write_soon()
        return body

    def _able_to_write(self) -> None:
        if self._trouble and sum(len(one.unwritten) for one in self._open.values()) >= MAX_UNWRITTEN:
            raise self._trouble.with_traceback(None)

    async def _older(self, session: GMSession, key: Key) -> Answer | None:
        """An answer that is no longer at hand, if there is one under this key."""
        for chapter in session.chapters_of(key):
            rows = await self._off_loop(self._chapter, session.id, chapter)
            if found := found_in(rows, key):
                return found
        return None

    def _chapter(self, session_id: str, chapter: Chapter) -> list[Row]:
        rows = self._rows(session_id, chapter.first - 1, chapter.last)
        return list(takewhile(lambda row: row.seq <= chapter.last, rows))

    async def _kept(self, session: GMSession, key: Key, answer: Answer) -> bytes:
        rows = await self._off_loop(self.journal.since, (answer.seq or 1) - 1, 1, f"{PREFIX}{session.id}")
        found = found_in(rows, key)
        assert found is not None  # nothing of a session is ever taken back
        return found.body or b""

    async def _session(self, session_id: str) -> GMSession:
        if session_id not in self._open:
            found = await self._off_loop(self._read, session_id)
            self._close_oldest()
            self._open.setdefault(session_id, found)
        self._open.move_to_end(session_id)
        return self._open[session_id]

    def _close_oldest(self) -> None:
        """Make room for one more session, if there is one with nothing left to write."""
        too_many = max(0, len(self._open) + 1 - OPEN_SESSIONS)
        for name in list(islice((name for name, one in self._open.items() if not one.unwritten), too_many)):
            del self._open[name]

    def _read(self, session_id: str) -> GMSession:
        session = GMSession(session_id)
        for row in self._rows(session_id, 0):
            session.recall(row)
        if session.head is None:
            self._create(f"{PREFIX}{session_id}")
        return session

    def _rows(self, session_id: str, at: int, last: int | None = None) -> Iterator[Row]:
        """What is in the journal of a session after a row, of which there may be more than memory should hold."""
        while page := self.journal.since(at, min(PAGE, last - at) if last else PAGE, f"{PREFIX}{session_id}"):
            yield from page
            at = page[-1].seq

    def _create(self, garden: str) -> None:
        try:
            self.journal.create(Garden(id=garden, scenario={}, sheets={}, seed=0))
        except JournalError as error:
            if error.key != "journal.garden-exists":  # it was opened before, and nothing came of it
                raise

    def _write_soon(self) -> None:
        if self._flush is None or self._flush.done():
            self._flush = asyncio.get_running_loop().create_task(self._write_behind())

    async def _write_behind(self) -> None:
        """Write until nothing is left, at a slower pace while the journal is in trouble."""
        while not self._closing and any(one.unwritten for one in self._open.values()):
            await asyncio.sleep(RETRY if self._trouble else DELAY)
            await self.write()

    async def write(self) -> None:
        """Bring everything unwritten into the journal, one writer at a time: two would append the same steps."""
        async with self._writing:
            for session in [one for one in self._open.values() if one.unwritten]:
                try:
                    await self._write(session)
                except JournalError as error:
                    if self._trouble is None:  # else it is tried again every second, and said once
                        log.warning("what the GM answered waits to be written: %s", tell(error, "en"))
                    self._trouble = error
                    return
                self._trouble = None

    async def _write(self, session: GMSession) -> None:
        steps = list(session.unwritten)
        try:
            row = await self._off_loop(self._append, session, steps)
        except JournalMovedOn:
            await self._catch_up(session)
            row = await self._off_loop(self._append, session, steps)
        session.written(steps, row)

    def _append(self, session: GMSession, steps: list[Step]) -> Row:
        return self.journal.append(f"{PREFIX}{session.id}", MAIN, [event_of(steps)], session.head)[0]

    async def _catch_up(self, session: GMSession) -> None:
        """Take in what another process wrote in the meantime."""
        for row in await self._off_loop(lambda: list(self._rows(session.id, session.head or 0))):
            session.recall(row)

    async def _off_loop(self, act: Callable[..., T], *details: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._writer, act, *details)

    async def close(self) -> None:
        """Write what is left and let go of the journal."""
        self._closing = True
        if self._flush is not None:
            await self._flush
        await self.write()
        self._writer.shutdown(wait=True)
        self.journal.close()
