"""The script of a garden over HTTP: its lines page by page, with the moments of the story that are worth showing."""

import asyncio
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from hakoniwa.journal import Row
from hakoniwa.play.highlights import Highlight, highlights_of
from hakoniwa.play.script import ScriptEntry
from hakoniwa.play.timeline import Timeline
from hakoniwa.turn import Value

SOON = 1.0  # seconds
AT_ONCE = 600  # rows of which the highlights are looked for while somebody waits for a page


Author = Literal["user", "actor", "ghost", "gm"]


class ScriptLine(ScriptEntry):
    """One entry of the script with its row, whom it was whispered to, and the highlights its turn is part of.

    `origin` is who it is from: the user, a character's mind, a character on an errand of their own, or the GM.
    `directed`: the Director took something out of what was written, or had it written again."""

    seq: int
    origin: Author
    directed: bool = False
    to: str | None = None
    highlights: tuple[str, ...] = ()


class ScriptPage(Value):
    """Lines of the script: those of `total` rows from `first` on; `before` and `after` ask for the pages beside it."""

    branch: str
    head: int | None
    total: int
    first: int
    lines: tuple[ScriptLine, ...]
    before: int | None
    after: int | None


class HighlightCache:
    """The highlights of a line of play: those of long ones are looked for meanwhile, and are there a little later."""

    def __init__(self, reel: Timeline) -> None:
        self._reel = reel
        self._head: int | None = None
        self._found: list[Highlight] = []
        self._looking: asyncio.Task[list[Highlight]] | None = None

    async def newest(self) -> list[Highlight]:
        """The highlights of everything up to now."""
        if self._head != self._reel.head:
            if self._looking is None or self._looking.done():
                self._looking = asyncio.create_task(asyncio.to_thread(self._look))
            await asyncio.shield(self._looking)
        return self._found

    async def at_hand(self) -> list[Highlight]:
        """The highlights as far as they are known; what is short is known whole."""
        if len(self._reel.rows) <= AT_ONCE:
            return await self.newest()
        looking = asyncio.ensure_future(self._soon())
        looking.add_done_callback(lambda done: done.cancelled() or done.exception())
        return self._found

    async def _soon(self) -> None:
        """Look for them once whoever opens a long garden has seen the first of it."""
        await asyncio.sleep(SOON)
        await self.newest()

    def _look(self) -> list[Highlight]:
        reel = self._reel
        with reel.lock:
            rows, head, reached = reel.rows.until(len(reel.rows)), reel.head, reel.standing.world.time.turn
        self._found = highlights_of(reel.scenario, rows, reached)
        self._head = head
        return self._found


def lines_of(row: Row, entries: Sequence[ScriptEntry], marks: Sequence[Highlight] = ()) -> tuple[ScriptLine, ...]:
    """What the script has of one row."""
    names = tuple(one.name for one in marks if row.event.kind == "turn" and row.event.turn in one.turns)
    event = row.event
    known: dict[str, Any] = {
        "seq": row.seq,
        "origin": event.origin.partition(":")[0],
        "directed": event.kind == "turn" and _was_directed(event.payload["take"]),
        "to": event.payload.get("to") if event.kind == "user" else None,
        "highlights": names,
    }
    return tuple(ScriptLine(**dict(entry), **known) for entry in entries)


def _was_directed(take: Mapping[str, Any]) -> bool:
    """Whether a take, as the journal keeps it, was not simply let stand; what is as ever is not written down there."""
    return "retakes" in take or bool(take.get("sanitized", {}).get("triggered"))


def script_page(
    reel: Timeline, marks: Sequence[Highlight], limit: int, before: int | None, after: int | None, turn: int | None
) -> ScriptPage:
    """The lines before a row, after one, or from a turn on; the newest if nothing is asked for."""
    with reel.lock:
        places = reel.shown()
        start, end = _span(reel, places, limit, before, after, turn)
        wanted = places[start:end]
        read = reel.entries(wanted[0], wanted[-1] + 1) if wanted else []
        return ScriptPage(
            branch=reel.branch,
            head=reel.head,
            total=len(places),
            first=start,
            lines=tuple(line for row, entries in read for line in lines_of(row, entries, marks)),
            before=reel.rows.seqs[places[start]] if wanted and start else None,
            after=reel.rows.seqs[places[end - 1]] if wanted and end < len(places) else None,
        )


def _span(
    reel: Timeline, places: Sequence[int], limit: int, before: int | None, after: int | None, turn: int | None
) -> tuple[int, int]:
    """From which to which of the rows with something in the script."""

    def seq(place: int) -> int:
        return reel.rows.seqs[place]

    if after is not None:
        start = bisect_right(places, after, key=seq)
        return start, min(start + limit, len(places))
    if turn is not None:
        start = bisect_left(places, turn, key=lambda place: reel.index.turns[place])
        return start, min(start + limit, len(places))
    end = len(places) if before is None else bisect_left(places, before, key=seq)
    return max(0, end - limit), end
