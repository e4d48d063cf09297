"""Light and weather as they are drawn, and which rooms are under the sky: by the words a world has for them."""

import re
from functools import lru_cache
from typing import Literal, get_args

from hakoniwa.pictures.catalogue import known_words

Light = Literal["dawn", "day", "dusk", "night"]
Falls = Literal["storm", "snow", "rain", "fog"]
HOURS: tuple[tuple[int, Light], ...] = ((5, "night"), (7, "dawn"), (17, "day"), (19, "dusk"), (24, "night"))


def light_at(clock: str | None, label: str) -> Light:
    """The light of an hour, or where no clock runs that of a time of day."""
    if clock is None:
        return next((light for light in ("dawn", "dusk", "night") if _says("light", light, label)), "day")
    return next(light for until, light in HOURS if int(clock.partition(":")[0]) % 24 < until)


def falls_in(weather: str) -> Falls | None:
    """What comes down in a weather, the worst of it."""
    return next((one for one in get_args(Falls) if _says("falls", one, weather)), None)


@lru_cache(maxsize=1024)
def is_outdoors(room: str) -> bool:
    """Whether a room is under the open sky, by its name."""
    return any(_has(word, room) for words in known_words()["outdoors"].values() for word in words)


def _says(table: str, kind: str, told: str) -> bool:
    return any(_has(word, told) for word in known_words()[table][kind])


def _has(word: str, told: str) -> bool:
    """An English word stands by itself, a Japanese one anywhere."""
    return bool(re.search(rf"\b{word}s?\b", told, re.IGNORECASE)) if word.isascii() else word in told
