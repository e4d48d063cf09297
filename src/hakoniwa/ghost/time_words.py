"""Time words: how a language names days, months, feasts and times of life, read from `lexicon/time.*.yaml`."""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from hakoniwa.ghost.memory import LifeStage
from hakoniwa.messages import LOADER


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
        base = _spelled(spelled, words) or 1
        return (base * vague[0], base * vague[1]) if written[0] in words.vague else (base + vague[0], base + vague[1])
    number = _spelled(spelled, words)
    return None if number is None else (number, number)


def _spelled(letters: list[str], words: TimeWords) -> int | None:
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
