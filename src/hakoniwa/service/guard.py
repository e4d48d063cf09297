"""At the gate: who may speak to us at all. Host, Origin, content type, size and token, before any route is asked."""

import hmac
from collections.abc import Callable, Collection
from typing import Any
from urllib.parse import urlsplit

from fastapi import FastAPI
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hakoniwa.service.body import MAX_BODY
from hakoniwa.service.problem import TITLES, problem

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
NO_SOCKETS = 1008
MAX_DIGITS = 18
DETAILS = {413: f"at most {MAX_BODY} bytes"}
HEADERS = {401: {"WWW-Authenticate": "Bearer"}}


class Guard:
    """An ASGI layer that lets through only requests meant for this server, by those who may send them."""

    def __init__(self, app: ASGIApp, hosts: Collection[str] = LOOPBACK, token: str | None = None) -> None:
        self.app = app
        self.hosts = frozenset(host.casefold() for host in hosts)
        self.token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": NO_SOCKETS})
        elif scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        else:
            refused = self._refusal(scope["method"], scope["path"], dict(scope["headers"]))
            answer = _refused(refused) if refused else self.app
            await answer(scope, _bounded(receive), send)

    def _refusal(self, method: str, path: str, headers: dict[bytes, bytes]) -> int | None:
        if _name(_text(headers, b"host")) not in self.hosts:
            return 421
        if b"origin" in headers and _origin(_text(headers, b"origin")) not in self.hosts:
            return 403
        length = headers.get(b"content-length", b"0")
        if not length.isdigit():
            return 400
        if self.token and path != "/health" and not self._knows(_text(headers, b"authorization")):
            return 401
        if len(length) > MAX_DIGITS or int(length) > MAX_BODY:
            return 413
        kind = _text(headers, b"content-type").partition(";")[0].strip().casefold()
        return 415 if method == "POST" and kind != "application/json" else None

    def _knows(self, authorization: str) -> bool:
        scheme, _, given = authorization.partition(" ")
        known = hmac.compare_digest(given.strip().encode(), str(self.token).encode())
        return known and scheme.casefold() == "bearer"


class Gated(FastAPI):
    """An application with a gate before it: what is answered there takes none of the framework's long way in."""

    def __init__(self, gate: Callable[[ASGIApp], ASGIApp], **options: Any) -> None:
        super().__init__(**options)
        self._gate = gate(super().__call__)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._gate(scope, receive, send)


def _text(headers: dict[bytes, bytes], name: bytes) -> str:
    return headers.get(name, b"").decode("latin-1")


def _name(host: str) -> str:
    """A host without its port."""
    if host.startswith("["):
        return host.partition("]")[0].casefold() + "]"
    return host.partition(":")[0].casefold()


def _origin(written: str) -> str:
    """The host an Origin header names; empty where it names none."""
    try:
        return _name(urlsplit(written).netloc)
    except ValueError:
        return ""


def _refused(status: int) -> Response:
    return problem(status, TITLES[status], DETAILS.get(status, ""), **HEADERS.get(status, {}))


class BodyTooLarge(Exception):
    """More bytes came than were announced or allowed."""


def _bounded(receive: Receive) -> Receive:
    total = 0

    async def bounded() -> Message:
        nonlocal total
        message = await receive()
        total += len(message.get("body", b""))
        if total > MAX_BODY:
            raise BodyTooLarge(DETAILS[413])
        return message

    return bounded
