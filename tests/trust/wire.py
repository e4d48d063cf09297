"""Requests over a real socket, to a real HTTP server: slow, broken off, endless, two in one, or no HTTP at all."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import uvicorn
from starlette.types import ASGIApp

from hakoniwa.service.requests import MAX_BODY
from tests.service.door import request
from tests.trust.house import DEADLINE, TOKEN

A_WHILE = 0.02  # seconds between the pieces of somebody slow
STEP = json.dumps(request(session_id="over a socket"), ensure_ascii=False).encode()
HEAD = (
    f"POST /v1/gm/step HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {TOKEN}\r\n"
    "content-type: application/json\r\n"
)
UPGRADE = (
    "GET /v1/gardens/g/events HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n"
    "sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
HUNG_UP = 0
BOTH = f"{HEAD}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"
ASKING = f"{HEAD}expect: 100-continue\r\ncontent-length: {len(STEP)}\r\n\r\n"
ELSEWHERE = "GET http://evil.example/health HTTP/1.1\r\nhost: evil.example\r\n\r\n"


class Case(NamedTuple):
    """What somebody sends, piece by piece, and how it may be answered; whoever hangs up waits for nothing."""

    name: str
    pieces: Sequence[bytes]
    answers: tuple[int, ...]
    hangs_up: bool = False


def _sized(body: bytes, length: int | None = None) -> bytes:
    return f"{HEAD}content-length: {len(body) if length is None else length}\r\n\r\n".encode() + body


def _chunked(*chunks: bytes) -> list[bytes]:
    return [
        f"{HEAD}transfer-encoding: chunked\r\n\r\n".encode(),
        *(b"%x\r\n%b\r\n" % (len(one), one) for one in chunks),
    ]


CASES = (
    Case("in chunks", _chunked(STEP[:50], STEP[50:], b""), (200,)),
    Case("in chunks, and no end of them", _chunked(*[b" " * 65_536] * (2 * MAX_BODY // 65_536)), (413, HUNG_UP)),
    Case("chunks that are none", [*_chunked(), b"zz\r\n{}\r\n0\r\n\r\n"], (400,)),
    Case("slowly", [_sized(STEP)[place : place + 100] for place in range(0, len(_sized(STEP)), 100)], (200,)),
    Case("broken off in the body", [_sized(STEP[:20], 1_000)], (), hangs_up=True),
    Case("broken off in a letter", [_sized(b"\xe3", 1_000)], (), hangs_up=True),
    Case("broken off in the head", [HEAD.encode()[:40]], (), hangs_up=True),
    Case("broken off before the answer", [_sized(STEP)], (), hangs_up=True),
    Case("two lengths", [f"{HEAD}content-length: 5\r\n".encode() + _sized(b"{}")[len(HEAD) :]], (400,)),
    Case("a length and chunks", [BOTH.encode()], (400,)),
    Case("a longer length than may be", [_sized(b"{}", MAX_BODY + 1)], (413,)),
    Case("a length that is none", [f"{HEAD}content-length: -1\r\n\r\n".encode()], (400,)),
    Case("a head without an end", [f"{HEAD}x: {'y' * 200_000}".encode()], (400, 431, HUNG_UP)),
    Case("no host", [b"GET /health HTTP/1.1\r\n\r\n"], (400, 421)),
    Case("an old one without a host", [b"GET /health HTTP/1.0\r\n\r\n"], (421,)),
    Case("another server's address", [ELSEWHERE.encode()], (421,)),
    Case("no HTTP", [b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"], (400, HUNG_UP)),
    Case("a path of any bytes", [b"GET /v1/%ff%00/..%2f HTTP/1.1\r\nhost: localhost\r\n\r\n"], (400, 401)),
    Case("a web socket", [UPGRADE.encode()], (400, 401, 403, 426)),
    Case("a question first", [ASKING.encode(), STEP], (100, 200)),
    Case("two in one", [_sized(STEP) * 2], (200,)),
)  # fmt: skip


async def over_a_socket(app: ASGIApp, at: Path) -> list[tuple[str, list[str]]]:
    """Every case, and whether the server is still there afterwards."""
    health = Case("the next one", [b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n"], (200,))
    async with _served(app, at):
        return [(case.name, [*await _wrong(case, at), *await _wrong(health, at)]) for case in CASES]


@asynccontextmanager
async def _served(app: ASGIApp, at: Path) -> AsyncIterator[None]:
    server = uvicorn.Server(uvicorn.Config(app, uds=str(at), lifespan="off", log_config=None, access_log=False))
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    try:
        yield
    finally:
        server.should_exit = True
        await serving


async def _wrong(case: Case, at: Path) -> list[str]:
    try:
        async with asyncio.timeout(DEADLINE):
            status = await _status(case, at)
    except TimeoutError:
        return [f"{case.name}: no answer within {DEADLINE} s"]
    return [] if case.hangs_up or status in case.answers else [f"{case.name}: {status}"]


async def _status(case: Case, at: Path) -> int:
    """The status of the first answer."""
    reader, writer = await asyncio.open_unix_connection(str(at))
    line = b""
    with suppress(ConnectionError):
        for piece in case.pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(A_WHILE if len(case.pieces) < 20 else 0)
        line = b"" if case.hangs_up else await reader.readline()
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()
    return int(line.split()[1]) if line.startswith(b"HTTP/") else HUNG_UP
