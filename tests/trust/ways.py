"""The ways in which somebody comes to the door who may not come in: each is all right but for one thing."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from hakoniwa.service.guard import OPEN_PATHS, SAFE_METHODS, AccessKey
from tests.service.console import PATHS
from tests.trust.house import COOKIE, HOST, ORIGIN, TOKEN, Asked, Header

EVIL = "http://evil.example"
OWN: Header = ("host", HOST)
BEARER: Header = ("authorization", f"Bearer {TOKEN}")
LET_IN: Header = ("cookie", COOKIE)
JSON: Header = ("content-type", "application/json")
PUBLIC = {*OPEN_PATHS, *PATHS}  # on this machine, for anyone whose browser means this very host

Where = Callable[[Asked], bool]


def _anywhere(_: Asked) -> bool:
    return True


class Way(NamedTuple):
    """How somebody comes who may not: what they send, what they are told, where that is so, and whether it takes a
    token to tell them apart."""

    kind: str
    headers: tuple[Header, ...]
    status: int
    where: Where = _anywhere
    locked: bool = False
    query: str = ""


STRANGERS = (
    "evil.example", "evil.example:8765", "localhost.evil.example:8765", "127.0.0.1.nip.io", "0.0.0.0", "[::2]", "",
    "localhost.", "evil.example@localhost", "localhost:80@evil.example", "[::1].evil.example", "localhost:",
    "2130706433",
)  # fmt: skip
BY_THE_WAY = ("x-forwarded-host", "x-host", "x-original-host", "x-forwarded-server")  # what a proxy would say
PAGES = (
    EVIL, "null", "file://", "http://localhost.evil.example", "http://[::1", "http://user@localhost", "//", "localhost",
    "http://[not-an-address]", "chrome-extension://abc", "https://evil.example:8765", f"{EVIL}/{ORIGIN}", "",
)  # fmt: skip
TOKENS = (
    "Bearer wrong", "Bearer ", f"Bearer {TOKEN}2", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN.upper()}",
    f"Bearer {TOKEN} {TOKEN}", f"Bearer x, Bearer {TOKEN}",
)  # fmt: skip
ELSEWHERE = ("x-token", "x-api-key", "proxy-authorization", "referer", "x-forwarded-authorization")
COOKIES = (
    f"hakoniwa-8765={TOKEN}", f"token={TOKEN}",
    AccessKey("another").cookie(HOST), AccessKey(TOKEN).cookie("localhost:9999"),
    AccessKey(TOKEN).cookie("localhost"), COOKIE[:-1], f"{COOKIE}0", COOKIE.upper(), f"x{COOKIE}", f"x={COOKIE}",
    AccessKey(TOKEN).cookie("localhost:9999").replace("9999", "8765"),
)  # fmt: skip
OTHER_PAGES: tuple[tuple[Header, ...], ...] = (  # of this machine, or asking in the name of no page
    (("origin", "http://localhost:9999"),),
    (("origin", "http://localhost"),),
    (("origin", "http://127.0.0.1:8765"),),
    (("origin", "http://localhost:9999"), ("sec-fetch-site", "same-origin")),
    (("origin", ORIGIN), ("sec-fetch-site", "same-site")),
    (("sec-fetch-site", "same-site"),),
    (("sec-fetch-site", "cross-site"),),
    (("sec-fetch-site", "unheard-of"),),
)
PLAIN = (
    "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonp",
    "application/problem+json", "text/plain; application/json",
)  # fmt: skip


def _ways() -> Iterator[Way]:
    for host in STRANGERS:
        named = (("host", host),) if host else ()
        yield Way("foreign hosts", (*named, BEARER, JSON), 421)
        yield Way("foreign hosts", (*named, ("origin", f"http://{host}"), LET_IN, JSON), 421)
    meant = (("host", "evil.example"), ("forwarded", f"host={HOST}"), *((name, HOST) for name in BY_THE_WAY))
    yield Way("foreign hosts", (*meant, BEARER, JSON), 421)
    for origin in PAGES:
        for proof in (BEARER, LET_IN):
            yield Way("foreign origins", (OWN, ("origin", origin), proof, JSON), 403)
        yield Way("foreign origins", (OWN, ("origin", origin), LET_IN, ("content-type", "text/plain")), 403)
    for given in ((), *((("authorization", token),) for token in TOKENS), *(((one, BEARER[1]),) for one in ELSEWHERE)):
        yield Way("no token", (OWN, *given, JSON), 401, _guarded, locked=True)
    yield Way("no token", (OWN, JSON), 401, _guarded, locked=True, query=f"token={TOKEN}&access_token={TOKEN}")
    for cookie in COOKIES:
        given = (("cookie", cookie.partition(";")[0]), ("origin", ORIGIN))
        yield Way("other cookies", (OWN, *given, JSON), 401, _guarded, locked=True)
    for others in OTHER_PAGES:
        yield Way("other pages with the cookie", (OWN, LET_IN, *others, JSON), 403, _guarded, locked=True)
    yield Way("other pages with the cookie", (OWN, LET_IN, JSON), 403, _changing, locked=True)
    for kind in ((), *((("content-type", one),) for one in PLAIN)):
        for proof in (BEARER, LET_IN):
            yield Way("plain bodies", (OWN, ("origin", ORIGIN), proof, *kind), 415, _posting)
    preflight = (("access-control-request-method", "POST"), ("access-control-request-headers", "content-type"))
    yield Way("preflights", (OWN, ("origin", EVIL), *preflight), 403, _preflight)
    yield Way("preflights", (OWN, ("origin", ORIGIN), BEARER, *preflight), 405, _preflight)


def _guarded(asked: Asked) -> bool:
    return asked.path not in PUBLIC


def _changing(asked: Asked) -> bool:
    return asked.method not in SAFE_METHODS and _guarded(asked)


def _posting(asked: Asked) -> bool:
    return asked.method == "POST"


def _preflight(asked: Asked) -> bool:
    return asked.method == "OPTIONS"


WAYS = tuple(_ways())
