"""Following the journal: the one way to learn what was written or taken back on a branch since the last look."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import islice, takewhile
from typing import NamedTuple

from hakoniwa.errors import UnknownName
from hakoniwa.journal import Journal, Row

PAGE, BACK = 1_000, 32  # rows that are read at once: forwards, and backwards from a head


class Advanced(NamedTuple):
    """The branch went on from where it was with these rows, oldest first; without any, nothing happened."""

    rows: Sequence[Row] = ()


class Rewound(NamedTuple):
    """The branch goes on from the row `to` (None: from before the first) with these rows, oldest first."""

    to: int | None
    rows: Sequence[Row] = ()


class Gap(NamedTuple):
    """The branch went on by more rows than are told one by one."""


Change = Advanced | Rewound | Gap


class Follower:
    """A reader of one branch: `head` is the newest row of it that the reader knows, `seen` the newest it ever knew."""

    def __init__(self, journal: Journal, garden: str, branch: str, head: int | None = None, seen: int = 0) -> None:
        self.journal, self.garden, self.branch = journal, garden, branch
        self.head, self.seen = head, max(seen, head or 0)

    def move(self, head: int | None) -> None:
        """The reader knows the branch up to a head."""
        self.head, self.seen = head, max(self.seen, head or 0)

    def look(self, most: int = PAGE) -> Change:
        """What happened to the branch since the last look."""
        before, head = self.head, branch_head(self.journal, self.garden, self.branch)
        if head == before:
            return Advanced()
        rows = list(islice(self._unseen(head), most + 1))[::-1]
        self.move(head)
        if len(rows) > most:
            return Gap()
        base = rows[0].parent if rows else head
        return Advanced(rows) if base == before else Rewound(base, rows)

    def base(self) -> int | None:
        """The newest row of the branch among those that were written up to `seen`."""
        head = branch_head(self.journal, self.garden, self.branch)
        for row in self._unseen(head):
            head = row.parent
        return head

    def _unseen(self, head: int | None) -> Iterator[Row]:
        return takewhile(lambda row: row.seq > self.seen, rows_back(self.journal, self.garden, head, self.seen))


def branch_head(journal: Journal, garden: str, branch: str) -> int | None:
    """The newest row of a branch, None before the first; UnknownName for a branch that is not there."""
    heads = {one.name: one.head for one in journal.branches(garden)}
    if branch not in heads:
        raise UnknownName("unknown.branch", name=branch, known=", ".join(heads))
    return heads[branch]


def row_at(journal: Journal, garden: str, seq: int | None) -> Row | None:
    """The row of a garden that has this number."""
    row = next(iter(journal.since(seq - 1, 1, garden)), None) if seq else None
    return row if row and row.seq == seq else None


def rows_back(journal: Journal, garden: str, head: int | None, seen: int = 0) -> Iterator[Row]:
    """The rows from a head back to the first event of its line, newest first; none is read up to `seen`."""
    page: dict[int, Row] = {}
    while head is not None and head > seen:
        if head not in page:
            page = {row.seq: row for row in journal.since(max(seen, head - BACK), BACK, garden)}
        if head not in page:
            return  # a row has gone missing: whoever reads the whole line is told so
        yield page[head]
        head = page[head].parent


def rows_after(journal: Journal, garden: str, seq: int, page: int = PAGE) -> Iterator[Row]:
    """The rows of a garden after one, on all of its branches, oldest first."""
    while rows := journal.since(seq, page, garden):
        yield from rows
        if len(rows) < page:
            return
        seq = rows[-1].seq


def shared_places(one: Sequence[int], other: Sequence[int]) -> int:
    """How many rows two lines begin with in common, by their numbers: who shares a row shares all before it."""
    return bisect_left(range(min(len(one), len(other))), 1, key=lambda place: one[place] != other[place])
