"""The map: the hops of docs/architecture.md are those of the running code, in its order."""

import asyncio
import re
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from hakoniwa.app import new_session
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.play.loop import next_turn
from tests.autonomy import test_flow
from tests.service.door import WholeDoor, request
from tests.service.plot import G, acted, garden
from tests.service.talk import begun, said

ROOT = Path(__file__).resolve().parents[1]
SOURCE = f"{ROOT / 'src' / 'hakoniwa'}/"
MAP = ROOT / "docs" / "architecture.md"


def hops(way: str) -> list[str]:
    """The hops that the map lists for a way, in its order."""
    section = MAP.read_text(encoding="utf-8").split(f"\n## {way}\n")[1].split("\n## ")[0]
    return re.findall(r"^\d+\. `([\w/]+\.py:[\w.]+)`", section, re.MULTILINE)


def calls_during(work: Callable[[], Any]) -> list[str]:
    """Every function of ours that is called meanwhile, in any thread, in the order of its first call."""
    seen: dict[str, None] = {}

    def note(frame: FrameType, event: str, _: Any) -> None:
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(SOURCE):
            seen.setdefault(f"{file.removeprefix(SOURCE)}:{frame.f_code.co_qualname}")

    before = sys.getprofile()
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
        threading.setprofile(None)
    return list(seen)


def garden_turn() -> list[str]:
    session = new_session(MemoryJournal(), "kitchen_morning", seed=0)
    asyncio.run(session.open())
    try:
        return calls_during(lambda: asyncio.run(next_turn(session)))
    finally:
        session.close()


def gm_step() -> list[str]:
    with WholeDoor() as door:
        return calls_during(lambda: door.post("/v1/gm/step", request()))


def chat_exchange() -> list[str]:
    with WholeDoor() as door:
        begun(door)
        return calls_during(lambda: said(door, "こんにちは"))


def autonomous_round() -> list[str]:
    return calls_during(test_flow.test_a_trigger_leads_to_a_message_in_the_persona_s_own_words_and_to_a_memory)


def undo() -> list[str]:
    with garden() as door:
        acted(door, "やな", "（カップを手に取る）")
        return calls_during(lambda: door.post(f"{G}/undo", {"turns": 1}))


WAYS = {
    "A garden turn": garden_turn,
    "A GM step": gm_step,
    "A chat exchange": chat_exchange,
    "An autonomous round": autonomous_round,
    "An undo": undo,
}


@pytest.mark.parametrize("way", WAYS)
def test_the_map_lists_the_hops_of_the_running_code(way: str) -> None:
    listed, called = hops(way), WAYS[way]()
    assert listed
    assert [hop for hop in listed if hop not in called] == []
    assert listed == sorted(listed, key=called.index)


def test_the_map_lists_these_ways_and_no_others() -> None:
    titles = re.findall(r"^## (.+)$", MAP.read_text(encoding="utf-8"), re.MULTILINE)
    assert titles == ["Packages", *WAYS]
