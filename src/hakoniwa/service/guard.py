"""At the gate: who may speak to us at all. Host, Origin, content type, size and token, before any route is asked."""

import hmac
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hakoniwa.service.body import MAX_BODY
from hakoniwa.service.problem import TITLES, problem

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


class Guard:
    """An ASGI layer that lets through only requests meant for this server, by those who may send them."""

    def __init__(self, app: ASGIApp, hosts: Collection[str] = LOOPBACK, token: str | None = None) -> None:
        self.app = app
        self.hosts = frozenset(host.casefold() for host in hosts)
        self.token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        refused = self._refusal(scope["method"], scope["path"], headers)
        if refused:
            await problem(refused, TITLES[refused])(scope, receive, send)
        elif int(headers.get("content-length") or 0) > MAX_BODY:
            await problem(413, TITLES[413], f"at most {MAX_BODY} bytes")(scope, receive, send)
        else:
            await self.app(scope, _bounded(receive), send)

    def _refusal(self, method: str, path: str, headers: dict[str, str]) -> int | None:
        if _name(headers.get("host", "")) not in self.hosts:
            return 421
        origin = headers.get("origin")
        if origin is not None and _name(urlsplit(origin).netloc) not in self.hosts:
            return 403
        if not headers.get("content-length", "0").isdecimal():
            return 400
        if self.token and path != "/health" and not self._knows(headers.get("authorization", "")):
            return 401
        kind = headers.get("content-type", "").split(";")[0].strip().casefold()
        return 415 if method == "POST" and kind != "application/json" else None

    def _knows(self, authorization: str) -> bool:
        return hmac.compare_digest(authorization.encode(), f"Bearer {self.token}".encode())


def _name(host: str) -> str:
    """A host without its port."""
    if host.startswith("["):
        return host.partition("]")[0].casefold() + "]"
    return host.partition(":")[0].casefold()


class BodyTooLarge(Exception):
    """More bytes came than were announced or allowed."""


def _bounded(receive: Receive) -> Receive:
    total = 0

    async def bounded() -> Message:
        nonlocal total
        message = await receive()
        total += len(message.get("body", b""))
        if total > MAX_BODY:
            raise BodyTooLarge
        return message

    return bounded
