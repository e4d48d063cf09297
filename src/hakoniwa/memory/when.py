"""When: the days, months, feasts and times of life that words speak of, read with `lexicon/time.*.yaml`."""

import re
import unicodedata
from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from hakoniwa.messages import LOADER
from hakoniwa.persona.records import LifeStage
from hakoniwa.turn import Value


@dataclass(frozen=True)
class TimeWords:
    """One language's words for time."""

    relative: tuple[tuple[str, int, re.Pattern[str]], ...]
    ago: re.Pattern[str]
    units: dict[str, re.Pattern[str]]
    spoken: tuple[tuple[re.Pattern[str], tuple[int, int]], ...]
    numerals: dict[str, int]
    tens: dict[str, int]
    vague: dict[str, tuple[int, int]]
    eras: dict[str, int]
    entries: dict[str, dict[str, re.Pattern[str]]]  # months, weekdays, seasons, feasts
    patterns: dict[str, re.Pattern[str]]
    stages: dict[LifeStage, re.Pattern[str]]
    schooldays_are: tuple[LifeStage, ...]


PATTERNS = (
    "year", "short_decade", "era", "date", "month", "day_of_month", "weekday", "weekend", "season", "this_season",
    "feast", "schooldays",
)  # fmt: skip
ENTRIES = ("month", "weekday", "season", "feast")


@cache
def time_words(language: str) -> TimeWords:
    """The words of one language, read once."""
    text = files("hakoniwa").joinpath("lexicon", f"time.{language}.yaml").read_text(encoding="utf-8")
    data = yaml.load(text, Loader=LOADER)
    slots = _slots(data)

    def compiled(pattern: str) -> re.Pattern[str]:
        for slot, alternatives in slots.items():
            pattern = pattern.replace(slot, alternatives)
        return re.compile(pattern)

    return TimeWords(
        relative=tuple(
            (unit, int(back), compiled(words))
            for unit, steps in data["relative"].items()
            for back, words in steps.items()
        ),
        ago=compiled(data["ago"]),
        units={unit: compiled(words) for unit, words in data["units"].items()},
        spoken=tuple((compiled(words), (low, high)) for words, (low, high) in data["spoken"].items()),
        numerals=data["numerals"],
        tens=data["tens"],
        vague={word: (low, high) for word, (low, high) in data["vague"].items()},
        eras=data["eras"],
        entries={name: {key: compiled(words) for key, words in data[f"{name}s"].items()} for name in ENTRIES},
        patterns={name: compiled(data[name]) for name in PATTERNS},
        stages={LifeStage(name): compiled(words) for name, words in data["stages"].items()},
        schooldays_are=tuple(map(LifeStage, data["schooldays_are"])),
    )


def _slots(data: dict[str, Any]) -> dict[str, str]:
    """What stands for {number}, {unit} and the rest, the longest form first."""
    numerals = [re.escape(word) for word in (*data["vague"], *data["numerals"], *data["tens"])]
    single = [word for word in numerals if len(word) == 1 and not word.isascii()]
    run = [f"[{''.join(single)}]{{1,6}}"] if single else []
    numbers = ["\\d{1,4}", *run, *sorted((word for word in numerals if word not in single), key=len, reverse=True)]
    months = sorted("|".join(data["months"].values()).split("|"), key=len, reverse=True)
    return {
        "{number}": f"(?:{'|'.join(numbers)})",
        "{unit}": f"(?:{'|'.join(data['units'].values())})",
        "{month}": f"(?:{'|'.join(months)})",
        **{f"{{{name}}}": f"(?:{'|'.join(data[f'{name}s'].values())})" for name in ENTRIES if name != "month"},
    }


# --- numbers ----------------------------------------------------------------------------------------------------------


def amount(written: str, words: TimeWords) -> tuple[int, int] | None:
    """The least and the most that a number, or a word for a vague one, may mean."""
    if written in words.vague:
        return words.vague[written]
    if written.isdecimal():
        return int(written), int(written)
    if written in words.numerals:
        return words.numerals[written], words.numerals[written]
    spelled = [letter for letter in written if letter not in words.vague]
    vague = next((words.vague[letter] for letter in written if letter in words.vague), None)
    if vague:  # 数十, 十数: so and so many tens, ten and so many
        base = _parse_numeral(spelled, words) or 1
        return (base * vague[0], base * vague[1]) if written[0] in words.vague else (base + vague[0], base + vague[1])
    number = _parse_numeral(spelled, words)
    return None if number is None else (number, number)


def _parse_numeral(letters: list[str], words: TimeWords) -> int | None:
    """A number in Chinese numerals: 二十三, 百五, 二〇."""
    total = digits = 0
    for letter in letters:
        if letter in words.numerals:
            digits = digits * 10 + words.numerals[letter]
        elif letter in words.tens:
            total, digits = total + (digits or 1) * words.tens[letter], 0
        else:
            return 1 if letter == "元" else None
    return total + digits if letters else None


def entry(words: TimeWords, kind: str, written: str) -> str:
    """Which month, weekday, season or feast a word names."""
    return next(key for key, pattern in words.entries[kind].items() if pattern.fullmatch(written))


Days = tuple[date, date]  # the first and the last
Years = tuple[int, int]

DAYS = {"day": 1, "week": 7, "month": 30}
SLACK = 5  # people round: ten days ago may have been eight or twelve
YEARS_OF_SLACK = 10
SEASONS = {"spring": (3, 5), "summer": (6, 8), "autumn": (9, 11), "winter": (12, 14)}
FEASTS = {  # month and day of the first and of the last day
    "new_year": (1, 1, 1, 7), "setsubun": (2, 2, 2, 4), "valentine": (2, 13, 2, 15), "golden_week": (4, 29, 5, 6),
    "tanabata": (7, 7, 7, 7), "obon": (8, 12, 8, 16), "halloween": (10, 30, 10, 31), "christmas": (12, 23, 12, 25),
    "new_years_eve": (12, 31, 12, 31),
}  # fmt: skip


class TimeHint(Value):
    """When the thing was that somebody speaks of: years it is about, a time of life, and days on which it was lived.

    `at_to` is the first moment that no longer counts."""

    about_year_start: int | None = None
    about_year_end: int | None = None
    life_stage_hint: tuple[LifeStage, ...] = ()
    at_from: datetime | None = None
    at_to: datetime | None = None


NO_TIME = TimeHint()


def time_hint(text: str, now: datetime, language: str) -> TimeHint:
    """What a sentence says of when; days are those of the time zone that `now` is given in."""
    said, words = unicodedata.normalize("NFKC", text).casefold(), time_words(language)
    years = list(_years(said, words, now.year))
    days = _days(said, words, now.date(), years)
    first, last = _moments(days, now) if days else (None, None)
    return TimeHint(
        about_year_start=min((start for start, _ in years), default=None),
        about_year_end=max((end for _, end in years), default=None),
        life_stage_hint=_stages(said, words),
        at_from=first,
        at_to=last,
    )


def _years(said: str, words: TimeWords, this_year: int) -> Iterator[Years]:
    """Every year or run of years that is named."""
    for found in words.patterns["year"].finditer(said):
        year = int(found["year"])
        yield (year, year + 9) if found["decade"] else (year, year)
    for found in words.patterns["short_decade"].finditer(said):
        year = 1900 + int(found["tens"])
        yield year, year + 9
    for found in words.patterns["era"].finditer(said):
        year = words.eras[found["era"]] + (amount(found["count"], words) or (1, 1))[0]
        yield year, year
    for found in words.patterns["date"].finditer(said):
        yield int(found["year"]), int(found["year"])
    for unit, back, pattern in words.relative:
        if unit == "year" and pattern.search(said):
            yield this_year - back, this_year - back
    for unit, low, high in _ago(said, words):
        if unit == "year":
            yield max(1, this_year - high - high // YEARS_OF_SLACK), max(1, this_year - low + low // YEARS_OF_SLACK)


def _days(said: str, words: TimeWords, today: date, years: list[Years]) -> Days | None:
    """The days that are meant: those counted from today, else those of the calendar, else whole years."""
    near = [*_relative_days(said, words, today), *_weeks(said, words, today)]
    if near:
        return min(first for first, _ in near), max(last for _, last in near)
    calendar = _calendar(said, words, today, years)
    if calendar:
        return calendar
    if years:
        return date(min(start for start, _ in years), 1, 1), date(max(end for _, end in years), 12, 31)
    return None


def _relative_days(said: str, words: TimeWords, today: date) -> Iterator[Days]:
    """Yesterday, three days ago, half a year ago."""
    for unit, back, pattern in words.relative:
        if unit == "day" and pattern.search(said):
            yield today - timedelta(back), today - timedelta(back)
    for unit, low, high in _ago(said, words):
        if unit in DAYS:
            nearest, farthest = low * DAYS[unit], high * DAYS[unit]
            yield _days_back(today, farthest + farthest // SLACK), _days_back(today, nearest - nearest // SLACK)
    for pattern, (low, high) in words.spoken:
        if pattern.search(said):
            yield today - timedelta(high), today - timedelta(low)


def _days_back(today: date, days: int) -> date:
    """That many days ago, as far back as there are days."""
    return date.fromordinal(max(1, today.toordinal() - days))


def _ago(said: str, words: TimeWords) -> Iterator[tuple[str, int, int]]:
    """So and so many units ago: the unit, and the fewest and the most."""
    for found in words.ago.finditer(said):
        low, high = amount(found["low"], words), amount(found["high"] or found["low"], words)
        unit = next(unit for unit, pattern in words.units.items() if pattern.fullmatch(found["unit"]))
        if low and high:
            yield unit, low[0], max(low[1], high[1])


def _weeks(said: str, words: TimeWords, today: date) -> Iterator[Days]:
    """A week, or the day of it that is named; a weekday by itself is the last one there was."""
    named = words.patterns["weekday"].search(said)
    weekday = int(entry(words, "weekday", named["weekday"])) - 1 if named else None
    monday = today - timedelta(today.weekday())
    weekend = words.patterns["weekend"].search(said)
    weeks = [back for unit, back, pattern in words.relative if unit == "week" and pattern.search(said)]
    if weekend:
        saturday = today - timedelta((today.weekday() - 5) % 7 or 7) if today.weekday() != 6 else today - timedelta(8)
        yield saturday, saturday + timedelta(1)
    for back in () if weekend else weeks:
        start = monday - timedelta(7 * back)
        day = start + timedelta(weekday or 0)
        yield (start, min(start + timedelta(6), today)) if weekday is None else (day, day)
    if weekday is not None and not weeks and not weekend:
        day = today - timedelta((today.weekday() - weekday) % 7 or 7)
        yield day, day


def _calendar(said: str, words: TimeWords, today: date, years: list[Years]) -> Days | None:
    """A date, a month, a season or a feast: in the year that is named, else the last one that has begun."""
    for unit, back, pattern in words.relative:
        if unit == "month" and pattern.search(said):
            return _last_month(said, words, today, back)
    year = years[0][0] if years else None
    if found := words.patterns["date"].search(said):
        return _month(int(found["year"]), int(found["month"]), int(found["day"] or 0))
    if found := words.patterns["month"].search(said):
        month = int(entry(words, "month", found["month"]))
        day = (amount(found["day"], words) or (0, 0))[0] if found["day"] else 0
        return _latest(lambda year: _month(year, month, day), year, today)
    if (found := words.patterns["season"].search(said)) and (year or words.patterns["this_season"].search(said)):
        first, last = SEASONS[entry(words, "season", found["season"])]
        return _latest(lambda year: (_month(year, first)[0], _month(year, last)[1]), year, today)
    if found := words.patterns["feast"].search(said):
        start_month, start, end_month, end = FEASTS[entry(words, "feast", found["feast"])]
        return _latest(lambda year: (date(year, start_month, start), date(year, end_month, end)), year, today)
    return None


def _last_month(said: str, words: TimeWords, today: date, back: int) -> Days:
    """This month or one before it, or the day of it that is named."""
    named = words.patterns["day_of_month"].search(said)
    day = (amount(named["day"], words) or (0, 0))[0] if named else 0
    return _month(today.year, today.month - back, day)


def _month(year: int, month: int, day: int = 0) -> Days:
    """The days of a month, counted on beyond either end of the year, or one day of it."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    length = monthrange(year, month)[1]
    return date(year, month, min(day, length) or 1), date(year, month, min(day, length) or length)


def _latest(of: Callable[[int], Days], year: int | None, today: date) -> Days:
    """That time of the year which is named, else of this one if it has begun, else of the one before."""
    if year is not None:
        return of(year)
    this = of(today.year)
    return this if this[0] <= today else of(today.year - 1)


def _stages(said: str, words: TimeWords) -> tuple[LifeStage, ...]:
    if words.patterns["schooldays"].search(said):
        return words.schooldays_are
    return tuple(stage for stage, pattern in words.stages.items() if pattern.search(said))


def _moments(days: Days, now: datetime) -> tuple[datetime, datetime]:
    """The first moment of the first day, and the first after the last."""
    first, last = days
    return (
        datetime.combine(first, time(), now.tzinfo),
        datetime.combine(min(last, date.max - timedelta(1)) + timedelta(1), time(), now.tzinfo),
    )
