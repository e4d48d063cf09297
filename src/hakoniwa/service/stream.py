"""An answer over HTTP: as it comes, by server-sent events, or in one piece."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from fastapi.sse import KEEPALIVE_COMMENT, EventSourceResponse, format_sse_event
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from hakoniwa.persona.generated import Generated, join_texts
from hakoniwa.service.answering import AnswerDone, AnswerEvent, AnswerPiece, AnswerTask, RecallSummary
from hakoniwa.service.problem import Problem, as_response
from hakoniwa.turn import Value

REFERENCE = "#/components/schemas/{model}"
QUIET = 15.0  # seconds after which a stream says that it is still there
LOOKS = 0.5  # seconds between looks whether somebody still waits for an answer in one piece
NAMES: dict[type[AnswerEvent], str] = {
    RecallSummary: "recall",
    AnswerPiece: "piece",
    AnswerDone: "done",
    Problem: "fault",
}


class WholeAnswer(Value):
    """An exchange in one piece."""

    seq: int
    turn: int
    text: Generated
    recall: RecallSummary | None = None


class AnswerStream(EventSourceResponse):
    """An answer as it comes, from its beginning; closing the connection stops it unless it `goes_on`."""

    def __init__(self, answering: AnswerTask, goes_on: bool) -> None:
        super().__init__(_frames(answering), headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        self._answering, self._goes_on = answering, goes_on

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            if not self._goes_on:
                self._answering.stop()


async def _frames(answering: AnswerTask) -> AsyncIterator[bytes]:
    async for news in answering.happenings(QUIET):
        yield KEEPALIVE_COMMENT if news is None else frame(news)


def frame(news: AnswerEvent) -> bytes:
    """One event of the stream; in JSON there are no bare line breaks, so nothing said can end it early."""
    return format_sse_event(data_str=news.model_dump_json(), event=NAMES[type(news)])


def described_events() -> dict[str, Any]:
    """The events of a stream for OpenAPI: each has a name, and data that is JSON."""
    return {"oneOf": [described_event(name, kind) for kind, name in NAMES.items()]}


def described_event(name: str, kind: type[Value], *, numbered: bool = False) -> dict[str, Any]:
    """One event for OpenAPI: its name, data that is JSON, and an id if it has a number."""
    said = {"type": "string", "contentMediaType": "application/json", "contentSchema": reference(kind)}
    parts = {**({"id": {"type": "string"}} if numbered else {}), "event": {"const": name}, "data": said}
    return {"type": "object", "properties": parts, "required": list(parts)}


def reference(kind: type[Value]) -> dict[str, str]:
    """Where OpenAPI describes something."""
    return {"$ref": REFERENCE.format(model=kind.__name__)}


async def in_one_piece(answering: AnswerTask, request: Request, goes_on: bool) -> Response:
    """The whole answer, or what went wrong; stopped if nobody waits for it any more, unless it `goes_on`."""
    watching = None if goes_on else asyncio.create_task(_watch(answering, request))
    try:
        return await _collect(answering)
    finally:
        if watching is not None:
            watching.cancel()


async def _watch(answering: AnswerTask, request: Request) -> None:
    while not await request.is_disconnected():
        await asyncio.sleep(LOOKS)
    answering.stop()


async def _collect(answering: AnswerTask) -> Response:
    pieces: list[Generated] = []
    recall: RecallSummary | None = None
    async for news in answering.happenings(QUIET):
        match news:
            case AnswerPiece():
                pieces.append(news.text)
            case RecallSummary():
                recall = news
            case Problem():
                return as_response(news)
            case AnswerDone():
                whole = WholeAnswer(seq=news.seq, turn=news.turn, text=join_texts(pieces), recall=recall)
                return Response(whole.model_dump_json(), media_type="application/json")
    return Response(status_code=499)  # stopped: nobody is there to read it
