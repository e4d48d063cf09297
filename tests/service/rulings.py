"""What a caller may build on in a ruling, and a JSON Patch as anybody would read it."""

import copy
import json
from typing import Any

from hakoniwa.gm.facts import MAX_CARD, MAX_CARDS
from hakoniwa.gm.request import checked_request
from hakoniwa.stage.patch import MAX_OPERATIONS, apply
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import PatchOp


def sound(ruling: dict[str, Any], body: bytes) -> None:
    """A ruling that keeps every promise a caller may build on."""
    data = json.loads(body)
    delta, denied = ruling["world_delta"], ruling["denied_reason"]
    assert ruling["allowed"] == (denied is None)
    assert not delta or ruling["allowed"]
    assert len(delta) <= MAX_OPERATIONS
    assert 0 <= ruling["stall_score"] <= 1
    assert len(ruling["fact_cards"]) <= MAX_CARDS
    assert all(len(card) <= MAX_CARD for card in ruling["fact_cards"])
    asked = data.get("possible_acts", 0)
    assert (ruling["possible_acts"] is None) == (not asked)
    assert len(ruling["possible_acts"] or ()) <= float(asked)
    if delta:
        _applicable(delta, data)


def _applicable(delta: list[dict[str, Any]], data: dict[str, Any]) -> None:
    """A delta that leads to the same world in anybody's hands."""
    world = checked_request(data).world_state
    after = apply(world, [PatchOp.model_validate(one) for one in delta])
    theirs = patched(data["world_state"], delta)
    assert WorldState.model_validate(theirs, extra="ignore").hash == after.hash


def patched(document: Any, delta: list[dict[str, Any]]) -> Any:
    """A plain reading of RFC 6902 on the caller's own JSON, which forgives nothing."""
    document = copy.deepcopy(document)
    for operation in delta:
        *steps, last = [step.replace("~1", "/").replace("~0", "~") for step in operation["path"].split("/")[1:]]
        node = document
        for step in steps:
            node = node[int(step)] if isinstance(node, list) else node[step]
        _operated(node, last, operation)
    return document


def _operated(node: Any, last: str, operation: dict[str, Any]) -> None:
    op, value = operation["op"], operation.get("value")
    assert op in ("add", "replace", "remove")
    if isinstance(node, list):
        at = len(node) if last == "-" else int(last)
        assert at < len(node) or (op == "add" and at == len(node)), operation
        node[at : at + (op != "add")] = [] if op == "remove" else [value]
    else:
        assert op == "add" or last in node, operation
        if op == "remove":
            del node[last]
        else:
            node[last] = value
