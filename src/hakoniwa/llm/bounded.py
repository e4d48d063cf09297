"""Bounded: what the server of a model, or of tools, sends is counted as it comes, before anything is made of it."""

from collections.abc import AsyncIterator

import httpx2

from hakoniwa.llm.faults import fault
from hakoniwa.llm.wire import LARGEST

# What is packed can be a thousand times as large as what was counted, so nothing packed is asked for, or taken.
PLAIN = {"Accept-Encoding": "identity"}


class BoundedStream(httpx2.AsyncByteStream):
    """A body that is broken off once it is larger than any answer."""

    def __init__(self, body: httpx2.AsyncByteStream) -> None:
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for part in self._body:
            size += len(part)
            if size > LARGEST:
                raise fault("model.too-long", limit=LARGEST)
            yield part

    async def aclose(self) -> None:
        await self._body.aclose()


async def bound_response(response: httpx2.Response) -> None:
    """Bound a response before its body is read, whoever reads it: an answer, a complaint, or on the way elsewhere."""
    if response.headers.get("content-encoding", "").strip().casefold() not in ("", "identity"):
        raise fault("model.broken-chunk")
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    response.stream = BoundedStream(response.stream)
