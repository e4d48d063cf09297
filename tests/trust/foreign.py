"""A foreign web page can do nothing: whatever it asks of any route, it is refused, learns nothing and changes nothing.

The routes are those that the applications have; the ways are those that a page has, and some that it has not."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.types import Message

from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.service import guard
from hakoniwa.service.guard import AccessKey
from hakoniwa.service.requests import MEDIA_TYPE, TITLES
from tests.trust.asking import every
from tests.trust.house import HOST, ORIGIN, SAID, TOKEN, Answer, Asked, Header, House, furnished, referee, scope
from tests.trust.promise import Mutant, Patch, Promise, Tries, Try
from tests.trust.scratch import scratch
from tests.trust.ways import BEARER, JSON, LET_IN, OWN, WAYS, Way

EVERYTHING = "everything"
SHUT_OUT = frozenset({0, 401, 403, 415, 421})
NOT_THE_TOKEN = ("", "wrong", TOKEN[:-1], f"{TOKEN}2", TOKEN.upper(), f"x&token={TOKEN}2")
KEPT_APART = {"httponly", "samesite=strict"}  # a cookie that no script and no other site gets
SEALS = {  # what a browser has to be told of every answer, so that no other page can show or use it
    "x-content-type-options": ("nosniff",),
    "cross-origin-resource-policy": ("same-origin",),
    "referrer-policy": ("no-referrer",),
    "content-security-policy": ("default-src 'none'", "frame-ancestors 'none'"),
}


class Place(NamedTuple):
    """An application, and everything it keeps."""

    name: str
    house: House
    journal: MemoryJournal
    home: Path
    locked: bool


def check(_: int, seed: int) -> Tries:
    """Every route by every way, then a look at what is kept, and at last those who may come in."""
    with ExitStack() as stack:
        for place in _places(stack):
            if place.name == EVERYTHING:
                yield Try("the entrance", list(_entrance(place.house)))
            wanted, before = _wanted(place.house, Random(seed)), _kept(place)
            for asked in wanted:
                yield from _by_every_way(place, asked)
            yield Try("nothing has changed", [] if _kept(place) == before else [f"{place.name}: something has changed"])
            for asked in wanted:
                yield Try("let in", [f"{place.name}: {asked}: {one}" for one in _shut_out(place, asked)])
            if place.name == EVERYTHING:
                yield Try("something can change", ["nothing"] if _kept(place) == before else [])


def _places(stack: ExitStack) -> Iterator[Place]:
    for name, locked in ((EVERYTHING, True), ("the referee", False), ("the referee with a token", True)):
        journal, home = MemoryJournal(), stack.enter_context(scratch())
        opened = furnished(journal, home) if name == EVERYTHING else referee(journal, TOKEN if locked else None)
        yield Place(name, stack.enter_context(opened), journal, home, locked)


def _wanted(house: House, chance: Random) -> list[Asked]:
    """Something to be had from each route, and what a browser asks before it lets a page ask."""
    described = every(house.document, chance)
    others = [one for one in house.app.routes if isinstance(one, Route)]
    plain = [Asked(method, one.path) for one in others for method in sorted(one.methods or ())]
    known = {(one.method, one.path) for one in described}
    found = described + [one for one in plain if (one.method, one.path) not in known]
    return found + [Asked("OPTIONS", path) for path in sorted({one.path for one in found})]


def _by_every_way(place: Place, asked: Asked) -> Tries:
    for way in WAYS:
        if way.where(asked) and (place.locked or not way.locked):
            sent = asked._replace(headers=way.headers, query=way.query.encode() or asked.query, stays=False)
            told = f"{place.name}: {asked.method} {asked.path} with {dict(way.headers)}"
            yield Try(way.kind, [f"{told}: {one}" for one in _breaches(way, place.house.ask(sent))])
    yield Try("web sockets", [f"{place.name}: {asked.path}: {one}" for one in _socket(place.house, asked)])


def _breaches(way: Way, answer: Answer) -> Iterator[str]:
    nowhere = way.status == 405 and answer.status == 404  # a made-up name with a slash in it is another path
    if (answer.status != way.status and not nowhere) or answer.fault:
        yield f"{answer.status} and not {way.status} {answer.fault}"
    if permits := sorted(name for name in answer.headers if name.startswith("access-control-") or name == "set-cookie"):
        yield f"it was given {permits}"
    if SAID.encode() in answer.body:
        yield "it could read what was said"
    if answer.kind != MEDIA_TYPE or json.loads(answer.body)["title"] != TITLES[404 if nowhere else way.status]:
        yield f"no plain refusal: {answer.body[:200]!r}"


def _socket(house: House, asked: Asked) -> Iterator[str]:
    """A web socket is nobody's, not even with all that is needed for anything else."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    house.do(house.app(scope(asked._replace(headers=(OWN, BEARER, ("origin", ORIGIN))), "websocket"), receive, send))
    if [one["type"] for one in sent] != ["websocket.close"]:
        yield f"a web socket was answered with {sent}"


def _kept(place: Place) -> Any:
    """All rows and all files."""
    gardens = place.journal.gardens()
    rows = [(one, place.journal.branches(one.id), place.journal.since(0, 10_000, one.id)) for one in gardens]
    return rows, {path: path.read_bytes() for path in place.home.rglob("*") if path.is_file()}


def _shut_out(place: Place, asked: Asked) -> Iterator[str]:
    """Whether somebody who may come in does not, for then the refusals above would tell nothing."""
    proofs: tuple[tuple[Header, ...], ...] = ((BEARER,), (LET_IN,)) if place.locked else ((),)
    for proof in proofs:
        answer = place.house.ask(asked._replace(headers=(OWN, ("origin", ORIGIN), JSON, *proof)))
        if answer.status in SHUT_OUT or answer.status >= 500:
            yield f"{answer.status} with {proof}"
        yield from _unsealed(answer)


def _unsealed(answer: Answer) -> Iterator[str]:
    """What another page could do with an answer that somebody who may come in gets into their browser."""
    for name, wanted in SEALS.items():
        said = answer.headers.get(name, "")
        yield from (f"{name} is {said!r}, without {one}" for one in wanted if one not in said)
        if "unsafe" in said:
            yield f"{name} is {said!r}"


def _entrance(house: House) -> Iterator[str]:
    """Whoever brings the token in the address gets a cookie that stands for it, and nobody else gets one."""
    for given in NOT_THE_TOKEN:
        if "set-cookie" in house.ask(Asked("GET", "/", (OWN,), query=f"token={given}".encode())).headers:
            yield f"{given!r} opens the door"
    answer = house.ask(Asked("GET", "/", (OWN,), query=f"token={TOKEN}".encode()))
    cookie, *about = answer.headers.get("set-cookie", "").split(";")
    if cookie != LET_IN[1] or not {one.strip().casefold() for one in about} >= KEPT_APART:
        yield f"the token gets {answer.headers}"
    if TOKEN in str(answer.headers):
        yield "the token stays in the address, or is in the cookie"


# --- mutants ----------------------------------------------------------------------------------------------------------


def _any_host(patch: Patch) -> None:
    """Whatever name a browser was led here by, it means us."""
    honest = guard.Guard._refusal

    def trusting(self: Any, method: str, path: str, headers: dict[bytes, bytes], limit: int) -> int | None:
        return honest(self, method, path, {**headers, b"host": HOST.encode()}, limit)

    patch.setattr(guard.Guard, "_refusal", trusting)


def _any_page(patch: Patch) -> None:
    patch.setattr(guard, "_from_own_page", lambda *_: True)


def _any_body(patch: Patch) -> None:
    """JSON is JSON, whatever it says it is."""
    honest = guard.Guard._refusal

    def generous(self: Any, *about: Any) -> int | None:
        refused = honest(self, *about)
        return None if refused == 415 else refused

    patch.setattr(guard.Guard, "_refusal", generous)


def _beside_the_gate(patch: Patch) -> None:
    """A route is answered before the gate."""
    honest = guard.GuardedApp.__call__

    async def open_house(self: Any, asked: Any, receive: Any, send: Any) -> None:
        outside = asked["type"] == "http" and asked["path"] == "/v1/cards"
        await (PlainTextResponse("yana") if outside else honest.__get__(self))(asked, receive, send)

    patch.setattr(guard.GuardedApp, "__call__", open_house)


def _for_all_the_web(patch: Patch) -> None:
    patch.setattr(guard, "SECURITY_HEADERS", (*guard.SECURITY_HEADERS, (b"access-control-allow-origin", b"*")))


def _sockets_let_in(patch: Patch) -> None:
    """Web sockets go past the gate, as they go past what only looks at requests."""
    honest = guard.Guard.__call__

    async def blind(self: Any, asked: Any, receive: Any, send: Any) -> None:
        if asked["type"] == "websocket":
            await send({"type": "websocket.accept"})
        else:
            await honest(self, asked, receive, send)

    patch.setattr(guard.Guard, "__call__", blind)


def _any_cookie(patch: Patch) -> None:
    """Every site gets the cookie sent along, and every script may read it."""
    honest = AccessKey.cookie
    patch.setattr(AccessKey, "cookie", lambda self, host: honest(self, host).partition(";")[0])


def _behind_a_proxy(patch: Patch) -> None:
    """The host is what a proxy would say it was."""
    honest = guard.Guard._refusal

    def forwarded(self: Any, method: str, path: str, headers: dict[bytes, bytes], limit: int) -> int | None:
        meant = headers.get(b"x-forwarded-host", headers.get(b"host", b""))
        return honest(self, method, path, {**headers, b"host": meant}, limit)

    patch.setattr(guard.Guard, "_refusal", forwarded)


PROMISE = Promise(
    name="foreign",
    says="A foreign web page can do nothing: every route by every way it could come.",
    check=check,
    short=0,
    long=0,
    share=0,
    mutants=(
        Mutant("the host is not looked at", _any_host, 0),
        Mutant("with the cookie the origin is not looked at", _any_page, 0),
        Mutant("plain text is read as JSON", _any_body, 0),
        Mutant("a route stands outside the gate", _beside_the_gate, 0),
        Mutant("every page may read the answers", _for_all_the_web, 0),
        Mutant("web sockets are let in", _sockets_let_in, 0),
        Mutant("the host is whatever a proxy would say", _behind_a_proxy, 0),
        Mutant("the cookie is for every site", _any_cookie, 0),
    ),
)
