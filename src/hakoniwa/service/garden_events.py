"""A garden over HTTP as it happens: its rows as they are written, what is in the air between them, and turns asked for.

A row has its number as the id of its event. What is in the air has none: who speaks and the words so far, the pace,
what went wrong. Nothing of that is kept for anybody; a watcher gets what has changed since the last look."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Iterator
from contextlib import suppress
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from hakoniwa.errors import HakoniwaError
from hakoniwa.play.draft import Draft, Phase
from hakoniwa.play.session import Session
from hakoniwa.service import streams
from hakoniwa.service.chat_events import BEHIND, Hello, Reset, number_in
from hakoniwa.service.lines import ScriptLine, lines_of
from hakoniwa.service.live_gardens import LiveGarden, Pace, SessionAction
from hakoniwa.service.requests import STREAM, Problem, as_response, language_of, log_fault, problem_of, wants_json
from hakoniwa.service.streams import CLIENT_GONE, QUIET, EventFeed, EventNames, EventStream, stopped_when_gone
from hakoniwa.turn import PatchOp, Turn, Value


class RowNews(Value):
    """A row was written after `parent`; whatever of this line came after that row has been taken back."""

    seq: int
    parent: int | None
    turn: int
    kind: str
    origin: str
    lines: tuple[ScriptLine, ...]
    world_delta: tuple[PatchOp, ...]


class SpeakingNews(Value):
    """Somebody begins to think, to perform or to perform again, with the words so far; nobody: it is over."""

    turn: int
    who: str | None
    phase: Phase | None
    take: int
    text: str


def _speaking_news(draft: Draft) -> SpeakingNews:
    return SpeakingNews(turn=draft.turn, who=draft.who, phase=draft.phase, take=draft.take, text=draft.text)


class PieceNews(Value):
    """The next words of whoever is speaking."""

    turn: int
    who: str
    text: str


GardenEvent = Hello | Reset | RowNews | SpeakingNews | PieceNews | Pace | Problem
NAMES: dict[type[GardenEvent], str] = {
    Hello: "hello",
    Reset: "reset",
    RowNews: "row",
    SpeakingNews: "speaking",
    PieceNews: "piece",
    Pace: "pace",
    Problem: "fault",
}
NUMBERED = (Hello, Reset, RowNews)
EVENTS = EventNames(NAMES, NUMBERED)


class GardenWatcher(EventFeed):
    """One who watches a live garden, and what they have seen of it."""

    about = "a garden"

    def __init__(self, stage: LiveGarden, language: str) -> None:
        self.stage, self._language = stage, language
        self.woken = asyncio.Event()
        self.seen = stage.reel.head or 0
        self._draft, self._heard = stage.draft.number, len(stage.draft.text)
        self._pace = stage.pace
        self._faults = stage.faults

    def __enter__(self) -> "GardenWatcher":
        self.stage.watchers.add(self.woken)
        return self

    def __exit__(self, *_: object) -> None:
        self.stage.watchers.discard(self.woken)

    # --- rows --------------------------------------------------------------------------------------------------------

    async def begin(self, after: str | None) -> list[bytes]:
        return [EVENTS.frame(one) for one in (*await asyncio.to_thread(self.go_on, after), *self.standing())]

    def go_on(self, after: str | None) -> list[GardenEvent]:
        """Where to go on: after the row somebody has seen last, or from now on; what there is to be said of that."""
        if after is None:
            return [Hello(seq=self.seen)]
        seq = number_in(after)
        if seq is None:
            return [Reset(seq=self.seen, reason="unknown")]
        if seq and self.stage.reel.place(seq) is None:
            journal, garden = self.stage.reel.journal, self.stage.reel.garden.id
            row = next(iter(journal.since(seq - 1, 1, garden)), None)
            if row is None or row.seq != seq:
                return [Reset(seq=self.seen, reason="unknown" if row else "ahead")]
        self.seen = seq
        return []

    def rows(self) -> list[GardenEvent]:
        """The rows since the last look."""
        reel = self.stage.reel
        with reel.lock:
            start, end = reel.rows.upto(self.seen), len(reel.rows)
            if start == end:
                return []
            self.seen = reel.rows.seqs[-1]
            if end - start > BEHIND:
                return [Reset(seq=self.seen, reason="behind")]
            return [
                RowNews(
                    seq=row.seq, parent=row.parent, turn=row.event.turn, kind=row.event.kind, origin=row.event.origin,
                    lines=lines_of(row, entries), world_delta=row.event.world_delta,
                )
                for row, entries in reel.entries(start, end)
            ]  # fmt: skip

    # --- what is in the air ------------------------------------------------------------------------------------------

    def standing(self) -> list[GardenEvent]:
        """How things are for somebody who has just come."""
        draft = self.stage.draft
        return [self.stage.pace, *([_speaking_news(draft)] if draft.who else [])]

    def in_the_air(self) -> Iterator[GardenEvent]:
        """What is different since the last look."""
        yield from self._spoken()
        if (pace := self.stage.pace) != self._pace:
            self._pace = pace
            yield pace
        if self.stage.faults != self._faults and self.stage.fault is not None:
            self._faults = self.stage.faults
            yield problem_of(self.stage.fault, self._language)

    def _spoken(self) -> Iterator[GardenEvent]:
        draft = self.stage.draft
        if draft.number != self._draft:
            self._draft, self._heard = draft.number, len(draft.text)
            yield _speaking_news(draft)
        elif draft.who is not None and len(draft.text) > self._heard:
            piece, self._heard = draft.text[self._heard :], len(draft.text)
            yield PieceNews(turn=draft.turn, who=draft.who, text=piece)

    async def look(self) -> list[bytes]:
        return [EVENTS.frame(one) for one in await self.news()]

    async def wait(self) -> None:
        """Wait for something to happen here; what happens in other processes is looked for now and then."""
        try:
            await asyncio.wait_for(self.woken.wait(), streams.PULSE)
        except TimeoutError:
            await self.stage.follow()

    async def news(self) -> list[GardenEvent]:
        """Everything there is to be told now: what has happened, and then what is in the air after it."""
        self.woken.clear()
        rows: list[GardenEvent] = []
        while self.seen < (self.stage.reel.head or 0):
            rows += await asyncio.to_thread(self.rows)
        return [*rows, *self.in_the_air()]


STREAMED = (RowNews, SpeakingNews, PieceNews)


class PlayedTurn(Value):
    """A turn that has been played: its newest row, who had it, and what the script has of it."""

    seq: int
    turn: int
    who: str
    lines: tuple[ScriptLine, ...]


TURN_NAMES: dict[type[Value], str] = {**{kind: NAMES[kind] for kind in STREAMED}, PlayedTurn: "done", Problem: "fault"}
TURN_EVENTS = EventNames(TURN_NAMES, NUMBERED)


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
            for news in await self._watcher.news():
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

    async def told(self) -> AsyncGenerator[Value | None]:
        """All that is seen of it, and at the end what came of it."""
        async for news in self.happenings(QUIET):
            yield news
        if (outcome := self.outcome()) is not None:
            yield outcome


async def in_one_piece(performing: TurnTask, request: Request) -> Response:
    """The whole turn, or what went wrong; stopped if nobody waits for it any more."""
    try:
        async with stopped_when_gone(request, performing.stop):
            async for _ in performing.happenings(QUIET):
                pass
    finally:
        await performing.stop()
    outcome = performing.outcome()
    if outcome is None:
        return Response(status_code=CLIENT_GONE)
    if isinstance(outcome, Problem):
        return as_response(outcome, request)
    return Response(outcome.model_dump_json(), media_type="application/json")


MOST_TURNS = 100_000
TURN_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The turn as it comes, or in one piece",
        "content": {STREAM: {"schema": TURN_EVENTS.described()}},
    }
}


class ChangeResult(Value):
    """Where the line stands after what was done, and what the script has of it; nothing was if it was taken back."""

    seq: int | None
    turn: int
    lines: tuple[ScriptLine, ...] = ()


async def turn_response(stage: LiveGarden, request: Request, before: SessionAction[object] | None = None) -> Response:
    """The next turn, perhaps after something that makes it another one."""
    performing = TurnTask(stage, stage.turn(before), language_of(request))
    await performing.begun()
    if wants_json(request):
        return await in_one_piece(performing, request)
    return EventStream(TURN_EVENTS.frames(performing.told()), performing.stop)


async def apply_change(
    stage: LiveGarden, deed: SessionAction[object], first: SessionAction[object] | None = None
) -> ChangeResult:
    """Do something, perhaps after something that it needs, and tell what is new in the script."""
    before = 0

    async def noted(session: Session) -> object:
        nonlocal before
        before = session.head or 0
        return await deed(session)

    await stage.change(noted, first)
    return await asyncio.to_thread(_result_since, stage, before)


def _result_since(stage: LiveGarden, seq: int) -> ChangeResult:
    reel = stage.reel
    with reel.lock:
        start = reel.rows.upto(seq)
        lines = tuple(one for row, entries in reel.entries(start, len(reel.rows)) for one in lines_of(row, entries))
        return ChangeResult(seq=reel.head, turn=reel.standing.world.time.turn, lines=lines)
