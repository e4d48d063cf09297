"""The OpenAPI document against the application: what schemathesis makes up from the one must fit the other."""

import json
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import CheckFunction, not_a_server_error
from schemathesis.specs.openapi import checks

from hakoniwa.gm.request import MAX_REPLY
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.service.app import gm_app
from tests.service.door import Door, request, routes

schema = schemathesis.openapi.from_asgi("/openapi.json", gm_app(MemoryJournal()), headers={"host": "localhost"})
few = settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
PROMISES: list[CheckFunction] = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]
THEIRS = ("session_id", "turn_number", "raw_output", "possible_acts")


@pytest.fixture(scope="module")
def door() -> Iterator[Door]:
    with Door() as opened:
        yield opened


def answered(door: Door, case: Any) -> httpx.Response:
    sent = case.as_transport_kwargs(base_url="http://localhost")
    body = {"json": sent["json"]} if "json" in sent else {"content": sent.get("data")}
    return door.wait_for(
        door.client.request(sent["method"], sent["url"], params=sent["params"], headers=sent["headers"], **body)
    )


def test_the_document_lists_every_route_but_its_own(door: Door) -> None:
    described = {(method.upper(), path) for path, methods in schema.raw_schema["paths"].items() for method in methods}
    assert described == {route for route in routes(door) if route[1] != "/openapi.json"}


@schema.parametrize()
@few
def test_every_operation_keeps_to_its_description(case: Any, door: Door) -> None:
    case.validate_response(answered(door, case), checks=PROMISES)


@schema.include(method="POST").parametrize()
@few
def test_what_the_document_allows_is_taken_and_what_it_forbids_is_not(case: Any, door: Door) -> None:
    """Worlds made up by chance hold no speaker: this one does, and the rest of the request is made up."""
    theirs = case.body if isinstance(case.body, dict) else {}
    body = request(**{name: theirs[name] for name in THEIRS if name in theirs})
    response = door.send(json.dumps(body).encode())
    rules = door.openapi["components"]["schemas"]["GMStepRequest"]["properties"]
    allowed = all(fits(body[name], rules[name]) for name in THEIRS if name in body)
    allowed = allowed and len(str(body["raw_output"]).encode()) <= MAX_REPLY
    assert response.status_code in ((200, 409) if allowed else (400, 413, 422))
    if case.method == "POST":
        case.validate_response(response, checks=PROMISES)


def fits(value: Any, rule: dict[str, Any]) -> bool:
    """Whether a text or a number is what a schema asks for."""
    if rule["type"] == "string":
        return (
            isinstance(value, str)
            and rule.get("minLength", 0) <= len(value) <= rule["maxLength"]
            and re.search(rule.get("pattern", ""), value) is not None
        )
    whole = isinstance(value, int | float) and not isinstance(value, bool) and value == value // 1
    return whole and rule["minimum"] <= value <= rule.get("maximum", rule.get("exclusiveMaximum", 0) - 1)
