"""A turn that somebody asked for over HTTP: as it comes, by server-sent events, or in one piece."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import suppress
from typing import Any

from fastapi.sse import KEEPALIVE_COMMENT, EventSourceResponse, format_sse_event
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from hakoniwa.errors import HakoniwaError
from hakoniwa.service.lines import ScriptLine
from hakoniwa.service.live_gardens import LiveGarden
from hakoniwa.service.problem import Problem, as_response
from hakoniwa.service.refusal import log_fault, problem_of
from hakoniwa.service.stream import LOOKS, QUIET, described_event
from hakoniwa.service.watch import NAMES, NUMBERED, GardenEvent, GardenWatcher, PieceNews, RowNews, SpeakingNews, frame
from hakoniwa.turn import Turn, Value

STREAMED = (RowNews, SpeakingNews, PieceNews)
CLIENT_GONE = 499  # nobody is there to read it


class PlayedTurn(Value):
    """A turn that has been played: its newest row, who had it, and what the script has of it."""

    seq: int
    turn: int
    who: str
    lines: tuple[ScriptLine, ...]


TURN_EVENTS: dict[type[Value], str] = {**{kind: NAMES[kind] for kind in STREAMED}, PlayedTurn: "done", Problem: "fault"}


class TurnTask:
    """A turn on its way. Until somebody begins to speak it may be refused; whoever goes stops it."""

    def __init__(self, stage: LiveGarden, turn: Coroutine[Any, Any, Turn], language: str) -> None:
        self._stage, self._language = stage, language
        self._watcher = GardenWatcher(stage, language)
        self._watcher.__enter__()
        self._rows: list[RowNews] = []
        self._silence = stage.draft.number
        self.task = asyncio.create_task(turn)
        self.task.add_done_callback(lambda _: self._watcher.woken.set())

    async def begun(self) -> None:
        """Wait until somebody speaks; raises what stands against it."""
        while not self.task.done() and self._unspoken:
            await self._watcher.woken.wait()
            self._watcher.woken.clear()
        if self.task.done() and self._unspoken:
            self.close()
            self.task.result()

    @property
    def _unspoken(self) -> bool:
        return self._stage.draft.number == self._silence

    async def happenings(self, every: float) -> AsyncGenerator[GardenEvent | None]:
        """All that is seen of it until it is over, and None whenever nothing was for a while."""
        over = False
        while not over:
            over = self.task.done()
            for news in await self._watcher.look():
                if isinstance(news, RowNews):
                    self._rows.append(news)
                if isinstance(news, STREAMED):
                    yield news
            if not over:
                try:
                    await asyncio.wait_for(self._watcher.woken.wait(), every)
                except TimeoutError:
                    yield None

    def outcome(self) -> PlayedTurn | Problem | None:
        """What came of it once it is over; None if it was cut short for want of anybody to tell."""
        if self.task.cancelled():
            return None
        error = self.task.exception()
        if isinstance(error, HakoniwaError):
            found = problem_of(error, self._language)
            if found.status >= 500:
                log_fault(f"a turn of {self._stage.reel.garden.id} is not played", error, found.status)
            return found
        turn = self.task.result()
        return PlayedTurn(
            seq=self._rows[-1].seq,
            turn=turn.number,
            who=turn.speaker,
            lines=tuple(line for one in self._rows for line in one.lines),
        )

    async def stop(self) -> None:
        """Stop it, if it is not over."""
        if not self.task.done():
            await self._stage.stop()
            with suppress(HakoniwaError):
                await self.task
        self.close()

    def close(self) -> None:
        self._watcher.__exit__()


class TurnStream(EventSourceResponse):
    """A turn as it comes. Whoever closes the connection stops it."""

    def __init__(self, performing: TurnTask) -> None:
        super().__init__(_frames(performing), headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        self._performing = performing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._performing.stop()


async def _frames(performing: TurnTask) -> AsyncGenerator[bytes]:
    async for news in performing.happenings(QUIET):
        yield KEEPALIVE_COMMENT if news is None else frame(news)
    if (outcome := performing.outcome()) is not None:
        name = "fault" if isinstance(outcome, Problem) else "done"
        yield format_sse_event(data_str=outcome.model_dump_json(), event=name)


def described_turn() -> dict[str, Any]:
    """The events of a turn for OpenAPI: those of a garden, and one at the end."""
    return {"oneOf": [described_event(name, kind, numbered=kind in NUMBERED) for kind, name in TURN_EVENTS.items()]}


async def in_one_piece(performing: TurnTask, request: Request) -> Response:
    """The whole turn, or what went wrong; stopped if nobody waits for it any more."""
    watching = asyncio.create_task(_watch(performing, request))
    try:
        async for _ in performing.happenings(QUIET):
            pass
    finally:
        watching.cancel()
        await performing.stop()
    outcome = performing.outcome()
    if outcome is None:
        return Response(status_code=CLIENT_GONE)
    if isinstance(outcome, Problem):
        return as_response(outcome)
    return Response(outcome.model_dump_json(), media_type="application/json")


async def _watch(performing: TurnTask, request: Request) -> None:
    while not await request.is_disconnected():
        await asyncio.sleep(LOOKS)
    await performing.stop()
