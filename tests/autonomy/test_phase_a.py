"""What the design of the persona's own voice promises, line by line, through the whole line from trigger to message."""

import asyncio
import logging
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from hakoniwa.capabilities.capability import make_result
from hakoniwa.capabilities.means import CapabilityMeans
from hakoniwa.capabilities.schedule import Schedule
from hakoniwa.chat.autonomy_rows import ActivityRow, DecisionRow, EndRow, IntentRow, MessageRow, ResultRow
from hakoniwa.chat.chat import Chat
from hakoniwa.chat.lineage import ChatLine
from hakoniwa.chat.reply import ModelRespondent
from hakoniwa.errors import JournalError, ModelUnavailable
from hakoniwa.journal import MAIN, Row
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.memory.recall import recall
from hakoniwa.persona.action import ActionOrder, ActionResult
from hakoniwa.persona.generated import unseal
from hakoniwa.service.chat_events import ChatFeed as Tail
from hakoniwa.service.chat_events import MessageNews, NumberedChatEvent
from hakoniwa.turn import Event
from tests.autonomy.cottage import DELIVERY, Cottage, Line, Puppet, doing, later
from tests.autonomy.test_flow import CHAT, HALF, found, lived

OWN = "きみの湯のみのこと、ちゃんと覚えておくよ。"
RAW = "INFO run 7f21b: wrote [report](http://x.test/a_1) to out/months_v2.csv"
SUMMARY = f"**done**: {RAW}"


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A backend that talks like one."""

    async def run(self: Schedule, order: ActionOrder, means: CapabilityMeans) -> ActionResult:
        return make_result("schedule", "success", SUMMARY, {"note": "湯のみ"}, {"raw_output_text": RAW})

    monkeypatch.setattr(Schedule, "run", run)


class Watched(MemoryJournal):
    """A journal that a console looks into after every row, and that may be unable to keep a message."""

    def __init__(self, full: bool = False) -> None:
        super().__init__()
        self._full = full
        self.seen: list[tuple[Row, list[NumberedChatEvent]]] = []
        self._console = Tail(self, ChatLine(CHAT, MAIN, "yana"))

    def append(self, garden: str, branch: str, events: Sequence[Event], after: int | None) -> list[Row]:
        if self._full and events[0].kind == "chat":
            raise JournalError("journal.failed", path="", problem="the disk is full")
        rows = super().append(garden, branch, events, after)
        self.seen.append((rows[-1], self._console.look()))
        return rows


def lived_in(journal: Watched) -> Cottage:
    cottage = Cottage({CHAT: Puppet(deliberate=[later(2, "湯のみ")], autonomy_message_render=[OWN])}, journal=journal)
    cottage.home(CHAT, MAIN).doings.control("start", cottage.time)
    cottage.pass_time(HALF, HALF)
    return cottage


def speech(cottage: Cottage) -> list[str]:
    """Everything that counts as said by the persona, in the journal, in memory and in the conversation."""
    home = cottage.home(CHAT, MAIN)
    rows = [row.event.payload.get("assistant_text") for row in cottage.journal.lineage(CHAT, MAIN)]
    memories = [*home.up_to_date().memories.recent(home.ghost.scope, 100), *cottage.chat(CHAT).history()]
    return [one for one in rows if one] + [
        unseal(one.assistant_text) for one in memories if one.assistant_text is not None
    ]


# --- the message is saved, then told of, and is part of what follows --------------------------------------------------


def test_a_console_hears_a_message_from_the_row_that_holds_it_and_not_before() -> None:
    journal = Watched()
    lived_in(journal)
    told = [(row, news.what) for row, some in journal.seen for news in some if isinstance(news.what, MessageNews)]
    ((row, what),) = told
    assert (row.event.kind, row.event.payload["assistant_text"], unseal(what.message)) == ("chat", OWN, OWN)


def test_a_message_that_cannot_be_saved_is_not_told_of() -> None:
    journal = Watched(full=True)
    cottage = lived_in(journal)
    assert not [news for _, some in journal.seen for news in some if isinstance(news.what, MessageNews)]
    assert [one.dropped for one in found(cottage, EndRow)] == ["autonomy.flow-failed"]
    assert speech(cottage) == []


def test_later_conversation_refers_to_the_message() -> None:
    cottage = lived(later(2, "湯のみ"), said=(OWN,))
    cottage.time += timedelta(hours=1)
    ghost, model = cottage.chat(CHAT).ghost, Puppet()
    model.otherwise["ghost.reply"] = "うん、覚えているよ。"
    talk = Chat(
        cottage.journal, cottage.journal.garden(CHAT), ghost, ModelRespondent(model), model, lambda: cottage.time
    )

    async def talked() -> None:
        async for _ in talk.say("さっきのは何のこと？"):
            pass

    asyncio.run(talked())
    assert any(OWN in prompt for purpose, prompt in model.asked if purpose == "ghost.reply")
    (row,) = [row for row in cottage.journal.lineage(CHAT, MAIN) if row.event.payload.get("assistant_text") == OWN]
    made = asyncio.run(recall(ghost, "湯のみのこと、覚えてる？", cottage.time, None))
    assert row.seq in {one.key for one in made.chosen}


# --- a decision to act says what people get to see --------------------------------------------------------------------


@pytest.mark.parametrize(
    "delivery",
    [None, "chat", [], {"on_complete": "loud"}, {**DELIVERY, "on_fail": None}, {**DELIVERY, "shown_to": "x"}],
)
def test_without_a_whole_console_delivery_nothing_is_done(delivery: Any) -> None:
    cottage = lived({**later(2, "湯のみ"), "console_delivery": delivery})
    assert [one.dropped for one in found(cottage, DecisionRow)] == ["ghost.bad-decision"]
    assert [one.warning for one in found(cottage, ActivityRow)] == ["ghost.bad-decision"]
    assert found(cottage, IntentRow) == found(cottage, ResultRow) == found(cottage, MessageRow) == []


# --- activity is no speech, and nothing takes the place of words that fail --------------------------------------------


@pytest.mark.parametrize("mode", ["silent", "activity_only", "notify", "chat"])
def test_activity_is_never_speech(mode: str, machine: None) -> None:
    cottage = lived(doing("schedule_action", {"note": "湯のみ"}, on_complete=mode), said=(OWN,))
    assert bool(found(cottage, ActivityRow)) is (mode != "silent")
    assert set(speech(cottage)) == ({OWN} if mode in ("notify", "chat") else set())


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("", "ghost.voice-empty"),
        (SUMMARY, "ghost.voice-markup"),
        (RAW, "ghost.voice-markup"),
        ("きみ、months_v2 に書いておいたよ。", "ghost.voice-echo"),
        (ModelUnavailable("model.refused"), "model.refused"),
    ],
)
def test_where_the_voice_fails_nothing_is_said_and_it_is_seen_and_logged(
    words: Line, why: str, machine: None, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "hakoniwa.autonomy"):
        cottage = lived(later(2, "湯のみ"), said=(words,) * 5)
    assert found(cottage, MessageRow) == speech(cottage) == []
    shown = [(one.phase, one.state, one.warning) for one in found(cottage, ActivityRow)]
    assert shown == [("run", "running", None), ("result", "completed", None), ("voice", "failed", why)]
    assert [why in record.getMessage() for record in caplog.records] == [True]
    assert RAW not in caplog.text


def test_a_notification_is_from_the_persona_like_anything_it_says() -> None:
    rows = {}
    for mode in ("notify", "chat"):
        cottage = lived(later(2, "湯のみ", on_complete=mode), said=(OWN,))
        (rows[mode],) = [row.event for row in cottage.journal.lineage(CHAT, MAIN) if row.event.kind == "chat"]
        assert cottage.chat(CHAT).history()[0].assistant_text is not None
    notified, chatted = rows["notify"], rows["chat"]
    assert notified.payload | {"delivery_mode": "chat"} == chatted.payload
    assert notified.model_copy(update={"payload": {}}) == chatted.model_copy(update={"payload": {}})
