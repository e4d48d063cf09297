"""The script of a garden over HTTP: its lines page by page, with the moments of the story that are worth showing."""

import asyncio
import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from hakoniwa.gm.pattern import shipped
from hakoniwa.gm.sift import sift
from hakoniwa.journal import Row
from hakoniwa.play.highlights import FEWEST, MOST, PER_TURN, Highlight, best, told
from hakoniwa.play.moments import moments
from hakoniwa.play.script import Entry
from hakoniwa.service.reel import Reel
from hakoniwa.turn import Value

AT_ONCE = 600  # rows of which the highlights are looked for while somebody waits for a page


class Line(Entry):
    """One entry of the script with its row, whom it was whispered to, and the highlights its turn is part of."""

    seq: int
    to: str | None = None
    highlights: tuple[str, ...] = ()


class Page(Value):
    """Lines of the script: those of `total` rows from `first` on; `before` and `after` ask for the pages beside it."""

    branch: str
    head: int | None
    total: int
    first: int
    lines: tuple[Line, ...]
    before: int | None
    after: int | None


class Marks:
    """The highlights of a line of play: those of long ones are looked for meanwhile, and are there a little later."""

    def __init__(self, reel: Reel) -> None:
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
        looking = asyncio.ensure_future(self.newest())
        if len(self._reel.rows) <= AT_ONCE:
            return await looking
        looking.add_done_callback(lambda done: done.cancelled() or done.exception())
        return self._found

    def _look(self) -> list[Highlight]:
        with self._reel.lock:
            rows, head = list(self._reel.rows), self._reel.head
        self._found = highlights_of(self._reel, rows)
        self._head = head
        return self._found


def highlights_of(reel: Reel, rows: Sequence[Row]) -> list[Highlight]:
    """What is worth showing, in the order of the story."""
    reached = rows[-1].event.turn if rows else 0
    found = sift(shipped(), moments(reel.scenario, rows), reached)
    limit = min(MOST, max(FEWEST, math.ceil(PER_TURN * reached)))
    return [told(match, reel.scenario) for match in best(found, limit)]


def lines_of(row: Row, entries: Sequence[Entry], marks: Sequence[Highlight] = ()) -> tuple[Line, ...]:
    """What the script has of one row."""
    names = tuple(one.name for one in marks if row.event.kind == "turn" and row.event.turn in one.turns)
    to = row.event.payload.get("to") if row.event.kind == "user" else None
    return tuple(Line(**dict(entry), seq=row.seq, to=to, highlights=names) for entry in entries)


def page(
    reel: Reel, marks: Sequence[Highlight], limit: int, before: int | None, after: int | None, turn: int | None
) -> Page:
    """The lines before a row, after one, or from a turn on; the newest if nothing is asked for."""
    with reel.lock:
        places = reel.shown()
        start, end = _span(reel, places, limit, before, after, turn)
        wanted = places[start:end]
        read = reel.entries(wanted[0], wanted[-1] + 1) if wanted else []
        return Page(
            branch=reel.branch,
            head=reel.head,
            total=len(places),
            first=start,
            lines=tuple(line for row, entries in read for line in lines_of(row, entries, marks)),
            before=reel.rows[places[start]].seq if wanted and start else None,
            after=reel.rows[places[end - 1]].seq if wanted and end < len(places) else None,
        )


def _span(
    reel: Reel, places: Sequence[int], limit: int, before: int | None, after: int | None, turn: int | None
) -> tuple[int, int]:
    """From which to which of the rows with something in the script."""

    def seq(place: int) -> int:
        return reel.rows[place].seq

    if after is not None:
        start = bisect_right(places, after, key=seq)
        return start, min(start + limit, len(places))
    if turn is not None:
        start = bisect_left(places, turn, key=lambda place: reel.rows[place].event.turn)
        return start, min(start + limit, len(places))
    end = len(places) if before is None else bisect_left(places, before, key=seq)
    return max(0, end - limit), end
