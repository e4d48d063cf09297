"""Rows: everything on one line of play. The newest are at hand; older ones are read from the journal when asked for, so
that a garden that runs for days weighs no more than one that has just begun."""

from array import array
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import overload

from hakoniwa.journal import Journal, Row

AT_HAND, PAGE = 16, 256


class Rows(Sequence[Row]):
    """The rows from the first event to the head, by their numbers."""

    def __init__(self, journal: Journal, garden: str, seqs: Sequence[int] = ()) -> None:
        self._journal, self._garden = journal, garden
        self._seqs = array("q", seqs)
        self._newest = deque(self._older(max(0, len(seqs) - AT_HAND), len(seqs)), AT_HAND)

    def append(self, row: Row) -> None:
        """The line goes on, and what is no longer among the newest is let go."""
        self._seqs.append(row.seq)
        self._newest.append(row)

    def until(self, place: int) -> "Rows":
        """As many rows from the first on; of those at hand, what is left of them."""
        before = Rows(self._journal, self._garden)
        before._seqs = self._seqs[:place]
        before._newest.extend(islice(self._newest, max(0, place - len(self) + len(self._newest))))
        return before

    @property
    def seqs(self) -> Sequence[int]:
        """The numbers of all of them, which are at hand."""
        return self._seqs

    def upto(self, seq: int) -> int:
        """How many there are up to the one of that number."""
        return bisect_right(self._seqs, seq)

    def after(self, seq: int) -> list[Row]:
        """The rows that came after the one of that number."""
        return self[self.upto(seq) :]

    def __len__(self) -> int:
        return len(self._seqs)

    def __iter__(self) -> Iterator[Row]:
        yield from self._older(0, len(self._seqs) - len(self._newest))
        yield from self._newest

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> list[Row]: ...
    def __getitem__(self, place: int | slice) -> Row | list[Row]:
        if isinstance(place, slice):
            start, stop, step = place.indices(len(self))
            return self._between(start, max(start, stop)) if step == 1 else list(self)[place]
        start = range(len(self))[place]
        return self._between(start, start + 1)[0]

    def _between(self, start: int, stop: int) -> list[Row]:
        first = len(self._seqs) - len(self._newest)
        newest = islice(self._newest, max(start - first, 0), max(stop - first, 0))
        return [*self._older(start, min(stop, first)), *newest]

    def _older(self, start: int, stop: int) -> Iterator[Row]:
        """Rows that are no longer at hand, some at a time; what other lines wrote between them is passed over."""
        page: deque[Row] = deque()
        for place in range(start, stop):
            seq = self._seqs[place]
            while page and page[0].seq < seq:
                page.popleft()
            if not page:
                page.extend(self._journal.since(seq - 1, min(PAGE, stop - place), self._garden))
            yield page.popleft()


def pages(rows: Sequence[Row], place: int = 0) -> Iterator[Sequence[Row]]:
    """The rows from one on, some at a time: they may have to be read, and there may be many."""
    for start in range(place, len(rows), PAGE):
        yield rows[start : start + PAGE]
