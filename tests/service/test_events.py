"""What happens in a chat as it happens: from now on or from where somebody was cut off, in order, once, or told so."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from datetime import timedelta
from typing import Any, NamedTuple

import pytest

from hakoniwa.autonomy.log import AutonomyLog
from hakoniwa.chat.autonomy_rows import ActivityRow, MessageRow
from hakoniwa.journal import Journal
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.persona.generated import Generated
from hakoniwa.service import chat_events, streams
from tests.autonomy.cottage import NOON, Cottage, Puppet, later
from tests.service.door import PATIENCE, WholeDoor, refused, sent
from tests.service.talk import begun, said

PATH = "/v1/chats/c/events"
CONSOLES, MESSAGES = 5, 30


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "PULSE", 0.005)


@pytest.fixture
def journal() -> Journal:
    return MemoryJournal()


@pytest.fixture
def door(journal: Journal) -> Iterator[WholeDoor]:
    with WholeDoor(journal) as opened:
        begun(opened)
        yield opened


class Frame(NamedTuple):
    id: int
    event: str
    data: dict[str, Any]


def frames(text: str) -> list[Frame]:
    """The events that came whole; one that was cut off is none, and a comment says nothing."""
    whole = [one for one in text.split("\n\n")[:-1] if one and not one.startswith(":")]
    fields = [dict(line.split(": ", 1) for line in one.split("\n")) for one in whole]
    return [Frame(int(one["id"]), one["event"], json.loads(one["data"])) for one in fields]


async def watched(
    door: WholeDoor, enough: Callable[[str], bool], query: str = "", last: str | None = None, path: str = PATH
) -> str:
    """What somebody who watches gets until they hang up."""
    return await sent(door, "GET", path, b"", enough, query, last)


def seen(door: WholeDoor, count: int, query: str = "", last: str | None = None, path: str = PATH) -> list[Frame]:
    """The first events of a stream."""
    text = door.wait_for(watched(door, lambda text: len(frames(text)) >= count, query, last, path))
    return frames(text)[:count]


def doings(journal: Journal, branch: str = "main") -> AutonomyLog:
    return AutonomyLog(journal, "c", branch, "yana").follow()


def message(number: int, mode: str = "chat") -> MessageRow:
    return MessageRow.model_validate({
        "key": f"m/{number}", "at": NOON, "assistant_text": f"{number}つ目の知らせ", "message_kind": "report",
        "delivery_mode": mode, "action_type": "schedule_action", "capability": "schedule", "decision_id": 1,
        "intent_id": 2, "result_id": 3,
    })  # fmt: skip


# --- what is told ----------------------------------------------------------------------------------------------------


def test_whoever_brings_no_id_is_greeted_and_gets_what_happens_from_then_on(door: WholeDoor) -> None:
    said(door, "前の話")

    async def meanwhile() -> list[Frame]:
        def enough(text: str) -> bool:
            if len(frames(text)) == 1 and not talked:
                talked.append(asyncio.ensure_future(door.sending(b'{"text": "x"}', "/v1/chats/c/messages")))
            return len(frames(text)) >= 2

        talked: list[Any] = []
        return frames(await watched(door, enough))

    hello, exchange = door.wait_for(meanwhile())
    assert hello == Frame(1, "hello", {"seq": 1})
    assert exchange == Frame(2, "exchange", {"seq": 2, "turn": 2})


def test_a_life_is_told_as_it_is_lived_and_with_exactly_what_was_agreed_on() -> None:
    cottage = Cottage({"c": Puppet(deliberate=[later(30, "店番", on_complete="notify")])})
    cottage.home("c", "main").doings.control("start", NOON)
    cottage.pass_time(timedelta(minutes=40), timedelta(minutes=40))
    with WholeDoor(cottage.journal) as door:
        control, running, done, spoken = seen(door, 4, "after=0")
    assert (control.event, control.data["act"], control.data["until"]) == ("autonomy.control", "start", None)
    assert [one.event for one in (running, done)] == ["autonomy.activity"] * 2
    assert [(one.data["phase"], one.data["state"]) for one in (running, done)] == [
        ("run", "running"), ("result", "completed"),
    ]  # fmt: skip
    assert set(done.data) == {
        "phase", "state", "action_type", "capability", "backend", "result_status", "summary_text", "decision_id",
        "intent_id", "result_id", "agent_job_id", "goal_id",
    }  # fmt: skip
    assert spoken.event == "autonomy.message"
    assert spoken.data == {
        "message": "きみに知らせたいことがあってね。うまくいったよ。", "message_kind": "report",
        "delivery_mode": "notify", "action_type": "schedule_action", "capability": "schedule", "backend": None,
        "decision_id": done.data["decision_id"], "intent_id": done.data["intent_id"],
        "result_id": done.data["result_id"], "agent_job_id": None,
    }  # fmt: skip
    assert control.id < running.id < done.id < spoken.id


def test_what_is_done_in_silence_is_not_told() -> None:
    silent = later(30, "店番", on_complete="silent", on_progress="silent")
    cottage = Cottage({"c": Puppet(deliberate=[silent])})
    cottage.home("c", "main").doings.control("start", NOON)
    cottage.pass_time(timedelta(minutes=40), timedelta(minutes=40))
    cottage.home("c", "main").doings.control("stop", NOON)
    with WholeDoor(cottage.journal) as door:
        assert [one.data.get("act") for one in seen(door, 2, "after=0")] == ["start", "stop"]


def test_another_line_of_the_chat_is_not_told(door: WholeDoor, journal: Journal) -> None:
    said(door, "猫の話")
    door.post("/v1/chats/c/branches", {"name": "side"})
    doings(journal, "side").write(message(1))
    doings(journal).write(message(2))
    doings(journal, "side").write(message(3))
    told = seen(door, 1, last="1")
    assert [one.data["message"] for one in told] == ["2つ目の知らせ"]
    aside = seen(door, 2, "branch=side", last="1")
    assert [one.data["message"] for one in aside] == ["1つ目の知らせ", "3つ目の知らせ"]


def test_nothing_said_can_break_out_of_its_frame(door: WholeDoor, journal: Journal) -> None:
    hostile = Generated("ほら\n\nevent: reset\ndata: {}\r\nid: 7\u2028")
    doings(journal).write(message(1).model_copy(update={"assistant_text": hostile}))
    (told,) = seen(door, 1, "after=0")
    assert (told.id, told.event) == (1, "autonomy.message")
    assert told.data["message"] == "ほら\n\nevent: reset\ndata: {}\r\nid: 7\u2028"


def test_while_nothing_happens_a_comment_says_that_it_is_alive(
    door: WholeDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "QUIET", 0.02)
    text = door.wait_for(watched(door, lambda text: text.count(": ping") >= 2))
    assert [one.event for one in frames(text)] == ["hello"]


# --- coming back -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [{"last": "2"}, {"query": "after=2"}, {"last": "2", "query": "after=1"}])
def test_whoever_comes_back_gets_what_came_after_the_last_they_saw(
    door: WholeDoor, journal: Journal, given: dict[str, str]
) -> None:
    for number in range(1, 5):
        doings(journal).write(message(number))
    assert [one.id for one in seen(door, 2, **given)] == [3, 4]


GAPS: dict[str, tuple[str, str]] = {
    "of another chat": ("3", "unknown"),
    "beyond the newest": ("99", "ahead"),
    "far beyond": (str(10**17), "ahead"),
    "no number": ("x", "unknown"),
    "no number we have": ("9" * 30, "unknown"),
    "negative": ("-1", "unknown"),
}


@pytest.mark.parametrize("name", GAPS)
def test_an_id_that_leads_nowhere_is_told_and_it_goes_on_from_the_newest(
    door: WholeDoor, journal: Journal, name: str
) -> None:
    begun(door, "other")
    said(door, "一")
    said(door, "二")
    said(door, "別の話", "other")
    said(door, "三")
    given, reason = GAPS[name]

    async def meanwhile() -> list[Frame]:
        written: list[int] = []

        def enough(text: str) -> bool:
            if len(frames(text)) == 1 and not written:
                written.append(doings(journal).write(message(1)))
            return len(frames(text)) >= 2

        return frames(await watched(door, enough, last=given))

    reset, following = door.wait_for(meanwhile())
    assert (reset.event, reset.data["reason"]) == ("reset", reason)
    assert reset.id == reset.data["seq"]
    assert following.data["message"] == "1つ目の知らせ"


def test_too_much_to_be_told_one_by_one_is_a_gap(
    door: WholeDoor, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chat_events, "BEHIND", 5)
    for number in range(1, 8):
        doings(journal).write(message(number))
    (reset,) = seen(door, 1, last="1")
    assert (reset.event, reset.data) == ("reset", {"seq": 7, "reason": "behind"})
    assert [one.id for one in seen(door, 5, last="2")] == [3, 4, 5, 6, 7]


@pytest.mark.parametrize("last", ["2", "1"])
def test_what_was_purged_leaves_a_gap(door: WholeDoor, journal: Journal, last: str) -> None:
    for line in ("一", "二", "三"):
        said(door, line)
    door.post("/v1/memory/c/yana/forget", {"events": [2]})
    (reset,) = seen(door, 1, last=last)
    assert (reset.event, reset.data) == ("reset", {"seq": 3, "reason": "purged"})


# --- what is taken back ----------------------------------------------------------------------------------------------


def test_what_was_taken_back_is_not_the_end_of_the_rows(door: WholeDoor) -> None:
    for line in ("一", "二", "三"):
        said(door, line)
    door.post("/v1/chats/c/undo", {})
    assert seen(door, 1)[0] == Frame(3, "hello", {"seq": 3})


def test_whoever_watches_is_told_what_is_taken_back_and_what_comes_instead(door: WholeDoor) -> None:
    for line in ("一", "二"):
        said(door, line)

    async def meanwhile() -> list[Frame]:
        def enough(text: str) -> bool:
            found = frames(text)
            if len(found) == 1 and not asked:
                asked.append(asyncio.ensure_future(door.sending(b"{}", "/v1/chats/c/undo")))
            if len(found) == 2 and len(asked) == 1:
                asked.append(asyncio.ensure_future(said_instead(asked[0])))
            return len(found) >= 3

        async def said_instead(undone: Awaitable[object]) -> None:
            await undone  # else the chat may be busy with it still
            await door.sending(b'{"text": "x"}', "/v1/chats/c/messages")

        asked: list[Any] = []
        return frames(await watched(door, enough))

    assert door.wait_for(meanwhile()) == [
        Frame(2, "hello", {"seq": 2}), Frame(2, "undo", {"seq": 1}), Frame(3, "exchange", {"seq": 3, "turn": 2}),
    ]  # fmt: skip


@pytest.fixture(scope="module")
def taken_back() -> Iterator[WholeDoor]:
    """A server with one chat, of which two lines were taken back and two came instead; nothing more is to change."""
    with WholeDoor() as opened:
        begun(opened)
        for line in ("一", "二", "三"):
            said(opened, line)
        for _ in range(2):
            opened.post("/v1/chats/c/undo", {})
        for line in ("四", "五"):
            said(opened, line)
        yield opened


@pytest.mark.parametrize(
    ("last", "told"),
    [
        ("0", [(1, "exchange", 1), (4, "exchange", 4)]),
        ("1", [(4, "exchange", 4)]),
        ("2", [(2, "undo", 1), (4, "exchange", 4)]),
        ("3", [(3, "undo", 1), (4, "exchange", 4)]),
        ("4", [(5, "exchange", 5)]),
    ],
)  # fmt: skip
def test_whoever_comes_back_gets_no_rows_that_were_taken_back(
    taken_back: WholeDoor, last: str, told: list[tuple[int, str, int]]
) -> None:
    found = [(one.id, one.event, one.data["seq"]) for one in seen(taken_back, len(told), last=last)]
    assert found == told


def test_all_of_it_may_be_taken_back(door: WholeDoor) -> None:
    said(door, "一")
    door.post("/v1/chats/c/undo", {})
    assert seen(door, 1, last="1") == [Frame(1, "undo", {"seq": None})]


def test_what_is_taken_back_on_another_line_is_nothing_to_this_one(door: WholeDoor) -> None:
    said(door, "一")
    door.post("/v1/chats/c/branches", {"name": "side"})
    said(door, "二", branch="side")
    door.post("/v1/chats/c/undo", {"branch": "side"})
    said(door, "三")
    assert seen(door, 1, last="2") == [Frame(3, "exchange", {"seq": 3, "turn": 2})]
    assert seen(door, 1, "branch=side", last="2") == [Frame(2, "undo", {"seq": 1})]


class Console:
    """Somebody at a screen whose connection breaks again and again, at any byte."""

    def __init__(self, dice: random.Random) -> None:
        self.dice, self.last, self.got = dice, "0", list[str]()
        self.broken = 0

    async def watch(self, door: WholeDoor) -> None:
        while len(self.got) < MESSAGES:
            room = self.dice.randrange(1, 2_000)
            text = await watched(door, lambda text, room=room: self._enough(text, room), last=self.last)  # type: ignore[misc]
            for one in frames(text[:room]):
                self.last = str(one.id)
                assert one.event != "reset"
                self.got += [one.data["message"]] if one.event == "autonomy.message" else []
            self.broken += 1

    def _enough(self, text: str, room: int) -> bool:
        told = sum(1 for one in frames(text) if one.event == "autonomy.message")
        return len(text) >= room or len(self.got) + told >= MESSAGES


@pytest.mark.parametrize("seed", range(3))
def test_five_consoles_that_break_off_anywhere_get_every_message_once_and_in_order(
    door: WholeDoor, journal: Journal, seed: int
) -> None:
    dice = random.Random(seed)
    consoles = [Console(random.Random(seed * 10 + number)) for number in range(CONSOLES)]

    async def live() -> None:
        mine = doings(journal)
        for number in range(MESSAGES):
            await asyncio.to_thread(mine.write, message(number))
            shown = ActivityRow(key=f"a/{number}", at=NOON, phase="result", state="completed")
            await asyncio.to_thread(mine.write, shown)
            await asyncio.sleep(dice.random() * 0.02)

    async def all_at_once() -> None:
        await asyncio.gather(live(), *(one.watch(door) for one in consoles))

    door.wait_for(asyncio.wait_for(all_at_once(), PATIENCE))
    assert [one.got for one in consoles] == [[f"{number}つ目の知らせ" for number in range(MESSAGES)]] * CONSOLES
    assert all(one.broken > 3 for one in consoles)


# --- limits ----------------------------------------------------------------------------------------------------------


def greeted(here: asyncio.Event) -> Callable[[str], bool]:
    """Stays for ever, and says when the first words have come."""

    def enough(text: str) -> bool:
        if text:
            here.set()
        return False

    return enough


def test_only_so_many_watch_at_once_and_whoever_leaves_makes_room(
    door: WholeDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "MOST_STREAMS", 2)

    async def crowd() -> Any:
        here = [asyncio.Event() for _ in range(2)]
        two = [asyncio.ensure_future(watched(door, greeted(one))) for one in here]
        await asyncio.gather(*(one.wait() for one in here))
        third = await door.sending(b"", PATH, "GET")
        for one in two:
            one.cancel()
        await asyncio.gather(*two, return_exceptions=True)
        return third

    told = refused(door.wait_for(crowd()), 429)
    assert told["key"] == "autonomy.too-many-streams"
    assert seen(door, 1)[0].event == "hello"


def test_a_stream_ends_after_a_long_while_and_can_be_taken_up_again(
    door: WholeDoor, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "LONGEST", 0.05)
    doings(journal).write(message(1))
    response = door.send(b"", f"{PATH}?after=0", "GET")
    assert response.headers["content-type"].startswith("text/event-stream")
    assert [one.id for one in frames(response.text)] == [1]


def test_a_server_that_ends_lets_those_go_who_watch(door: WholeDoor) -> None:
    async def ending() -> str:
        here = asyncio.Event()
        watching = asyncio.ensure_future(watched(door, greeted(here)))
        await here.wait()
        door.app.state.farewell()
        return await asyncio.wait_for(watching, PATIENCE)

    assert [one.event for one in frames(door.wait_for(ending()))] == ["hello"]


def test_somebody_who_takes_nothing_is_not_waited_for(door: WholeDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "SLOWEST", 0.05)
    left: list[bool] = []

    async def never(*_: Any) -> Any:
        await asyncio.sleep(3600)

    async def words() -> AsyncIterator[bytes]:
        yield b"x"

    async def leave() -> None:
        left.append(True)

    async def through() -> None:
        response = streams.EventStream(words(), leave, streams.SLOWEST)
        await response({"type": "http", "asgi": {"spec_version": "2.4"}}, never, never)

    door.wait_for(asyncio.wait_for(through(), PATIENCE))
    assert left == [True]


@pytest.mark.parametrize("query", ["after=-1", "after=x", "after=9223372036854775808"])
def test_a_number_that_is_none_is_refused(taken_back: WholeDoor, query: str) -> None:
    refused(taken_back.send(b"", f"{PATH}?{query}", "GET"), 422)
