"""Past: what a persona did of one kind. The newest is at hand; of all else only the row and the time are, so that one
who lives for years weighs little more than one who has just begun."""

from array import array
from collections import deque
from collections.abc import Collection
from datetime import datetime

from hakoniwa.ghost.autonomy.rows import Written

AT_HAND = 12  # as much as a persona does in a day, unless it is told to do more


class Past:
    """The rows of one kind, in the order of the journal."""

    def __init__(self) -> None:
        self._seqs, self._times = array("q"), array("d")
        self._newest: deque[tuple[int, Written]] = deque(maxlen=AT_HAND)

    def add(self, seq: int, what: Written) -> None:
        self._seqs.append(seq)
        self._times.append(what.at.timestamp())
        self._newest.append((seq, what))

    def newest(self) -> dict[int, Written]:
        """What is at hand, by row."""
        return dict(self._newest)

    def back(self, since: datetime | None, also: Collection[int]) -> list[int]:
        """The rows of what was so then or later, and some others, newest first. Clocks go back as well: a time says
        nothing about the row before it."""
        oldest = float("-inf") if since is None else since.timestamp()
        found = [seq for seq, at in zip(self._seqs, self._times, strict=True) if at >= oldest or seq in also]
        return found[::-1]
