"""What a reader is to whoever tries it."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hakoniwa.errors import HakoniwaError

Chance = random.Random


@dataclass(frozen=True)
class Reader:
    """A reader: something to read from dice, the reading itself, what is wrong with what came of it; and for how its
    time grows, what to repeat, around what, and up to how many characters."""

    made: Callable[[Chance], Any]
    read: Callable[[Any], object]
    wrong: Callable[[Any, Any], Iterator[str]]
    units: Sequence[str]
    long: Callable[[str, str], Any]
    frames: Sequence[str] = ("{}",)
    size: int = 8_192


def nothing_wrong(_: Any, __: Any) -> Iterator[str]:
    return iter(())


def framed(unit: str, frame: str) -> str:
    return frame.replace("{}", unit)


def named(reading: Callable[[], object]) -> object:
    """What comes of a reading that may refuse: a refusal is an answer too."""
    try:
        return reading()
    except HakoniwaError as error:
        return error
