"""Sessions of the GM over HTTP: what was answered and what to remember, kept in the journal across restarts."""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

from hakoniwa.errors import UnknownName
from hakoniwa.gm.history import History, Past
from hakoniwa.gm.request import GMStepRequest, step_for
from hakoniwa.journal import MAIN, Garden, Journal, Row
from hakoniwa.turn import Event, Ruling

PREFIX = "gm/"
OPEN_SESSIONS = 256
Key = tuple[int, str]
T = TypeVar("T")


class AlreadyAnswered(Exception):
    """The turn was allowed before, with another body."""


@dataclass
class Answer:
    """What was answered under one key: a digest of the request, the verdict, and the row that keeps the rest."""

    digest: str
    allowed: bool
    seq: int


@dataclass
class GMSession:
    """One session: its history and its answers."""

    head: int | None = None
    history: History = field(default_factory=History)
    answers: dict[Key, Answer] = field(default_factory=dict)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def remember(self, row: Row) -> None:
        payload = row.event.payload
        past = Past(**{**payload["past"], "marks": tuple(payload["past"]["marks"])})
        self.head = row.seq
        self.history.add(past)
        allowed = payload["response"]["allowed"]
        self.answers[(row.event.turn, past.speaker)] = Answer(payload["digest"], allowed, row.seq)


class GMSessions:
    """Every session, the latest ones open."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self._open: OrderedDict[str, GMSession] = OrderedDict()
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="journal")

    async def step(self, request: GMStepRequest, raw: bytes) -> str:
        """The answer to a request as JSON: the same one to the same request, a new one to a retake after a denial."""
        session = await self._session(request.session_id)
        async with session.lock:
            digest = hashlib.sha256(raw).hexdigest()[:32]
            known = session.answers.get((request.turn_number, request.speaker))
            if known and known.digest == digest:
                return await self._kept(request.session_id, known)
            if known and known.allowed:
                raise AlreadyAnswered
            step = step_for(request, session.history)
            event = _event(request, step.ruling, step.past, digest)
            rows = await self._off_loop(
                self.journal.append, f"{PREFIX}{request.session_id}", MAIN, [event], session.head
            )
            session.remember(rows[0])
            return step.ruling.model_dump_json()

    async def _kept(self, session_id: str, answer: Answer) -> str:
        rows = await self._off_loop(self.journal.since, answer.seq - 1, 1, f"{PREFIX}{session_id}")
        return Ruling.model_validate(rows[0].event.payload["response"]).model_dump_json()

    async def _session(self, session_id: str) -> GMSession:
        if session_id not in self._open:
            self._open[session_id] = await self._off_loop(self._read, f"{PREFIX}{session_id}")
            if len(self._open) > OPEN_SESSIONS:
                self._open.popitem(last=False)
        self._open.move_to_end(session_id)
        return self._open[session_id]

    def _read(self, garden: str) -> GMSession:
        session = GMSession()
        try:
            self.journal.garden(garden)
        except UnknownName:
            self.journal.create(Garden(id=garden, scenario={}, sheets={}, seed=0))
            return session
        for row in self.journal.lineage(garden, MAIN):
            session.remember(row)
        return session

    async def _off_loop(self, act: Callable[..., T], *details: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._writer, act, *details)

    def close(self) -> None:
        self._writer.shutdown(wait=True)
        self.journal.close()


def _event(request: GMStepRequest, ruling: Ruling, past: Past, digest: str) -> Event:
    """A step as the journal keeps it: the history only, since the world is the caller's."""
    payload = {
        "digest": digest,
        "past": {**asdict(past), "marks": list(past.marks)},
        "response": ruling.model_dump(mode="json", exclude_defaults=True) | {"allowed": ruling.allowed},
    }
    return Event(kind="gm.step", turn=request.turn_number, origin=f"actor:{request.speaker}", payload=payload)
