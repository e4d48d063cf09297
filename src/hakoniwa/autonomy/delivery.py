"""Delivery: who gets to see what of an action, and the texts and names in a result that a prompt has room for."""

import json
from collections.abc import Iterator
from typing import Any, Literal

from hakoniwa.capabilities.capability import plain
from hakoniwa.persona.action import ActionResult, ConsoleDelivery, MessageKind, OnEnd
from hakoniwa.turn import Value

DEEPEST = 6
SIZES = ((800, 12), (400, 8), (200, 6), (100, 4), (50, 2))  # the longest text, and the most things side by side


def field_texts(value: Any, depth: int = DEEPEST) -> Iterator[str]:
    """Every text and number that says something, in order."""
    if isinstance(value, str):
        yield from [value] if value.strip() else []
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
    elif depth and isinstance(value, dict | list | tuple):
        for one in value.values() if isinstance(value, dict) else value:
            yield from field_texts(one, depth - 1)


def field_names(value: Any, depth: int = 2 * DEEPEST) -> Iterator[str]:
    """Every name of a field."""
    if isinstance(value, dict):
        yield from map(str, value)
    if depth and isinstance(value, dict | list | tuple):
        for one in value.values() if isinstance(value, dict) else value:
            yield from field_names(one, depth - 1)


def raw_output(result: ActionResult) -> str:
    """What a backend printed, as it printed it."""
    printed = result.details_json.get("raw_output_text")
    return printed if isinstance(printed, str) else ""


def has_facts(result: ActionResult) -> bool:
    """Whether it holds anything to tell of."""
    return bool(raw_output(result).strip()) or next(field_texts(result.result_payload), None) is not None


def fit_value(value: Any, room: int) -> Any:
    """The value, its texts and lists cut as little as it takes for its JSON to have that many characters at most."""
    for longest, most in SIZES:
        small = _cut(value, longest, most, DEEPEST)
        if len(to_prompt_json(small)) <= room:
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


def to_prompt_json(value: Any) -> str:
    """On one line, and without the signs by which a chat template tells who is speaking."""
    text = json.dumps(value, ensure_ascii=False)
    return text.replace("<", "\\u003c").replace("[INST]", "\\u005bINST]").replace("[/INST]", "\\u005b/INST]")


def in_line(text: str, longest: int) -> str:
    """A text as part of a line of a prompt: it can neither end the line nor pose as the frame of a chat."""
    line = plain(" ".join(text.split()), longest)
    return line.replace("<", "＜").replace("[", "［").replace("]", "］").replace("【", "［").replace("】", "］")


Speak = Literal["decided", "on_material", "on_error", "never"]

FAILED = frozenset({"failed", "unknown"})
USEFUL = frozenset({"success", "partial"})


class Delivery(Value):
    """How a result is shown, and in what tone it is told of if it is."""

    mode: OnEnd
    kind: MessageKind


def decide_delivery(console: ConsoleDelivery, result: ActionResult, policy: Speak) -> Delivery:
    """What is shown of a result. Something that went wrong, or may have, is always told of as an error."""
    failed = result.result_status in FAILED
    decided = console.on_fail if failed else console.on_complete
    return Delivery(mode=_mode(decided, result, policy), kind="error" if failed else console.message_kind)


def _mode(decided: OnEnd, result: ActionResult, policy: Speak) -> OnEnd:
    if policy == "on_material":
        return _with_words(decided) if _is_material(result) else _without_words(decided)
    if policy == "decided" or (policy == "on_error" and result.result_status in FAILED):
        return decided
    return _without_words(decided)


def _is_material(result: ActionResult) -> bool:
    return result.result_status in USEFUL and has_facts(result)


def _with_words(decided: OnEnd) -> OnEnd:
    return "notify" if decided == "notify" else "chat"


def _without_words(decided: OnEnd) -> OnEnd:
    return "silent" if decided == "silent" else "activity_only"
