"""A network in a test's hands: who answers at which address, and what was dialled, asked and named on the way."""

import asyncio
import ssl
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import httpcore2

from hakoniwa.capabilities.means import Resolve

PUBLIC = "93.184.216.34"
OTHER = "2606:2800:220:1::1"


def reply(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + body


def page(html: str) -> bytes:
    return reply(html.encode(), "Content-Type: text/html; charset=utf-8")


def redirect(to: str, status: str = "302 Found") -> bytes:
    return reply(b"", f"Location: {to}", status=status)


@dataclass
class Wire(httpcore2.AsyncNetworkBackend):
    """Answers by the path that is asked for; anything else is an empty page."""

    pages: Mapping[str, bytes | list[bytes]] = field(default_factory=dict)
    pause: float = 0.0
    dialled: list[tuple[str, int]] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    names: list[str | None] = field(default_factory=list)

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        self.dialled.append((host, port))
        return _Stream(self)


@dataclass
class _Stream(httpcore2.AsyncNetworkStream):
    wire: Wire
    asked: bytes = b""
    pieces: list[bytes] | None = None

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self.asked += buffer

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if self.pieces is None:
            self.wire.requests.append(self.asked.decode("latin-1"))
            path = self.asked.split(b" ")[1].decode("latin-1")
            found = self.wire.pages.get(path, page(""))
            self.pieces = [found] if isinstance(found, bytes) else list(found)
        await asyncio.sleep(self.wire.pause)
        if not self.pieces:
            return b""
        head = self.pieces.pop(0)
        if len(head) > max_bytes:
            self.pieces.insert(0, head[max_bytes:])
        return head[:max_bytes]

    async def aclose(self) -> None:
        pass

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.AsyncNetworkStream:
        self.wire.names.append(server_hostname)
        return self


def names(table: Mapping[str, Sequence[str]]) -> Resolve:
    """A name server with one answer for each name."""

    async def resolve(host: str, port: int) -> list[str]:
        return list(table.get(host, ()))

    return resolve
