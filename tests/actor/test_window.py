"""Windows on a transcript: append-only until they are full, then cut in one large step, and never too large."""

from itertools import pairwise

import pytest

from hakoniwa.actor.window import LINES_IN_MEMORY, Transcript, TranscriptLine, TranscriptWindow
from tests.pace import busy

LIMIT = 600
LINES = [TranscriptLine(f"{number:03}" + "。" * (number * 7 % 40), f"覚え書き{number}") for number in range(200)]


def windows(lines: list[TranscriptLine], limit: int = LIMIT) -> list[TranscriptWindow]:
    """The window after each line."""
    transcript, seen = Transcript(), []
    for line in lines:
        transcript.add(line)
        seen.append(transcript.window(limit))
    return seen


def size(window: TranscriptWindow) -> int:
    return len("\n".join((*window.earlier, *window.lines)))


def test_lines_are_only_added_until_a_third_at_least_goes_at_once() -> None:
    cut = 0
    for before, after in pairwise(windows(LINES)):
        if after.lines[: len(before.lines)] != before.lines:
            cut += 1
            assert sum(map(len, after.lines)) <= 2 / 3 * sum(map(len, before.lines))
    assert cut > 5


def test_a_window_with_its_summary_never_outgrows_its_limit() -> None:
    assert max(map(size, windows(LINES))) <= LIMIT


def test_a_window_is_the_same_whether_it_was_followed_or_not() -> None:
    assert [Transcript(LINES[: number + 1]).window(LIMIT) for number in range(200)] == windows(LINES)


def test_windows_of_several_sizes_do_not_disturb_one_another() -> None:
    transcript = Transcript()
    for line in LINES:
        transcript.add(line)
        transcript.window(LIMIT), transcript.window(2 * LIMIT)
    assert transcript.window(LIMIT) == Transcript(LINES).window(LIMIT)
    assert transcript.window(2 * LIMIT) == Transcript(LINES).window(2 * LIMIT)


def test_the_summary_tells_how_it_began_and_what_came_last_before_the_lines() -> None:
    last = windows(LINES)[-1]
    shown = int(last.lines[0][:3])
    assert last.earlier[:2] == ("覚え書き0", "覚え書き1")
    assert last.earlier[-1] == f"覚え書き{shown - 1}"
    assert len(last.earlier) == 8


def test_the_summary_tells_each_thing_once_and_where_it_came_last() -> None:
    lines = [TranscriptLine("。" * 50, note) for note in ("窓", "扉", "窓", "本", "", "本", "鍵", "鍵")]
    assert Transcript(lines).window(120) == TranscriptWindow(("扉", "窓", "本"), ("。" * 50, "。" * 50))


@pytest.mark.parametrize(("limit", "left"), [(4000, 8), (600, 4), (100, 0)])
def test_a_long_summary_loses_its_middle(limit: int, left: int) -> None:
    lines = [TranscriptLine("。" * limit, f"{number:020}") for number in range(20)]
    earlier = Transcript(lines).window(limit).earlier
    assert len(earlier) == left
    assert not earlier or (earlier[0], earlier[-1]) == (f"{0:020}", f"{18:020}")


def test_a_line_that_is_too_long_by_itself_is_shown_all_the_same() -> None:
    transcript = Transcript([TranscriptLine("短い"), TranscriptLine("長" * 1000)])
    assert transcript.window(100) == TranscriptWindow((), ("長" * 1000,))


def test_what_nobody_witnessed_is_an_empty_window() -> None:
    assert Transcript().window(LIMIT) == TranscriptWindow()


@pytest.mark.pace
def test_a_line_more_costs_the_same_after_ten_thousand() -> None:
    transcript = Transcript(LINES * 50)
    transcript.window(LIMIT)

    def another_hundred() -> None:
        for line in LINES[:100]:
            transcript.add(line)
            transcript.window(LIMIT)

    assert busy(another_hundred, within=0.02) < 0.02


def test_lines_that_nobody_is_shown_are_let_go_and_had_again() -> None:
    many = [line._replace(seq=number + 1) for number, line in enumerate(LINES * 20)]
    told = list[TranscriptLine]()
    held, whole = Transcript(again=lambda: told), Transcript()
    for line in many:
        told.append(line)
        for one in (held, whole):
            one.add(line)
        assert held.window(LIMIT) == whole.window(LIMIT)
        assert held.after(line.seq - 3) == whole.after(line.seq - 3)
    assert len(held) == len(whole) == len(many)
    assert len(held._lines) < len(LINES)
    assert held.window(3 * LIMIT) == whole.window(3 * LIMIT)
    assert held.after(5) == whole.after(5)
    assert held.window(LIMIT) == whole.window(LIMIT)


@pytest.mark.parametrize("back", [0, 1, 2, 5, 17, 60, 199])
def test_what_is_taken_back_leaves_the_windows_that_were_there(back: int) -> None:
    many = [line._replace(seq=number + 1) for number, line in enumerate(LINES * 3)]
    told = list[TranscriptLine]()
    held = Transcript(again=lambda: told)
    for last in range(150, len(many), 31):
        for line in many[len(told) : last]:
            told.append(line)
            held.add(line)
            held.window(LIMIT)
            held.window(2 * LIMIT)
        del told[last - back :]
        held.take_back(last - back)
        assert [held.window(limit) for limit in (LIMIT, 2 * LIMIT)] == [
            Transcript(told).window(limit) for limit in (LIMIT, 2 * LIMIT)
        ]
        assert held.newest(1) == told[-1:]


def test_what_is_taken_back_a_little_is_not_told_again() -> None:
    told = [line._replace(seq=number + 1) for number, line in enumerate(LINES)]
    asked = list[int]()
    held = Transcript(again=lambda: (asked.append(1), told)[1])
    for line in told:
        held.add(line)
        held.window(LIMIT)
    for seq in range(len(told) - 1, len(told) - 12, -1):
        held.take_back(seq)
        held.window(LIMIT)
    assert asked == []


def test_a_window_that_nobody_asks_for_any_more_holds_no_lines_back() -> None:
    told = [TranscriptLine(f"{number}", seq=number + 1) for number in range(3 * LINES_IN_MEMORY)]
    held, whole = Transcript(again=lambda: told), Transcript(told)
    for line in told:
        held.add(line)
        if line.seq < LINES_IN_MEMORY:
            held.window(LIMIT)
    held.after(len(told) - 1)
    assert len(held._lines) == LINES_IN_MEMORY
    assert held.window(LIMIT) == whole.window(LIMIT)
