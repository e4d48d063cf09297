"""The timeline of a line that goes on and is taken back: whatever is at hand, it shows what a new one shows."""

import pytest

from hakoniwa.journal import Row
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.play import timeline as timelines
from hakoniwa.play.timeline import AT_HAND, Checkpoint, Timeline
from hakoniwa.service.lines import script_page
from hakoniwa.service.minds import mind_view
from hakoniwa.service.whys import garden_why
from hakoniwa.turn import Event
from tests.gardens import garden_of
from tests.service.test_gardens_large import turn, world

STEPS = (40, 90, -70, 60, -1, 130)  # turns played, or taken back


def moody(number: int) -> list[Event]:
    """A turn, after which its speaker feels as nobody did before."""
    first, *rest = turn(number)
    mind = {"mood": {"valence": number / 1000}}
    return [first.with_field("payload", {**first.payload, "mind": mind}), *rest]


@pytest.fixture
def followed(monkeypatch: pytest.MonkeyPatch) -> Timeline:
    """A timeline that was there all the time; it remembers how things stood at few places."""
    for name, few in {"FAR": 8, "MOST_FAR": 6, "NEAR": 2, "MOST_NEAR": 3}.items():
        monkeypatch.setattr(timelines, name, few)
    journal = MemoryJournal()
    garden = garden_of(world(), {}, id="g")
    journal.create(garden)
    timeline, heads = Timeline(journal, garden, "main"), list[int]()
    for count in STEPS:
        if count < 0:
            del heads[count:]
            journal.move_head("g", "main", heads[-1])
        for _ in range(count):
            head = heads[-1] if heads else None
            heads.append(journal.append("g", "main", moody(len(heads) + 1), head)[-1].seq)
            timeline.follow()
        timeline.follow()
    return timeline


def test_little_of_it_is_at_hand(followed: Timeline) -> None:
    for timeline in (followed, Timeline(followed.journal, followed.garden, "main")):
        assert len(timeline.rows) == 2 * sum(STEPS)
        assert len(timeline.rows._newest) <= AT_HAND
        assert (len(timeline._far) <= timelines.MOST_FAR, len(timeline._near) <= timelines.MOST_NEAR) == (True, True)


def test_what_has_just_been_written_is_shown_without_going_far(monkeypatch: pytest.MonkeyPatch) -> None:
    journal, garden = MemoryJournal(), garden_of(world(), {}, id="g")
    journal.create(garden)
    timeline, gone = Timeline(journal, garden, "main"), list[Row]()
    on = Checkpoint.on
    monkeypatch.setattr(Checkpoint, "on", lambda place, rows, *more: (gone.extend(rows), on(place, rows, *more))[1])
    for number in range(1, 101):
        rows = journal.append("g", "main", turn(number), timeline.head)
        before = len(timeline.rows)
        timeline.follow()
        gone.clear()
        assert [row for row, _ in timeline.entries(before, len(timeline.rows))] == rows
        assert len(gone) <= 2 * len(rows)


def test_it_shows_every_turn_as_a_new_one_does(followed: Timeline) -> None:
    anew = Timeline(followed.journal, followed.garden, "main")
    assert followed.head == anew.head
    for number in range(2, sum(STEPS) + 1, 7):
        assert followed.at(number).world == anew.at(number).world
        felt = followed.at(number).minds
        assert felt == anew.at(number).minds
        assert {felt[who].mood.valence * 1000 for who in felt} == {number - 1, number}
        assert followed.at(number).beliefs == anew.at(number).beliefs
    assert (followed.standing.world, followed.standing.minds) == (anew.standing.world, anew.standing.minds)


def test_pages_minds_and_reasons_are_those_of_a_new_one(followed: Timeline) -> None:
    anew = Timeline(followed.journal, followed.garden, "main")
    for number in (1, 60, 100, sum(STEPS)):
        assert script_page(followed, [], 20, None, None, number) == script_page(anew, [], 20, None, None, number)
        assert mind_view(followed, "やな", number, "ja") == mind_view(anew, "やな", number, "ja")
        assert garden_why(followed, number, "ja") == garden_why(anew, number, "ja")
    assert followed.entries(0, 30) == anew.entries(0, 30)
