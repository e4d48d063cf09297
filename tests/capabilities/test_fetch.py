"""Fetching: what is dialled, what is sent, and how much is taken in."""

import asyncio
import gzip
import json
import zlib
from dataclasses import replace

import pytest

from hakoniwa.capabilities.fetch import FetchedPage, FetchRefused, fetch_page, fetch_search
from hakoniwa.capabilities.means import FETCHED, ByteMeter, CapabilityMeans, WebMeans
from hakoniwa.capabilities.web_access import WebAccess
from hakoniwa.persona.generated import unseal
from tests.capabilities.orders import order
from tests.capabilities.wire import OTHER, PUBLIC, Wire, names, page, redirect, reply

SITES = {"a.test": [PUBLIC], "b.test": [OTHER], "twice.test": [PUBLIC, OTHER]}
HTML = "Content-Type: text/html"


def fetch(url: str, wire: Wire, **changes: object) -> FetchedPage:
    web = replace(WebMeans(wire=wire, resolve=names(SITES), page_seconds=60.0), **changes)  # type: ignore[arg-type]
    return asyncio.run(fetch_page(url, web))


def test_the_address_is_dialled_and_the_name_is_said() -> None:
    wire = Wire({"/": page("<p>やあ</p>")})
    assert fetch("https://a.test/", wire).body == "<p>やあ</p>".encode()
    assert wire.dialled == [(PUBLIC, 443)]
    assert wire.names == ["a.test"]
    assert "\r\nHost: a.test\r\n" in wire.requests[0]


def test_every_hop_is_a_new_visitor() -> None:
    wire = Wire(
        {"/": redirect("http://b.test/next?x=1")[:-4] + b"\r\nSet-Cookie: id=1\r\n\r\n", "/next?x=1": page("ok")}
    )
    assert fetch("http://a.test/", wire).url == "http://b.test/next?x=1"
    assert wire.dialled == [(PUBLIC, 80), (OTHER, 80)]
    heads = [{line.split(":")[0] for line in asked.split("\r\n")[1:] if line} for asked in wire.requests]
    assert heads == [{"Host", "User-Agent", "Accept", "Accept-Encoding"}] * 2


@pytest.mark.parametrize("status", ["301 x", "302 x", "303 x", "307 x", "308 x"])
def test_relative_redirects_stay_on_the_site(status: str) -> None:
    wire = Wire({"/a/": redirect("../b", status), "/b": page("ok")})
    assert fetch("http://a.test/a/", wire).url == "http://a.test/b"


def test_a_ring_of_redirects_is_left() -> None:
    wire = Wire({"/": redirect("/")})
    with pytest.raises(FetchRefused, match="redirects"):
        fetch("http://a.test/", wire)
    assert len(wire.dialled) == 6


def test_the_search_server_redirects_nowhere() -> None:
    wire = Wire({"/s?q=x": redirect("http://b.test/")})
    with pytest.raises(FetchRefused, match="redirects"):
        asyncio.run(fetch_search("http://127.0.0.1:8888/s?q=x", WebMeans(wire=wire)))
    assert wire.dialled == [("127.0.0.1", 8888)]


def chunked(*pieces: bytes) -> list[bytes]:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"
    return [head, *(f"{len(piece):x}\r\n".encode() + piece + b"\r\n" for piece in pieces)]


@pytest.mark.parametrize(
    "answer",
    [
        reply(b"x" * 5_000, HTML),
        chunked(*[b"x" * 100] * 50),
        reply(gzip.compress(b"x" * 5_000), HTML, "Content-Encoding: gzip"),
        reply(zlib.compress(b"x" * 5_000), HTML, "Content-Encoding: deflate"),
    ],
)
def test_no_more_is_kept_than_there_is_room_for(answer: bytes) -> None:
    came = fetch("http://a.test/", Wire({"/": answer}), page_bytes=1_000)
    assert (came.body, came.cut) == (b"x" * 1_000, True)


def test_a_bomb_is_unpacked_no_further_than_the_limit() -> None:
    bomb = reply(gzip.compress(bytes(200_000_000), 1), HTML, "Content-Encoding: gzip")
    came = fetch("http://a.test/", Wire({"/": bomb}), page_bytes=10_000)
    assert (len(came.body), came.cut) == (10_000, True)


def test_what_follows_a_packed_page_is_not_kept() -> None:
    body = gzip.compress(b"short")
    came = fetch("http://a.test/", Wire({"/": reply(body + b"x" * 900, HTML, "Content-Encoding: gzip")}))
    assert (came.body, came.cut) == (b"short", False)


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (reply(b"x", HTML, "Content-Encoding: br"), "encoding"),
        (reply(b"x", HTML, "Content-Encoding: gzip, gzip"), "encoding"),
        (reply(b"not packed", HTML, "Content-Encoding: gzip"), "encoding"),
        (reply(b"", status="404 Not Found"), "status"),
        (reply(b"", status="302 Found"), "status"),
        (b"", "unreachable"),
        (b"SSH-2.0-OpenSSH\r\n", "unreachable"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort", "unreachable"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"x" * 200_000, "unreachable"),
    ],
)
def test_an_answer_that_is_no_page_is_refused_by_name(answer: bytes, fault: str) -> None:
    with pytest.raises(FetchRefused, match=fault):
        fetch("http://a.test/", Wire({"/": answer}))


def test_a_page_that_trickles_in_is_given_up() -> None:
    wire = Wire({"/": chunked(*[b"x"] * 100_000)}, pause=0.02)
    with pytest.raises(FetchRefused, match="timed-out"):
        fetch("http://a.test/", wire, page_seconds=0.2)


def test_a_name_nobody_knows_is_refused() -> None:
    wire = Wire()
    with pytest.raises(FetchRefused, match="unknown-host"):
        fetch("http://nobody.test/", wire)
    assert wire.dialled == []


def test_all_that_comes_in_is_counted_also_of_what_is_left() -> None:
    """Of a page that is too long, and of one that says to be packed and is not."""
    meter, large = ByteMeter(), b"x" * 3000
    wire = Wire(
        {"/": page("ok"), "/large": reply(large, HTML), "/odd": reply(b"not gzip", HTML, "Content-Encoding: gzip")}
    )
    fetch("http://a.test/", wire, meter=meter)
    assert meter.taken == len("ok")
    fetch("http://a.test/large", wire, meter=meter, page_bytes=1000)
    assert 1000 < meter.taken <= len("ok") + len(large)
    before = meter.taken
    with pytest.raises(FetchRefused, match="encoding"):
        fetch("http://a.test/odd", wire, meter=meter)
    assert meter.taken == before + len(b"not gzip")


def test_a_page_is_broken_off_when_there_is_no_room_left_for_the_day() -> None:
    wire = Wire({"/": chunked(*[b"x" * 100] * 1_000)})
    meter = ByteMeter(room=1_000)
    with pytest.raises(FetchRefused, match="spent"):
        fetch("http://a.test/", wire, meter=meter)
    assert 1_000 < meter.taken < 100 * 1_000
    dialled = list(wire.dialled)
    with pytest.raises(FetchRefused, match="spent"):
        fetch("http://a.test/", wire, meter=meter)
    assert wire.dialled == dialled


@pytest.mark.parametrize(
    ("room", "status", "told"), [(900, "partial", "as much as may be taken"), (10, "failed", "stopped: as much as")]
)
def test_research_that_runs_out_of_room_tells_what_it_has_and_that_there_was_more(
    room: int, status: str, told: str
) -> None:
    hits = [{"url": f"http://a.test/{one}", "title": "茶", "content": "green tea"} for one in range(3)]
    found = json.dumps({"results": hits}).encode()
    pages = {f"/{one}": reply(b"<p>tea</p>" + b"x" * 100_000, HTML) for one in range(3)}
    wire = Wire({"/s?q=tea&format=json": reply(found, "Content-Type: application/json"), **pages})
    web = WebMeans(search_url="http://127.0.0.1:8888/s", wire=wire, resolve=names(SITES), room=room)
    result = asyncio.run(
        WebAccess().run(order("web_research", {"query": "tea"}), CapabilityMeans(web=web, language="en"))
    )
    assert result.result_status == status
    assert told in unseal(result.summary_text)
    assert {one["fault"] for one in result.result_payload.get("notes", [])} <= {"spent"}
    assert result.details_json[FETCHED] < 300_000


def test_research_says_how_much_it_took() -> None:
    found = json.dumps({"results": [{"url": "http://a.test/", "title": "茶", "content": "緑茶"}]}).encode()
    wire = Wire({"/s?q=tea&format=json": reply(found, "Content-Type: application/json"), "/": page("<p>tea</p>")})
    means = CapabilityMeans(web=WebMeans(search_url="http://127.0.0.1:8888/s", wire=wire, resolve=names(SITES)))
    result = asyncio.run(WebAccess().run(order("web_research", {"query": "tea"}), means))
    assert result.result_status == "success"
    assert result.details_json == {FETCHED: len(found) + len("<p>tea</p>")}
