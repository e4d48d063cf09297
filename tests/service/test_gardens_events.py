"""Watching a garden: rows by their numbers, once and in order, wherever they come from; and what is in the air."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.service import garden_events, streams
from tests.service.door import WholeDoor, refused, together
from tests.service.plot import Frame, G, Hesitant, acted, garden, watched

EVENTS = f"{G}/events"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "PULSE", 0.01)


@pytest.fixture
def door() -> Iterator[WholeDoor]:
    with garden() as opened:
        acted(opened, "やな", "（カップを手に取る）")
        yield opened


def seen(door: WholeDoor, count: int, query: str = "", last: str | None = None) -> list[Frame]:
    return door.wait_for(watched(door, lambda told: len(told) >= count, query, last))[:count]


def rows(told: list[Frame]) -> list[int | None]:
    return [one.id for one in told if one.event == "row"]


def test_whoever_comes_is_greeted_and_told_how_things_are(door: WholeDoor) -> None:
    hello, pace = seen(door, 2)
    head = door.get(G)["head"]
    assert hello == Frame(head, "hello", {"seq": head})
    assert (pace.event, pace.id, pace.data["running"]) == ("pace", None, False)


@pytest.mark.parametrize("given", [{"last": "1"}, {"query": "after=1"}, {"last": "1", "query": "after=2"}])
def test_whoever_comes_back_gets_what_came_after_the_last_they_saw(door: WholeDoor, given: dict[str, str]) -> None:
    told = seen(door, 3, **given)
    assert [one.event for one in told] == ["pace", "row", "row"]
    assert rows(told) == [2, 3]
    assert (told[1].data["kind"], told[1].data["parent"]) == ("turn", 1)
    assert [line["seq"] for line in told[1].data["lines"]] == [2]
    assert told[1].data["world_delta"]


GAPS = {"of nothing": ("x", "unknown"), "beyond the newest": ("99", "ahead"), "far beyond": (str(10**17), "ahead")}


@pytest.mark.parametrize("gap", GAPS)
def test_whoever_cannot_go_on_is_told_to_read_again(door: WholeDoor, gap: str) -> None:
    last, reason = GAPS[gap]
    (told,) = seen(door, 1, last=last)
    assert (told.event, told.id, told.data) == ("reset", 3, {"seq": 3, "reason": reason})


def test_so_is_whoever_missed_too_much(door: WholeDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garden_events, "BEHIND", 1)
    told = seen(door, 2, last="1")[1]
    assert (told.event, told.data["reason"]) == ("reset", "behind")


def test_rows_come_as_they_are_written_here_or_elsewhere() -> None:
    journal = MemoryJournal()
    with garden(journal=journal) as here, garden(journal=journal) as there:
        acted(here, "やな", "（カップを手に取る）")

        def enough(told: list[Frame]) -> bool:
            if told and not begun:
                begun.append(asyncio.ensure_future(both()))
            return len(rows(told)) >= 4

        async def both() -> None:
            await here.sending('{"who": "やな", "text": "「ひとつ」"}'.encode(), f"{G}/act")
            await asyncio.to_thread(acted, there, "やな", "「ふたつ」")

        begun: list[Any] = []
        told = here.wait_for(watched(here, enough))
        here.wait_for(begun[0])
        assert rows(told) == [4, 5, 6, 7]
        assert [line["text"] for one in told if one.event == "row" for line in one.data["lines"]] == [
            "ひとつ", "ふたつ",
        ]  # fmt: skip


def test_what_was_taken_back_is_told_by_where_the_line_goes_on(door: WholeDoor) -> None:
    acted(door, "やな", "（カップを置く）")
    door.post(f"{G}/undo", {"turns": 1})
    acted(door, "やな", "「そのまま」")
    told = [one for one in seen(door, 4, last="5") if one.event == "row"]
    assert [(one.data["kind"], one.data["parent"]) for one in told] == [("undo", 3), ("turn", 6), ("clock", 7)]


def test_a_fork_is_told_from_the_rows_it_shares(door: WholeDoor) -> None:
    door.post(f"{G}/fork", {"name": "side"})
    acted(door, "やな", "（カップを置く）", branch="side")
    acted(door, "やな", "「本筋」")
    assert rows(seen(door, 5, "branch=side&after=1")) == [2, 3, 4, 5]


def test_who_speaks_is_told_with_the_words_so_far_and_then_the_words() -> None:
    model = Hesitant()

    async def watching(door: WholeDoor) -> list[Any]:
        async def late() -> list[Frame]:
            await model.speaking.wait()
            await asyncio.sleep(0.02)

            def enough(told: list[Frame]) -> bool:
                if any(one.event == "speaking" for one in told):
                    model.may_go_on.set()
                return any(one.event == "speaking" and one.data["who"] is None for one in told)

            return await watched(door, enough)

        return await together(door.sending(b"{}", f"{G}/turn"), late())

    with garden(model) as door:
        _, told = door.wait_for(watching(door))
    begun = next(one for one in told if one.event == "speaking")
    words = {"turn": 1, "who": "やな", "phase": "perform", "take": 1, "text": "「ええと、"}
    assert begun == Frame(None, "speaking", words)
    assert "".join(one.data["text"] for one in told if one.event == "piece") in ("", "おはよう」")
    assert [one.data["kind"] for one in told if one.event == "row"] == ["turn", "clock"]


def test_the_pace_is_told_when_it_changes(door: WholeDoor) -> None:
    def enough(told: list[Frame]) -> bool:
        if told and not begun:
            begun.append(asyncio.ensure_future(door.sending(b'{"turns": 1, "speed": 0}', f"{G}/run")))
        return any(one.event == "pace" and one.data["reason"] == "turns" for one in told)

    begun: list[Any] = []
    paces = [one.data for one in door.wait_for(watched(door, enough)) if one.event == "pace"]
    assert [one["running"] for one in paces] == [False, True, False]


def test_nothing_said_can_break_out_of_its_frame(door: WholeDoor) -> None:
    acted(door, "やな", "「ほら\n\nevent: reset\ndata: {}\nid: 7」")
    told = seen(door, 3, last="3")
    assert [(one.id, one.event) for one in told] == [(None, "pace"), (4, "row"), (5, "row")]


def test_streams_are_numbered(door: WholeDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MOST_STREAMS", 0)
    refused(door.send(b"", EVENTS, "GET"), 429)


def test_whoever_hangs_up_is_not_told_any_more(door: WholeDoor) -> None:
    for _ in range(3):
        seen(door, 1)
    assert seen(door, 2)[1].event == "pace"
