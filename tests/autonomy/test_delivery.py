"""Delivery: what is shown of a result follows from the decision, the result and the policy, row by row."""

from typing import Any, get_args

import pytest

from hakoniwa.autonomy.delivery import Delivery, Speak, decide_delivery
from hakoniwa.persona.action import ActionResult, ConsoleDelivery, MessageKind, OnEnd
from hakoniwa.persona.generated import Generated

DECIDED: tuple[OnEnd, ...] = ("silent", "activity_only", "notify", "chat")
UNSPOKEN: tuple[OnEnd, ...] = ("silent", "activity_only", "activity_only", "activity_only")
ALOUD: tuple[OnEnd, ...] = ("chat", "chat", "notify", "chat")

RESULTS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "found something": ("success", {"findings": [{"excerpt": "九十五度がよい"}]}, {}),
    "found some of it": ("partial", {"findings": ["九十五度"], "notes": []}, {}),
    "a number": ("success", {"degrees": 95}, {}),
    "only printed": ("success", {}, {"raw_output_text": "done"}),
    "nothing in it": ("success", {}, {}),
    "only empty fields": ("success", {"findings": [], "sources": [{"url": " "}], "ok": True, "note": None}, {}),
    "printed nothing": ("partial", {}, {"raw_output_text": " \n"}),
    "no effect": ("no_effect", {"query": "紅茶"}, {}),
    "failed": ("failed", {"fault": "timed-out"}, {}),
    "unknown": ("unknown", {"fault": "lost"}, {"raw_output_text": "half"}),
}
MATERIAL = ("found something", "found some of it", "a number", "only printed")
WENT_WRONG = ("failed", "unknown")

# For every policy: which results are shown otherwise than it says last, by what was decided for them.
EXPECTED: dict[Speak, tuple[dict[str, tuple[OnEnd, ...]], tuple[OnEnd, ...]]] = {
    "decided": ({}, DECIDED),
    "on_material": (dict.fromkeys(MATERIAL, ALOUD), UNSPOKEN),
    "on_error": (dict.fromkeys(WENT_WRONG, DECIDED), UNSPOKEN),
    "never": ({}, UNSPOKEN),
}
ROWS = [
    (policy, name, decided, modes.get(name, otherwise)[place])
    for policy, (modes, otherwise) in EXPECTED.items()
    for name in RESULTS
    for place, decided in enumerate(DECIDED)
]


def result_of(name: str) -> ActionResult:
    status, payload, details = RESULTS[name]
    shape = {"capability_name": "web_access", "summary_text": Generated("要約"), "result_status": status}
    return ActionResult.model_validate({**shape, "result_payload": payload, "details_json": details})


def console(name: str, decided: OnEnd, kind: MessageKind = "report") -> ConsoleDelivery:
    """A decision that says this for how the result turned out, and the loudest for the other way."""
    other: OnEnd = "chat" if decided != "chat" else "notify"
    failed = name in WENT_WRONG
    return ConsoleDelivery(
        on_complete=other if failed else decided, on_fail=decided if failed else other, message_kind=kind
    )


def test_what_is_shown() -> None:
    for policy, name, decided, mode in ROWS:
        kind: MessageKind = "error" if name in WENT_WRONG else "report"
        shown = decide_delivery(console(name, decided), result_of(name), policy)
        assert shown == Delivery(mode=mode, kind=kind), (policy, name, decided)


@pytest.mark.parametrize("kind", get_args(MessageKind))
def test_what_went_wrong_is_told_as_an_error_and_the_rest_as_was_decided(kind: MessageKind) -> None:
    kinds = {name: decide_delivery(console(name, "chat", kind), result_of(name), "decided").kind for name in RESULTS}
    assert kinds == {name: "error" if name in WENT_WRONG else kind for name in RESULTS}


def test_the_table_has_every_policy_and_every_mode() -> None:
    assert tuple(EXPECTED) == get_args(Speak)
    assert get_args(OnEnd) == DECIDED
