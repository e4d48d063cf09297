"""Watching a garden: its rows as they are written, and between them what is in the air, by server-sent events.

A row has its number as the id of its event. What is in the air has none: who speaks and the words so far, the pace,
what went wrong. Nothing of that is kept for anybody; whoever looks gets what has changed since they looked last."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Iterator
from time import monotonic
from typing import Any

from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event

from hakoniwa.errors import JournalError
from hakoniwa.service.lines import ScriptLine, lines_of
from hakoniwa.service.live_gardens import LiveGarden, Pace, Phase
from hakoniwa.service.problem import Problem
from hakoniwa.service.refusal import problem_of
from hakoniwa.service.stream import QUIET, described_event
from hakoniwa.service.tail import PULSE, EventStream, EventStreams
from hakoniwa.service.tidings import BEHIND, Hello, Reset, number_in
from hakoniwa.turn import PatchOp, Value

log = logging.getLogger("hakoniwa.service")


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
    text: str


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


class GardenWatcher:
    """One who watches a stage, and what they have seen of it."""

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

    def begin(self, after: str | None) -> list[GardenEvent]:
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
        speaking = (
            [SpeakingNews(turn=draft.turn, who=draft.who, phase=draft.phase, text=draft.text)] if draft.who else []
        )
        return [self.stage.pace, *speaking]

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
            yield SpeakingNews(turn=draft.turn, who=draft.who, phase=draft.phase, text=draft.text)
        elif draft.who is not None and len(draft.text) > self._heard:
            piece, self._heard = draft.text[self._heard :], len(draft.text)
            yield PieceNews(turn=draft.turn, who=draft.who, text=piece)

    async def look(self) -> list[GardenEvent]:
        """Everything there is to be told now: what has happened, and then what is in the air after it."""
        self.woken.clear()
        rows: list[GardenEvent] = []
        while self.seen < (self.stage.reel.head or 0):
            rows += await asyncio.to_thread(self.rows)
        return [*rows, *self.in_the_air()]


class GardenStreams(EventStreams):
    """Everybody who watches a garden."""

    def open(self, stage: LiveGarden, after: str | None, language: str) -> EventStream:
        """What happens in a garden from a row on, for one more."""
        return self._admitted(self._frames(stage, after, language))

    async def _frames(self, stage: LiveGarden, after: str | None, language: str) -> AsyncGenerator[bytes]:
        with GardenWatcher(stage, language) as watcher:
            try:
                async for news in self._happenings(watcher, after):
                    yield KEEPALIVE_COMMENT if news is None else frame(news)
            except JournalError as error:  # whoever watches comes back, and is told then if it is still so
                log.warning("nothing is to be seen of a garden: %s", error.key)

    async def _happenings(self, watcher: GardenWatcher, after: str | None) -> AsyncGenerator[GardenEvent | None]:
        """Everything that happens, and None whenever nothing did for a while."""
        begun = told = monotonic()
        found = [*await asyncio.to_thread(watcher.begin, after), *watcher.standing()]
        while True:
            for news in found:
                yield news
                told = monotonic()
            if self._enough(begun):
                return
            if not found:
                await _wait_for_news(watcher)
            found = await watcher.look()
            if not found and monotonic() - told >= QUIET:
                told = monotonic()
                yield None


async def _wait_for_news(watcher: GardenWatcher) -> None:
    """Wait for something to happen here; what happens in other processes is looked for now and then."""
    try:
        await asyncio.wait_for(watcher.woken.wait(), PULSE)
    except TimeoutError:
        await watcher.stage.follow()


def frame(news: GardenEvent) -> bytes:
    """One event: in JSON there are no bare line breaks, so nothing said can end it early."""
    number = str(news.seq) if isinstance(news, NUMBERED) else None
    return format_sse_event(data_str=news.model_dump_json(), event=NAMES[type(news)], id=number)


def described_news() -> dict[str, Any]:
    """The events for OpenAPI: rows have an id; each has a name, and data that is JSON."""
    return {"oneOf": [described_event(name, kind, numbered=kind in NUMBERED) for kind, name in NAMES.items()]}
