"""Tail: what happens in a chat as it happens, by server-sent events, for as many as want to watch.

Every event has the number of its row as its id. The rows are the truth and are read again by whoever comes back, so
nothing is kept here for anybody: who is slow is only later, and who was away gets what they missed, once, in order."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing, suppress
from time import monotonic
from typing import Any

from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event
from starlette.requests import ClientDisconnect
from starlette.responses import StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from hakoniwa.errors import JournalError, UsageError
from hakoniwa.journal import Journal
from hakoniwa.service.guard import BodyTooLarge
from hakoniwa.service.stream import QUIET, described_event
from hakoniwa.service.tidings import NAMES, ChatFeed, NumberedChatEvent

log = logging.getLogger("hakoniwa.service")

MOST_STREAMS = 32
PULSE = 0.5  # seconds between looks into the journal
LONGEST = 3600.0  # seconds; whoever still watches then comes back by the id they have
SLOWEST = 30.0  # seconds for somebody to take what is sent


class EventStreams:
    """Everybody who watches something, in this process."""

    def __init__(self) -> None:
        self._watching = 0
        self._over = False

    def _admitted(self, frames: AsyncIterator[bytes]) -> "EventStream":
        """A stream for one more; UsageError if there are too many."""
        if self._watching >= MOST_STREAMS:
            raise UsageError("autonomy.too-many-streams", limit=MOST_STREAMS)
        self._watching += 1
        return EventStream(frames, self._left)

    def _left(self) -> None:
        self._watching -= 1

    def end(self) -> None:
        """Let everybody go who only watches: a server that ends does not wait for them."""
        self._over = True

    def _enough(self, begun: float) -> bool:
        """Whether a stream that began then is over: whoever still watches comes back."""
        return self._over or monotonic() - begun >= LONGEST


class ChatStreams(EventStreams):
    """Everybody who watches a chat."""

    def __init__(self, journal: Journal) -> None:
        super().__init__()
        self._journal = journal

    def open(self, garden: str, branch: str, after: str | None) -> "EventStream":
        """What happens in a chat from a row on, for one more."""
        return self._admitted(self._frames(ChatFeed(self._journal, garden, branch), after))

    async def _frames(self, line: ChatFeed, after: str | None) -> AsyncGenerator[bytes]:
        try:
            async with aclosing(self._happenings(line, after)) as happenings:
                async for news in happenings:
                    yield KEEPALIVE_COMMENT if news is None else frame(news)
        except JournalError as error:  # whoever watches comes back, and is told then if it is still so
            log.warning("nothing is to be seen of a chat: %s", error.key)

    async def _happenings(self, line: ChatFeed, after: str | None) -> AsyncGenerator[NumberedChatEvent | None]:
        """Everything that happens from a row on, and None whenever nothing did for a while."""
        begun = told = monotonic()
        found: Sequence[NumberedChatEvent | None] = await asyncio.to_thread(line.begin, after)
        while True:
            for news in found:
                yield news
                told = monotonic()
            if self._enough(begun):
                return
            if not found:
                await asyncio.sleep(PULSE)
            found = await asyncio.to_thread(line.look) or ([None] if monotonic() - told >= QUIET else [])


class EventStream(StreamingResponse):
    """A stream that lasts until whoever watches goes, or takes too long over it."""

    media_type = "text/event-stream"

    def __init__(self, frames: AsyncIterator[bytes], left: Callable[[], None]) -> None:
        super().__init__(frames, headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        self._left = left

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = asyncio.Event()

        async def sent(message: Message) -> None:
            await asyncio.wait_for(send(message), SLOWEST)
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
            self._left()


def frame(news: NumberedChatEvent) -> bytes:
    """One event: in JSON there are no bare line breaks, so nothing said can end it early."""
    what = news.what
    return format_sse_event(data_str=what.model_dump_json(), event=NAMES[type(what)], id=str(news.seq))


def described_news() -> dict[str, Any]:
    """The events for OpenAPI: each has an id, a name, and data that is JSON."""
    return {"oneOf": [described_event(name, kind, numbered=True) for kind, name in NAMES.items()]}
