"""Following a branch: what went on, what was taken back, and what is too much to tell."""

import pytest

from hakoniwa.errors import UnknownName
from hakoniwa.journal import MAIN, GardenRecord
from hakoniwa.journal.follow import Advanced, Follower, Gap, Rewound, row_at, rows_after, rows_back, shared_places
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.turn import Event

LONG = 70  # rows, more than are read at once


def journal_of(rows: int) -> MemoryJournal:
    journal = MemoryJournal()
    journal.create(GardenRecord(id="g", scenario={}, sheets={}, seed=1))
    write(journal, rows)
    return journal


def write(journal: MemoryJournal, rows: int = 1, branch: str = MAIN) -> None:
    head = next(one.head for one in journal.branches("g") if one.name == branch)
    journal.append("g", branch, [Event(kind="user", turn=1, origin="user")] * rows, head)


def told(follower: Follower) -> tuple[str, int | None, list[int]]:
    """A change in short: its kind, the row it goes on from, and the numbers of its rows."""
    match follower.look():
        case Advanced(rows):
            return "on", None, [row.seq for row in rows]
        case Rewound(to, rows):
            return "back", to, [row.seq for row in rows]
        case Gap():
            return "gap", None, []


def test_what_is_written_is_told_once() -> None:
    journal = journal_of(2)
    follower = Follower(journal, "g", MAIN)
    assert [told(follower), told(follower)] == [("on", None, [1, 2]), ("on", None, [])]
    write(journal)
    assert told(follower) == ("on", None, [3])


def test_what_is_taken_back_is_told_with_what_came_instead() -> None:
    journal = journal_of(5)
    follower = Follower(journal, "g", MAIN, head=5)
    journal.move_head("g", MAIN, 2)
    assert told(follower) == ("back", 2, [])
    write(journal, 2)
    assert told(follower) == ("on", None, [6, 7])
    journal.move_head("g", MAIN, None)
    write(journal)
    assert told(follower) == ("back", None, [8])


def test_a_branch_may_go_on_from_a_row_it_had_left() -> None:
    journal = journal_of(4)
    follower = Follower(journal, "g", MAIN, head=4)
    journal.move_head("g", MAIN, 1)
    assert told(follower) == ("back", 1, [])
    journal.move_head("g", MAIN, 4)
    assert told(follower) == ("back", 4, [])


def test_other_branches_are_nobodys_business() -> None:
    journal = journal_of(2)
    journal.fork("g", MAIN, "side", 2)
    follower = Follower(journal, "g", MAIN, head=2)
    write(journal, LONG, "side")
    assert told(follower) == ("on", None, [])
    write(journal)
    assert told(follower) == ("on", None, [LONG + 3])
    with pytest.raises(UnknownName):
        Follower(journal, "g", "nowhere").look()


def test_too_much_is_a_gap_after_which_it_goes_on() -> None:
    journal = journal_of(LONG)
    follower = Follower(journal, "g", MAIN)
    assert follower.look(LONG - 1) == Gap()
    write(journal)
    assert told(follower) == ("on", None, [LONG + 1])


def test_a_line_is_read_back_to_its_beginning_and_a_garden_on_to_its_end() -> None:
    journal = journal_of(LONG)
    numbers = list(range(1, LONG + 1))
    assert [row.seq for row in rows_back(journal, "g", LONG)] == numbers[::-1]
    assert [row.seq for row in rows_after(journal, "g", 3, page=7)] == numbers[3:]
    assert [row_at(journal, "g", seq) is not None for seq in (None, 1, LONG, LONG + 1)] == [False, True, True, False]


@pytest.mark.parametrize(
    ("one", "other", "places"), [([], [1], 0), ([1, 2], [1, 2, 3], 2), ([1, 2, 5, 6], [1, 2, 3, 4], 2), ([2], [1], 0)]
)
def test_two_lines_share_what_they_begin_with(one: list[int], other: list[int], places: int) -> None:
    assert shared_places(one, other) == places
