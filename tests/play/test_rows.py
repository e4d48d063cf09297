"""The rows of a line: the newest at hand, all of them there."""

from collections.abc import Sequence

import pytest

from hakoniwa.journal import GardenRecord, Row
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.play.timeline import AT_HAND, Rows, pages
from hakoniwa.turn import Event

COUNT = 3 * AT_HAND


def lines(count: int = COUNT) -> tuple[Rows, Sequence[Row]]:
    """A line that went on for a while, next to another one."""
    journal = MemoryJournal()
    journal.create(GardenRecord(id="g", scenario={}, sheets={}, seed=1))
    journal.fork("g", "main", "side", None)
    rows, all_rows, side = Rows(journal, "g"), [], None
    for number in range(count):
        event = Event(kind="user", turn=number, origin="user", payload={"text": str(number)})
        all_rows += journal.append("g", "main", [event], all_rows[-1].seq if all_rows else None)
        rows.append(all_rows[-1])
        side = journal.append("g", "side", [event], side)[-1].seq
    return rows, all_rows


def test_what_is_no_longer_at_hand_is_read_again() -> None:
    rows, expected = lines()
    assert (len(rows), list(rows), rows) == (COUNT, expected, expected)
    assert [rows[place] for place in (0, 5, -COUNT, -1, AT_HAND)] == [
        expected[place] for place in (0, 5, -COUNT, -1, AT_HAND)
    ]
    with pytest.raises(IndexError):
        rows[COUNT]


@pytest.mark.parametrize(
    "part",
    [slice(None), slice(3, 9), slice(COUNT - 3, None), slice(-AT_HAND - 4, -2), slice(9, 3), slice(None, None, -7)],
)
def test_a_part_is_a_part_of_all(part: slice) -> None:
    rows, expected = lines()
    assert rows[part] == list(expected[part])


@pytest.mark.parametrize("place", [0, 1, COUNT - AT_HAND, COUNT - 3, COUNT])
def test_a_line_may_be_taken_back_and_looked_at_from_any_row(place: int) -> None:
    rows, expected = lines()
    assert list(rows.until(place)) == list(expected[:place])
    assert rows.after(expected[place - 1].seq if place else 0) == list(expected[place:])


def test_only_the_newest_are_kept() -> None:
    rows, _ = lines()
    assert len(rows._newest) == AT_HAND


def test_a_line_is_taken_up_by_its_numbers_and_read_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, expected = lines()
    monkeypatch.setattr("hakoniwa.play.timeline.PAGE", 5)
    again = Rows(rows._journal, "g", rows._journal.line("g", "main"))
    assert list(again._newest) == list(expected[-AT_HAND:])
    assert [row for page in pages(again, 7) for row in page] == list(expected[7:])
    assert max(map(len, pages(again))) == 5
