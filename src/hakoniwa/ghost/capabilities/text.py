"""Text from outside, made fit to be kept: bounded, and without signs that steer a terminal or hide from a reader."""

import unicodedata
from typing import Any

_STEERING = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})


def plain(text: str, limit: int) -> str:
    """At most `limit` characters of it, lines and tabs kept, everything else that cannot be seen dropped."""
    head = text[: 2 * limit].replace("\r\n", "\n").replace("\r", "\n")
    seen = (char for char in head if char in "\n\t" or unicodedata.category(char) not in _STEERING)
    return "".join(seen)[:limit]


def one_line(text: str, limit: int) -> str:
    return " ".join(plain(text, 2 * limit).split())[:limit]


def bounded(value: Any, room: int = 4_000, depth: int = 6) -> Any:
    """A JSON value with its texts made plain, its lists and tables cut short, and nothing nested too deep."""
    if isinstance(value, str):
        return plain(value, room)
    if isinstance(value, bool | None) or (isinstance(value, int | float) and abs(value) < 2**53):
        return value
    if depth and isinstance(value, list):
        return [bounded(one, room // 4, depth - 1) for one in value[:20]]
    if depth and isinstance(value, dict):
        return {one_line(str(key), 80): bounded(one, room // 4, depth - 1) for key, one in list(value.items())[:20]}
    return None
