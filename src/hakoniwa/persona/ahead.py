"""Ahead: moments to come as people say them (30分後, tomorrow at eight), read with `lexicon/ahead.*.yaml`."""

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import cache
from typing import Annotated, Any

from pydantic import AwareDatetime, BeforeValidator, TypeAdapter, ValidationError, ValidationInfo

from hakoniwa.messages import LANGUAGES, read_yaml

NOON = 12
UNITS = {
    "second": timedelta(seconds=1), "minute": timedelta(minutes=1), "hour": timedelta(hours=1),
    "day": timedelta(days=1), "week": timedelta(weeks=1), "month": timedelta(days=30),
}  # fmt: skip
WRITTEN: TypeAdapter[datetime] = TypeAdapter(AwareDatetime)
SPAN: TypeAdapter[timedelta] = TypeAdapter(timedelta)


@dataclass(frozen=True)
class AheadWords:
    """One language's words for times to come."""

    patterns: dict[str, re.Pattern[str]]
    halves: re.Pattern[str]
    entries: dict[str, dict[str, re.Pattern[str]]]  # units, days, parts of a day, weekdays
    numerals: dict[str, int]


@cache
def ahead_words(language: str) -> AheadWords:
    """The words of one language, read once."""
    data = read_yaml("hakoniwa", "lexicon", f"ahead.{language}.yaml")
    numerals = sorted(map(re.escape, data["numerals"]), key=len, reverse=True)
    slots = {"{number}": f"(?:\\d{{1,4}}(?:\\.\\d)?|{'|'.join(numerals)})"} | {
        f"{{{name}}}": f"(?:{'|'.join(data[f'{name}s'].values())})" for name in ("unit", "day", "part", "weekday")
    }
    return AheadWords(
        patterns={name: re.compile(_fill(data[name], slots)) for name in ("while", "when")},
        halves=re.compile(data["halves"]),
        entries={
            name: {key: re.compile(words) for key, words in data[f"{name}s"].items()}
            for name in ("unit", "day", "part", "weekday")
        },
        numerals=data["numerals"],
    )


def _fill(pattern: str, slots: dict[str, str]) -> str:
    for slot, alternatives in slots.items():
        pattern = pattern.replace(slot, alternatives)
    return pattern


def read_ahead(said: str, now: datetime) -> datetime | None:
    """The moment that is meant: as ISO 8601 writes it, or as it is said in any of the languages; None if it is none."""
    text = " ".join(unicodedata.normalize("NFKC", said).casefold().split())
    try:
        return now + SPAN.validate_python(said) if text.startswith("p") else WRITTEN.validate_python(said)
    except (ValidationError, OverflowError):
        found = [_after_a_while(text, ahead_words(one), now) or _at(text, ahead_words(one), now) for one in LANGUAGES]
        return next((one for one in found if one is not None), None)


def _read_field(value: Any, info: ValidationInfo) -> Any:
    now = (info.context or {}).get("now")
    found = read_ahead(value, now) if now is not None and isinstance(value, str) else None
    return value if found is None else found


Moment = Annotated[AwareDatetime, BeforeValidator(_read_field)]  # in words where the context says what time it is `now`


def _after_a_while(text: str, words: AheadWords, now: datetime) -> datetime | None:
    found = words.patterns["while"].fullmatch(text)
    if found is None:
        return None
    unit = UNITS[_entry(words, "unit", found["unit"])]
    number = 0.5 if words.halves.fullmatch(found["number"]) else _number(found["number"], words)
    return now + unit * (number + (0.5 if found["half"] else 0.0))


def _at(text: str, words: AheadWords, now: datetime) -> datetime | None:
    """A day, an hour or both; what has passed today already is tomorrow's."""
    found = words.patterns["when"].fullmatch(text)
    named = found.groupdict() if found else {}
    if not any(named.get(name) for name in ("day", "weekday", "part", "hour")):
        return None
    clock = _clock(named, words)
    if clock is None:
        return None
    days = _days_ahead(named, words, now)
    at = datetime.combine(now.date() + timedelta(days or 0), clock, now.tzinfo)
    return at + timedelta(1 if named["day"] is None and at <= now and not named["weekday"] else 0)


def _days_ahead(named: dict[str, str | None], words: AheadWords, now: datetime) -> int:
    if (day := named["day"]) is not None:
        return int(_entry(words, "day", day))
    if (weekday := named["weekday"]) is None:
        return 0
    to = int(_entry(words, "weekday", weekday)) - 1
    if named["next"]:
        return 7 - now.weekday() + to
    return (to - now.weekday()) % 7 or 7


def _clock(named: dict[str, str | None], words: AheadWords) -> time | None:
    """The hour that is named, by the part of the day it is in; of a part alone, an hour in its midst."""
    part = named["part"]
    around = 9 if part is None else int(_entry(words, "part", part))
    if (hour := named["hour"]) is None:
        return time(around)
    late = around > NOON or (named.get("half") or "").startswith(("p", "in the a", "in the e"))
    whole = int(_number(hour, words))
    minute = named["minute"]
    minutes = 0 if minute is None else 30 if words.halves.fullmatch(minute) else int(_number(minute, words))
    whole += NOON if late and whole < NOON else 0
    return time(whole, minutes) if whole < 24 and minutes < 60 else None


def _number(written: str, words: AheadWords) -> float:
    return float(words.numerals.get(written) or written)


def _entry(words: AheadWords, kind: str, written: str) -> str:
    return next(key for key, pattern in words.entries[kind].items() if pattern.fullmatch(written))
