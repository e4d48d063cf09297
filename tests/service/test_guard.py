"""The gate: who is let in, what a length may be, and what is told to whoever is not let in.

That nobody else gets past it on any route is a promise: tests/trust/foreign.py."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from starlette.responses import StreamingResponse

from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.messages import say
from hakoniwa.service.app import gm_app
from hakoniwa.service.guard import FREE_GUESSES, SLOWED_SECONDS, Guard, GuessBrake
from hakoniwa.service.requests import MAX_BODY, BodyTooLarge
from hakoniwa.service.routes.gm import PATH
from hakoniwa.service.streams import EventStream
from tests.service.door import PATIENCE, Door, WholeDoor, refused, routes

FRIENDS = ("localhost", "localhost:8765", "LOCALHOST", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:8765")


@pytest.fixture(scope="module")
def door() -> Iterator[Door]:
    with Door() as opened:
        yield opened


@pytest.fixture(scope="module")
def locked() -> Iterator[Door]:
    with Door(token="s3cret") as opened:
        yield opened


ROUTES = routes(Door())
every_route = pytest.mark.parametrize(("method", "path"), ROUTES)


def status(door: Door, method: str, path: str, **headers: str) -> int:
    return door.send(b"{}" if method == "POST" else b"", path, method, **headers).status_code


def test_the_routes_are_all_there() -> None:
    assert {("GET", "/health"), ("POST", PATH), ("GET", "/openapi.json")} <= set(ROUTES)


@every_route
@pytest.mark.parametrize("host", FRIENDS)
def test_this_machine_goes_by_several_names(door: Door, method: str, path: str, host: str) -> None:
    assert status(door, method, path, host=host) in (200, 422)


@every_route
@pytest.mark.parametrize("origin", ["http://localhost:8765", "http://127.0.0.1:8765", "http://[::1]:8765"])
def test_a_page_of_this_machine_may_ask(door: Door, method: str, path: str, origin: str) -> None:
    assert status(door, method, path, origin=origin) in (200, 422)


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "Application/JSON", "application/json ;x=y"])
def test_json_may_be_spelled_in_several_ways(door: Door, kind: str) -> None:
    assert status(door, "POST", PATH, content_type=kind) == 422


@every_route
@pytest.mark.parametrize("length", ["-1", "1.5", "0x10", "many", "1 000", "²"])
def test_a_length_is_a_number(door: Door, method: str, path: str, length: str) -> None:
    assert _straight(door, method, path, {"content-length": length}) == 400


def test_a_route_that_takes_files_takes_more_and_no_other_does() -> None:
    with WholeDoor() as whole:
        for method, path in routes(whole):
            limit = 22_435_160 if (method, path) in {("POST", "/v1/cards"), ("POST", "/v1/imports")} else 1 << 20
            response = whole.send(b"{}" if method == "POST" else b"", path, method, content_length=str(limit + 1))
            assert response.status_code == 413


@every_route
@pytest.mark.parametrize("length", ["1048577", "9" * 19, "9" * 5000])
def test_a_length_beyond_the_cap_is_not_even_read(door: Door, method: str, path: str, length: str) -> None:
    assert _straight(door, method, path, {"content-length": length}) == 413


def test_a_stream_ends_for_whoever_sends_too_much_while_it_is_answered() -> None:
    async def streamed(scope: Any, receive: Any, send: Any) -> None:
        async def endless() -> AsyncIterator[bytes]:
            while True:
                yield b"x"
                await asyncio.sleep(0)

        await StreamingResponse(endless())(scope, receive, send)

    async def receive() -> Any:
        await asyncio.sleep(0)
        return {"type": "http.request", "body": b" " * 100_000, "more_body": True}

    async def send(message: Any) -> None:
        sent.append(message["type"])

    sent: list[str] = []
    scope = {"type": "http", "method": "GET", "path": "/", "headers": [(b"host", b"localhost")]}
    asyncio.run(asyncio.wait_for(Guard(streamed)(scope, receive, send), PATIENCE))
    assert sent[0] == "http.response.start"


def test_a_stream_is_begun_and_over_for_whoever_sends_too_much_at_once() -> None:
    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b"x"
            await asyncio.sleep(0)

    async def receive() -> Any:
        raise BodyTooLarge(MAX_BODY)

    async def send(message: Any) -> None:
        seen.append(message["type"])

    seen: list[str] = []

    async def left() -> None:
        seen.append("left")

    tailing = EventStream(endless(), left)
    asyncio.run(asyncio.wait_for(tailing({"type": "http"}, receive, send), PATIENCE))
    assert (seen[0], seen[-1]) == ("http.response.start", "left")


@every_route
@pytest.mark.parametrize("given", ["Bearer s3cret", "bearer s3cret", "Bearer  s3cret "])
def test_the_token_opens_every_route(locked: Door, method: str, path: str, given: str) -> None:
    assert status(locked, method, path, authorization=given) in (200, 422)


def test_a_refusal_says_what_was_wanted(locked: Door) -> None:
    response = locked.send(b"{}")
    assert refused(response, 401)["title"] == "Token needed"
    assert response.headers["www-authenticate"] == "Bearer"


def test_a_server_elsewhere_goes_by_the_names_it_is_given() -> None:
    with Door(hosts=("garden.example",), token="s3cret") as door:
        assert status(door, "GET", "/health", host="garden.example:8443") == 200
        assert status(door, "GET", "/health") == 421


@pytest.mark.parametrize("path", ["/", "/docs", "/redoc", "/v1/gm", "/v1/gm/step/", "/../etc/passwd", "/health/x"])
def test_there_is_nothing_else(door: Door, path: str) -> None:
    refused(door.send(b"", path, "GET"), 404)


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
def test_another_method_is_told_which_one_there_is(door: Door, method: str) -> None:
    response = door.send(b"", PATH, method)
    refused(response, 405)
    assert response.headers["allow"] == "POST"


def test_health_names_the_version(door: Door) -> None:
    assert door.send(b"", "/health", "GET").json() == {"status": "ok", "version": door.app.version}


# --- below HTTP ------------------------------------------------------------------------------------------------------


def _straight(door: Door, method: str, path: str, headers: dict[str, str]) -> int:
    """Headers that an HTTP client would refuse to send."""
    given = {"host": "localhost", "content-type": "application/json", **headers}
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "path": path,
        "raw_path": path.encode(), "query_string": b"", "root_path": "", "scheme": "http",
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in given.items()],
    }  # fmt: skip
    sent = door.wait_for(_exchange(door.app, scope, [{"type": "http.request", "body": b"", "more_body": False}]))
    return int(sent[0]["status"])


async def _exchange(
    app: Any, scope: dict[str, Any], messages: list[dict[str, Any]], sent: list[dict[str, Any]] | None = None
) -> list[dict[str, Any]]:
    """What the application sends when it receives these messages."""
    sent = [] if sent is None else sent

    async def receive() -> dict[str, Any]:
        return messages.pop(0)

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return sent


def test_a_client_that_hangs_up_in_the_middle_is_no_error_of_ours() -> None:
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "path": PATH,
        "raw_path": PATH.encode(), "query_string": b"", "root_path": "", "scheme": "http",
        "headers": [(b"host", b"localhost"), (b"content-type", b"application/json"), (b"content-length", b"100")],
    }  # fmt: skip
    messages: list[dict[str, Any]] = [
        {"type": "http.request", "body": b'{"session_id": ', "more_body": True},
        {"type": "http.disconnect"},
    ]
    sent = asyncio.run(_exchange(gm_app(MemoryJournal()), scope, messages))
    assert sent[0]["status"] == 400


def test_what_nobody_foresaw_is_told_as_a_problem_and_goes_on_to_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("hakoniwa.service.routes.gm.checked_request", broken)
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "path": PATH,
        "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")],
    }  # fmt: skip
    sent: list[dict[str, Any]] = []
    with pytest.raises(ZeroDivisionError):
        asyncio.run(_exchange(gm_app(MemoryJournal()), scope, [{"type": "http.request", "body": b"{}"}], sent))
    assert sent[0]["status"] == 500
    assert json.loads(sent[1]["body"])["title"] == "Internal error"


@pytest.mark.parametrize(
    ("status", "body", "headers"),
    [
        (421, b"{}", {"host": "evil.example"}),
        (403, b"{}", {"origin": "http://evil.example"}),
        (415, b"{}", {"content_type": "text/plain"}),
        (413, b" " * (MAX_BODY + 1), {}),
        (400, b"{", {}),
        (400, b"[1e999]", {}),
        (422, b"[" * 40 + b"]" * 40, {}),
        (422, b"{}", {}),
    ],
)
def test_whoever_is_refused_reads_why_in_their_language(
    door: Door, status: int, body: bytes, headers: dict[str, str]
) -> None:
    told = [
        refused(door.send(body, PATH, accept_language=language, **headers), status)["detail"]
        for language in ("ja", "en", "fr")
    ]
    assert re.search("[ぁ-ヿ]", told[0])
    assert not re.search("[ぁ-ヿ]", told[1])
    assert told[1] == told[2]


def test_whoever_asks_for_what_is_not_there_reads_so_in_their_language(door: Door) -> None:
    gone, wrong = (door.send(b"", path, "GET", accept_language="ja") for path in ("/nowhere", PATH))
    assert refused(gone, 404)["detail"] == say("http.404", "ja")
    assert refused(wrong, 405)["detail"] == say("http.405", "ja")
    assert wrong.headers["allow"] == "POST"


def test_whoever_guesses_tokens_from_afar_is_slowed_and_nobody_else() -> None:
    clock = iter(range(1000))
    brake = GuessBrake(lambda: next(clock))
    afar, here = {"client": ("192.0.2.7", 4711)}, {"client": ("127.0.0.1", 4711)}
    assert [brake.delay(afar) for _ in range(FREE_GUESSES)] == [0.0] * FREE_GUESSES
    assert [brake.delay(afar) for _ in range(3)] == [SLOWED_SECONDS] * 3
    assert brake.delay(here) == 0.0
    slow = GuessBrake(lambda: next(clock) * 60)
    assert [slow.delay(afar) for _ in range(FREE_GUESSES * 2)] == [0.0] * FREE_GUESSES * 2
