"""Requests nobody would send: those a route was made for, mangled in their verb, path, query, headers and body."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any
from urllib.parse import quote

from hakoniwa.service.requests import MAX_BODY
from tests.service.fuzz import NUMBERS, SCRAPS, bent, twisted, written
from tests.trust.asking import Maker, Operation, filled, queried
from tests.trust.house import HOST, TOKEN, Asked

VERBS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "BREW", "post", "Ｇ")
KINDS = (
    "application/json; charset=utf-16", "application/json;charset=shift_jis", "Application/JSON", "text/plain", "",
    "application/json, text/plain", "application/jsonl", "multipart/form-data; boundary=x", "é",
    "application/json;" * 99,
)  # fmt: skip
NAMES = (
    "\x00", "..", "../../etc/passwd", "%00", "%2e%2e%2f", "x" * 20_000, "あ" * 200, "💥", "\u202eevil", "-1", "0",
    "1e5", "9" * 30, "null", " ", "gm/朝-1", "main/../..", "*", "'; --", "{id}", "\ufffd", "e\u0301", "ﷺ" * 40,
    "\r\nx: y", "",
)  # fmt: skip
HEADERS = (
    ("accept", "application/json"), ("accept", "text/event-stream"), ("accept", ",;q=,*/*;q=nan"),
    ("accept", "q" * 9999), ("accept-language", "ja"), ("accept-language", "en;q=inf, ja;q=1e999"),
    ("accept-language", "\xff\xfe"), ("last-event-id", "-1"), ("last-event-id", "9" * 40), ("last-event-id", "\xe9"),
    ("range", "bytes=5-1"), ("if-none-match", "*"), ("cookie", "hakoniwa-8765=x; =;;"), ("connection", "close"),
    ("x-http-method-override", "DELETE"), ("transfer-encoding", "chunked"), ("expect", "100-continue"),
    ("content-encoding", "gzip"), ("x-forwarded-host", "evil.example"), ("content-length", "-5"),
    ("content-length", "9" * 400), ("content-length", "0"), ("authorization", "Bearer \xff"),
    ("origin", "http://localhost:1"), ("te", "\x01"),
)  # fmt: skip
# What Python reads and others do not: whoever lets it in hands it on to others.
UNREADABLE = (
    "NaN", "-Infinity", "[Infinity]", "1e400", "-1E+999", r'"\ud800"', r'{"\udfff": 1}', r'["\ud83d"]', str(2**63),
    str(-(2**63) - 1), "9" * 5_000, "[" * 50_000, '{"a":' * 50_000, "[" * 40 + "]" * 40,
)  # fmt: skip
BROKEN = (
    b"", b"\xff", b"\xef\xbb\xbf{}", '{"text": "ё"}'.encode("utf-16"), b"{} {}", b"{'a': 1}", b'{"a": 01}', b"\x00",
    b'{"a": "\n"}', b"[]", b"null", b'"x"', b"0", b"[" * 50_000 + b"]" * 50_000, b"//\n{}", b"{",
)  # fmt: skip


@dataclass
class Draft:
    """A request while it is being made up; `data` becomes its body unless there are `raw` bytes already."""

    method: str
    path: str
    places: dict[str, Any]
    query: dict[str, Any]
    headers: list[tuple[str, str]]
    data: dict[str, Any] | None
    raw: bytes | None = None
    more: bytes = b""
    pieces: int = 1
    whole: bool = True
    stays: bool = True


def draft(chance: Random, maker: Maker, operation: Operation) -> Draft:
    """What the route was made for."""
    data = maker.value(operation.body) if operation.body else None
    headers = [
        ("host", HOST), ("authorization", f"Bearer {TOKEN}"), ("content-type", "application/json"),
        ("accept-language", chance.choice(("ja", "en"))), *maker.parameters(operation, "header").items(),
    ]  # fmt: skip
    made = Draft(
        operation.method, operation.path, maker.parameters(operation, "path"), maker.parameters(operation, "query"),
        [(name, str(value).encode("ascii", "replace").decode()) for name, value in headers], data,
    )  # fmt: skip
    made.stays = chance.random() < 0.5
    return made


def mangled(chance: Random, made: Draft) -> Draft:
    """The same after up to four changes."""
    for _ in range(chance.choice((0, 1, 1, 2, 2, 3, 4))):
        chance.choice(WAYS)(chance, made)
    return made


def a_step(chance: Random, number: int) -> Asked:
    """A step for the referee, bent as only a world can be."""
    headers = (("host", HOST), ("authorization", f"Bearer {TOKEN}"), ("content-type", "application/json"))
    body = twisted(chance, number)
    if chance.random() < 0.05:  # what the referee does not know it passes over, but not if it cannot be read
        body = body[:-1] + f', "zz": {chance.choice(UNREADABLE)}}}'.encode()
    return Asked("POST", "/v1/gm/step", headers, (body,))


def sent(chance: Random, made: Draft) -> Asked:
    """A draft as it goes over the wire."""
    body = made.raw if made.raw is not None else _body(chance, made)
    size = max(1, -(-len(body) // made.pieces))
    pieces = [body[place : place + size] for place in range(0, len(body), size)] or [b""]
    path = filled(made.path, made.places) or "/"
    query = queried(made.query) + made.more
    return Asked(made.method, path, made.headers, pieces, query, made.whole, made.stays)


def _body(chance: Random, made: Draft) -> bytes:
    return b"" if made.data is None else written(chance, made.data)


# --- what can be done to a request -----------------------------------------------------------------------------------


def _bent(chance: Random, made: Draft) -> None:
    if isinstance(made.data, dict):
        bent(chance, made.data)


def _unreadable(chance: Random, made: Draft) -> None:
    """Whatever the rest of it is: a new field that only some can read, or a known one."""
    if isinstance(made.data, dict) and made.raw is None:
        fields = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in made.data.items()]
        fields.append(f'"{chance.choice(("zz", *made.data))}": {chance.choice(UNREADABLE)}')
        made.raw = f"{{{', '.join(fields)}}}".encode("utf-8", "replace")


def _broken(chance: Random, made: Draft) -> None:
    made.raw = chance.choice(BROKEN)


def _twice(chance: Random, made: Draft) -> None:
    """Keys that stand there twice."""
    if isinstance(made.data, dict) and made.raw is None and made.data:
        name, value = chance.choice(list(made.data.items()))
        once, again = json.dumps(made.data)[:-1], json.dumps(chance.choice((value, None, *NUMBERS)))
        made.raw = f"{once}, {json.dumps(name)}: {again}}}".encode()


def _cut(chance: Random, made: Draft) -> None:
    if made.raw is None:
        body = _body(chance, made)
        made.raw = body[: chance.randint(0, len(body))]


def _as_large_as_may_be(chance: Random, made: Draft) -> None:
    """A body at the cap, or a little over it, of which nobody said how long it would be."""
    if made.raw is None and chance.random() < 0.2:
        length = MAX_BODY + chance.choice((0, 1, 1_000))
        made.raw, made.pieces = _body(chance, made).ljust(length), chance.choice((1, 3))


def _in_pieces(chance: Random, made: Draft) -> None:
    made.pieces = chance.choice((2, 7, 100))


def _broken_off(_: Random, made: Draft) -> None:
    made.whole = False


def _elsewhere(chance: Random, made: Draft) -> None:
    if made.places:
        made.places[chance.choice(list(made.places))] = chance.choice((*NAMES, *SCRAPS))


def _beside(chance: Random, made: Draft) -> None:
    made.path = chance.choice((f"{made.path}/", f"/{made.path}", f"{made.path}/x", made.path.upper(), made.path[:-1],
                               f"{made.path}/../..", f"{made.path}\x00", made.path.replace("/", "//")))  # fmt: skip


def _asked_about(chance: Random, made: Draft) -> None:
    name = chance.choice((*made.query, *made.places, "limit", "branch", "turn", "x"))
    value = chance.choice((*NAMES[:10], *NUMBERS, *SCRAPS))
    made.more += f"&{name}={quote(str(value), errors='replace')}".encode()


def _garbled_query(chance: Random, made: Draft) -> None:
    made.more += chance.choice(
        (b"&%ff=%fe", b"&&&=&;", b"%", b"&a=%zz", b"\xff\xfe", b"&branch", b"&x=" + b"y" * 9_999)
    )


def _with_a_header(chance: Random, made: Draft) -> None:
    made.headers.append(chance.choice(HEADERS))


def _of_a_kind(chance: Random, made: Draft) -> None:
    kind = chance.choice(KINDS)
    made.headers = [(name, kind if name == "content-type" else value) for name, value in made.headers]


def _by_a_verb(chance: Random, made: Draft) -> None:
    made.method = chance.choice(VERBS)


WAYS: Sequence[Callable[[Random, Draft], None]] = (
    _bent, _bent, _bent, _bent, _unreadable, _unreadable, _broken, _twice, _cut, _as_large_as_may_be, _in_pieces,
    _broken_off, _elsewhere, _elsewhere, _beside, _asked_about, _asked_about, _garbled_query, _with_a_header,
    _with_a_header, _of_a_kind, _by_a_verb,
)  # fmt: skip
