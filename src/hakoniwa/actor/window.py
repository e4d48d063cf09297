"""The transcript as a prompt shows it: append-only from turn to turn, so that a server's cache can serve it, until it
grows past its limit and is cut in one large step. What is cut is told in a few sentences."""

from collections.abc import Iterable, Sequence
from itertools import islice, takewhile
from typing import NamedTuple

KEPT, IN_SHORT = 0.4, 0.15
FIRST, LAST = 2, 6


class Line(NamedTuple):
    """What somebody witnessed of one event: as the script has it, as the chronicle notes it, and the event's row."""

    text: str
    note: str = ""
    seq: int = 0


class Window(NamedTuple):
    """The lines a prompt shows, from which row on, and what came before them in short."""

    earlier: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    first: int = 0


class Transcript:
    """Lines that are only ever added. A window is kept for each limit that was asked for, so that only what is new has
    to be looked at."""

    def __init__(self, lines: Iterable[Line] = ()) -> None:
        self._lines = list(lines)
        self._cuts: dict[int, _Cut] = {}

    def __len__(self) -> int:
        return len(self._lines)

    def add(self, line: Line) -> None:
        self._lines.append(line)

    def newest(self, count: int) -> list[Line]:
        """The last lines, oldest first."""
        return self._lines[-count:]

    def after(self, seq: int) -> list[Line]:
        """The lines of rows that come after one."""
        return list(takewhile(lambda line: line.seq > seq, reversed(self._lines)))[::-1]

    def window(self, limit: int) -> Window:
        """As many of the newest lines as fit into so many characters; which they are depends on the lines alone."""
        cut = self._cuts.setdefault(limit, _Cut(limit))
        cut.follow(self._lines)
        shown = self._lines[cut.start :]
        return Window(cut.earlier, tuple(line.text for line in shown), shown[0].seq if shown else 0)


class _Cut:
    """Where the lines that are shown begin, and what is told of those before them."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.start = self.read = self.size = 0
        self.earlier: tuple[str, ...] = ()
        self.notes: dict[str, None] = {}

    def follow(self, lines: Sequence[Line]) -> None:
        """Take in the lines that have been added."""
        for place in range(self.read, len(lines)):
            self.size += _size(lines[place].text)
            if self.size > self.limit:
                self._drop(lines, place)
        self.read = len(lines)

    def _drop(self, lines: Sequence[Line], newest: int) -> None:
        """Leave out the oldest lines; the newest one always stays."""
        while self.start < newest and self.size > KEPT * self.limit:
            self._leave_out(lines[self.start])
            self.start += 1

    def _leave_out(self, line: Line) -> None:
        self.size -= _size(line.text)
        if line.note:
            self.notes.pop(line.note, None)
            self.notes[line.note] = None
            self.size -= sum(map(_size, self.earlier))
            self.earlier = _in_short(self.notes, IN_SHORT * self.limit)
            self.size += sum(map(_size, self.earlier))


def _size(text: str) -> int:
    return len(text) + 1


def _in_short(notes: dict[str, None], room: float) -> tuple[str, ...]:
    """How it began and what happened last, each thing once, as far as there is room for it."""
    if len(notes) <= FIRST + LAST:
        kept = list(notes)
    else:
        kept = [*islice(notes, FIRST), *list(islice(reversed(notes), LAST))[::-1]]
    while kept and sum(map(_size, kept)) > room:
        del kept[min(FIRST, len(kept) - 1)]
    return tuple(kept)
