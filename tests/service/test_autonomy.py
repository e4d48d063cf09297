"""A life between exchanges over HTTP: letting it live, how it stands, what it did and why, and who looks after it."""

import asyncio
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from hakoniwa.errors import JournalError, UsageError
from hakoniwa.journal import GardenRecord, Journal
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.memory.store import Memories
from hakoniwa.service import worker_supervisor
from hakoniwa.service.app import hakoniwa_app
from hakoniwa.settings import Settings
from tests.autonomy.cottage import NOON, Cottage, Idle, Puppet, later
from tests.service.door import PATIENCE, TOKEN, WholeDoor, refused
from tests.service.talk import begun, said

PATH = "/v1/chats/c/autonomy"
TOLD = "きみに知らせたいことがあってね。うまくいったよ。"
SINCE = "since=2026-05-04T00:00:00Z"


@pytest.fixture
def door() -> Iterator[WholeDoor]:
    with WholeDoor() as opened:
        begun(opened)
        yield opened


@pytest.fixture(scope="module")
def open_door() -> Iterator[WholeDoor]:
    """A server with one chat, of which nothing is to change."""
    with WholeDoor() as opened:
        begun(opened)
        yield opened


def lived() -> Journal:
    """A journal in which Mina has done two things, told of one and thought better of the rest."""
    puppet = Puppet(deliberate=[later(30, "店番のこと", on_complete="notify"), later(30, "時計", on_complete="silent")])
    cottage = Cottage({"c": puppet})
    cottage.home("c", "main").doings.control("start", NOON)
    cottage.pass_time(timedelta(hours=2), timedelta(minutes=10))
    return cottage.journal


# --- letting it live -------------------------------------------------------------------------------------------------


def test_it_is_let_live_rests_goes_on_and_is_stopped(door: WholeDoor) -> None:
    assert door.get(PATH)["hindrance"] == "off"
    shown = []
    for act, body in (("start", {}), ("pause", {"seconds": 3600}), ("resume", {}), ("stop", {})):
        found = door.post(f"{PATH}/{act}", body)
        assert {**door.get(PATH), "now": None} == {**found, "now": None}
        shown.append((found["on"], found["paused"]))
    assert shown == [(True, False), (True, True), (True, False), (False, False)]


def test_a_rest_lasts_as_long_as_was_said(door: WholeDoor) -> None:
    door.post(f"{PATH}/start", {})
    assert door.post(f"{PATH}/pause", {})["paused_until"] is None
    found = door.post(f"{PATH}/pause", {"seconds": 3600})
    lasts = datetime.fromisoformat(found["paused_until"]) - datetime.fromisoformat(found["now"])
    assert abs(lasts - timedelta(hours=1)) < timedelta(minutes=1)
    until = (datetime.now(UTC) + timedelta(days=1)).replace(microsecond=0)
    found = door.post(f"{PATH}/pause", {"until": until.isoformat()})
    assert datetime.fromisoformat(found["paused_until"]) == until
    door.post(f"{PATH}/clock", {"advance": 2 * 86400})
    assert door.get(PATH)["paused"] is False


def test_what_it_is_asked_to_think_about_waits_until_it_may(door: WholeDoor) -> None:
    door.post(f"{PATH}/start", {})
    (due,) = door.post(f"{PATH}/trigger", {"note": "天気のこと"})["due"]
    assert (due["type"], due["note"]) == ("policy", "天気のこと")


def test_every_line_of_a_chat_has_a_life_of_its_own(door: WholeDoor) -> None:
    said(door, "猫の話")
    door.post("/v1/chats/c/branches", {"name": "side"})
    door.post(f"{PATH}/start", {"branch": "side"})
    assert (door.get(PATH)["on"], door.get(f"{PATH}?branch=side")["on"]) == (False, True)


def test_the_clock_of_a_chat_can_be_moved_and_its_exchanges_follow(door: WholeDoor) -> None:
    assert door.get(f"{PATH}/clock")["clock_ahead"] == 0
    assert door.post(f"{PATH}/clock", {"advance": 86400})["clock_ahead"] == 86400
    assert door.post(f"{PATH}/clock", {"advance": 3600})["clock_ahead"] == 90000
    said(door, "やあ")
    at = datetime.fromisoformat(door.get("/v1/chats/c")["history"][0]["at"])
    assert abs(at - datetime.now(UTC) - timedelta(seconds=90000)) < timedelta(minutes=1)
    assert door.post(f"{PATH}/clock", {"reset": True})["clock_ahead"] == 0


# --- what it did -----------------------------------------------------------------------------------------------------


def test_what_it_did_and_why_can_be_read() -> None:
    with WholeDoor(lived()) as door:
        first = door.get(f"{PATH}/why?limit=100")[-1]
        assert (first["trigger"]["type"], first["decision"]["decision_outcome"]) == ("heartbeat", "do_action")
        assert (first["message"], first["delivery_mode"], first["untold"]) == (TOLD, "notify", None)
        deeds = door.get(f"{PATH}/digest?{SINCE}")["deeds"]
        assert [(one["asked"]["note"], one["message"]) for one in deeds] == [("店番のこと", TOLD), ("時計", None)]
        assert len(door.get(f"{PATH}/why?limit=1")) == 1


def test_a_message_of_its_own_accord_stands_in_the_history_with_how_it_is_shown() -> None:
    with WholeDoor(lived()) as door:
        said(door, "ただいま")
        shown = [(one["source"], one["delivery_mode"]) for one in door.get("/v1/chats/c")["history"]]
        assert shown == [("autonomy_message", "notify"), ("chat", None)]


def test_without_a_time_a_digest_begins_where_the_user_last_spoke() -> None:
    with WholeDoor(lived()) as door:
        said(door, "ただいま")
        found = door.get(f"{PATH}/digest")
        assert found["deeds"] == []
        assert found["since"] == door.get("/v1/chats/c")["history"][-1]["at"]


def test_nobody_but_a_chat_can_live_so() -> None:
    journal = MemoryJournal()
    journal.create(GardenRecord(id="garden", scenario={}, sheets={"yana": {}}, seed=1))
    with WholeDoor(journal) as other:
        for path in ("autonomy", "autonomy/why", "autonomy/digest", "autonomy/clock", "events"):
            assert refused(other.send(b"", f"/v1/chats/garden/{path}", "GET"), 404)["key"] == "unknown.chat"


BAD: tuple[tuple[str, dict[str, Any], int], ...] = (
    ("start", {"branch": "nowhere"}, 404),
    ("start", {"unknown": 1}, 422),
    ("pause", {"seconds": 0}, 422),
    ("pause", {"seconds": -1}, 422),
    ("pause", {"seconds": 1e12}, 422),
    ("pause", {"seconds": "60"}, 422),
    ("pause", {"until": "2020-01-01T00:00:00Z"}, 422),
    ("pause", {"until": "2099-01-01T00:00:00"}, 422),
    ("pause", {"until": "2099-01-01T00:00:00Z", "seconds": 60}, 422),
    ("trigger", {"note": "あ" * 401}, 422),
    ("trigger", {"note": "a\u0000b"}, 422),
    ("clock", {"advance": -1}, 422),
    ("clock", {"advance": 1e12}, 422),
)


@pytest.mark.parametrize(("act", "body", "status"), BAD, ids=lambda one: str(one)[:40])
def test_what_cannot_be_is_refused_and_changes_nothing(
    open_door: WholeDoor, act: str, body: dict[str, Any], status: int
) -> None:
    assert refused(open_door.send(json.dumps(body).encode(), f"{PATH}/{act}"), status)["detail"]
    found = open_door.get(PATH)
    assert (found["on"], found["paused"], found["waiting"], found["clock_ahead"]) == (False, False, [], 0)


@pytest.mark.parametrize("since", ["neulich", "2026-05-04T00:00:00", "2026-13-01T00:00:00Z"])
def test_what_is_no_time_in_any_zone_is_refused(open_door: WholeDoor, since: str) -> None:
    refused(open_door.send(b"", f"{PATH}/digest?since={since}", "GET"), 422)


# --- who looks after it ----------------------------------------------------------------------------------------------


def test_a_worker_comes_with_the_first_who_lives_and_leaves_with_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_supervisor, "LOOKS", 3600)
    idle = Idle()
    with WholeDoor(hire=lambda: idle) as door:
        begun(door)
        door.pause(0.05)
        assert (door.get(PATH)["care"], idle.notes) == ("waiting", [])
        door.post(f"{PATH}/start", {})
        assert door.sooner_or_later(lambda: door.get(PATH)["care"] == "working")
        assert idle.notes == ["start"]
    assert idle.notes == ["start", "close"]


def test_a_worker_is_there_at_once_for_somebody_who_lives_already() -> None:
    idle = Idle()
    with WholeDoor(lived(), hire=lambda: idle) as door:
        assert door.sooner_or_later(lambda: door.get(PATH)["care"] == "working")


def test_somebody_let_live_by_another_process_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_supervisor, "LOOKS", 0.02)
    idle, journal = Idle(), MemoryJournal()
    with WholeDoor(journal, hire=lambda: idle) as door:
        begun(door)
        Memories(journal).live("c", "main", True)
        assert door.sooner_or_later(lambda: idle.notes) == ["start"]


def nobody() -> Idle:
    raise UsageError("autonomy.no-journal")


def test_a_life_that_nothing_can_carry_out_is_refused_and_everything_else_works() -> None:
    with WholeDoor(hire=nobody) as door:
        begun(door)
        assert refused(door.send(b"{}", f"{PATH}/start"), 422)["key"] == "autonomy.no-journal"
        now = door.get(PATH)
        assert (now["on"], now["care"], now["next_heartbeat"]) == (False, "impossible", None)
        assert said(door, "やあ")["turn"] == 1


def test_a_life_begun_before_says_that_nothing_carries_it_out() -> None:
    with WholeDoor(lived(), hire=nobody) as door:
        assert door.sooner_or_later(lambda: door.get(PATH)["care"] == "impossible")
        now = door.get(PATH)
        assert (now["on"], now["hindrance"], now["next_heartbeat"]) == (True, "no-worker", None)


def test_what_prevented_a_worker_may_be_mended_while_the_server_runs() -> None:
    idle, faults = Idle(), [JournalError("journal.locked", path="", problem="")]

    def at_the_second_try() -> Idle:
        if faults:
            raise faults.pop()
        return idle

    with WholeDoor(lived(), hire=at_the_second_try) as door:
        assert door.sooner_or_later(lambda: door.get(PATH)["care"] == "impossible")
        now = door.post(f"{PATH}/start", {})
        assert (now["care"], now["next_heartbeat"] is not None) == ("working", True)
    assert idle.notes == ["start", "close"]


def test_a_journal_that_is_busy_only_means_looking_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_supervisor, "LOOKS", 0.01)
    idle, faults = Idle(), [JournalError("journal.locked", path="", problem="")] * 2

    class Busy(Memories):
        def living(self) -> list[tuple[str, str]]:
            if faults:
                raise faults.pop()
            return [("c", "main")]

    async def through() -> None:
        keeper = worker_supervisor.WorkerSupervisor(Busy(MemoryJournal()), lambda: idle)
        await keeper.open()
        while keeper.care != "working":
            await asyncio.sleep(0.005)
        await keeper.close()

    asyncio.run(asyncio.wait_for(through(), PATIENCE))
    assert idle.notes == ["start", "close"]


def test_with_nobody_to_hire_it_is_left_to_others(door: WholeDoor) -> None:
    assert door.post(f"{PATH}/start", {})["care"] == "elsewhere"


def test_a_server_that_ends_while_somebody_is_hired_does_not_leave_them_behind() -> None:
    idle = Idle()

    def slowly() -> Idle:
        sleep(0.3)
        return idle

    with WholeDoor(lived(), hire=slowly) as door:
        door.pause(0.05)
    assert idle.notes == ["start", "close"]


def test_the_application_asks_nothing_of_a_place_for_work_until_it_is_needed(tmp_path: Path) -> None:
    hakoniwa_app(MemoryJournal(), Settings(home=tmp_path), TOKEN, hire=lambda: Idle())
    assert list(tmp_path.iterdir()) == []
