"""At the gate: Host, Origin, content type, size and token are checked before any route is asked."""

import asyncio
import hashlib
import hmac
import re
from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass
from ipaddress import ip_address
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hakoniwa.service.requests import BodyTooLarge, body_limit, problem

# A browser sends cookies to every port of a host: the name keeps two servers on one machine apart, no more.
COOKIE = "hakoniwa"
PORT = re.compile(r":([0-9]{1,5})\Z")


@dataclass(frozen=True, slots=True)
class AccessKey:
    """What opens the door."""

    token: str

    def fits(self, given: str) -> bool:
        return _same(given, self.token)

    def is_in_header(self, authorization: str) -> bool:
        scheme, _, given = authorization.partition(" ")
        return self.fits(given.strip()) and scheme.casefold() == "bearer"

    def is_in_cookie(self, cookies: str, host: str) -> bool:
        name = cookie_name(host)
        given = [value for own, _, value in (one.strip().partition("=") for one in cookies.split(";")) if own == name]
        return any(_same(value, self._stand_in(name)) for value in given)

    def cookie(self, host: str) -> str:
        """A cookie that opens the door and that the browser keeps until it is closed. No script can read it and no page
        use it but our own; a program on another port of this host, opened in the browser, is sent it and can."""
        name = cookie_name(host)
        return f"{name}={self._stand_in(name)}; HttpOnly; SameSite=Strict"

    def _stand_in(self, name: str) -> str:
        """Not the token itself, which whoever is sent the cookie does not learn; but as long as the token stays what
        it is, the cookie opens this door for them."""
        return hmac.new(self.token.encode(), name.encode(), hashlib.sha256).hexdigest()


def cookie_name(host: str) -> str:
    """The name of the cookie for a host as the browser calls it, with its port."""
    port = PORT.search(host)
    return f"{COOKIE}-{port[1]}" if port else COOKIE


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())


LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
NO_SOCKETS = 1008
MAX_DIGITS = 18
_HOST = re.compile(r"(\[[^\]]*\]|[^:\[\]]*)(?::\d{1,5})?")
STATUS_HEADERS = {401: {"WWW-Authenticate": "Bearer"}}
OPEN_PATHS = frozenset({"/health", "/ready"})
SAFE_METHODS = ("GET", "HEAD")
OWN_SITE = ("same-origin", "none")  # not same-site: that is any port of this machine
SECURITY_HEADERS = (
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)


FREE_GUESSES, GUESS_SECONDS, SLOWED_SECONDS = 20, 60.0, 1.0


class GuessBrake:
    """Slows those who try one token after the other, all of them together, unless they are on this machine."""

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._wrong: deque[float] = deque(maxlen=FREE_GUESSES)

    def delay(self, scope: Scope) -> float:
        """How long a wrong token has to wait for its refusal."""
        if not _is_afar(scope):
            return 0.0
        now = self._now()
        often = len(self._wrong) == FREE_GUESSES and now - self._wrong[0] < GUESS_SECONDS
        self._wrong.append(now)
        return SLOWED_SECONDS if often else 0.0


def _is_afar(scope: Scope) -> bool:
    try:
        return not ip_address((scope.get("client") or ("", 0))[0]).is_loopback
    except ValueError:
        return False


class Guard:
    """An ASGI layer that lets through only requests meant for this server, by those who may send them."""

    def __init__(
        self,
        app: ASGIApp,
        hosts: Collection[str] = LOOPBACK,
        key: AccessKey | None = None,
        open_to_all: Collection[str] = OPEN_PATHS,
    ) -> None:
        self.app = app
        self.hosts = frozenset(host.casefold() for host in hosts)
        self.key = key
        self.open_to_all = open_to_all
        self._brake = GuessBrake()
        self._turnstile = asyncio.Semaphore(LARGE_BODIES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": NO_SOCKETS})
        elif scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        else:
            limit = body_limit(scope["method"], scope["path"])
            refused = self._refusal(scope["method"], scope["path"], dict(scope["headers"]), limit)
            if refused == 401 and (delay := self._brake.delay(scope)):
                await asyncio.sleep(delay)
            answer = _refusal_response(refused, scope, limit) if refused else self.app
            exchange = GuardedExchange(receive, send, limit, self._turnstile)
            try:
                await answer(scope, exchange.receive, exchange.send)
            finally:
                exchange.leave()

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

    def _stranger(self, key: AccessKey, method: str, headers: dict[bytes, bytes]) -> int | None:
        """Why somebody does not come in here: without the token, or with a cookie that another page made use of."""
        if b"authorization" in headers:
            return None if key.is_in_header(_text(headers, b"authorization")) else 401
        if not key.is_in_cookie(_text(headers, b"cookie"), _text(headers, b"host")):
            return 401
        return None if _from_own_page(method, headers) else 403


class GuardedApp(FastAPI):
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
    return b"origin" in headers or method in SAFE_METHODS


def _refusal_response(status: int, scope: Scope, limit: int) -> Response:
    return problem(status, Request(scope), STATUS_HEADERS.get(status), limit=limit)


BODY_SECONDS = 60.0  # from the end of a request's headers to the end of its body
SMALL_BODY, LARGE_BODIES = 32_768, 8  # bytes of a body that anyone may send; how many longer ones are read at a time


class GuardedExchange:
    """A request, of which no more is read than may be and for no longer, and its answer, which says, where it does not
    say otherwise, that it is for the asker alone and just what it says."""

    def __init__(self, receive: Receive, send: Send, limit: int, turnstile: asyncio.Semaphore) -> None:
        self._receive, self._send, self._limit, self._turnstile = receive, send, limit, turnstile
        self._read, self._answered, self._whole, self._inside = 0, False, False, False
        self._until = asyncio.get_running_loop().time() + BODY_SECONDS

    async def receive(self) -> Message:
        """What comes next. Whoever sends too much is refused, and as good as gone once the answer has begun."""
        message = await (self._receive() if self._whole else self._next_piece())
        if self._read <= self._limit:
            return message
        if self._answered:
            return {"type": "http.disconnect"}
        raise BodyTooLarge(self._limit)

    async def _next_piece(self) -> Message:
        """More of the body; a long one is read when its turn comes, and one that takes too long has no end."""
        try:
            async with asyncio.timeout_at(self._until):
                if self._read > SMALL_BODY and not self._inside:
                    await self._turnstile.acquire()
                    self._inside = True
                message = await self._receive()
        except TimeoutError:
            message = {"type": "http.disconnect"}
        self._read += len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        if self._whole:
            self.leave()
        return message

    def leave(self) -> None:
        """Make room for the next long body."""
        if self._inside:
            self._inside = False
            self._turnstile.release()

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._answered = True
            said = {name for name, _ in message["headers"]}
            message["headers"] = [*message["headers"], *(seal for seal in SECURITY_HEADERS if seal[0] not in said)]
        await self._send(message)
