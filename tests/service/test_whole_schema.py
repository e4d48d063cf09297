"""The OpenAPI document of everything against the application: what schemathesis makes up must fit, and none fails."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, settings

from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.service import experiments, tail
from hakoniwa.service.app import hakoniwa_app
from hakoniwa.settings import Settings
from tests.service.console import PATHS
from tests.service.door import TOKEN, WholeDoor, routes
from tests.service.talk import begun, said
from tests.service.test_schema import PROMISES

HEADERS = {"host": "localhost", "authorization": f"Bearer {TOKEN}"}
schema = schemathesis.openapi.from_asgi(
    "/openapi.json", hakoniwa_app(MemoryJournal(), Settings(model="builtin"), TOKEN), headers=HEADERS
)
few = settings(max_examples=5, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
THERE = {"id": "c", "garden": "c", "who": "yana"}


@pytest.fixture(scope="module")
def door() -> Iterator[WholeDoor]:
    with pytest.MonkeyPatch.context() as patched, WholeDoor() as opened:
        patched.setattr(tail, "LONGEST", 0.0)  # else whoever watches would watch for an hour
        patched.setattr(experiments, "MOST_RUNS", 0)  # else one would be played, beside everything else
        begun(opened)
        for line in ("猫の話", "犬の話"):
            said(opened, line)
        yield opened


def answered(door: WholeDoor, case: Any) -> httpx.Response:
    sent = case.as_transport_kwargs(base_url="http://localhost")
    body = {"json": sent["json"]} if "json" in sent else {"content": sent.get("data")}
    headers = {**sent["headers"], **HEADERS}
    return door.wait_for(
        door.client.request(sent["method"], sent["url"], params=sent["params"], headers=headers, **body)
    )


def test_the_document_lists_every_route_but_its_own_and_the_page(door: WholeDoor) -> None:
    described = {(method.upper(), path) for path, methods in schema.raw_schema["paths"].items() for method in methods}
    assert described == {route for route in routes(door) if route[1] not in {"/openapi.json", *PATHS}}


@schema.exclude(path="/v1/gm/step").parametrize()
@few
def test_every_operation_keeps_to_its_description(case: Any, door: WholeDoor) -> None:
    case.validate_response(answered(door, case), checks=PROMISES)


@schema.include(path_regex=r"\{").parametrize()
@few
def test_so_it_does_where_there_is_something(case: Any, door: WholeDoor) -> None:
    """Names made up by chance name nobody: these do, and the rest of the request is made up."""
    case.path_parameters |= {name: value for name, value in THERE.items() if name in case.path_parameters}
    case.validate_response(answered(door, case), checks=PROMISES)
