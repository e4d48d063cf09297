"""Spans and moments as people write them."""

from datetime import UTC, datetime, timedelta

import pytest

from hakoniwa.cli.autonomy import future_time, past_time, span
from hakoniwa.errors import UsageError

NOW = datetime(2026, 5, 4, 12, 0).astimezone()


@pytest.mark.parametrize(
    ("text", "minutes"),
    [("90m", 90), ("2h", 120), ("1h30m", 90), ("1d", 1440), ("30s", 0.5), ("2時間", 120), ("1時間30分", 90),
     ("1日", 1440)],
)  # fmt: skip
def test_a_span_is_read(text: str, minutes: float) -> None:
    assert span(text) == timedelta(minutes=minutes)


@pytest.mark.parametrize("text", ["", "2", "h", "2 h", "-2h", "0m", "2x", "1.5h", "367d", "999999999999d", "２h2"])
def test_what_is_no_span_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="bad-span"):
        span(text)


@pytest.mark.parametrize(
    ("text", "when"),
    [("18:00", (4, 18, 0)), ("9:30", (5, 9, 30)), ("12:00", (5, 12, 0)), ("2026-05-06", (6, 0, 0)),
     ("2026-05-06 18:00", (6, 18, 0)), ("2026-05-06T18:00", (6, 18, 0))],
)  # fmt: skip
def test_a_moment_to_come_is_the_next_one(text: str, when: tuple[int, int, int]) -> None:
    day, hour, minute = when
    assert future_time(text, NOW) == datetime(2026, 5, day, hour, minute).astimezone()


@pytest.mark.parametrize(
    ("text", "when"), [("18:00", (3, 18, 0)), ("9:30", (4, 9, 30)), ("2h", (4, 10, 0)), ("2026-05-01", (1, 0, 0))]
)
def test_a_moment_gone_by_is_the_last_one(text: str, when: tuple[int, int, int]) -> None:
    day, hour, minute = when
    assert past_time(text, NOW) == datetime(2026, 5, day, hour, minute).astimezone()


def test_a_zone_that_is_written_counts() -> None:
    assert future_time("2026-05-06T18:00+00:00", NOW) == datetime(2026, 5, 6, 18, 0, tzinfo=UTC)


@pytest.mark.parametrize("text", ["", "soon", "24:00:99", "25:00", "12:60", "2026-13-01", "0001-01-01", "2026-05-04"])
def test_what_is_no_moment_to_come_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"bad-time|not-to-come"):
        future_time(text, NOW)
