"""Fetching a page safely: public addresses only, every hop checked, what was checked is connected to, all bounded."""

import asyncio
import re
import socket
import ssl
import zlib
from collections.abc import AsyncIterable, Callable, Iterable
from dataclasses import dataclass
from email.message import Message
from functools import cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import quote, urljoin, urlsplit

import httpcore2
import httpx2
import idna

from hakoniwa.capabilities.means import Resolve, WebMeans

LONGEST_URL = 2_048
DEFAULT_PORTS = {"http": 80, "https": 443}

_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME = re.compile(rf"(?=.{{1,253}}\Z)(?:{_LABEL}\.)*{_LABEL}")
_NUMBER = re.compile(r"\d+|0x[0-9a-f]*")
_NOT_IN_URLS = re.compile(r"[\x00-\x20\x7f-\x9f\\\u2028\u2029]")

_GLOBAL_UNICAST = IPv6Network("2000::/3")  # leaves out what wraps an IPv4 address: mapped, compatible, NAT64
_NOT_PUBLIC_6 = (
    IPv6Network("2001::/23"),  # protocol assignments, Teredo among them
    IPv6Network("2001:db8::/32"),  # documentation
    IPv6Network("2002::/16"),  # 6to4: leads to any IPv4 address
    IPv6Network("3fff::/20"),  # documentation
)
_NOT_PUBLIC_4 = (IPv4Network("192.0.0.0/24"), IPv4Network("192.88.99.0/24"))  # protocol assignments, 6to4 relays


class FetchRefused(Exception):
    """A page that is not fetched, or not kept; `fault` says why."""

    def __init__(self, fault: str) -> None:
        super().__init__(fault)
        self.fault = fault


@dataclass(frozen=True)
class FetchTarget:
    """A URL taken apart once, so that what is checked is what is connected to."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.authority}{self.path}"


def parse_target(url: str, ports: frozenset[int] | None) -> FetchTarget:
    """The URL in parts, or Refused. Any port will do if `ports` is None."""
    if len(url) > LONGEST_URL or _NOT_IN_URLS.search(url):
        raise FetchRefused("bad-url")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise FetchRefused("bad-url") from None
    if parts.scheme not in DEFAULT_PORTS or "@" in parts.netloc:
        raise FetchRefused("bad-url")
    port = DEFAULT_PORTS[parts.scheme] if port is None else port
    if ports is not None and port not in ports:
        raise FetchRefused("port")
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
    query = quote(parts.query, safe="/?%:@!$&'()*+,;=~-._")
    return FetchTarget(parts.scheme, canonical_host(host), port, f"{path}?{query}" if query else path)


def canonical_host(host: str) -> str:
    """A host in the one way of writing it: an address in full, or a name in ASCII; Refused if it is neither."""
    if ":" in host:
        return _address(host)
    name = _ascii(host).removesuffix(".")
    if not _NAME.fullmatch(name):
        raise FetchRefused("bad-url")
    # 127.1, 0x7f000001, 017700000001 and 2130706433 are addresses to some and names to others
    return _address(name) if _NUMBER.fullmatch(name.rpartition(".")[2]) else name


def _ascii(host: str) -> str:
    if host.isascii():
        return host.lower()
    try:
        return idna.encode(host, uts46=True).decode("ascii").lower()
    except idna.IDNAError:
        raise FetchRefused("bad-url") from None


def _address(text: str) -> str:
    try:
        return str(ip_address(text)) if "%" not in text else _refuse()
    except ValueError:
        return _refuse()


def _refuse() -> str:
    raise FetchRefused("bad-url")


def is_public(address: str) -> bool:
    """Whether it belongs to the internet at large and leads nowhere else."""
    try:
        ip = ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, IPv6Address):
        return ip in _GLOBAL_UNICAST and ip.is_global and not any(ip in block for block in _NOT_PUBLIC_6)
    return _is_public_4(ip)


def _is_public_4(ip: IPv4Address) -> bool:
    return ip.is_global and not ip.is_multicast and not ip.is_reserved and not any(ip in one for one in _NOT_PUBLIC_4)


async def look_up(host: str, port: int) -> list[str]:
    """The addresses the system gives for a name."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise FetchRefused("unknown-host") from None
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))


REDIRECTS = frozenset({301, 302, 303, 307, 308})
MOST_ADDRESSES = 3
SPENT = "spent"  # of what may be taken from the web in a day, nothing is left
ACCEPTED = (("Accept", "text/html, text/*, application/json"), ("Accept-Encoding", "gzip"))
AGENT = "Hakoniwa (research for a person on their own machine)"

SocketOptions = Iterable[httpcore2.SOCKET_OPTION]


@dataclass(frozen=True)
class FetchedPage:
    """What an address answered with: its body as far as there was room for it."""

    url: str
    kind: str
    charset: str | None
    body: bytes
    cut: bool


class PublicNetwork(httpcore2.AsyncNetworkBackend):
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
        raise FetchRefused("private-address")

    async def _checked(self, host: str, port: int) -> list[str]:
        """Its addresses, if every one of them is public: a name with one foot inside is not to be trusted at all."""
        literal = ":" in host or host.rpartition(".")[2].isdigit()
        addresses = [host] if literal else await self._resolve(host, port)
        if not addresses:
            raise FetchRefused("unknown-host")
        if not all(map(is_public, addresses)):
            raise FetchRefused("private-address")
        return addresses[:MOST_ADDRESSES]


async def fetch_page(url: str, web: WebMeans) -> FetchedPage:
    """A page of the public web, redirects followed hop by hop; Refused if it cannot be had within the limits."""
    network = PublicNetwork(web.wire or httpcore2.AnyIOBackend(), web.resolve or look_up)
    try:
        async with asyncio.timeout(web.page_seconds):
            return await _follow(url, web, network)
    except TimeoutError:
        raise FetchRefused("timed-out") from None


async def fetch_search(url: str, web: WebMeans) -> FetchedPage:
    """The answer of the search server. Its address may be private, since the user chose it; it redirects nowhere."""
    network = web.wire or httpcore2.AnyIOBackend()
    try:
        async with asyncio.timeout(web.page_seconds):
            fetched = await _hop(parse_target(url, None), web, network)
    except TimeoutError:
        raise FetchRefused("timed-out") from None
    if isinstance(fetched, str):
        raise FetchRefused("redirects")
    return fetched


async def _follow(url: str, web: WebMeans, network: httpcore2.AsyncNetworkBackend) -> FetchedPage:
    for _ in range(web.redirects + 1):
        here = parse_target(url, web.ports)
        came = await _hop(here, web, network)
        if isinstance(came, FetchedPage):
            return came
        url = _join_url(here.url, came)
    raise FetchRefused("redirects")


def _join_url(here: str, there: str) -> str:
    try:
        return urljoin(here, there)
    except ValueError:
        raise FetchRefused("bad-url") from None


async def _hop(where: FetchTarget, web: WebMeans, network: httpcore2.AsyncNetworkBackend) -> FetchedPage | str:
    """One request on a connection of its own, without cookies: the page, or where it says to look instead."""
    if web.meter.over:
        raise FetchRefused(SPENT)
    url = httpcore2.URL(scheme=where.scheme, host=where.host, port=where.port, target=where.path)
    headers = [("Host", where.authority), ("User-Agent", AGENT), *ACCEPTED]
    timeout = dict.fromkeys(("connect", "read", "write", "pool"), web.page_seconds)
    try:
        async with (
            httpcore2.AsyncConnectionPool(_trust(), network_backend=network, max_keepalive_connections=0) as pool,
            pool.stream("GET", url, headers=headers, extensions={"timeout": timeout}) as response,
        ):
            return await _read_response(where, response, web)
    except (httpcore2.TimeoutException, TimeoutError):
        raise FetchRefused("timed-out") from None
    except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.UnsupportedProtocol, OSError, ValueError):
        raise FetchRefused("unreachable") from None


async def _read_response(where: FetchTarget, response: httpcore2.Response, web: WebMeans) -> FetchedPage | str:
    fields = {name.lower(): value.decode("latin-1") for name, value in response.headers}
    if response.status in REDIRECTS and b"location" in fields:
        return fields[b"location"]
    if response.status != 200:
        raise FetchRefused("status")
    head = Message()
    head["Content-Type"] = fields.get(b"content-type", "application/octet-stream")
    body, cut = await _body(response.aiter_stream(), fields.get(b"content-encoding", "identity"), web)
    return FetchedPage(where.url, head.get_content_type(), head.get_content_charset(), body, cut)


async def _body(stream: AsyncIterable[bytes], coding: str, web: WebMeans) -> tuple[bytes, bool]:
    """As much as there is room for, unpacked no further than that, and whether something was left out."""
    unpack, room = _unpacker(coding.strip().lower()), web.page_bytes
    body, taken = bytearray(), 0
    async for chunk in stream:
        web.meter.taken += len(chunk)
        if web.meter.over:
            raise FetchRefused(SPENT)
        body += unpack(chunk, room + 1 - len(body))
        taken += len(chunk)
        if max(len(body), taken) > room:
            return bytes(body[:room]), True
    return bytes(body), False


def _unpacker(coding: str) -> Callable[[bytes, int], bytes]:
    if coding == "identity":
        return lambda chunk, room: chunk[:room]
    if coding not in ("gzip", "x-gzip", "deflate"):
        raise FetchRefused("encoding")
    stream = zlib.decompressobj(wbits=47)  # gzip or zlib, as its head says

    def unzip(chunk: bytes, room: int) -> bytes:
        try:
            return b"" if stream.eof else stream.decompress(chunk, room)
        except zlib.error:
            raise FetchRefused("encoding") from None

    return unzip


@cache
def _trust() -> ssl.SSLContext:
    return httpx2.create_ssl_context()
