"""The gate before everything: every route there is refuses whoever may not come in, and says so."""

from collections.abc import Iterator

import pytest

from tests.service.console import PATHS
from tests.service.door import WholeDoor, refused, routes

ROUTES = routes(WholeDoor())
every_route = pytest.mark.parametrize(("method", "path"), ROUTES)
OPEN = {"/health", *PATHS}
UNDESCRIBED = {"/openapi.json", *PATHS}
IN_CHATS = {("GET", "/v1/chats"), ("POST", "/v1/chats/{id}/messages"), ("POST", "/v1/memory/{garden}/{who}/forget")}


@pytest.fixture(scope="module")
def door() -> Iterator[WholeDoor]:
    with WholeDoor() as opened:
        yield opened


def asked(door: WholeDoor, method: str, path: str, status: int, **headers: str) -> None:
    response = door.send(b"{}" if method == "POST" else b"", path, method, **headers)
    if method == "HEAD":
        assert response.status_code == status
    else:
        refused(response, status)


def test_the_routes_are_all_there() -> None:
    pages = {(method, path) for path in PATHS for method in ("GET", "HEAD")}
    assert set(ROUTES) >= IN_CHATS | pages | {("GET", "/health"), ("POST", "/v1/gm/step")}
    assert len(ROUTES) >= 17


@every_route
@pytest.mark.parametrize("given", ["", "Bearer wrong", "Basic s3cret", "s3cret"])
def test_without_the_token_only_health_and_the_page_answer(
    door: WholeDoor, method: str, path: str, given: str
) -> None:
    if path in OPEN:
        assert door.send(b"", path, method, authorization=given).status_code == 200
    else:
        asked(door, method, path, 401, authorization=given)


@every_route
@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example"])
def test_a_request_for_another_host_goes_no_further(door: WholeDoor, method: str, path: str, host: str) -> None:
    asked(door, method, path, 421, host=host)


@every_route
@pytest.mark.parametrize("origin", ["http://evil.example", "null"])
def test_a_page_of_another_site_goes_no_further(door: WholeDoor, method: str, path: str, origin: str) -> None:
    asked(door, method, path, 403, origin=origin)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
@pytest.mark.parametrize("path", [path for method, path in ROUTES if method == "POST"])
def test_only_json_is_taken(door: WholeDoor, path: str, kind: str) -> None:
    asked(door, "POST", path, 415, content_type=kind)


@every_route
def test_too_much_is_not_even_read(door: WholeDoor, method: str, path: str) -> None:
    limit = {("POST", "/v1/cards"): 22_435_160}.get((method, path), 1 << 20)
    asked(door, method, path, 413, content_length=str(limit + 1))


@every_route
def test_every_refusal_in_the_document_is_a_problem(door: WholeDoor, method: str, path: str) -> None:
    if path in UNDESCRIBED:
        return
    answers = door.openapi["paths"][path][method.lower()]["responses"]
    refusals = {code: answer for code, answer in answers.items() if not code.startswith("2")}
    assert {tuple(answer["content"]) for answer in refusals.values()} == {("application/problem+json",)}
    assert {"400", "403", "413", "421"} <= set(refusals)
    assert path == "/health" or "401" in refusals
    assert method != "POST" or "415" in refusals
