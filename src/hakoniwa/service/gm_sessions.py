"""Sessions of the GM over HTTP: what was answered and what to remember, kept in the journal across restarts.

The history is written behind the answers, a few milliseconds later and many steps at a time: the world is the caller's,
so a crash loses nothing but the newest answers, and a caller who asks again gets them anew.
"""

import asyncio
import hashlib
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, fields
from itertools import islice
from operator import attrgetter
from typing import Any, TypeVar

from pydantic_core import to_json

from hakoniwa.errors import JournalError, JournalMovedOn
from hakoniwa.gm.history import History, Past
from hakoniwa.gm.request import GMStepRequest, step_for
from hakoniwa.journal import MAIN, Garden, Journal, Row
from hakoniwa.turn import Event

PREFIX = "gm/"
OPEN_SESSIONS, KEPT_ANSWERS, KEPT_BYTES, MAX_UNWRITTEN = 256, 64, 128 * 1024, 1024
DELAY, RETRY = 0.05, 1.0
PAST = tuple(one.name for one in fields(Past))
values_of = attrgetter(*PAST)
Key = tuple[int, str]
T = TypeVar("T")


class AlreadyAnswered(Exception):
    """The turn was allowed before, with another body."""


@dataclass(slots=True)
class Answer:
    """What was answered under one key; the JSON itself for the newest ones, else the row that keeps it."""

    digest: str
    allowed: bool
    body: bytes | None = None
    seq: int | None = None


Step = tuple[Past, Answer]


@dataclass
class GMSession:
    """One session: its history, its answers, and the steps not written yet."""

    id: str
    head: int | None = None
    history: History = field(default_factory=History)
    answers: dict[Key, Answer] = field(default_factory=dict)
    unwritten: list[Step] = field(default_factory=list)
    newest: deque[Answer] = field(default_factory=deque)

    def recall(self, row: Row) -> None:
        """Take in a row that this process did not write."""
        self.head = row.seq
        for step in row.event.payload["steps"]:
            past = Past(**{**step["past"], "marks": tuple(step["past"]["marks"])})
            self.history.add(past)
            self.answers[(past.turn, past.speaker)] = Answer(step["digest"], step["allowed"], seq=row.seq)

    def written(self, steps: list[Step], row: Row) -> None:
        """These steps are in the journal now; all but the newest answers may be read from there."""
        self.head = row.seq
        del self.unwritten[: len(steps)]
        for _, answer in steps:
            answer.seq = row.seq
            self.newest.append(answer)
        while len(self.newest) > KEPT_ANSWERS or sum(len(one.body or b"") for one in self.newest) > KEPT_BYTES:
            self.newest.popleft().body = None


def _event(steps: list[Step]) -> Event:
    """Steps as one row of the journal: the history only, since the world is the caller's."""
    payload = {"steps": [_kept(past, answer) for past, answer in steps]}
    return Event(kind="gm.steps", turn=steps[-1][0].turn, origin="gm", payload=payload)


def _kept(past: Past, answer: Answer) -> dict[str, Any]:
    assert answer.body is not None  # only what has been written is let go of
    remembered = dict(zip(PAST, values_of(past), strict=True)) | {"marks": list(past.marks)}
    return {"digest": answer.digest, "allowed": answer.allowed, "past": remembered, "response": answer.body.decode()}


class GMSessions:
    """Every session, the latest ones open."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self._open: OrderedDict[str, GMSession] = OrderedDict()
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="journal")
        self._flush: asyncio.Task[None] | None = None
        self._trouble: JournalError | None = None
        self._closing = False

    async def step(self, request: GMStepRequest, raw: bytes) -> bytes:
        """The answer to a request as JSON: the same one to the same request, a new one to a retake after a denial."""
        session = await self._session(request.session_id)
        key, digest = (request.turn_number, request.speaker), hashlib.sha256(raw).hexdigest()[:32]
        known = session.answers.get(key)
        if known and known.digest == digest:
            return known.body or await self._kept(session, key, known)
        if known and known.allowed:
            raise AlreadyAnswered
        self._able_to_write()
        step = step_for(request, session.history)
        body = to_json(step.ruling)
        session.history.add(step.past)
        session.answers[key] = Answer(digest, step.ruling.allowed, body)
        session.unwritten.append((step.past, session.answers[key]))
        self._write_soon()
        return body

    def _able_to_write(self) -> None:
        if self._trouble and sum(len(one.unwritten) for one in self._open.values()) >= MAX_UNWRITTEN:
            raise self._trouble.with_traceback(None)

    async def _kept(self, session: GMSession, key: Key, answer: Answer) -> bytes:
        rows = await self._off_loop(self.journal.since, (answer.seq or 1) - 1, 1, f"{PREFIX}{session.id}")
        steps = rows[0].event.payload["steps"]
        mine = [one["response"] for one in steps if (one["past"]["turn"], one["past"]["speaker"]) == key]
        return str(mine[-1]).encode()

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
        session, garden = GMSession(session_id), f"{PREFIX}{session_id}"
        if not self.journal.since(0, 1, garden):
            self._create(garden)
            return session
        for row in self.journal.lineage(garden, MAIN):
            session.recall(row)
        return session

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
        """Bring everything unwritten into the journal."""
        for session in [one for one in self._open.values() if one.unwritten]:
            try:
                await self._write(session)
            except JournalError as error:
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
        return self.journal.append(f"{PREFIX}{session.id}", MAIN, [_event(steps)], session.head)[0]

    async def _catch_up(self, session: GMSession) -> None:
        """Take in what another process wrote in the meantime."""
        rows = await self._off_loop(self.journal.lineage, f"{PREFIX}{session.id}", MAIN)
        for row in rows:
            if row.seq > (session.head or 0):
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
