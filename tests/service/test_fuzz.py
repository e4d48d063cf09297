"""Whatever comes, the door answers: never a failure of its own, and a delta that any JSON Patch can apply.

The usual run sends 3,000 requests; HAKONIWA_FUZZ=100000 sends as many as it says.
"""

import copy
import json
import os
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hakoniwa.gm.facts import MAX_CARD, MAX_CARDS
from hakoniwa.gm.request import checked_request
from hakoniwa.stage.patch import MAX_OPERATIONS, apply
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import PatchOp
from tests.service.door import Door, request
from tests.service.fuzz import SCRAPS, twisted, valid
from tests.worlds import PEOPLE, ROOMS, THINGS, VERBS, small_worlds

REQUESTS = int(os.environ.get("HAKONIWA_FUZZ", 3_000))
CHUNK = 500
EXPECTED = {200, 400, 409, 413, 422}


@pytest.fixture(scope="module")
def door() -> Iterator[Door]:
    with Door() as opened:
        yield opened


def checked(door: Door, body: bytes) -> int:
    """The status of a request, once its answer has been looked at from all sides."""
    response = door.send(body)
    assert response.status_code in EXPECTED, response.text
    if response.status_code == 200:
        sound(response.json(), body)
    else:
        detail = response.json()["detail"]
        assert response.status_code != 422 or " of the request is not right: " in detail or "nested" in detail, detail
    return response.status_code


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


@pytest.mark.parametrize("chunk", range(-(-REQUESTS // CHUNK)))
def test_twisted_requests_are_answered(door: Door, chunk: int) -> None:
    chance, seen = Random(f"twisted {chunk}"), Counter[int]()
    for number in range(chunk * CHUNK, min((chunk + 1) * CHUNK, REQUESTS)):
        body = twisted(chance, number)
        try:
            seen[checked(door, body)] += 1
        except Exception as error:
            raise AssertionError(f"request {number}: {body!r}") from error
    assert seen[200] > CHUNK / 10
    assert seen[422] > CHUNK / 10


def test_requests_that_nothing_is_wrong_with_are_answered(door: Door) -> None:
    chance = Random("valid")
    for number in range(200):
        data = valid(chance, number) | {"session_id": f"valid-{number}"}
        assert checked(door, json.dumps(data).encode()) == 200


NAMES = (*THINGS, *ROOMS, *PEOPLE, "削り屑", "どこにもない物")


@st.composite
def replies(draw: st.DrawFn) -> str:
    """Acts on the things of a small world, with anything around them."""
    parts = draw(
        st.lists(
            st.one_of(
                st.builds("({}: {})".format, st.sampled_from((*VERBS, "GET", "PUT", "MOVE")), st.sampled_from(NAMES)),
                st.builds("(PUT: {} -> {})".format, st.sampled_from(NAMES), st.sampled_from(NAMES)),
                st.builds("（{}を{}）".format, st.sampled_from(NAMES), st.sampled_from(("取る", "置く", "食べる"))),
                st.sampled_from(SCRAPS),
                st.text(max_size=20),
            ),
            max_size=6,
        )
    )
    return "".join(parts)


@settings(max_examples=max(300, REQUESTS // 100))
@given(world=small_worlds(), who=st.sampled_from(PEOPLE), reply=replies(), number=st.integers(0, 2**31 - 1))
def test_any_reply_in_any_small_world_is_answered(
    door: Door, world: WorldState, who: str, reply: str, number: int
) -> None:
    data = request(
        session_id=f"small-{number % 5}",
        turn_number=number,
        speaker=who,
        raw_output=reply.encode("utf-8", "replace").decode(),
        world_state=world.model_dump(mode="json", exclude_unset=True),
    )
    assert checked(door, json.dumps(data, ensure_ascii=False).encode()) in (200, 409, 422)
