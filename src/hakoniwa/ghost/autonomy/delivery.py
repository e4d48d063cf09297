"""Delivery: who gets to see what of an action, by what was decided, what came of it, and the policy."""

from typing import Literal

from hakoniwa.ghost.action import ActionResult, ConsoleDelivery, MessageKind, OnEnd
from hakoniwa.ghost.autonomy.facts import something_in
from hakoniwa.turn import Value

Speak = Literal["decided", "on_material", "on_error", "never"]

FAILED = frozenset({"failed", "unknown"})
USEFUL = frozenset({"success", "partial"})


class Delivery(Value):
    """How a result is shown, and in what tone it is told of if it is."""

    mode: OnEnd
    kind: MessageKind


def delivered(console: ConsoleDelivery, result: ActionResult, policy: Speak) -> Delivery:
    """What is shown of a result. Something that went wrong, or may have, is always told of as an error."""
    failed = result.result_status in FAILED
    decided = console.on_fail if failed else console.on_complete
    return Delivery(mode=_mode(decided, result, policy), kind="error" if failed else console.message_kind)


def _mode(decided: OnEnd, result: ActionResult, policy: Speak) -> OnEnd:
    if policy == "on_material":
        return _aloud(decided) if _material(result) else _unspoken(decided)
    if policy == "decided" or (policy == "on_error" and result.result_status in FAILED):
        return decided
    return _unspoken(decided)


def _material(result: ActionResult) -> bool:
    return result.result_status in USEFUL and something_in(result)


def _aloud(decided: OnEnd) -> OnEnd:
    return "notify" if decided == "notify" else "chat"


def _unspoken(decided: OnEnd) -> OnEnd:
    return "silent" if decided == "silent" else "activity_only"
