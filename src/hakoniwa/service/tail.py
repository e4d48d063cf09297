"""Tail: what happens in a chat as it happens, by server-sent events, for as many as want to watch.

Every event has the number of its row as its id. The rows are the truth and are read again by whoever comes back, so
nothing is kept here for anybody: who is slow is only later, and who was away gets what they missed, once, in order."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing, suppress
from datetime import datetime
from time import monotonic
from typing import Any, Literal, NamedTuple

from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event
from starlette.requests import ClientDisconnect
from starlette.responses import StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from hakoniwa.errors import JournalError, UsageError
from hakoniwa.ghost.action import MessageKind, OnEnd, ResultStatus
from hakoniwa.ghost.autonomy.rows import Act, Activity, ActivityState, Control, Phase, Said, read
from hakoniwa.ghost.generated import Generated
from hakoniwa.ghost.lineage import CHAT
from hakoniwa.journal import Journal, Row
from hakoniwa.journal.rows import FORGOTTEN
from hakoniwa.service.stream import QUIET, described_event
from hakoniwa.turn import Value

log = logging.getLogger("hakoniwa.service")

MOST_STREAMS = 64
BEHIND = 1000  # rows that somebody may have missed and still get one by one
PULSE = 0.5  # seconds between looks into the journal
LONGEST = 3600.0  # seconds; whoever still watches then comes back by the id they have
SLOWEST = 30.0  # seconds for somebody to take what is sent
DIGITS = 18


class Hello(Value):
    """The beginning, for somebody who brings no id: all that comes after row `seq` follows."""

    seq: int


class Reset(Value):
    """A gap: what was missed cannot be told one by one, so read the chat again; all after row `seq` follows."""

    seq: int
    reason: Literal["unknown", "ahead", "behind", "purged"]


class ExchangeNews(Value):
    """Somebody talked with the persona."""

    seq: int
    turn: int


class ActivityNews(Value):
    """What the persona is up to, in nobody's voice."""

    phase: Phase
    state: ActivityState
    action_type: str | None
    capability: str | None
    backend: str | None
    result_status: ResultStatus | None
    summary_text: Generated | None
    decision_id: int | None
    intent_id: int | None
    result_id: int | None
    agent_job_id: str | None
    goal_id: int | None


class MessageNews(Value):
    """What the persona said of its own accord."""

    message: Generated
    message_kind: MessageKind
    delivery_mode: OnEnd
    action_type: str
    capability: str
    backend: str | None
    decision_id: int
    intent_id: int
    result_id: int
    agent_job_id: str | None


class ControlNews(Value):
    """The persona was let live, or not, or not for a while."""

    act: Act
    at: datetime
    until: datetime | None


Occurrence = Hello | Reset | ExchangeNews | ActivityNews | MessageNews | ControlNews
NAMES: dict[type[Occurrence], str] = {
    Hello: "hello",
    Reset: "reset",
    ExchangeNews: "exchange",
    ActivityNews: Activity.kind,
    MessageNews: "autonomy.message",
    ControlNews: Control.kind,
}
SHOWN = frozenset({CHAT, Activity.kind, Control.kind})


def number_in(after: str) -> int | None:
    """The number of the row that somebody says to have seen last, if it can be one."""
    return int(after) if after.isdecimal() and len(after) <= DIGITS else None


class News(NamedTuple):
    """Something that happened, and the row up to which everything has been told with it."""

    seq: int
    what: Occurrence


def occurrence(row: Row) -> Occurrence | None:
    """What is shown of a row; most rows are nobody's business."""
    match read(row.event.kind, row.event.payload):
        case Activity() as one:
            return ActivityNews(**_fields(one, ActivityNews))
        case Said() as one:
            return MessageNews(message=one.assistant_text, **_fields(one, MessageNews))
        case Control() as one:
            return ControlNews(**_fields(one, ControlNews))
    return ExchangeNews(seq=row.seq, turn=row.event.turn) if row.event.kind == CHAT else None


def _fields(one: Value, wanted: type[Value]) -> dict[str, Any]:
    return {name: getattr(one, name) for name in wanted.model_fields if name in type(one).model_fields}


class Line:
    """The rows of one branch of a chat, from some row on."""

    def __init__(self, journal: Journal, garden: str, branch: str) -> None:
        self._journal, self._garden, self._branch = journal, garden, branch
        self._seen = 0

    def begin(self, after: str | None) -> list[News]:
        """Where to go on: after the row somebody has seen last, or from now on; what there is to be said of that."""
        if after is None:
            self._seen = self._newest()
            return [News(self._seen, Hello(seq=self._seen))]
        seq = number_in(after)
        if seq is None:
            return self._gap("unknown")
        self._seen = seq
        return self._found(seq) if seq else []

    def _found(self, seq: int) -> list[News]:
        row = next(iter(self._journal.since(seq - 1, 1, self._garden)), None)
        if row is None:
            return self._gap("ahead")
        if row.seq != seq:
            return self._gap("unknown")
        return self._gap("purged") if row.event.payload == FORGOTTEN else []

    def look(self) -> list[News]:
        """What has happened since the last look."""
        rows = self._journal.since(self._seen, BEHIND + 1, self._garden)
        if len(rows) > BEHIND:
            return self._gap("behind")
        own = [row for row in rows if row.branch == self._branch and row.event.kind in SHOWN]
        if any(row.event.payload == FORGOTTEN for row in own):
            return self._gap("purged")
        self._seen = rows[-1].seq if rows else self._seen
        return [News(row.seq, found) for row in own if (found := occurrence(row)) is not None]

    def _gap(self, reason: Literal["unknown", "ahead", "behind", "purged"]) -> list[News]:
        self._seen = self._newest()
        return [News(self._seen, Reset(seq=self._seen, reason=reason))]

    def _newest(self) -> int:
        """The newest row of the chat; heads that were taken back are not the end of it."""
        seq = max((one.head or 0 for one in self._journal.branches(self._garden)), default=0)
        while rows := self._journal.since(seq, BEHIND, self._garden):
            seq = rows[-1].seq
        return seq


class Streams:
    """Everybody who watches something, in this process."""

    def __init__(self) -> None:
        self._watching = 0
        self._over = False

    def _admitted(self, frames: AsyncIterator[bytes]) -> "Tailing":
        """A stream for one more; UsageError if there are too many."""
        if self._watching >= MOST_STREAMS:
            raise UsageError("autonomy.too-many-streams", limit=MOST_STREAMS)
        self._watching += 1
        return Tailing(frames, self._left)

    def _left(self) -> None:
        self._watching -= 1

    def end(self) -> None:
        """Let everybody go who only watches: a server that ends does not wait for them."""
        self._over = True

    def _enough(self, begun: float) -> bool:
        """Whether a stream that began then is over: whoever still watches comes back."""
        return self._over or monotonic() - begun >= LONGEST


class Tails(Streams):
    """Everybody who watches a chat."""

    def __init__(self, journal: Journal) -> None:
        super().__init__()
        self._journal = journal

    def open(self, garden: str, branch: str, after: str | None) -> "Tailing":
        """What happens in a chat from a row on, for one more."""
        return self._admitted(self._frames(Line(self._journal, garden, branch), after))

    async def _frames(self, line: Line, after: str | None) -> AsyncGenerator[bytes]:
        try:
            async with aclosing(self._happenings(line, after)) as happenings:
                async for news in happenings:
                    yield KEEPALIVE_COMMENT if news is None else frame(news)
        except JournalError as error:  # whoever watches comes back, and is told then if it is still so
            log.warning("nothing is to be seen of a chat: %s", error.key)

    async def _happenings(self, line: Line, after: str | None) -> AsyncGenerator[News | None]:
        """Everything that happens from a row on, and None whenever nothing did for a while."""
        begun = told = monotonic()
        found: Sequence[News | None] = await asyncio.to_thread(line.begin, after)
        while True:
            for news in found:
                yield news
                told = monotonic()
            if self._enough(begun):
                return
            if not found:
                await asyncio.sleep(PULSE)
            found = await asyncio.to_thread(line.look) or ([None] if monotonic() - told >= QUIET else [])


class Tailing(StreamingResponse):
    """A stream that lasts until whoever watches goes, or takes too long over it."""

    media_type = "text/event-stream"

    def __init__(self, frames: AsyncIterator[bytes], left: Callable[[], None]) -> None:
        super().__init__(frames, headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        self._left = left

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sent(message: Message) -> None:
            await asyncio.wait_for(send(message), SLOWEST)

        try:
            with suppress(TimeoutError, ClientDisconnect):
                await super().__call__(scope, receive, sent)
        finally:
            self._left()


def frame(news: News) -> bytes:
    """One event: in JSON there are no bare line breaks, so nothing said can end it early."""
    what = news.what
    return format_sse_event(data_str=what.model_dump_json(), event=NAMES[type(what)], id=str(news.seq))


def described_news() -> dict[str, Any]:
    """The events for OpenAPI: each has an id, a name, and data that is JSON."""
    return {"oneOf": [described_event(name, kind, numbered=True) for kind, name in NAMES.items()]}
