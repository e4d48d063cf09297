"""Manners: when a persona may begin something, do this very thing, and say something; and what is due at all."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest

from hakoniwa.autonomy.log import AT_HAND, AutonomyLog, flow_key
from hakoniwa.autonomy.policy import (
    DELEGATION,
    RESEARCH,
    AutonomyPolicy,
    QuietHours,
    action_hindrance,
    action_key,
    hindrance,
    message_limit,
    repetition,
    room_today,
    speech_hindrance,
)
from hakoniwa.autonomy.schedule import due
from hakoniwa.capabilities.capability import make_result
from hakoniwa.capabilities.means import FETCHED, WEB
from hakoniwa.chat.autonomy_rows import ClaimRow, DecisionRow, IntentRow, MessageRow, ResultRow, Trigger
from hakoniwa.chat.clock import Clock
from hakoniwa.chat.lineage import CHAT
from hakoniwa.journal import MAIN, GardenRecord
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.memory.store import Memories
from hakoniwa.persona.action import ActionDecision, ActionResult
from hakoniwa.persona.generated import Generated
from hakoniwa.turn import Event
from tests.autonomy.cottage import SKIP

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
PLAIN = AutonomyPolicy()


@pytest.fixture
def doings() -> AutonomyLog:
    journal = MemoryJournal()
    journal.create(GardenRecord(id="c", scenario={}, sheets={"mina": {}}, seed=1, settings={"kind": CHAT}))
    started = AutonomyLog(journal, "c", MAIN, "mina")
    started.control("start", NOON)
    return started


def heard(doings: AutonomyLog, at: datetime) -> None:
    """The user said something then."""
    head = next(one.head for one in doings.journal.branches("c"))
    payload = {"source": "chat", "at": at.isoformat(), "user_text": "ねえ", "assistant_text": "なに"}
    doings.journal.append("c", MAIN, [Event(kind=CHAT, turn=1, origin="user", payload=payload)], head)


def intent(doings: AutonomyLog, number: int, at: datetime, action_key: str = "k", **more: Any) -> int:
    return doings.write(
        IntentRow(key=f"i{number}", at=at, decision_id=1, action_type="a", action_key=action_key, **more)
    )


def result(doings: AutonomyLog, intent: int, status: Any) -> None:
    made = ActionResult(capability_name="c", result_status=status, summary_text=Generated(""))
    doings.write(ResultRow(key=f"r{intent}", at=NOON, decision_id=1, intent_id=intent, action_type="a", result=made))


def said(doings: AutonomyLog, number: int, at: datetime) -> None:
    doings.write(MessageRow(
        key=f"s{number}", at=at, assistant_text=Generated("ね"), message_kind="report", delivery_mode="chat",
        action_type="a", capability="c", decision_id=1, intent_id=1, result_id=1,
    ))  # fmt: skip


def test_nothing_hinders_who_was_let_live(doings: AutonomyLog) -> None:
    assert hindrance(doings, AutonomyPolicy(), False, NOON) is None


def test_who_was_stopped_or_paused_begins_nothing(doings: AutonomyLog) -> None:
    doings.control("pause", NOON, NOON + HOUR)
    assert hindrance(doings, AutonomyPolicy(), False, NOON + HOUR / 2) == "paused"
    assert hindrance(doings, AutonomyPolicy(), False, NOON + HOUR) is None
    doings.control("pause", NOON)
    assert hindrance(doings, AutonomyPolicy(), False, NOON + 100 * HOUR) == "paused"
    doings.control("resume", NOON)
    assert hindrance(doings, AutonomyPolicy(), False, NOON) is None
    doings.control("stop", NOON)
    assert hindrance(doings, AutonomyPolicy(), False, NOON) == "off"


def test_nothing_is_begun_while_somebody_talks_nor_right_after(doings: AutonomyLog) -> None:
    assert hindrance(doings, AutonomyPolicy(), True, NOON) == "talking"
    heard(doings, NOON)
    doings.follow()
    assert hindrance(doings, AutonomyPolicy(), False, NOON + timedelta(minutes=2)) == "calm"
    assert hindrance(doings, AutonomyPolicy(), False, NOON + timedelta(minutes=3)) is None


@pytest.mark.parametrize(
    ("start", "end", "at", "quiet"),
    [
        ((23, 0), (7, 0), (22, 59), False),
        ((23, 0), (7, 0), (23, 0), True),
        ((23, 0), (7, 0), (3, 0), True),
        ((23, 0), (7, 0), (7, 0), False),
        ((13, 0), (14, 0), (13, 30), True),
        ((13, 0), (14, 0), (12, 30), False),
        ((13, 0), (14, 0), (14, 0), False),
    ],
)
def test_quiet_hours_are_those_on_the_wall(
    doings: AutonomyLog, start: tuple[int, int], end: tuple[int, int], at: tuple[int, int], quiet: bool
) -> None:
    manners = AutonomyPolicy(quiet=QuietHours(start=time(*start), end=time(*end)))
    local = datetime(2026, 5, 4, *at).astimezone()
    assert (hindrance(doings, manners, False, local) == "quiet") is quiet
    assert (speech_hindrance(manners, False, local.astimezone(UTC)) == "quiet") is quiet


def test_a_day_has_so_many_acts_and_no_more(doings: AutonomyLog) -> None:
    manners = AutonomyPolicy(actions_per_day=2)
    intent(doings, 1, NOON, "a")
    intent(doings, 2, NOON + HOUR, "b", dropped="autonomy.lately-done")
    assert hindrance(doings, manners, False, NOON + HOUR) is None
    intent(doings, 3, NOON + 2 * HOUR, "c")
    assert hindrance(doings, manners, False, NOON + 3 * HOUR) == "actions-spent"
    assert hindrance(doings, manners, False, NOON + 25 * HOUR) is None
    assert hindrance(doings, AutonomyPolicy(actions_per_day=0), False, NOON + 3 * HOUR) is None


def test_a_day_has_so_many_tasks_for_others_and_no_more(doings: AutonomyLog) -> None:
    manners = AutonomyPolicy(tasks_per_day=1)
    intent(doings, 1, NOON, "a")
    assert action_hindrance(doings, manners, DELEGATION, "b", NOON + HOUR) is None
    doings.write(IntentRow(key="i2", at=NOON, decision_id=1, action_type=DELEGATION, action_key="b"))
    assert action_hindrance(doings, manners, DELEGATION, "c", NOON + HOUR) == "tasks-spent"
    assert action_hindrance(doings, manners, RESEARCH, "c", NOON + HOUR) is None
    assert action_hindrance(doings, AutonomyPolicy(tasks_per_day=0), DELEGATION, "c", NOON + HOUR) is None
    assert action_hindrance(doings, manners, DELEGATION, "c", NOON + 25 * HOUR) is None


def test_research_takes_so_much_from_the_web_in_a_day_and_no_more(doings: AutonomyLog) -> None:
    manners = AutonomyPolicy(megabytes_per_day=2)
    for number in range(2):
        assert action_hindrance(doings, manners, RESEARCH, "a", NOON + HOUR) is None
        assert room_today(doings, manners, NOON + HOUR) == (2 - number) << 20
        made = make_result(WEB, "failed", "", {}, {FETCHED: 1 << 20})
        doings.write(ResultRow(
            key=f"r{number}", at=NOON, decision_id=1, intent_id=1, action_type=RESEARCH, result=made
        ))  # fmt: skip
    assert action_hindrance(doings, manners, RESEARCH, "a", NOON + HOUR) == "megabytes-spent"
    assert action_hindrance(doings, manners, DELEGATION, "a", NOON + HOUR) is None
    assert action_hindrance(doings, AutonomyPolicy(megabytes_per_day=0), RESEARCH, "a", NOON + HOUR) is None
    assert room_today(doings, manners, NOON + HOUR) == 0
    assert room_today(doings, AutonomyPolicy(megabytes_per_day=0), NOON + HOUR) is None
    assert action_hindrance(doings, manners, RESEARCH, "a", NOON + 25 * HOUR) is None


def test_a_day_has_so_many_messages_and_no_more(doings: AutonomyLog) -> None:
    said(doings, 1, NOON)
    assert message_limit(doings, AutonomyPolicy(messages_per_day=1), NOON + HOUR) == "messages-spent"
    assert message_limit(doings, AutonomyPolicy(messages_per_day=2), NOON + HOUR) is None
    assert message_limit(doings, AutonomyPolicy(messages_per_day=0), NOON + HOUR) is None
    assert message_limit(doings, AutonomyPolicy(messages_per_day=1), NOON + 25 * HOUR) is None


@pytest.mark.parametrize(
    ("status", "after", "why"),
    [
        (None, 1, "under-way"),
        (None, 25, None),
        ("success", 1, "lately-done"),
        ("no_effect", 1, "lately-done"),
        ("unknown", 1, "lately-done"),
        ("failed", 1, None),
        ("success", 25, None),
    ],
)
def test_the_same_thing_is_done_again_only_after_a_while_or_a_failure(
    doings: AutonomyLog, status: str | None, after: int, why: str | None
) -> None:
    number = intent(doings, 1, NOON)
    if status:
        result(doings, number, status)
    assert repetition(doings, AutonomyPolicy(), "k", NOON + after * HOUR) == why
    assert repetition(doings, AutonomyPolicy(), "other", NOON + after * HOUR) is None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"query": "紅茶の淹れ方"}, {"query": "淹れ方 紅茶", "goal": "知りたい"}, True),
        ({"query": "Earl Grey TEA"}, {"query": "tea earl grey"}, True),
        ({"query": "紅茶の淹れ方"}, {"query": "緑茶の淹れ方"}, False),
    ],
)
def test_research_is_the_same_by_what_is_sought(one: dict[str, str], other: dict[str, str], same: bool) -> None:
    assert (action_key("web_research", one) == action_key("web_research", other)) is same
    assert action_key("web_research", one) != action_key("garden_act", one)


# --- what is due ------------------------------------------------------------------------------------------------------


def keys(doings: AutonomyLog, now: datetime, manners: AutonomyPolicy = PLAIN) -> list[str]:
    return [one.key for one in due(doings.follow(), manners, now)]


def test_the_heart_beats_at_its_own_pace_and_makes_up_for_nothing(doings: AutonomyLog) -> None:
    assert keys(doings, NOON + timedelta(minutes=29)) == []
    (first,) = keys(doings, NOON + timedelta(minutes=31))
    assert keys(doings, NOON + timedelta(minutes=59)) == [first]
    (much_later,) = keys(doings, NOON + 100 * HOUR)
    assert much_later != first


def test_what_was_taken_up_is_not_due_again(doings: AutonomyLog) -> None:
    (beat,) = due(doings, AutonomyPolicy(), NOON + HOUR)
    doings.write(ClaimRow(key=f"claim/{beat.key}", at=NOON, trigger=beat))
    assert keys(doings, NOON + HOUR) == []


def test_the_most_urgent_comes_first(doings: AutonomyLog) -> None:
    heard(doings, NOON + HOUR)
    asked = doings.prompt(NOON + HOUR)
    doings.write(Trigger(key="reminder/x", at=NOON, type="time", due=NOON + HOUR, note="湯のみ"))
    doings.write(Trigger(key="reminder/y", at=NOON, type="time", due=NOON + 9 * HOUR))
    *first, beat = keys(doings, NOON + HOUR)
    assert first == ["reminder/x", asked, f"event/{doings.heard.seq if doings.heard else 0}"]
    assert beat.startswith("heartbeat/")


def test_what_was_said_before_somebody_was_let_live_is_no_reason(doings: AutonomyLog) -> None:
    heard(doings, NOON - HOUR)
    assert keys(doings, NOON) == []
    heard(doings, NOON)
    assert len(keys(doings, NOON)) == 1
    assert not any(one.startswith("event/") for one in keys(doings, NOON + 30 * HOUR))


# --- rows and the clock -----------------------------------------------------------------------------------------------


def test_of_one_key_there_is_one_row_whoever_writes(doings: AutonomyLog) -> None:
    other = AutonomyLog(doings.journal, "c", MAIN, "mina")
    trigger = Trigger(key="reminder/x", at=NOON, type="time", due=NOON)
    assert doings.write(trigger) == other.write(trigger) == doings.write(trigger)
    assert len(doings.journal.lineage("c", MAIN)) == 2


def test_what_was_done_because_of_something_is_bound_to_it(doings: AutonomyLog) -> None:
    heard(doings, NOON)
    exchange = doings.follow().heard
    assert exchange
    for name, evidence in (("x", [exchange.seq]), ("y", [])):
        trigger = Trigger(key=name, at=NOON, type="policy", due=NOON)
        flow = flow_key("c", MAIN, trigger)
        decision = ActionDecision.model_validate({**SKIP, "evidence": {"event_ids": evidence}})
        doings.write(DecisionRow(key=f"{flow}/decide", at=NOON, trigger=trigger, decision=decision))
        doings.write(Trigger(key=f"later/{flow}/decide", at=NOON, type="time", due=NOON))
    because = doings.bound_to([exchange.seq]).rows
    assert len(because) == 2
    assert doings.bound_to([min(because)]).rows == because
    assert doings.bound_to([1]) == (set(), set())


def test_what_is_long_past_is_read_again_from_the_journal(doings: AutonomyLog) -> None:
    rows = [intent(doings, number, NOON + number * HOUR, f"{number}") for number in range(3 * AT_HAND)]
    assert [seq for seq, _ in doings.of(IntentRow)] == rows[::-1]
    assert [one.action_key for _, one in doings.of(IntentRow)] == [f"{number}" for number in range(3 * AT_HAND)][::-1]
    late = NOON + (2 * AT_HAND) * HOUR
    assert [seq for seq, _ in doings.of(IntentRow, late, also=rows[:1])] == [*rows[: 2 * AT_HAND - 1 : -1], rows[0]]
    found = doings.at("i0")
    assert found
    assert found.seq == rows[0]
    assert intent(doings, 0, NOON) == rows[0]


def test_what_was_forgotten_is_not_found_among_what_is_past(doings: AutonomyLog) -> None:
    rows = [intent(doings, number, NOON) for number in range(AT_HAND + 2)]
    doings.journal.forget("c", rows[:1])
    assert [seq for seq, _ in doings.of(IntentRow)] == rows[:0:-1]
    assert doings.at("i0") is None


def test_another_branch_has_a_life_of_its_own(doings: AutonomyLog) -> None:
    head = next(one.head for one in doings.journal.branches("c"))
    doings.journal.fork("c", MAIN, "what-if", head)
    other = AutonomyLog(doings.journal, "c", "what-if", "mina").follow()
    assert not other.on
    other.control("start", NOON)
    other.write(Trigger(key="reminder/x", at=NOON, type="time", due=NOON))
    assert doings.follow().waiting == {}


def test_who_lives_is_known_without_reading_any_history(doings: AutonomyLog) -> None:
    memories = Memories(doings.journal)
    assert memories.living() == [("c", MAIN)]
    doings.control("stop", NOON)
    assert memories.living() == []


def test_a_clock_that_was_moved_shows_that_time_to_everybody(doings: AutonomyLog) -> None:
    one, other = (Clock(Memories(doings.journal), "c", MAIN, lambda: NOON) for _ in range(2))
    assert one.now() == NOON
    assert one.advance(HOUR) == NOON + HOUR
    one.advance(HOUR)
    assert other.now() == NOON + 2 * HOUR
    assert other.reset() == NOON == one.now()


def test_somebody_who_was_killed_while_talking_is_not_waited_for_for_ever(doings: AutonomyLog) -> None:
    memories = Memories(doings.journal)
    times = iter([NOON, NOON + timedelta(minutes=9), NOON + timedelta(minutes=11)])
    clock = Clock(memories, "c", MAIN, lambda: next(times))
    memories.talking("c", MAIN, NOON + timedelta(minutes=10))
    assert [clock.talking() for _ in range(3)] == [True, True, False]
    memories.talking("c", MAIN, None)
    assert not clock.talking()
