"""Manners: when a persona may begin something, do this very thing, and say something; and what is due at all."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest

from hakoniwa.ghost.action import ActionDecision, ActionResult
from hakoniwa.ghost.autonomy.clock import Clock
from hakoniwa.ghost.autonomy.doings import Doings, flow_key
from hakoniwa.ghost.autonomy.manners import (
    DELEGATION,
    RESEARCH,
    Manners,
    action_key,
    forbidden,
    hindrance,
    hush,
    repetition,
    room_today,
    spent,
)
from hakoniwa.ghost.autonomy.past import AT_HAND
from hakoniwa.ghost.autonomy.quiet import Quiet
from hakoniwa.ghost.autonomy.rows import Claim, Decided, Intent, Resulted, Said, Trigger
from hakoniwa.ghost.autonomy.triggers import due
from hakoniwa.ghost.capabilities.capability import brought
from hakoniwa.ghost.capabilities.means import FETCHED, WEB
from hakoniwa.ghost.generated import Generated
from hakoniwa.ghost.lineage import CHAT
from hakoniwa.ghost.store import Memories
from hakoniwa.journal import MAIN, Garden
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.turn import Event
from tests.ghost.autonomy.cottage import SKIP

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
PLAIN = Manners()


@pytest.fixture
def doings() -> Doings:
    journal = MemoryJournal()
    journal.create(Garden(id="c", scenario={}, sheets={"mina": {}}, seed=1, settings={"kind": CHAT}))
    started = Doings(journal, "c", MAIN, "mina")
    started.control("start", NOON)
    return started


def heard(doings: Doings, at: datetime) -> None:
    """The user said something then."""
    head = next(one.head for one in doings.journal.branches("c"))
    payload = {"source": "chat", "at": at.isoformat(), "user_text": "ねえ", "assistant_text": "なに"}
    doings.journal.append("c", MAIN, [Event(kind=CHAT, turn=1, origin="user", payload=payload)], head)


def intent(doings: Doings, number: int, at: datetime, action_key: str = "k", **more: Any) -> int:
    return doings.write(Intent(key=f"i{number}", at=at, decision_id=1, action_type="a", action_key=action_key, **more))


def result(doings: Doings, intent: int, status: Any) -> None:
    made = ActionResult(capability_name="c", result_status=status, summary_text=Generated(""))
    doings.write(Resulted(key=f"r{intent}", at=NOON, decision_id=1, intent_id=intent, action_type="a", result=made))


def said(doings: Doings, number: int, at: datetime) -> None:
    doings.write(Said(
        key=f"s{number}", at=at, assistant_text=Generated("ね"), message_kind="report", delivery_mode="chat",
        action_type="a", capability="c", decision_id=1, intent_id=1, result_id=1,
    ))  # fmt: skip


def test_nothing_hinders_who_was_let_live(doings: Doings) -> None:
    assert hindrance(doings, Manners(), False, NOON) is None


def test_who_was_stopped_or_paused_begins_nothing(doings: Doings) -> None:
    doings.control("pause", NOON, NOON + HOUR)
    assert hindrance(doings, Manners(), False, NOON + HOUR / 2) == "paused"
    assert hindrance(doings, Manners(), False, NOON + HOUR) is None
    doings.control("pause", NOON)
    assert hindrance(doings, Manners(), False, NOON + 100 * HOUR) == "paused"
    doings.control("resume", NOON)
    assert hindrance(doings, Manners(), False, NOON) is None
    doings.control("stop", NOON)
    assert hindrance(doings, Manners(), False, NOON) == "off"


def test_nothing_is_begun_while_somebody_talks_nor_right_after(doings: Doings) -> None:
    assert hindrance(doings, Manners(), True, NOON) == "talking"
    heard(doings, NOON)
    doings.follow()
    assert hindrance(doings, Manners(), False, NOON + timedelta(minutes=2)) == "calm"
    assert hindrance(doings, Manners(), False, NOON + timedelta(minutes=3)) is None


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
    doings: Doings, start: tuple[int, int], end: tuple[int, int], at: tuple[int, int], quiet: bool
) -> None:
    manners = Manners(quiet=Quiet(start=time(*start), end=time(*end)))
    local = datetime(2026, 5, 4, *at).astimezone()
    assert (hindrance(doings, manners, False, local) == "quiet") is quiet
    assert (hush(manners, False, local.astimezone(UTC)) == "quiet") is quiet


def test_a_day_has_so_many_acts_and_no_more(doings: Doings) -> None:
    manners = Manners(actions_per_day=2)
    intent(doings, 1, NOON, "a")
    intent(doings, 2, NOON + HOUR, "b", dropped="autonomy.lately-done")
    assert hindrance(doings, manners, False, NOON + HOUR) is None
    intent(doings, 3, NOON + 2 * HOUR, "c")
    assert hindrance(doings, manners, False, NOON + 3 * HOUR) == "actions-spent"
    assert hindrance(doings, manners, False, NOON + 25 * HOUR) is None
    assert hindrance(doings, Manners(actions_per_day=0), False, NOON + 3 * HOUR) is None


def test_a_day_has_so_many_tasks_for_others_and_no_more(doings: Doings) -> None:
    manners = Manners(tasks_per_day=1)
    intent(doings, 1, NOON, "a")
    assert forbidden(doings, manners, DELEGATION, "b", NOON + HOUR) is None
    doings.write(Intent(key="i2", at=NOON, decision_id=1, action_type=DELEGATION, action_key="b"))
    assert forbidden(doings, manners, DELEGATION, "c", NOON + HOUR) == "tasks-spent"
    assert forbidden(doings, manners, RESEARCH, "c", NOON + HOUR) is None
    assert forbidden(doings, Manners(tasks_per_day=0), DELEGATION, "c", NOON + HOUR) is None
    assert forbidden(doings, manners, DELEGATION, "c", NOON + 25 * HOUR) is None


def test_research_takes_so_much_from_the_web_in_a_day_and_no_more(doings: Doings) -> None:
    manners = Manners(megabytes_per_day=2)
    for number in range(2):
        assert forbidden(doings, manners, RESEARCH, "a", NOON + HOUR) is None
        assert room_today(doings, manners, NOON + HOUR) == (2 - number) << 20
        made = brought(WEB, "failed", "", {}, {FETCHED: 1 << 20})
        doings.write(Resulted(
            key=f"r{number}", at=NOON, decision_id=1, intent_id=1, action_type=RESEARCH, result=made
        ))  # fmt: skip
    assert forbidden(doings, manners, RESEARCH, "a", NOON + HOUR) == "megabytes-spent"
    assert forbidden(doings, manners, DELEGATION, "a", NOON + HOUR) is None
    assert forbidden(doings, Manners(megabytes_per_day=0), RESEARCH, "a", NOON + HOUR) is None
    assert room_today(doings, manners, NOON + HOUR) == 0
    assert room_today(doings, Manners(megabytes_per_day=0), NOON + HOUR) is None
    assert forbidden(doings, manners, RESEARCH, "a", NOON + 25 * HOUR) is None


def test_a_day_has_so_many_messages_and_no_more(doings: Doings) -> None:
    said(doings, 1, NOON)
    assert spent(doings, Manners(messages_per_day=1), NOON + HOUR) == "messages-spent"
    assert spent(doings, Manners(messages_per_day=2), NOON + HOUR) is None
    assert spent(doings, Manners(messages_per_day=0), NOON + HOUR) is None
    assert spent(doings, Manners(messages_per_day=1), NOON + 25 * HOUR) is None


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
    doings: Doings, status: str | None, after: int, why: str | None
) -> None:
    number = intent(doings, 1, NOON)
    if status:
        result(doings, number, status)
    assert repetition(doings, Manners(), "k", NOON + after * HOUR) == why
    assert repetition(doings, Manners(), "other", NOON + after * HOUR) is None


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


def keys(doings: Doings, now: datetime, manners: Manners = PLAIN) -> list[str]:
    return [one.key for one in due(doings.follow(), manners, now)]


def test_the_heart_beats_at_its_own_pace_and_makes_up_for_nothing(doings: Doings) -> None:
    assert keys(doings, NOON + timedelta(minutes=29)) == []
    (first,) = keys(doings, NOON + timedelta(minutes=31))
    assert keys(doings, NOON + timedelta(minutes=59)) == [first]
    (much_later,) = keys(doings, NOON + 100 * HOUR)
    assert much_later != first


def test_what_was_taken_up_is_not_due_again(doings: Doings) -> None:
    (beat,) = due(doings, Manners(), NOON + HOUR)
    doings.write(Claim(key=f"claim/{beat.key}", at=NOON, trigger=beat))
    assert keys(doings, NOON + HOUR) == []


def test_the_most_urgent_comes_first(doings: Doings) -> None:
    heard(doings, NOON + HOUR)
    asked = doings.prompt(NOON + HOUR)
    doings.write(Trigger(key="reminder/x", at=NOON, type="time", due=NOON + HOUR, note="湯のみ"))
    doings.write(Trigger(key="reminder/y", at=NOON, type="time", due=NOON + 9 * HOUR))
    *first, beat = keys(doings, NOON + HOUR)
    assert first == ["reminder/x", asked, f"event/{doings.heard.seq if doings.heard else 0}"]
    assert beat.startswith("heartbeat/")


def test_what_was_said_before_somebody_was_let_live_is_no_reason(doings: Doings) -> None:
    heard(doings, NOON - HOUR)
    assert keys(doings, NOON) == []
    heard(doings, NOON)
    assert len(keys(doings, NOON)) == 1
    assert not any(one.startswith("event/") for one in keys(doings, NOON + 30 * HOUR))


# --- rows and the clock -----------------------------------------------------------------------------------------------


def test_of_one_key_there_is_one_row_whoever_writes(doings: Doings) -> None:
    other = Doings(doings.journal, "c", MAIN, "mina")
    trigger = Trigger(key="reminder/x", at=NOON, type="time", due=NOON)
    assert doings.write(trigger) == other.write(trigger) == doings.write(trigger)
    assert len(doings.journal.lineage("c", MAIN)) == 2


def test_what_was_done_because_of_something_is_bound_to_it(doings: Doings) -> None:
    heard(doings, NOON)
    exchange = doings.follow().heard
    assert exchange
    for name, evidence in (("x", [exchange.seq]), ("y", [])):
        trigger = Trigger(key=name, at=NOON, type="policy", due=NOON)
        flow = flow_key("c", MAIN, trigger)
        decision = ActionDecision.model_validate({**SKIP, "evidence": {"event_ids": evidence}})
        doings.write(Decided(key=f"{flow}/decide", at=NOON, trigger=trigger, decision=decision))
        doings.write(Trigger(key=f"later/{flow}/decide", at=NOON, type="time", due=NOON))
    because = doings.bound_to([exchange.seq]).rows
    assert len(because) == 2
    assert doings.bound_to([min(because)]).rows == because
    assert doings.bound_to([1]) == (set(), set())


def test_what_is_long_past_is_read_again_from_the_journal(doings: Doings) -> None:
    rows = [intent(doings, number, NOON + number * HOUR, f"{number}") for number in range(3 * AT_HAND)]
    assert [seq for seq, _ in doings.of(Intent)] == rows[::-1]
    assert [one.action_key for _, one in doings.of(Intent)] == [f"{number}" for number in range(3 * AT_HAND)][::-1]
    late = NOON + (2 * AT_HAND) * HOUR
    assert [seq for seq, _ in doings.of(Intent, late, also=rows[:1])] == [*rows[: 2 * AT_HAND - 1 : -1], rows[0]]
    found = doings.at("i0")
    assert found
    assert found.seq == rows[0]
    assert intent(doings, 0, NOON) == rows[0]


def test_what_was_forgotten_is_not_found_among_what_is_past(doings: Doings) -> None:
    rows = [intent(doings, number, NOON) for number in range(AT_HAND + 2)]
    doings.journal.forget("c", rows[:1])
    assert [seq for seq, _ in doings.of(Intent)] == rows[:0:-1]
    assert doings.at("i0") is None


def test_another_branch_has_a_life_of_its_own(doings: Doings) -> None:
    head = next(one.head for one in doings.journal.branches("c"))
    doings.journal.fork("c", MAIN, "what-if", head)
    other = Doings(doings.journal, "c", "what-if", "mina").follow()
    assert not other.on
    other.control("start", NOON)
    other.write(Trigger(key="reminder/x", at=NOON, type="time", due=NOON))
    assert doings.follow().waiting == {}


def test_who_lives_is_known_without_reading_any_history(doings: Doings) -> None:
    memories = Memories(doings.journal)
    assert memories.living() == [("c", MAIN)]
    doings.control("stop", NOON)
    assert memories.living() == []


def test_a_clock_that_was_moved_shows_that_time_to_everybody(doings: Doings) -> None:
    one, other = (Clock(Memories(doings.journal), "c", MAIN, lambda: NOON) for _ in range(2))
    assert one.now() == NOON
    assert one.advance(HOUR) == NOON + HOUR
    one.advance(HOUR)
    assert other.now() == NOON + 2 * HOUR
    assert other.reset() == NOON == one.now()


def test_somebody_who_was_killed_while_talking_is_not_waited_for_for_ever(doings: Doings) -> None:
    memories = Memories(doings.journal)
    times = iter([NOON, NOON + timedelta(minutes=9), NOON + timedelta(minutes=11)])
    clock = Clock(memories, "c", MAIN, lambda: next(times))
    memories.talking("c", MAIN, NOON + timedelta(minutes=10))
    assert [clock.talking() for _ in range(3)] == [True, True, False]
    memories.talking("c", MAIN, None)
    assert not clock.talking()
