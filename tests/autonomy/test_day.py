"""A whole day of two personas. What they may and may not do is worked out again here, from nothing but the journal."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import pytest

from hakoniwa.persona.generated import unseal
from tests.autonomy.day import DAY, LIVES, MANNERS, NOON, SHEETS, Day, scripted_day

pytestmark = pytest.mark.long
SAID = "autonomy_message"


class Line(NamedTuple):
    """A row as it stands in the journal."""

    seq: int
    kind: str
    at: datetime
    payload: dict[str, Any]


@pytest.fixture(scope="module")
def day() -> Day:
    day = scripted_day()
    day.go_by()
    return day


@pytest.fixture(params=list(SHEETS))
def rows(request: pytest.FixtureRequest, day: Day) -> list[Line]:
    return lines(day, request.param)


def lines(day: Day, chat: str) -> list[Line]:
    return [
        Line(row.seq, row.event.kind.removeprefix("autonomy."), datetime.fromisoformat(payload["at"]), payload)
        for row in day.journal.lineage(chat, "main")
        for payload in [row.event.payload]
    ]


def of(rows: list[Line], kind: str) -> list[Line]:
    return [row for row in rows if row.kind == kind]


def said(rows: list[Line]) -> list[Line]:
    return [row for row in rows if row.payload.get("source") == SAID]


def begun(rows: list[Line]) -> list[Line]:
    return [row for row in of(rows, "intent") if not row.payload.get("dropped")]


def most_in_a_day(rows: list[Line]) -> int:
    return max(sum(row.at - DAY < other.at <= row.at for other in rows) for row in rows)


def test_every_budget_is_used_up_and_none_is_overdrawn(rows: list[Line]) -> None:
    assert most_in_a_day(begun(rows)) == MANNERS.actions_per_day == 9
    assert most_in_a_day(said(rows)) == MANNERS.messages_per_day == 5
    withheld = {row.payload["warning"] for row in rows if row.payload.get("state") == "withheld"}
    assert withheld == {"autonomy.messages-spent"}


def test_in_the_quiet_hours_nothing_is_begun_and_nothing_said(rows: list[Line]) -> None:
    night = [row for row in rows if row.at.astimezone().hour in (23, *range(7))]
    assert {row.kind for row in night} <= {"result", "activity"}
    assert rows[0].at == NOON


def test_what_came_back_in_the_night_is_told_in_the_morning(day: Day) -> None:
    rows = lines(day, "chat-mina")
    (result,) = [row for row in of(rows, "result") if row.at.astimezone().hour == 23]
    (told,) = [row for row in said(rows) if row.payload["result_id"] == result.seq]
    assert told.at.astimezone().strftime("%H:%M") == "07:00"


def test_the_user_is_left_alone_after_an_exchange(rows: list[Line]) -> None:
    (talk,) = [row for row in rows if row.payload.get("source") == "chat"]
    after = [row.at - talk.at for row in of(rows, "claim") if row.seq > talk.seq]
    assert min(after, default=MANNERS.calm) == MANNERS.calm == timedelta(minutes=3)


def test_nothing_is_done_twice_unless_it_failed(rows: list[Line]) -> None:
    asked = {row.seq: row.payload["decision"]["action_payload"] for row in of(rows, "decision") if acting(row)}
    results = {row.payload["intent_id"]: row.payload["result"]["result_status"] for row in of(rows, "result")}
    done = [asked[row.payload["decision_id"]] for row in begun(rows) if results[row.seq] != "failed"]
    words = [tuple(sorted(" ".join(map(str, one.values())).split())) for one in done]
    assert len(words) == len(set(words)) > 5
    assert "autonomy.lately-done" in {row.payload.get("dropped") for row in of(rows, "intent")}


def test_one_thing_is_done_after_the_other_and_each_comes_to_its_end(rows: list[Line]) -> None:
    courses = list(turns(rows))
    assert courses == ["begins", "ends"] * (len(courses) // 2)
    assert len(courses) == 2 * len(of(rows, "claim"))


def acting(row: Line) -> bool:
    return row.payload.get("decision", {}).get("decision_outcome") == "do_action"


def turns(rows: list[Line]) -> Iterator[str]:
    """Where flows begin and end; one that decides not to act ends with that."""
    for row in rows:
        if row.kind == "claim":
            yield "begins"
        if row.kind == "end" or (row.kind == "decision" and not acting(row)):
            yield "ends"


def test_only_what_a_persona_says_is_speech_and_it_is_in_its_own_words(rows: list[Line]) -> None:
    own = {thought.said for thoughts in LIVES.values() for thought in thoughts}
    facts = {row.payload["result"]["summary_text"] for row in of(rows, "result")}
    assert {row.kind for row in rows if "assistant_text" in row.payload} == {"chat"}
    assert {row.payload["assistant_text"] for row in said(rows)} <= own - facts
    assert {row.payload["delivery_mode"] for row in said(rows)} == {"chat", "notify"}


def test_no_activity_is_ever_remembered_as_speech(day: Day) -> None:
    for home in day.homes():
        seen = {row.seq for row in lines(day, home.doings.garden) if row.kind == "activity"}
        memories = home.up_to_date().memories.recent(home.ghost.scope, 1000)
        spoken = [one.source for one in memories if one.assistant_text is not None]
        assert seen.isdisjoint(one.seq for one in memories)
        assert len(spoken) == MANNERS.messages_per_day + 1


def test_everything_that_may_happen_does(day: Day) -> None:
    rows = [row for name in SHEETS for row in lines(day, name)]
    decisions = [row.payload for row in of(rows, "decision")]
    assert {one["trigger"]["type"] for one in decisions} == {"heartbeat", "time", "event"}
    made = {one.get("decision", {}).get("decision_outcome") for one in decisions}
    assert made == {"skip", "defer", "do_action", None}
    assert {row.payload["result"]["result_status"] for row in of(rows, "result")} == {"success", "failed"}
    assert {row.payload["message_kind"] for row in said(rows)} == {"report", "question", "error"}
    assert {row.payload["warning"] for row in rows if "warning" in row.payload} == {
        "ghost.bad-decision", "ghost.voice-markup", "autonomy.lately-done", "autonomy.messages-spent",
    }  # fmt: skip


def test_the_two_tell_of_different_days_in_their_own_words(day: Day) -> None:
    (_, mina), (_, sora) = day.digests()
    first, second = ({unseal(one.message) for one in told.deeds if one.message is not None} for told in (mina, sora))
    assert len(first) == len(second) == MANNERS.messages_per_day
    assert not first & second
    assert (mina.considered, sora.considered) == (26, 11)
