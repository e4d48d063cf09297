"""A life between exchanges: from a trigger to what is said of it, and to what is remembered."""

import asyncio
import json
from contextlib import closing
from datetime import timedelta
from typing import Any

import pytest

from hakoniwa.autonomy.policy import AutonomyPolicy
from hakoniwa.capabilities.means import FETCHED, CapabilityMeans, WebMeans
from hakoniwa.chat.autonomy_rows import (
    ActivityRow,
    AutonomyRow,
    DecisionRow,
    EndRow,
    IntentRow,
    MessageRow,
    ResultRow,
    Trigger,
)
from hakoniwa.errors import ModelUnavailable
from hakoniwa.persona.generated import unseal
from hakoniwa.persona.records import MemorySource
from tests.autonomy.cottage import SKIP, Cottage, Line, Puppet, doing, later
from tests.capabilities.wire import PUBLIC, Wire, names, reply

CHAT = "chat-mina"
HALF = timedelta(minutes=30)


def lived(*decisions: Line, said: tuple[Line, ...] = (), halves: int = 1, **manners: Any) -> Cottage:
    """A cottage in which somebody was let live for a while, and decided these things one after the other."""
    model = Puppet(deliberate=decisions, autonomy_message_render=said)
    cottage = Cottage({CHAT: model}, AutonomyPolicy(**manners))
    cottage.home(CHAT, "main").doings.control("start", cottage.time)
    cottage.pass_time(HALF * halves, HALF)
    return cottage


def found(cottage: Cottage, kind: type[AutonomyRow]) -> list[Any]:
    doings = cottage.home(CHAT, "main").doings.follow()
    return [one for _, one in doings.of(kind)][::-1]


def kinds(cottage: Cottage) -> list[str]:
    return [row.event.kind.removeprefix("autonomy.") for row in cottage.journal.lineage(CHAT, "main")]


def test_a_trigger_leads_to_a_message_in_the_persona_s_own_words_and_to_a_memory() -> None:
    cottage = lived(later(2, "湯のみを見にいく"), said=("湯のみのこと、二時間したら思い出すことにしたよ。",))
    assert kinds(cottage) == [
        "control", "claim", "decision", "intent", "activity", "trigger", "result", "activity", "chat", "end",
    ]  # fmt: skip
    (said,), home = found(cottage, MessageRow), cottage.home(CHAT, "main")
    assert unseal(said.assistant_text) == "湯のみのこと、二時間したら思い出すことにしたよ。"
    memories = {one.source: one for one in home.ghost.memories.recent(home.ghost.scope, 10)}
    assert memories.keys() == {
        MemorySource.AUTONOMY_MESSAGE,
        MemorySource.ACTION_RESULT,
        MemorySource.DELIBERATION_DECISION,
    }
    assert memories[MemorySource.AUTONOMY_MESSAGE].searchable
    assert memories[MemorySource.ACTION_RESULT].searchable
    assert not memories[MemorySource.DELIBERATION_DECISION].searchable
    assert [one.assistant_text is None for one in memories.values()].count(False) == 1


def test_the_message_is_part_of_the_conversation_that_follows() -> None:
    cottage = lived(later(2, "湯のみを見にいく"), said=("覚えておくよ。",))
    talk = cottage.chat(CHAT)
    assert [unseal(one.assistant_text) for one in talk.history() if one.assistant_text is not None] == [
        "覚えておくよ。"
    ]
    assert talk.turn == 1
    talk.undo()
    assert talk.history() == []


def test_research_ends_by_name_once_the_day_has_taken_what_it_may_from_the_web() -> None:
    pages = {f"/{one}": reply(b"<p>tea</p>" + b"x" * 900_000, "Content-Type: text/html") for one in range(4)}
    hits = [{"url": f"http://a.test/{one}", "title": "茶", "content": "緑茶"} for one in range(4)]
    results = reply(json.dumps({"results": hits}).encode(), "Content-Type: application/json")
    wire = Wire({"/s?q=tea&format=json": results, **pages})
    web = WebMeans(search_url="http://127.0.0.1:8888/s", wire=wire, resolve=names({"a.test": [PUBLIC]}))
    model = Puppet(deliberate=(doing("web_research", {"query": "tea"}),))
    cottage = Cottage({CHAT: model}, AutonomyPolicy(megabytes_per_day=1), CapabilityMeans(web=web))
    cottage.home(CHAT, "main").doings.control("start", cottage.time)
    cottage.pass_time(HALF, HALF)
    (done,) = found(cottage, ResultRow)
    assert done.result.result_status == "partial"
    assert "使い切った" in unseal(done.result.summary_text)
    assert {one["fault"] for one in done.result.result_payload["notes"]} == {"spent"}
    assert 1 << 20 < done.result.details_json[FETCHED] < 1.4 * (1 << 20)


def test_what_is_put_off_comes_up_again_when_it_is_due() -> None:
    late = {"decision_outcome": "defer", "defer_reason": "あとで", "defer_until": "2026-05-04T14:00:00Z",
            "next_deliberation_at": "2026-05-04T14:10:00Z"}  # fmt: skip
    cottage = lived({**SKIP, **late}, halves=5)
    assert [one.trigger.type for one in found(cottage, DecisionRow)] == [
        "heartbeat", "heartbeat", "heartbeat", "heartbeat", "time", "heartbeat",
    ]  # fmt: skip


def test_a_reminder_brings_its_note_back() -> None:
    cottage = lived(later(1, "湯のみを見にいく"), halves=3)
    model = cottage.home(CHAT, "main").model
    assert isinstance(model, Puppet)
    assert [one.trigger.note for one in found(cottage, DecisionRow)].count("湯のみを見にいく") == 1
    assert sum("湯のみを見にいく" in prompt for purpose, prompt in model.asked if purpose == "ghost.deliberate") >= 1


@pytest.mark.parametrize("words", ["", "調べた結果はこちら: https://example.com/x", "# 報告\n- 済んだ"])
def test_what_cannot_be_put_in_its_own_voice_is_not_said_and_can_be_seen(words: str) -> None:
    cottage = lived(later(2, "湯のみを見にいく"), said=(words,) * 5)
    assert found(cottage, MessageRow) == []
    assert [(one.phase, one.state) for one in found(cottage, ActivityRow)][-1] == ("voice", "failed")
    assert found(cottage, ActivityRow)[-1].warning
    assert len(found(cottage, ResultRow)) == len(found(cottage, EndRow)) == 1


def test_no_decision_is_mended() -> None:
    cottage = lived({**SKIP, "decision_outcome": "do_action", "action_type": "schedule_action", "action_payload": {}})
    assert [one.dropped for one in found(cottage, DecisionRow)] == ["ghost.bad-decision"]
    assert [(one.phase, one.state, one.warning) for one in found(cottage, ActivityRow)] == [
        ("decision", "dropped", "ghost.bad-decision")
    ]


def test_a_model_that_is_away_means_no_decision_this_time() -> None:
    cottage = lived(ModelUnavailable("model.refused"), halves=2)
    assert [one.dropped for one in found(cottage, DecisionRow)] == ["model.refused", None]


@pytest.mark.parametrize(
    ("delivery", "activities", "messages"),
    [
        ({"on_complete": "silent", "on_progress": "silent"}, 0, 0),
        ({"on_complete": "activity_only", "on_progress": "silent"}, 1, 0),
        ({"on_complete": "activity_only", "on_progress": "activity_only"}, 2, 0),
        ({"on_complete": "notify", "on_progress": "silent"}, 1, 1),
        ({"on_complete": "chat", "on_progress": "activity_only"}, 2, 1),
    ],
)
def test_how_much_is_shown_is_as_decided(delivery: dict[str, str], activities: int, messages: int) -> None:
    cottage = lived(later(2, "湯のみを見にいく", **delivery))
    assert len(found(cottage, ActivityRow)) == activities
    assert [one.delivery_mode for one in found(cottage, MessageRow)] == [delivery["on_complete"]] * messages


def test_a_failure_is_told_as_one() -> None:
    cottage = lived(doing("schedule_action", {"at": "2020-01-01T00:00:00Z", "note": "昨日に戻る"}, on_fail="chat"))
    assert [one.result.result_status for one in found(cottage, ResultRow)] == ["failed"]
    assert [one.message_kind for one in found(cottage, MessageRow)] == ["error"]
    assert [one.state for one in found(cottage, ActivityRow)] == ["running", "failed"]


def test_the_same_thing_is_not_done_again_for_a_while() -> None:
    again = later(2, "湯のみを見にいく")
    cottage = lived(again, again, again, halves=60)
    assert [one.dropped for one in found(cottage, IntentRow)] == [None, "autonomy.lately-done", "autonomy.lately-done"]
    assert len(found(cottage, ResultRow)) == 1


def test_what_was_decided_and_done_is_on_the_persona_s_mind() -> None:
    cottage = lived(later(2, "湯のみを見にいく"))
    interest = cottage.home(CHAT, "main").ghost.inner.interest
    weights = {(one.type, one.value): one.weight for one in interest.attention_targets}
    assert weights["action_type", "schedule_action"] > 0.7
    assert weights["capability", "schedule"] > 0.6
    (decided,), (resulted,) = found(cottage, DecisionRow), found(cottage, ResultRow)
    doings = cottage.home(CHAT, "main").doings
    seqs = {doings.at(one.key).seq for one in (decided, resulted)}  # type: ignore[union-attr]
    assert seqs <= set(interest.updated_from_event_ids)


def test_nothing_is_begun_without_a_model_and_it_says_so() -> None:
    cottage = Cottage({CHAT: None})
    cottage.home(CHAT, "main").doings.control("start", cottage.time)
    cottage.pass_time(HALF, HALF)
    assert [one.dropped for one in found(cottage, DecisionRow)] == ["autonomy.no-model"]


def test_an_exchange_that_something_was_done_in_the_middle_of_is_kept() -> None:
    cottage = lived(halves=0)
    talk = cottage.chat(CHAT)

    async def interrupted() -> None:
        async for _ in talk.say("ただいま"):
            doings = cottage.home(CHAT, "main").doings
            doings.write(Trigger(key="x", at=cottage.time, type="time", due=cottage.time + HALF))

    asyncio.run(interrupted())
    assert kinds(cottage) == ["control", "trigger", "chat"]
    assert talk.turn == 1
    assert [one.user_text for one in talk.history()] == ["ただいま"]


def test_nothing_is_begun_while_the_user_talks_and_not_right_after() -> None:
    cottage = lived(halves=0)
    talk = cottage.chat(CHAT)
    beats: list[int] = []

    async def talked() -> None:
        cottage.time += HALF
        async for _ in talk.say("ただいま"):
            beats.append(cottage.heart.beat())

    asyncio.run(talked())
    beats.append(cottage.heart.beat())
    assert set(beats) == {0}
    cottage.time += timedelta(minutes=4)
    with closing(cottage.jobs):
        cottage.jobs.run()
        cottage.settle()
    assert [one.trigger.type for one in found(cottage, DecisionRow)] == ["event", "heartbeat"]


def test_a_flow_that_fails_is_over_and_the_next_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("the disk is full")

    monkeypatch.setattr("hakoniwa.autonomy.flow.deliberate", broken)
    cottage = lived(halves=2)
    assert [one.dropped for one in found(cottage, EndRow)] == ["autonomy.flow-failed"] * 2
