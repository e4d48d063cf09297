"""Server-sent events: how a stream is sent, kept alive and described, whatever it tells of.

Rows are the truth and are read again by a reader who comes back, so nothing is kept here for anybody: a slow reader is
only later, and one who was away gets what was missed, once, in order."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from time import monotonic
from typing import Any, Protocol

from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event
from starlette.requests import ClientDisconnect, Request
from starlette.responses import StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from hakoniwa.errors import JournalError, UnknownName, UsageError
from hakoniwa.service.requests import BodyTooLarge
from hakoniwa.turn import Value

log = logging.getLogger("hakoniwa.service")

REFERENCE = "#/components/schemas/{model}"
QUIET = 15.0  # seconds after which a stream says that it is still there
CLIENT_GONE = 499  # nobody is there to read it
LOOKS = 0.5  # seconds between looks whether somebody still waits for an answer in one piece
MOST_STREAMS = 32
PULSE = 0.5  # seconds between looks into the journal
LONGEST = 3600.0  # seconds; whoever still watches then comes back by the id they have
SLOWEST = 30.0  # seconds for somebody to take what is sent


@dataclass(frozen=True)
class EventNames:
    """What the events of a stream are called, by their kind, and which kinds have the number of a row as their id."""

    names: Mapping[Any, str]
    numbered: Collection[type[Value]] = ()

    def frame(self, news: Any, seq: int | None = None) -> bytes:
        """One event: in JSON there are no bare line breaks, so nothing said can end it early."""
        number = news.seq if seq is None and type(news) in self.numbered else seq
        return format_sse_event(
            data_str=news.model_dump_json(),
            event=self.names[type(news)],
            id=None if number is None else str(number),
        )

    async def frames(self, happenings: AsyncIterator[Any]) -> AsyncIterator[bytes]:
        """Happenings as they come, and a sign of life for None."""
        async for news in happenings:
            yield KEEPALIVE_COMMENT if news is None else self.frame(news)

    def described(self) -> dict[str, Any]:
        """The events for OpenAPI: each has a name, data that is JSON, and an id if it has a number."""
        return {"oneOf": [_described_event(name, kind, kind in self.numbered) for kind, name in self.names.items()]}


def _described_event(name: str, kind: type[Value], numbered: bool) -> dict[str, Any]:
    said = {"type": "string", "contentMediaType": "application/json", "contentSchema": reference(kind)}
    parts = {**({"id": {"type": "string"}} if numbered else {}), "event": {"const": name}, "data": said}
    return {"type": "object", "properties": parts, "required": list(parts)}


def reference(kind: type[Value]) -> dict[str, str]:
    """Where OpenAPI describes something."""
    return {"$ref": REFERENCE.format(model=kind.__name__)}


class EventStream(StreamingResponse):
    """A stream that lasts until its reader goes, or takes longer than `slowest` over it; then it is `left`."""

    media_type = "text/event-stream"

    def __init__(
        self, frames: AsyncIterator[bytes], left: Callable[[], Awaitable[None]], slowest: float | None = None
    ) -> None:
        super().__init__(frames, headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        self._left, self._slowest = left, slowest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = asyncio.Event()

        async def sent(message: Message) -> None:
            await asyncio.wait_for(send(message), self._slowest)
            begun.set()

        async def heard() -> Message:
            try:
                return await receive()
            except BodyTooLarge:  # nobody wanted a body; whoever sends one without end is let go
                await begun.wait()
                return {"type": "http.disconnect"}

        try:
            with suppress(TimeoutError, ClientDisconnect):
                await super().__call__(scope, heard, sent)
        finally:
            await self._left()


class EventFeed(Protocol):
    """What a watcher of `about` is told: from some row on, and then whenever something has happened."""

    about: str

    def __enter__(self) -> "EventFeed": ...

    def __exit__(self, *_: object) -> None: ...

    async def begin(self, after: str | None) -> list[bytes]:
        """What there is to be said of where the reader goes on: after a row, or from now on."""
        ...

    async def look(self) -> list[bytes]:
        """Everything that has happened since the last look."""
        ...

    async def wait(self) -> None:
        """Wait for something to happen, or for a while."""
        ...


class EventStreams:
    """Everybody who watches something, in this process."""

    def __init__(self) -> None:
        self._watching = 0
        self._over = False

    def open(self, feed: EventFeed, after: str | None) -> EventStream:
        """What happens from a row on, for one more; UsageError if there are too many."""
        if self._watching >= MOST_STREAMS:
            raise UsageError("autonomy.too-many-streams", limit=MOST_STREAMS)
        self._watching += 1
        return EventStream(self._frames(feed, after), self._leave, SLOWEST)

    async def _leave(self) -> None:
        self._watching -= 1

    def end(self) -> None:
        """Let everybody go who only watches: a server that ends does not wait for them."""
        self._over = True

    async def _frames(self, feed: EventFeed, after: str | None) -> AsyncIterator[bytes]:
        """Everything that happens, and a sign of life whenever nothing did for a while."""
        begun = told = monotonic()
        ends = False
        with feed:
            try:
                found = await feed.begin(after)
                while True:
                    for one in found:
                        yield one
                        told = monotonic()
                    if self._over or ends:
                        return
                    if not found:
                        await feed.wait()
                    ends = monotonic() - begun >= LONGEST  # after one more look
                    found = await feed.look()
                    if not found and monotonic() - told >= QUIET:
                        found = [KEEPALIVE_COMMENT]
            except (JournalError, UnknownName) as error:  # or it was deleted: a watcher comes back, and is told then
                log.warning("nothing is to be seen of %s: %s", feed.about, error.key)


@asynccontextmanager
async def stopped_when_gone(request: Request, stop: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
    """Stop what an answer in one piece waits for once nobody waits for the answer."""
    watching = asyncio.create_task(_stop_when_gone(request, stop))
    try:
        yield
    finally:
        watching.cancel()


async def _stop_when_gone(request: Request, stop: Callable[[], Awaitable[None]]) -> None:
    while not await request.is_disconnected():
        await asyncio.sleep(LOOKS)
    await stop()
