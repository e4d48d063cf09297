"""Sessions of the GM over HTTP: what was answered and what to remember, kept in the journal across restarts."""

import asyncio
import hashlib
import logging
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, fields
from functools import partial
from itertools import islice, takewhile
from operator import attrgetter
from time import monotonic
from typing import Any, TypeVar

from pydantic_core import to_json

from hakoniwa.actor.language import ask_what_is_meant
from hakoniwa.app.autonomy import FindModel
from hakoniwa.chat.calls import CallSite, Run, record_calls
from hakoniwa.errors import HakoniwaError, JournalError, JournalMovedOn
from hakoniwa.gm.history import History, PastTurn
from hakoniwa.gm.request import GMStepRequest, step_for
from hakoniwa.gm.second import GivenAnswers, answers_for
from hakoniwa.journal import MAIN, GardenRecord, Journal, Row
from hakoniwa.journal.follow import row_at, rows_after
from hakoniwa.llm import ChatModel
from hakoniwa.messages import tell
from hakoniwa.turn import Event

AT_HAND, KEPT_ANSWERS, KEPT_BYTES = 256, 64, 128 * 1024
PAST_FIELDS = tuple(one.name for one in fields(PastTurn))
values_of = attrgetter(*PAST_FIELDS)
AnswerKey = tuple[int, str]


@dataclass(slots=True)
class StepAnswer:
    """What was answered under one key; the JSON itself for the newest ones, else the row that keeps it."""

    digest: str
    allowed: bool
    body: bytes | None = None
    seq: int | None = None


AnsweredStep = tuple[PastTurn, StepAnswer]


@dataclass(frozen=True, slots=True)
class AnswerRange:
    """A few hundred answers that only the journal has: between which rows they are, and between which turns."""

    first: int
    last: int
    lowest: int
    highest: int


@dataclass
class GMSession:
    """One session: its history, its answers, and the steps not written yet."""

    id: str
    head: int | None = None
    history: History = field(default_factory=History)
    answers: dict[AnswerKey, StepAnswer] = field(default_factory=dict)
    chapters: list[AnswerRange] = field(default_factory=list)
    unwritten: list[AnsweredStep] = field(default_factory=list)
    newest: deque[StepAnswer] = field(default_factory=deque)

    def answered(self, key: AnswerKey, past: PastTurn, answer: StepAnswer) -> None:
        """Take in a new answer, which is to be written."""
        self.history.add(past)
        self._keep(key, answer)
        self.unwritten.append((past, answer))

    def recall(self, row: Row) -> None:
        """Take in a row that this process did not write."""
        self.head = row.seq
        for key, past, answer in steps_in(row):
            self.history.add(past)
            answer.body = None
            self._keep(key, answer)
        self._let_go()

    def written(self, steps: list[AnsweredStep], row: Row) -> None:
        """These steps are in the journal now; all but the newest answers may be read from there."""
        self.head = row.seq
        del self.unwritten[: len(steps)]
        for _, answer in steps:
            answer.seq = row.seq
            self.newest.append(answer)
        while len(self.newest) > KEPT_ANSWERS or sum(len(one.body or b"") for one in self.newest) > KEPT_BYTES:
            self.newest.popleft().body = None
        self._let_go()

    def chapters_of(self, key: AnswerKey) -> list[AnswerRange]:
        """Where an answer may be that is not at hand, the latest chapter first."""
        if key in self.answers:
            return []
        return [one for one in reversed(self.chapters) if one.lowest <= key[0] <= one.highest]

    def _keep(self, key: AnswerKey, answer: StepAnswer) -> None:
        self.answers.pop(key, None)  # a retake is as new as any
        self.answers[key] = answer

    def _let_go(self) -> None:
        """Leave the oldest answers to the journal while there are twice as many as are wanted at hand."""
        while len(self.answers) >= 2 * AT_HAND:
            oldest = list(islice(self.answers.items(), AT_HAND))
            rows = [one.seq for _, one in oldest if one.seq is not None]
            if len(rows) < len(oldest):
                return
            turns = [turn for (turn, _), _ in oldest]
            self.chapters.append(AnswerRange(min(rows), max(rows), min(turns), max(turns)))
            for key, _ in oldest:
                del self.answers[key]


def find_answer(rows: Sequence[Row], key: AnswerKey) -> StepAnswer | None:
    """The last answer under a key in some rows."""
    mine = [answer for row in rows for known, _, answer in steps_in(row) if known == key]
    return mine[-1] if mine else None


def steps_in(row: Row) -> Iterator[tuple[AnswerKey, PastTurn, StepAnswer]]:
    """The steps that a row of the journal holds."""
    for step in row.event.payload["steps"]:
        past = PastTurn(**{**step["past"], "marks": tuple(step["past"]["marks"])})
        answer = StepAnswer(step["digest"], step["allowed"], step["response"].encode(), row.seq)
        yield (past.turn, past.speaker), past, answer


def event_of(steps: list[AnsweredStep]) -> Event:
    """Steps as one row of the journal: the history only, since the world is the caller's."""
    payload = {"steps": [_step_data(past, answer) for past, answer in steps]}
    return Event(kind="gm.steps", turn=steps[-1][0].turn, origin="gm", payload=payload)


def _step_data(past: PastTurn, answer: StepAnswer) -> dict[str, Any]:
    assert answer.body is not None  # only what has been written is let go of
    remembered = dict(zip(PAST_FIELDS, values_of(past), strict=True)) | {"marks": list(past.marks)}
    return {"digest": answer.digest, "allowed": answer.allowed, "past": remembered, "response": answer.body.decode()}


log = logging.getLogger("hakoniwa.service")

PREFIX = "gm/"
OPEN_SESSIONS, MAX_UNWRITTEN, PAGE = 256, 1024, 32
LOOK_AGAIN = 30.0  # seconds before a model that was nowhere is looked for again
DELAY, RETRY = 0.05, 1.0
T = TypeVar("T")


class AlreadyAnswered(Exception):
    """The turn was allowed before, with another body."""


def _is_new(known: StepAnswer | None, digest: str) -> bool:
    """Whether a request is to be judged: nobody asked it before, or what was asked under its key was denied."""
    if known and known.digest != digest and known.allowed:
        raise AlreadyAnswered
    return known is None or known.digest != digest


class SecondReader:
    """A model that is asked what was meant where the reader is not sure; one question after the other."""

    def __init__(self, find_model: FindModel, of_denials: bool = False) -> None:
        self.of_denials = of_denials
        self._find_model = find_model
        self._model: ChatModel | None = None
        self._looked: float | None = None
        self._asking = asyncio.Lock()

    async def answers(self, request: GMStepRequest, history: History, desk: CallSite, run: Run) -> GivenAnswers:
        """What is meant by all that is doubted in a request; nothing where there is nobody to ask."""
        reading = partial(step_for, request, history, second_of_denials=self.of_denials)
        reading(first := GivenAnswers())
        model = await self._found() if first.unanswered else None
        if model is None:
            return first
        language = request.world_state.language
        async with self._asking:
            record_calls(model, desk, language, run)
            return await answers_for(reading, partial(ask_what_is_meant, model, language=language))

    async def _found(self) -> ChatModel | None:
        """The model; one that was not there is looked for again after a while."""
        if self._model is None and (self._looked is None or monotonic() - self._looked >= LOOK_AGAIN):
            self._looked = monotonic()
            try:
                self._model = await asyncio.to_thread(self._find_model)
            except HakoniwaError as error:
                log.warning("nobody is there for a second reading: %s", tell(error, "en"))
        return self._model

    async def close(self) -> None:
        """Let go of the model's connections."""
        if closing := getattr(self._model, "aclose", None):
            await closing()


class GMSessions:
    """Every session, the latest ones open."""

    def __init__(self, journal: Journal, second: SecondReader | None = None) -> None:
        self.journal = journal
        self._second = second
        self._open: OrderedDict[str, GMSession] = OrderedDict()
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="journal")
        self._writing = asyncio.Lock()
        self._flush: asyncio.Task[None] | None = None
        self._trouble: JournalError | None = None
        self._closing = False

    async def step(self, request: GMStepRequest, raw: bytes) -> bytes:
        """The answer to a request as JSON: the same one to the same request, a new one to a retake after a denial."""
        key, digest = (request.turn_number, request.speaker), hashlib.sha256(raw).hexdigest()[:32]
        session, known = await self._known(request.session_id, key)
        if self._second and _is_new(known, digest):
            answers = await self._meant(self._second, request, session)
            session, known = await self._known(request.session_id, key)  # the same may have been asked meanwhile
        else:
            answers = None
        if known and not _is_new(known, digest):
            return known.body or await self._kept(session, key, known)
        self._able_to_write()
        of_denials = self._second is not None and self._second.of_denials
        step = step_for(request, session.history, answers, of_denials)
        body = to_json(step.ruling)
        session.answered(key, step.past, StepAnswer(digest, step.ruling.allowed, body))
        self._write_soon()
        return body

    async def _known(self, session_id: str, key: AnswerKey) -> tuple[GMSession, StepAnswer | None]:
        """A session, and what was answered under a key. Nothing comes between this and what is done with it at once."""
        older = await self._older(await self._session(session_id), key)
        session = await self._session(session_id)  # it may have been closed meanwhile
        return session, session.answers.get(key, older)

    async def _meant(self, second: SecondReader, request: GMStepRequest, session: GMSession) -> GivenAnswers:
        """What a model says was meant by a request; it is in the journal before anything comes of it."""
        garden = f"{PREFIX}{request.session_id}"
        desk = CallSite(self.journal, garden, MAIN, session.head, request.turn_number, request.speaker)
        return await second.answers(request, session.history, desk, self._off_loop)

    def _able_to_write(self) -> None:
        if self._trouble and sum(len(one.unwritten) for one in self._open.values()) >= MAX_UNWRITTEN:
            raise self._trouble.with_traceback(None)

    async def _older(self, session: GMSession, key: AnswerKey) -> StepAnswer | None:
        """An answer that is no longer at hand, if there is one under this key."""
        for chapter in session.chapters_of(key):
            rows = await self._off_loop(self._chapter, session.id, chapter)
            if found := find_answer(rows, key):
                return found
        return None

    def _chapter(self, session_id: str, chapter: AnswerRange) -> list[Row]:
        rows = self._rows(session_id, chapter.first - 1)
        return list(takewhile(lambda row: row.seq <= chapter.last, rows))

    async def _kept(self, session: GMSession, key: AnswerKey, answer: StepAnswer) -> bytes:
        row = await self._off_loop(row_at, self.journal, f"{PREFIX}{session.id}", answer.seq)
        found = find_answer([row] if row else [], key)
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

    def _rows(self, session_id: str, at: int) -> Iterator[Row]:
        """The rows of a session after one, of which there may be more than memory should hold."""
        return rows_after(self.journal, f"{PREFIX}{session_id}", at, PAGE)

    def _create(self, garden: str) -> None:
        try:
            self.journal.create(GardenRecord(id=garden, scenario={}, sheets={}, seed=0))
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

    def _append(self, session: GMSession, steps: list[AnsweredStep]) -> Row:
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
        if self._second is not None:
            await self._second.close()
        self._writer.shutdown(wait=True)
        self.journal.close()
