"""Facts: the texts and names in what a capability brought back, and as much of it as a prompt has room for."""

import json
from collections.abc import Iterator
from typing import Any

from hakoniwa.ghost.action import ActionResult
from hakoniwa.ghost.capabilities.text import plain

DEEPEST = 6
SIZES = ((800, 12), (400, 8), (200, 6), (100, 4), (50, 2))  # the longest text, and the most things side by side


def texts(value: Any, depth: int = DEEPEST) -> Iterator[str]:
    """Every text and number that says something, in order."""
    if isinstance(value, str):
        yield from [value] if value.strip() else []
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
    elif depth and isinstance(value, dict | list | tuple):
        for one in value.values() if isinstance(value, dict) else value:
            yield from texts(one, depth - 1)


def names(value: Any, depth: int = 2 * DEEPEST) -> Iterator[str]:
    """Every name of a field."""
    if isinstance(value, dict):
        yield from map(str, value)
    if depth and isinstance(value, dict | list | tuple):
        for one in value.values() if isinstance(value, dict) else value:
            yield from names(one, depth - 1)


def raw_output(result: ActionResult) -> str:
    """What a backend printed, as it printed it."""
    printed = result.details_json.get("raw_output_text")
    return printed if isinstance(printed, str) else ""


def something_in(result: ActionResult) -> bool:
    """Whether it holds anything to tell of."""
    return bool(raw_output(result).strip()) or next(texts(result.result_payload), None) is not None


def fitted(value: Any, room: int) -> Any:
    """The value, its texts and lists cut as little as it takes for its JSON to have that many characters at most."""
    for longest, most in SIZES:
        small = _cut(value, longest, most, DEEPEST)
        if len(in_json(small)) <= room:
            return small
    return {}


def _cut(value: Any, longest: int, most: int, depth: int) -> Any:
    if isinstance(value, str):
        return plain(value, longest)
    if depth and isinstance(value, list | tuple):
        return [_cut(one, longest, most, depth - 1) for one in value[:most]]
    if depth and isinstance(value, dict):
        few = list(value.items())[:most]
        return {plain(str(name), 80): _cut(one, longest, most, depth - 1) for name, one in few}
    return value if isinstance(value, bool | int | float) else None


def in_json(value: Any) -> str:
    """On one line, and without the signs by which a chat template tells who is speaking."""
    text = json.dumps(value, ensure_ascii=False)
    return text.replace("<", "\\u003c").replace("[INST]", "\\u005bINST]").replace("[/INST]", "\\u005b/INST]")
