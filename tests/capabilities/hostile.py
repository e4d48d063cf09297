"""Addresses that lead inside, in the ways people have written them."""

from ipaddress import IPv4Address, ip_address, ip_network
from random import Random

# What must never be dialled, written down apart from the code under test (IANA's special-purpose registries).
_BLOCKS = """
    0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
    192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
    255.255.255.255/32 ::/128 ::1/128 ::ffff:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32
    2002::/16 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8
"""
SPECIAL = [ip_network(block) for block in _BLOCKS.split()]


def inside(address: str) -> bool:
    ip = ip_address(address.partition("%")[0])
    return any(ip in block for block in SPECIAL)


def addresses(seed: int = 7, of_each: int = 3) -> list[str]:
    """The first, the last and some others of every block."""
    chance = Random(seed)
    return [
        str(block[place])
        for block in SPECIAL
        for place in sorted(
            {0, block.num_addresses - 1, *(chance.randrange(block.num_addresses) for _ in range(of_each))}
        )
    ]


def _spellings(address: str) -> list[str]:
    """One IPv4 address as only some parsers read it."""
    number = int(IPv4Address(address))
    a, b, c, d = IPv4Address(address).packed
    return [
        address,
        address + ".",
        str(number),
        hex(number),
        hex(number).upper().replace("0X", "0X"),
        oct(number).replace("0o", "0"),
        f"{a}.{number & 0xFFFFFF}",
        f"{a}.{b}.{number & 0xFFFF}",
        f"{a:#x}.{b:#x}.{c:#x}.{d:#x}",
        f"0{a:o}.0{b:o}.0{c:o}.0{d:o}",
        f"{a:03d}.{b:03d}.{c:03d}.{d:03d}",
        address.translate({ord(str(n)): ord("０") + n for n in range(10)}),
        address.replace(".", "。"),
        "".join(f"%{byte:02x}" for byte in address.encode()),
        f"[::ffff:{address}]",
        f"[::{address}]",
        f"[64:ff9b::{address}]",
        f"[2002:{a:02x}{b:02x}:{c:02x}{d:02x}::1]",
        f"[::ffff:0:{address}]",
        f"public.example@{address}",
        f"public.example:80@{address}",
        f"{address}#@public.example",
        f"{address}?@public.example",
        f"{address}\\@public.example",
        f"{address}%20.example",
        f"{address}%00.example",
    ]


AUTHORITIES = [
    *_spellings("127.0.0.1"),
    *_spellings("169.254.169.254"),
    *_spellings("10.0.0.1"),
    "localhost",
    "LOCALHOST",
    "localhost.",
    "ｌｏｃａｌｈｏｓｔ",
    "loc\u200balhost",
    "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
    "[::1]",
    "[::]",
    "[0:0:0:0:0:0:0:1]",
    "[::1%25lo]",
    "[fe80::1%25eth0]",
    "[fd00::1]",
    "[ff02::1]",
    "[::1",
    "::1",
    "0",
    "0x0",
    "",
    ".",
    "..",
    "127.0.0.1..",
    "127.0.0.1.nip.test",
    "inside.test",
    "inside.test.",
    "both.test",
]
NAMES = {
    "localhost": ["127.0.0.1", "::1"],
    "127.0.0.1.nip.test": ["127.0.0.1"],
    "inside.test": ["192.168.0.1"],
    "both.test": ["93.184.216.34", "127.0.0.1"],
}
SCHEMES = (
    "file:///etc/passwd",
    "ftp://127.0.0.1/",
    "gopher://127.0.0.1:70/_x",
    "data:text/html,x",
    "javascript:1",
    "dict://127.0.0.1:11211/",
    "//127.0.0.1/",
    "http:/127.0.0.1/",
    "http:127.0.0.1",
    "unix:///run/docker.sock",
    "http://",
    "HtTp://127.0.0.1/",
    " http://127.0.0.1/",
    "http://127.0.0.1\t/",
    "ht\ntp://127.0.0.1/",
    "jar:http://127.0.0.1!/",
)
