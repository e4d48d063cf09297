"""The transcript as a prompt shows it: append-only from turn to turn, so that a server's cache can serve it, until it
grows past its limit and is cut in one large step. What is cut is told in a few sentences."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from itertools import islice, takewhile
from operator import attrgetter
from typing import NamedTuple

KEPT_SHARE, SUMMARY_SHARE = 0.4, 0.15
FIRST, LAST = 2, 6
LINES_IN_MEMORY = 1024  # lines, where nobody has asked for a window


class TranscriptLine(NamedTuple):
    """What somebody witnessed of one event: as the script has it, as the chronicle notes it, and the event's row."""

    text: str
    note: str = ""
    seq: int = 0


class TranscriptWindow(NamedTuple):
    """The lines a prompt shows, from which row on, and what came before them in short."""

    earlier: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    first: int = 0


class Transcript:
    """Lines that are only ever added. A window is kept for each limit that was asked for, so that only what is new has
    to be looked at. Where all lines can be had `again`, those that no window shows any more are let go."""

    def __init__(
        self, lines: Iterable[TranscriptLine] = (), again: Callable[[], Iterable[TranscriptLine]] | None = None
    ) -> None:
        self._lines, self._gone = list(lines), 0
        self._again = again
        self._cuts: dict[int, _WindowStart] = {}

    def __len__(self) -> int:
        return self._gone + len(self._lines)

    def add(self, line: TranscriptLine) -> None:
        self._lines.append(line)

    def newest(self, count: int) -> list[TranscriptLine]:
        """The last lines, oldest first."""
        return self._lines[-count:]

    def after(self, seq: int) -> list[TranscriptLine]:
        """The lines of rows that come after one."""
        if self._gone and seq < self._lines[0].seq:
            self._have_all()
        found = list(takewhile(lambda line: line.seq > seq, reversed(self._lines)))[::-1]
        self._let_go()
        return found

    def take_back(self, seq: int) -> None:
        """Leave out the lines of rows that come after one."""
        left = bisect_right(self._lines, seq, key=attrgetter("seq"))
        if self._gone and not left:
            self._cuts.clear()
            self._have_all()
            return
        cuts = {limit: cut.taken_back(self._gone + left, self._lines, self._gone) for limit, cut in self._cuts.items()}
        self._cuts = {limit: cut for limit, cut in cuts.items() if cut is not None}
        del self._lines[left:]

    def window(self, limit: int) -> TranscriptWindow:
        """As many of the newest lines as fit into so many characters; which they are depends on the lines alone."""
        if limit not in self._cuts:
            self._have_all()
            self._cuts[limit] = _WindowStart(limit)
        cut = self._cuts[limit]
        cut.follow(self._lines, self._gone)
        shown = self._lines[cut.start - self._gone :]
        self._let_go()
        return TranscriptWindow(cut.earlier, tuple(line.text for line in shown), shown[0].seq if shown else 0)

    def _have_all(self) -> None:
        if self._gone and self._again:
            self._lines, self._gone = list(self._again()), 0

    def _let_go(self) -> None:
        """A window that nobody has asked for any more is forgotten, and does not hold lines back."""
        if self._again is None:
            return
        newest = len(self) - LINES_IN_MEMORY
        self._cuts = {limit: cut for limit, cut in self._cuts.items() if cut.read > newest}
        first = min((cut.first for cut in self._cuts.values()), default=newest)
        if first > self._gone:
            del self._lines[: first - self._gone]
            self._gone = first


class _WindowStart:
    """Where the lines that are shown begin, and what is told of those before them."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.start = self.read = self.size = self.cut_at = 0
        self.earlier: tuple[str, ...] = ()
        self.notes: dict[str, None] = {}
        self.before: _WindowStart | None = None  # how it was before lines were left out last

    @property
    def first(self) -> int:
        """The first line that is shown, or may be once lines are taken back."""
        return self.before.start if self.before else self.start

    def taken_back(self, count: int, lines: Sequence[TranscriptLine], gone: int) -> "_WindowStart | None":
        """The same after all but so many lines are taken back; None where it is no longer known how it was."""
        if count < self.cut_at:
            return self.before.taken_back(count, lines, gone) if self.before else None
        if count < self.read:
            self.size -= sum(_size(line.text) for line in lines[count - gone : self.read - gone])
            self.read = count
        return self

    def follow(self, lines: Sequence[TranscriptLine], gone: int) -> None:
        """Take in the lines that have been added to these, of which some at the beginning are gone."""
        for place in range(self.read, gone + len(lines)):
            size = _size(lines[place - gone].text)
            if self.size + size > self.limit:
                self.before = self._twin()
            self.size += size
            self.read = place + 1
            if self.size > self.limit:
                self._drop(lines, gone, place)
                self.cut_at = place + 1

    def _twin(self) -> "_WindowStart":
        twin = copy(self)
        twin.notes, twin.before = dict(self.notes), None
        return twin

    def _drop(self, lines: Sequence[TranscriptLine], gone: int, newest: int) -> None:
        """Leave out the oldest lines; the newest one always stays."""
        while self.start < newest and self.size > KEPT_SHARE * self.limit:
            self._leave_out(lines[self.start - gone])
            self.start += 1

    def _leave_out(self, line: TranscriptLine) -> None:
        self.size -= _size(line.text)
        if line.note:
            self.notes.pop(line.note, None)
            self.notes[line.note] = None
            self.size -= sum(map(_size, self.earlier))
            self.earlier = _in_short(self.notes, SUMMARY_SHARE * self.limit)
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
