"""A garden of two thousand turns and two hundred things over HTTP: any turn and any page at once."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.play.standing import event_of
from hakoniwa.play.timeline import Timeline
from hakoniwa.turn import Event, PatchOp, Performance, Ruling, Take, Thought, Turn
from tests.gardens import garden_of
from tests.pace import busy
from tests.service.door import WholeDoor

TURNS, THINGS, WITHIN, COLD = 2_000, 200, 0.2, 0.8
JOURNAL = MemoryJournal()
ROOMS = [f"部屋{number}" for number in range(10)]
PATH = "/v1/gardens/large"


def world() -> dict[str, Any]:
    return {
        "location": {"current": ROOMS[0]},
        "time": {"clock": "06:00"},
        "locations": {name: {"exits": [other for other in ROOMS if other != name]} for name in ROOMS},
        "characters": {"やな": {"location": ROOMS[0]}, "あゆ": {"location": ROOMS[0]}},
        "props": {f"小物{number}": {"location": ROOMS[number % 10], "state": ["clean"]} for number in range(THINGS)},
    }


def turn(number: int) -> list[Event]:
    """A turn in which something changes its state, and the minute that passes."""
    who, what = ("やな", "あゆ")[number % 2], f"小物{number % THINGS}"
    state = ["dirty"] if number // THINGS % 2 == 0 else ["clean"]
    parsed = {"speech": f"{number}回目だね。", "action_intents": [{"intent": "SAY", "detail": f"{number}回目だね。"}]}
    ruling = Ruling.model_validate({"parsed": parsed, "allowed": True}).with_field(
        "world_delta", (PatchOp(op="replace", path=f"/props/{what}/state", value=state),)
    )
    take = Take(performance=Performance(text=f"「{number}回目だね。」"), ruling=ruling)
    played = Turn(number=number, speaker=who, thought=Thought(text=""), take=take)
    clock = PatchOp(op="replace", path="/time/turn", value=number)
    everyone = ("やな", "あゆ")
    return [
        event_of(played, everyone, f"actor:{who}"),
        Event(kind="clock", turn=number, origin="gm", witnesses=everyone, world_delta=(clock,)),
    ]


@pytest.fixture(scope="module")
def large() -> Iterator[WholeDoor]:
    JOURNAL.create(garden_of(world(), {}, id="large"))
    head = None
    for number in range(1, TURNS + 1):
        head = JOURNAL.append("large", "main", turn(number), head)[-1].seq
    with WholeDoor(JOURNAL) as door:
        for path in (PATH, f"{PATH}/highlights", f"{PATH}/minds/やな"):
            door.get(path)
        yield door


ASKED: dict[str, Callable[[int], str]] = {
    "the garden now": lambda _: PATH,
    "the garden at a turn": lambda number: f"{PATH}?turn={number}",
    "a page of the script": lambda number: f"{PATH}/script?turn={number}&limit=100",
    "the newest page": lambda _: f"{PATH}/script",
    "a mind at a turn": lambda number: f"{PATH}/minds/やな?turn={number}",
    "what can be done": lambda _: f"{PATH}/acts?who=やな",
}


@pytest.mark.pace
@pytest.mark.parametrize("number", [1, 777, 1_999])
@pytest.mark.parametrize("asked", ASKED)
def test_it_is_there_at_once(large: WholeDoor, asked: str, number: int) -> None:
    took = busy(lambda: large.get(ASKED[asked](number)), within=WITHIN)
    assert took < WITHIN


@pytest.mark.pace
def test_nor_does_it_take_long_when_nobody_has_asked_before(large: WholeDoor) -> None:
    garden = JOURNAL.garden("large")
    assert busy(lambda: Timeline(JOURNAL, garden, "main"), within=COLD) < COLD


def test_and_it_is_right(large: WholeDoor) -> None:
    view = large.get(f"{PATH}?turn=777")
    dirty = {one["name"] for one in view["things"] if one["state"] == ["dirty"]}
    assert dirty == {f"小物{number % THINGS}" for number in range(1, 778) if number // THINGS % 2 == 0} - {
        f"小物{number % THINGS}" for number in range(600, 778)
    }
    lines = large.get(f"{PATH}/script?turn=777&limit=3")["lines"]
    assert [line["text"] for line in lines] == ["777回目だね。", "778回目だね。", "779回目だね。"]


def test_pages_fit_together(large: WholeDoor) -> None:
    page = large.get(f"{PATH}/script?turn=1&limit=500")
    following = large.get(f"{PATH}/script?after={page['after']}&limit=500")
    assert (page["first"] + 500, page["total"]) == (following["first"], TURNS)
    lines = [*page["lines"], *following["lines"]]
    assert [line["turn"] for line in lines if line["kind"] == "speech"] == list(range(1, 1_001))
    assert [line["turn"] for line in lines if line["kind"] == "scene"] == [1]
