"""Fetching a page safely: every hop is checked, what was checked is connected to, all is bounded."""

import asyncio
import ssl
import zlib
from collections.abc import AsyncIterable, Callable, Iterable
from dataclasses import dataclass
from email.message import Message
from functools import cache
from urllib.parse import urljoin

import httpcore2
import httpx2

from hakoniwa.ghost.capabilities.addresses import Refused, Target, look_up, public, target
from hakoniwa.ghost.capabilities.means import Resolve, Web

REDIRECTS = frozenset({301, 302, 303, 307, 308})
MOST_ADDRESSES = 3
SPENT = "spent"  # of what may be taken from the web in a day, nothing is left
ACCEPTED = (("Accept", "text/html, text/*, application/json"), ("Accept-Encoding", "gzip"))
AGENT = "Hakoniwa (research for a person on their own machine)"

SocketOptions = Iterable[httpcore2.SOCKET_OPTION]


@dataclass(frozen=True)
class Fetched:
    """What an address answered with: its body as far as there was room for it."""

    url: str
    kind: str
    charset: str | None
    body: bytes
    cut: bool


class PublicOnly(httpcore2.AsyncNetworkBackend):
    """A network of public addresses alone. A name is looked up once, and what was checked is what is dialled."""

    def __init__(self, wire: httpcore2.AsyncNetworkBackend, resolve: Resolve) -> None:
        self._wire = wire
        self._resolve = resolve

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: SocketOptions | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        addresses = await self._checked(host, port)
        for address in addresses[:-1]:
            try:
                return await self._wire.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                continue
        return await self._wire.connect_tcp(addresses[-1], port, timeout, local_address, socket_options)

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: SocketOptions | None = None
    ) -> httpcore2.AsyncNetworkStream:
        raise Refused("private-address")

    async def _checked(self, host: str, port: int) -> list[str]:
        """Its addresses, if every one of them is public: a name with one foot inside is not to be trusted at all."""
        literal = ":" in host or host.rpartition(".")[2].isdigit()
        addresses = [host] if literal else await self._resolve(host, port)
        if not addresses:
            raise Refused("unknown-host")
        if not all(map(public, addresses)):
            raise Refused("private-address")
        return addresses[:MOST_ADDRESSES]


async def fetch_page(url: str, web: Web) -> Fetched:
    """A page of the public web, redirects followed hop by hop; Refused if it cannot be had within the limits."""
    network = PublicOnly(web.wire or httpcore2.AnyIOBackend(), web.resolve or look_up)
    try:
        async with asyncio.timeout(web.page_seconds):
            return await _follow(url, web, network)
    except TimeoutError:
        raise Refused("timed-out") from None


async def fetch_search(url: str, web: Web) -> Fetched:
    """The answer of the search server. Its address may be private, since the user chose it; it redirects nowhere."""
    network = web.wire or httpcore2.AnyIOBackend()
    try:
        async with asyncio.timeout(web.page_seconds):
            fetched = await _hop(target(url, None), web, network)
    except TimeoutError:
        raise Refused("timed-out") from None
    if isinstance(fetched, str):
        raise Refused("redirects")
    return fetched


async def _follow(url: str, web: Web, network: httpcore2.AsyncNetworkBackend) -> Fetched:
    for _ in range(web.redirects + 1):
        here = target(url, web.ports)
        came = await _hop(here, web, network)
        if isinstance(came, Fetched):
            return came
        url = _joined(here.url, came)
    raise Refused("redirects")


def _joined(here: str, there: str) -> str:
    try:
        return urljoin(here, there)
    except ValueError:
        raise Refused("bad-url") from None


async def _hop(where: Target, web: Web, network: httpcore2.AsyncNetworkBackend) -> Fetched | str:
    """One request on a connection of its own, without cookies: the page, or where it says to look instead."""
    if web.meter.over:
        raise Refused(SPENT)
    url = httpcore2.URL(scheme=where.scheme, host=where.host, port=where.port, target=where.path)
    headers = [("Host", where.authority), ("User-Agent", AGENT), *ACCEPTED]
    timeout = dict.fromkeys(("connect", "read", "write", "pool"), web.page_seconds)
    try:
        async with (
            httpcore2.AsyncConnectionPool(_trust(), network_backend=network, max_keepalive_connections=0) as pool,
            pool.stream("GET", url, headers=headers, extensions={"timeout": timeout}) as response,
        ):
            return await _taken(where, response, web)
    except (httpcore2.TimeoutException, TimeoutError):
        raise Refused("timed-out") from None
    except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.UnsupportedProtocol, OSError, ValueError):
        raise Refused("unreachable") from None


async def _taken(where: Target, response: httpcore2.Response, web: Web) -> Fetched | str:
    fields = {name.lower(): value.decode("latin-1") for name, value in response.headers}
    if response.status in REDIRECTS and b"location" in fields:
        return fields[b"location"]
    if response.status != 200:
        raise Refused("status")
    head = Message()
    head["Content-Type"] = fields.get(b"content-type", "application/octet-stream")
    body, cut = await _body(response.aiter_stream(), fields.get(b"content-encoding", "identity"), web)
    return Fetched(where.url, head.get_content_type(), head.get_content_charset(), body, cut)


async def _body(stream: AsyncIterable[bytes], coding: str, web: Web) -> tuple[bytes, bool]:
    """As much as there is room for, unpacked no further than that, and whether something was left out."""
    unpack, room = _unpacker(coding.strip().lower()), web.page_bytes
    body, taken = bytearray(), 0
    async for chunk in stream:
        web.meter.taken += len(chunk)
        if web.meter.over:
            raise Refused(SPENT)
        body += unpack(chunk, room + 1 - len(body))
        taken += len(chunk)
        if max(len(body), taken) > room:
            return bytes(body[:room]), True
    return bytes(body), False


def _unpacker(coding: str) -> Callable[[bytes, int], bytes]:
    if coding == "identity":
        return lambda chunk, room: chunk[:room]
    if coding not in ("gzip", "x-gzip", "deflate"):
        raise Refused("encoding")
    stream = zlib.decompressobj(wbits=47)  # gzip or zlib, as its head says

    def unzip(chunk: bytes, room: int) -> bytes:
        try:
            return b"" if stream.eof else stream.decompress(chunk, room)
        except zlib.error:
            raise Refused("encoding") from None

    return unzip


@cache
def _trust() -> ssl.SSLContext:
    return httpx2.create_ssl_context()
