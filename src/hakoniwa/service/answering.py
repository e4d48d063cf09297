"""One message being answered: a task of its own, so that listeners may be slow or leave and miss nothing."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from datetime import datetime
from typing import Literal

from starlette.requests import Request
from starlette.responses import Response

from hakoniwa.chat.chat import Chat
from hakoniwa.errors import HakoniwaError, UsageError
from hakoniwa.memory.candidate import Kind
from hakoniwa.memory.recall import Recall
from hakoniwa.persona.generated import Generated, join_texts
from hakoniwa.service.requests import TITLES, Problem, as_response, log_fault, problem_of
from hakoniwa.service.residents import OpenGhost
from hakoniwa.service.streams import CLIENT_GONE, QUIET, EventNames, EventStream, stopped_when_gone
from hakoniwa.turn import Value

log = logging.getLogger("hakoniwa.service")

MOST_AT_ONCE = 32
Speak = Callable[[Chat], AsyncGenerator[Generated]]  # how the persona of a chat is made to speak


class RecalledItem(Value):
    """One thing that came to mind, and why: an event or its feeling by the event's number, a state by its own."""

    type: Kind
    key: int
    at: datetime
    text: Generated
    why: Generated


class RecallSummary(Value):
    """What came to mind on hearing the message, and by whose choice."""

    by: Literal["rule", "model"]
    run: int
    dropped: str | None = None
    selected: tuple[RecalledItem, ...]


class AnswerPiece(Value):
    """A piece of the answer."""

    text: Generated


class AnswerDone(Value):
    """The exchange is in the journal, and in memory."""

    seq: int
    turn: int


AnswerEvent = RecallSummary | AnswerPiece | AnswerDone | Problem
NAMES: dict[type[AnswerEvent], str] = {
    RecallSummary: "recall",
    AnswerPiece: "piece",
    AnswerDone: "done",
    Problem: "fault",
}
EVENTS = EventNames(NAMES)


class WholeAnswer(Value):
    """An exchange in one piece."""

    seq: int
    turn: int
    text: Generated
    recall: RecallSummary | None = None


class AnswerTask:
    """A message on its way. Until it has begun it may be refused, and nothing was said; from then on it is kept."""

    def __init__(self, resident: OpenGhost, speak: Speak, language: str) -> None:
        self.resident, self._speak, self._language = resident, speak, language
        self.text = ""  # what is answered, once it is heard
        # As long as an answer can be, and an answer is short: it waits here for every listener, however slow or late.
        self._news: list[AnswerEvent] = []
        self._told = asyncio.Event()
        self._over = False
        self._begun: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._called = False
        self.task = asyncio.create_task(self._answered())

    async def begun(self) -> None:
        """Wait until the message is heard; raises if it cannot be."""
        await asyncio.wait([self._begun, self.task], return_when=asyncio.FIRST_COMPLETED)
        if self.task.done() and not self._begun.done():
            self.task.result()

    async def happenings(self, every: float) -> AsyncGenerator[AnswerEvent | None]:
        """Everything that happened and happens until it is over, and None whenever nothing did for a while."""
        heard = 0
        while heard < len(self._news) or not self._over:
            if heard < len(self._news):
                yield self._news[heard]
                heard += 1
                continue
            try:
                await asyncio.wait_for(self._told.wait(), every)
            except TimeoutError:
                yield None

    def stop(self) -> None:
        """Stop the model, and keep what came; nothing if it is over."""
        if not self.task.done():
            self.resident.leaving = self._begun.done()
            self.task.cancel()

    async def leave(self) -> None:
        """Stop it for want of a listener."""
        self.stop()

    # --- the task ----------------------------------------------------------------------------------------------------

    async def _answered(self) -> None:
        async with self.resident.alone():
            chat = await self.resident.chat()
            answer = self._speak(chat)
            self.text = chat.heard
            self._begun.set_result(None)
            try:
                await self._spoken(answer, chat)
            except HakoniwaError as error:
                found = problem_of(error, self._language)
                log_fault(f"a message in {self.resident.garden.id} is not answered", error, found.status)
                self._tell(found)
            except Exception:
                log.exception("a message was not answered")
                self._tell(Problem(title=TITLES[500], status=500))
            finally:
                self._over = True
                self._told.set()

    async def _spoken(self, answer: AsyncGenerator[Generated], chat: Chat) -> None:
        try:
            async with aclosing(answer) as pieces:
                async for piece in pieces:
                    self._tell_what_came_to_mind(chat)
                    self._tell(AnswerPiece(text=piece))
        finally:
            self._tell_what_came_to_mind(chat)
        assert chat.head is not None, "an exchange is kept before its answer ends"
        self._tell(AnswerDone(seq=chat.head.seq, turn=chat.turn))

    def _tell_what_came_to_mind(self, chat: Chat) -> None:
        if chat.recalled is not None and not self._called:
            self._called = True
            self._tell(summarize_recall(chat.recalled))

    def _tell(self, news: AnswerEvent) -> None:
        self._news.append(news)
        self._told.set()
        self._told = asyncio.Event()


def summarize_recall(recalled: Recall) -> RecallSummary:
    """What came to mind, with the reasons that were given."""
    whys = {one.id: one.why for one in reversed(recalled.pack.selected)}
    selected = [
        RecalledItem(type=one.type, key=one.key, at=one.at, text=one.text, why=whys[one.id]) for one in recalled.chosen
    ]
    return RecallSummary(by=recalled.by, run=recalled.run, dropped=recalled.dropped, selected=tuple(selected))


class AnswerTasks:
    """Every message that is being answered in this process."""

    def __init__(self) -> None:
        self._going_on: set[AnswerTask] = set()

    async def start(self, resident: OpenGhost, speak: Speak, language: str) -> AnswerTask:
        """Begin to answer a message, or to answer it anew; or raise why that cannot be."""
        if len(self._going_on) >= MOST_AT_ONCE:
            raise UsageError("chat.too-many", limit=MOST_AT_ONCE)
        answering = AnswerTask(resident, speak, language)
        self._going_on.add(answering)
        answering.task.add_done_callback(lambda _: self._going_on.discard(answering))
        await answering.begun()
        return answering

    def of(self, resident: OpenGhost) -> AnswerTask | None:
        """The message that somebody is answering, if there is one."""
        return next((one for one in self._going_on if one.resident is resident), None)

    async def close(self) -> None:
        """Stop them all, each keeping what came."""
        going_on = list(self._going_on)
        for one in going_on:
            one.stop()
        await asyncio.gather(*(one.task for one in going_on), return_exceptions=True)


def answer_stream(answering: AnswerTask, goes_on: bool) -> EventStream:
    """An answer as it comes, from its beginning; closing the connection stops it unless it `goes_on`."""
    return EventStream(EVENTS.frames(answering.happenings(QUIET)), _stay if goes_on else answering.leave)


async def in_one_piece(answering: AnswerTask, request: Request, goes_on: bool) -> Response:
    """The whole answer, or what went wrong; stopped if nobody waits for it any more, unless it `goes_on`."""
    async with stopped_when_gone(request, _stay if goes_on else answering.leave):
        return await _collect(answering, request)


async def _stay() -> None:
    """It goes on without a listener."""


async def _collect(answering: AnswerTask, request: Request) -> Response:
    pieces: list[Generated] = []
    recall: RecallSummary | None = None
    async for news in answering.happenings(QUIET):
        match news:
            case AnswerPiece():
                pieces.append(news.text)
            case RecallSummary():
                recall = news
            case Problem():
                return as_response(news, request)
            case AnswerDone():
                whole = WholeAnswer(seq=news.seq, turn=news.turn, text=join_texts(pieces), recall=recall)
                return Response(whole.model_dump_json(), media_type="application/json")
    return Response(status_code=CLIENT_GONE)
