"""Rows: everything on one line of play, and what of every row is at hand. The newest rows are at hand whole; older ones
are read from the journal when asked for, so that a garden that runs for days weighs no more than a new one."""

from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import overload

from hakoniwa.actor.mind import Mood
from hakoniwa.journal import Journal, Row
from hakoniwa.turn import Event

AT_HAND, PAGE, AXES = 16, 256, 3


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


class RowIndex:
    """The turn and the kind of every row; the places of all turns, and of each who had it and how they felt then."""

    def __init__(self) -> None:
        self.turns, self.turn_places = array("q"), array("q")
        self._kind_numbers: dict[str, int] = {}
        self._kinds, self._moods = array("H"), array("d")
        self._turns_of: defaultdict[str, array[int]] = defaultdict(lambda: array("q"))

    def __len__(self) -> int:
        return len(self.turns)

    @property
    def last_turn(self) -> int:
        return self.turns[-1] if self.turns else 0

    def add(self, event: Event) -> None:
        if event.kind == "turn":
            mood = Mood.model_validate(event.payload.get("mind", {}).get("mood", {}))
            self._turns_of[event.payload["speaker"]].append(len(self))
            self.turn_places.append(len(self))
            self._moods.extend((mood.valence, mood.arousal, mood.dominance))
        self.turns.append(event.turn)
        self._kinds.append(self._kind_numbers.setdefault(event.kind, len(self._kind_numbers)))

    def cut(self, places: int) -> None:
        """Leave out all but so many rows."""
        for known in (self.turns, self._kinds):
            del known[places:]
        for turns in (self.turn_places, *self._turns_of.values()):
            del turns[bisect_left(turns, places) :]
        del self._moods[len(self.turn_places) * AXES :]

    def of_kinds(self, *kinds: str) -> list[int]:
        """The places of all rows of some kinds."""
        wanted = self._numbers(kinds)
        return [place for place, kind in enumerate(self._kinds) if kind in wanted]

    def last_of_kinds(self, before: int, *kinds: str) -> int | None:
        """The place of the last row of some kinds before a place."""
        wanted = self._numbers(kinds)
        return next((place for place in range(before - 1, -1, -1) if self._kinds[place] in wanted), None)

    def last_turns(self, before: int, count: int) -> Sequence[int]:
        """The places of the last so many turns before a place."""
        end = bisect_left(self.turn_places, before)
        return self.turn_places[max(0, end - count) : end]

    def turns_of(self, who: str, before: int) -> Sequence[int]:
        """The places of the turns that a character had before a place."""
        own = self._turns_of.get(who, array("q"))
        return own[: bisect_left(own, before)]

    def turn_at(self, number: int) -> int | None:
        """The place of the turn of that number."""
        at = self.turns_before(number)
        place = self.turn_places[at] if at < len(self.turn_places) else None
        return None if place is None or self.turns[place] != number else place

    def turns_before(self, number: int) -> int:
        """How many turns there were before the one of that number."""
        return bisect_left(self.turn_places, number, key=self.turns.__getitem__)

    def mood(self, place: int) -> Sequence[float]:
        """Valence, arousal and dominance of the speaker after the turn at a place."""
        at = bisect_left(self.turn_places, place) * AXES
        return self._moods[at : at + AXES]

    def _numbers(self, kinds: Sequence[str]) -> set[int]:
        return {self._kind_numbers[kind] for kind in kinds if kind in self._kind_numbers}
