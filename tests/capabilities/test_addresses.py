"""Which addresses are public, and URLs that cannot be read in two ways."""

import pytest

from hakoniwa.capabilities.fetch import FetchRefused, canonical_host, is_public, parse_target
from tests.capabilities.hostile import addresses

PORTS = frozenset({80, 443})


def test_a_special_address_is_not_public() -> None:
    assert [address for address in addresses() if is_public(address)] == []


@pytest.mark.parametrize("address", ["8.8.8.8", "1.1.1.1", "93.184.216.34", "2606:4700::1111", "2a00:1450:4009::200e"])
def test_an_ordinary_address_is(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("text", ["", "example", "1.2.3", "fe80::1%lo", "8.8.8.8/32"])
def test_what_is_no_address_is_not_public(text: str) -> None:
    assert not is_public(text)


@pytest.mark.parametrize(
    ("url", "whole"),
    [
        ("http://example.test", "http://example.test/"),
        ("https://EXAMPLE.test:443/a b".replace(" ", "%20"), "https://example.test/a%20b"),
        ("http://example.test./x?q=1#part", "http://example.test/x?q=1"),
        (
            "http://日本語.test/お茶?味=苦い",
            "http://xn--wgv71a119e.test/%E3%81%8A%E8%8C%B6?%E5%91%B3=%E8%8B%A6%E3%81%84",
        ),
        ("http://8.8.8.8/", "http://8.8.8.8/"),
        ("http://[2606:4700:0::1111]:80/", "http://[2606:4700::1111]/"),
    ],
)
def test_a_url_has_one_way_of_being_written(url: str, whole: str) -> None:
    assert parse_target(url, PORTS).url == whole


@pytest.mark.parametrize(
    ("url", "fault"),
    [
        ("http://user@example.test/", "bad-url"),
        ("http://user:word@example.test/", "bad-url"),
        ("http://example.test:22/", "port"),
        ("http://example.test:0/", "port"),
        ("http://example.test:99999/", "bad-url"),
        ("http://example.test:x/", "bad-url"),
        ("ftp://example.test/", "bad-url"),
        ("http://exa mple.test/", "bad-url"),
        ("http://example.test\\@evil.test/", "bad-url"),
        ("http://example.test/\r\nHost: evil", "bad-url"),
        ("http://" + "a" * 64 + ".test/", "bad-url"),
        ("http://example.test/" + "a" * 2_048, "bad-url"),
        ("http://1.2.3.4.5/", "bad-url"),
        ("http://name.0x1/", "bad-url"),
    ],
)
def test_a_doubtful_url_is_refused(url: str, fault: str) -> None:
    with pytest.raises(FetchRefused, match=fault):
        parse_target(url, PORTS)


def test_the_port_of_a_server_the_user_chose_is_free() -> None:
    assert parse_target("http://localhost:8888/search", None).port == 8888


@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "017700000001", "127.1", "0x7f.1", "127.0.0.01"])
def test_a_number_that_is_no_full_address_is_no_name_either(host: str) -> None:
    with pytest.raises(FetchRefused):
        canonical_host(host)
