"""Where a page may be fetched from: public addresses only, whatever a URL looks like or a name server says."""

import asyncio
import re
import socket
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import quote, urlsplit

import idna

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


class Refused(Exception):
    """A page that is not fetched, or not kept; `fault` says why."""

    def __init__(self, fault: str) -> None:
        super().__init__(fault)
        self.fault = fault


@dataclass(frozen=True)
class Target:
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


def target(url: str, ports: frozenset[int] | None) -> Target:
    """The URL in parts, or Refused. Any port will do if `ports` is None."""
    if len(url) > LONGEST_URL or _NOT_IN_URLS.search(url):
        raise Refused("bad-url")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise Refused("bad-url") from None
    if parts.scheme not in DEFAULT_PORTS or "@" in parts.netloc:
        raise Refused("bad-url")
    port = DEFAULT_PORTS[parts.scheme] if port is None else port
    if ports is not None and port not in ports:
        raise Refused("port")
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
    query = quote(parts.query, safe="/?%:@!$&'()*+,;=~-._")
    return Target(parts.scheme, canonical(host), port, f"{path}?{query}" if query else path)


def canonical(host: str) -> str:
    """A host in the one way of writing it: an address in full, or a name in ASCII; Refused if it is neither."""
    if ":" in host:
        return _address(host)
    name = _ascii(host).removesuffix(".")
    if not _NAME.fullmatch(name):
        raise Refused("bad-url")
    # 127.1, 0x7f000001, 017700000001 and 2130706433 are addresses to some and names to others
    return _address(name) if _NUMBER.fullmatch(name.rpartition(".")[2]) else name


def _ascii(host: str) -> str:
    if host.isascii():
        return host.lower()
    try:
        return idna.encode(host, uts46=True).decode("ascii").lower()
    except idna.IDNAError:
        raise Refused("bad-url") from None


def _address(text: str) -> str:
    try:
        return str(ip_address(text)) if "%" not in text else _refuse()
    except ValueError:
        return _refuse()


def _refuse() -> str:
    raise Refused("bad-url")


def public(address: str) -> bool:
    """Whether it belongs to the internet at large and leads nowhere else."""
    try:
        ip = ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, IPv6Address):
        return ip in _GLOBAL_UNICAST and ip.is_global and not any(ip in block for block in _NOT_PUBLIC_6)
    return _public_4(ip)


def _public_4(ip: IPv4Address) -> bool:
    return ip.is_global and not ip.is_multicast and not ip.is_reserved and not any(ip in one for one in _NOT_PUBLIC_4)


async def look_up(host: str, port: int) -> list[str]:
    """The addresses the system gives for a name."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise Refused("unknown-host") from None
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))
