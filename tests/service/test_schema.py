"""The OpenAPI documents: every route is in them, every reference leads somewhere, every refusal is a problem.

That the applications keep to them, whatever is asked, is a promise: tests/trust/routes.py."""

from collections.abc import Iterator
from typing import Any

import pytest

from hakoniwa.service.app import STREAMS
from hakoniwa.service.guard import OPEN_PATHS
from tests.service.console import PATHS
from tests.service.door import Door, WholeDoor, routes

DOORS = [Door(), WholeDoor()]
REFERENCE = "#/components/schemas/{}"
every_document = pytest.mark.parametrize("door", DOORS, ids=lambda door: str(door.app.title))


def operations(door: Door) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (method.upper(), path, found)
        for path, methods in door.openapi["paths"].items()
        for method, found in methods.items()
    ]


@every_document
def test_the_document_lists_every_route_but_its_own_and_the_page(door: Door) -> None:
    described = {(method, path) for method, path, _ in operations(door)}
    assert described == {route for route in routes(door) if route[1] not in {"/openapi.json", *PATHS}}


@every_document
def test_every_refusal_in_the_document_is_a_problem(door: Door) -> None:
    for method, path, found in operations(door):
        refusals = {code: answer for code, answer in found["responses"].items() if not code.startswith("2")}
        assert {tuple(answer["content"]) for answer in refusals.values()} == {("application/problem+json",)}
        assert {"400", "403", "413", "421"} <= set(refusals)
        assert path in OPEN_PATHS or "401" in refusals
        assert method != "POST" or "415" in refusals


@every_document
def test_every_reference_in_the_document_leads_somewhere(door: Door) -> None:
    named = {REFERENCE.format(name) for name in door.openapi["components"]["schemas"]}
    assert set(_references(door.openapi["paths"])) - named == set()


def test_what_streams_tell_is_described_by_the_name_of_each_event() -> None:
    schemas = DOORS[1].openapi["components"]["schemas"]
    assert "row" in schemas["GardenEvents"]["properties"]
    for name, events in STREAMS.items():
        told = {one: found["$ref"].rpartition("/")[2] for one, found in schemas[name]["properties"].items()}
        assert told == {event: kind.__name__ for kind, event in events.items()}
        assert [kind for kind in told.values() if not schemas[kind]["properties"]] == []
    assert schemas["PatchOp"]["required"] == ["op", "path"]


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        yield from [node["$ref"]] if isinstance(node.get("$ref"), str) else []
    inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    for one in inner:
        yield from _references(one)
