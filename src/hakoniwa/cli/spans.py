"""Spans and moments as people write them on a command line: 90m, 2h30m, 18:00, 2026-05-04 18:00."""

import re
from datetime import datetime, time, timedelta

from hakoniwa.errors import UsageError

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "秒": 1, "分": 60, "時間": 3600, "日": 86_400}
LONGEST = timedelta(days=366)
DAY = timedelta(days=1)
_PART = re.compile(rf"(\d{{1,9}})({'|'.join(UNITS)})")
_SPAN = re.compile(rf"(?:{_PART.pattern})+")
_HOUR = re.compile(r"\d{1,2}:\d{2}")


def span(text: str) -> timedelta:
    """A length of time, such as 2h30m; at most a year."""
    found = read_span(text)
    if found is None or not timedelta(0) < found <= LONGEST:
        raise UsageError("autonomy.bad-span", found=text)
    return found


def read_span(text: str) -> timedelta | None:
    if not _SPAN.fullmatch(text):
        return None
    return sum((timedelta(seconds=int(count) * UNITS[unit]) for count, unit in _PART.findall(text)), timedelta(0))


def coming(text: str, now: datetime) -> datetime:
    """A moment that is still to come; an hour of the day is the next one."""
    found = _moment(text, now)
    if _HOUR.fullmatch(text) and found <= now:
        found += DAY
    if found <= now:
        raise UsageError("autonomy.not-to-come", found=text)
    return found


def gone_by(text: str, now: datetime) -> datetime:
    """A moment that has passed; an hour of the day is the last one, and a span is counted back from now."""
    back = read_span(text)
    if back is not None:
        return now - min(back, LONGEST)
    found = _moment(text, now)
    return found - DAY if _HOUR.fullmatch(text) and found > now else found


def _moment(text: str, now: datetime) -> datetime:
    """By the clock on the user's wall, unless a zone is written."""
    try:
        if _HOUR.fullmatch(text):
            return datetime.combine(now.astimezone(), time.fromisoformat(text.zfill(5))).astimezone()
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError, OSError):
        raise UsageError("autonomy.bad-time", found=text) from None
