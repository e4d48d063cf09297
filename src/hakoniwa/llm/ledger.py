"""Ledger: a model whose every call is timed, paid from a budget and written down; what is on record is used again."""

import hashlib
import json
import logging
import math
from asyncio import CancelledError
from collections import Counter, deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from time import monotonic
from typing import Any

from hakoniwa.errors import JournalError, ModelError, ModelUnavailable
from hakoniwa.llm import Call, ChatModel, Message, PartialReply, Piece, Usage
from hakoniwa.llm.faults import KINDS, fault
from hakoniwa.llm.reply import prose
from hakoniwa.turn import Value

log = logging.getLogger("hakoniwa.llm")

Record = Callable[[str, Call], Awaitable[None]]
Reuse = Callable[[str], Awaitable[Call | None]]

HOUR = 3600.0
FIRST_GUESS = {"ja": 1.5, "en": 3.5}
_NEWEST = 0.3  # how much the newest call counts in what is learnt
_FAR_BELOW = 0.6
_WORTH_LEARNING_FROM = 100  # tokens; in a short prompt the template counts for too much
_FULLEST_WIDE, _FULLEST_NARROW = 3.0, 7.0  # characters that a token holds at the very most, on the whole


class Budget(Value):
    """How many tokens may be spent; 0: any number. The call that reaches the limit is the last one."""

    session_tokens: int = 0
    hour_tokens: int = 0


class Ledger(ChatModel):
    """Wraps a model and keeps account of it. With a language, a reply in another one is a fault.

    `record` is handed every call before its caller goes on, `reuse` finds a reply that a crash kept from being used."""

    def __init__(
        self,
        model: ChatModel,
        budget: Budget | None = None,
        record: Record | None = None,
        reuse: Reuse | None = None,
        language: str | None = None,
        spent: int = 0,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.model, self.name, self.context = model, model.name, model.context
        self.budget = budget or Budget()
        self.record, self.reuse = record, reuse
        self.language = language
        self.spent = spent
        self.chars_per_token = FIRST_GUESS.get(language or "", 2.0)
        self.scope = ""
        self._clock = clock
        self._lately: deque[tuple[float, int]] = deque()
        self._spent_lately = 0
        self._learnt = self._warned = False

    @property
    def scope(self) -> str:
        """What the calls are for, set by the caller for each turn: the same question in another scope is a new one."""
        return self._scope

    @scope.setter
    def scope(self, scope: str) -> None:
        self._scope = scope
        self._asked: Counter[str] = Counter()

    async def aclose(self) -> None:
        """Let go of the model's connections, if it has any."""
        if closing := getattr(self.model, "aclose", None):
            await closing()

    async def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[Piece]:
        call = Call(
            purpose=purpose, model=self.name, messages=tuple(messages), max_tokens=max_tokens,
            chars_per_token=self.chars_per_token,
        )  # fmt: skip
        key = self._key(call, schema)
        known = await self.reuse(key) if self.reuse else None
        if known is None or known.fault:
            self._afford()
            stream = self._answer(call, key, schema)
        else:
            stream = _replay_call(known)
        async with aclosing(stream):
            async for piece in stream:
                yield piece

    def _key(self, call: Call, schema: dict[str, Any] | None) -> str:
        """A question asked once more in the same scope is another question: a retake wants a new answer."""
        first = question(call, schema, self.scope)
        self._asked[first] += 1
        count = self._asked[first]
        return first if count == 1 else question(call, schema, f"{self.scope}#{count}")

    async def _answer(self, call: Call, key: str, schema: dict[str, Any] | None) -> AsyncGenerator[Piece]:
        """Ask, time, and write down how it ended, however it ends."""
        page = _CallRecord(call, self._clock)
        try:
            async with _close_after(self.model.chat(call.messages, call.purpose, call.max_tokens, schema)) as stream:
                async for piece in stream:
                    if page.note(piece):
                        yield piece
            if self.language and schema is None:
                prose(page.reply, self.language)
        except ModelError as error:
            error.details.setdefault("model", self.name)
            await self._write(key, page.closed(error))
            raise
        except (GeneratorExit, CancelledError):
            await self._write_in_passing(key, page.closed(fault("model.stopped")))
            raise
        await self._write(key, page.closed())
        yield page.usage

    async def _write(self, key: str, call: Call) -> None:
        cost = self._cost(call)
        self.spent += cost
        self._spent_lately += cost
        self._lately.append((self._clock(), cost))
        if self._learn(call):
            call = call.with_field("warning", "model.prompt-cut")
        if self.record:
            await self.record(key, call)

    async def _write_in_passing(self, key: str, call: Call) -> None:
        """Write down what was stopped; whoever stopped it does not hear of a journal that cannot be written."""
        try:
            await self._write(key, call)
        except JournalError as error:
            log.warning("a call that was stopped is not on record: %s", error)

    # --- tokens ------------------------------------------------------------------------------------------------------

    def tokens(self, text: str) -> int:
        """About how many tokens a text has, by what the model's own counts have taught."""
        return math.ceil(len(text) / self.chars_per_token)

    def go_on_from(self, call: Call) -> None:
        """Take up what was known of the model when this was asked, as if there had been no break since."""
        if call.model == self.name and call.chars_per_token:
            self.chars_per_token, self._learnt = call.chars_per_token, True

    def _afford(self) -> None:
        """Raise if a budget is used up."""
        while self._lately and self._lately[0][0] <= self._clock() - HOUR:
            self._spent_lately -= self._lately.popleft()[1]
        for key, limit, spent in (
            ("model.session-budget", self.budget.session_tokens, self.spent),
            ("model.hour-budget", self.budget.hour_tokens, self._spent_lately),
        ):
            if 0 < limit <= spent:
                raise fault(key, model=self.name, limit=limit, spent=spent)

    def _cost(self, call: Call) -> int:
        """What the server counted; where it does not say, a guess; nothing if it never took the question."""
        if call.fault and issubclass(KINDS.get(call.fault, ModelError), ModelUnavailable):
            return 0
        prompt, completion = call.usage.prompt, call.usage.completion
        return (self.tokens(_text(call)) if prompt is None else prompt) + (
            self.tokens(call.reply) if completion is None else completion
        )

    def _learn(self, call: Call) -> bool:
        """Learn how much text a token holds; whether the server counts so few that it may have cut the prompt."""
        counted, text = call.usage.prompt, _text(call)
        if not counted or not text:
            return False
        expected = self.tokens(text) * _FAR_BELOW if self._learnt else fewest_tokens(text)
        if counted < expected:
            if not self._warned:
                log.warning("%s counted %d tokens in a prompt of at least %d", self.name, counted, expected)
            self._warned = True
            return True
        if counted < _WORTH_LEARNING_FROM:
            return False
        seen = len(text) / counted
        self.chars_per_token += (seen - self.chars_per_token) * (_NEWEST if self._learnt else 1.0)
        self._learnt = True
        return False


class _CallRecord:
    """A call while it lasts."""

    def __init__(self, call: Call, clock: Callable[[], float]) -> None:
        self.call, self.clock, self.began = call, clock, clock()
        self.reply, self.draft, self.usage = "", "", Usage()
        self.first: float | None = None

    def note(self, piece: Piece) -> bool:
        """Note a piece; whether it is one to hand on, as the counts are only when all is written."""
        if isinstance(piece, Usage):
            self.usage = piece
            return False
        self.first = self._ms() if self.first is None else self.first
        if isinstance(piece, PartialReply):
            self.draft += piece.text
        else:
            self.reply += piece
        return True

    def closed(self, error: ModelError | None = None) -> Call:
        tries = error.details.get("tries", 1) if error else self.usage.tries
        ending = {"reply": self.reply or self.draft, "usage": self.usage, "tries": tries}
        times = {"first_ms": self.first, "total_ms": self._ms()}
        return self.call.with_fields({**ending, **times, "fault": error.key if error else None})

    def _ms(self) -> float:
        return round((self.clock() - self.began) * 1000, 1)


def question(call: Call, schema: dict[str, Any] | None, scope: str) -> str:
    """What a call is known by: everything that was asked, and what for."""
    messages = [(message.role, message.content) for message in call.messages]
    asked = [call.purpose, messages, call.max_tokens, schema, scope]
    text = json.dumps(asked, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def fewest_tokens(text: str) -> float:
    """The fewest tokens a text can have in any usual vocabulary."""
    narrow = sum(letter.isascii() for letter in text)
    return narrow / _FULLEST_NARROW + (len(text) - narrow) / _FULLEST_WIDE


def _text(call: Call) -> str:
    return "".join(message.content for message in call.messages)


async def _replay_call(call: Call) -> AsyncGenerator[Piece]:
    """A call that is on record, as if it came now."""
    if call.reply:
        yield call.reply
    yield call.usage


@asynccontextmanager
async def _close_after(stream: AsyncIterator[Piece]) -> AsyncIterator[AsyncIterator[Piece]]:
    """Closes a model's stream, which stops the model, before anything else is done."""
    try:
        yield stream
    finally:
        if isinstance(stream, AsyncGenerator):
            await stream.aclose()
