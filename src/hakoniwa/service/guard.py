"""At the gate: who may speak to us at all. Host, Origin, content type, size and token, before any route is asked."""

import re
from collections.abc import Callable, Collection
from typing import Any
from urllib.parse import urlsplit

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hakoniwa.service.body import most
from hakoniwa.service.key import Key
from hakoniwa.service.problem import problem
from hakoniwa.service.wishes import language_of

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
NO_SOCKETS = 1008
MAX_DIGITS = 18
_HOST = re.compile(r"(\[[^\]]*\]|[^:\[\]]*)(?::\d{1,5})?")
HEADERS = {401: {"WWW-Authenticate": "Bearer"}}
OPEN = frozenset({"/health"})
SAFE = ("GET", "HEAD")
OWN_SITE = ("same-origin", "none")  # not same-site: that is any port of this machine
SEALS = (
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)


class Guard:
    """An ASGI layer that lets through only requests meant for this server, by those who may send them."""

    def __init__(
        self,
        app: ASGIApp,
        hosts: Collection[str] = LOOPBACK,
        key: Key | None = None,
        open_to_all: Collection[str] = OPEN,
    ) -> None:
        self.app = app
        self.hosts = frozenset(host.casefold() for host in hosts)
        self.key = key
        self.open_to_all = open_to_all

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": NO_SOCKETS})
        elif scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        else:
            limit = most(scope["method"], scope["path"])
            refused = self._refusal(scope["method"], scope["path"], dict(scope["headers"]), limit)
            answer = _refused(refused, scope, limit) if refused else self.app
            exchange = Exchange(receive, send, limit)
            await answer(scope, exchange.receive, exchange.send)

    def _refusal(self, method: str, path: str, headers: dict[bytes, bytes], limit: int) -> int | None:
        if _name(_text(headers, b"host")) not in self.hosts:
            return 421
        if b"origin" in headers and _name(_origin(headers)) not in self.hosts:
            return 403
        length = headers.get(b"content-length", b"0")
        if not length.isdigit():
            return 400
        if self.key and path not in self.open_to_all and (stranger := self._stranger(self.key, method, headers)):
            return stranger
        if len(length) > MAX_DIGITS or int(length) > limit:
            return 413
        kind = _text(headers, b"content-type").partition(";")[0].strip().casefold()
        return 415 if method == "POST" and kind != "application/json" else None

    def _stranger(self, key: Key, method: str, headers: dict[bytes, bytes]) -> int | None:
        """Why somebody does not come in here: without the token, or with a cookie that another page made use of."""
        if b"authorization" in headers:
            return None if key.is_in_header(_text(headers, b"authorization")) else 401
        if not key.is_in_cookie(_text(headers, b"cookie"), _text(headers, b"host")):
            return 401
        return None if _from_own_page(method, headers) else 403


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
    """A host without its port; empty where anything but a port comes after it."""
    found = _HOST.fullmatch(host)
    return found[1].casefold() if found else ""


def _origin(headers: dict[bytes, bytes]) -> str:
    """The host an Origin header names, with its port; empty where it names none."""
    try:
        return urlsplit(_text(headers, b"origin")).netloc
    except ValueError:
        return ""


def _from_own_page(method: str, headers: dict[bytes, bytes]) -> bool:
    """Whether a browser says that the page of this very server asks. It sends the cookie for any page of this machine,
    so whoever wants to change something has to be told apart."""
    if b"origin" in headers and _origin(headers).casefold() != _text(headers, b"host").casefold():
        return False
    if b"sec-fetch-site" in headers:
        return _text(headers, b"sec-fetch-site") in OWN_SITE
    return b"origin" in headers or method in SAFE


def _refused(status: int, scope: Scope, limit: int) -> Response:
    return problem(status, language_of(Request(scope)), HEADERS.get(status), limit=limit)


class BodyTooLarge(Exception):
    """More bytes came than were announced or allowed."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.limit = limit


class Exchange:
    """A request, of which no more is read than may be, and its answer, which says, where it does not say otherwise,
    that it is for the asker alone and just what it says."""

    def __init__(self, receive: Receive, send: Send, limit: int) -> None:
        self._receive, self._send, self._limit = receive, send, limit
        self._read, self._answered = 0, False

    async def receive(self) -> Message:
        """What comes next. Whoever sends too much is refused, and as good as gone once the answer has begun."""
        message = await self._receive()
        self._read += len(message.get("body", b""))
        if self._read <= self._limit:
            return message
        if self._answered:
            return {"type": "http.disconnect"}
        raise BodyTooLarge(self._limit)

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._answered = True
            said = {name for name, _ in message["headers"]}
            message["headers"] = [*message["headers"], *(seal for seal in SEALS if seal[0] not in said)]
        await self._send(message)
