"""Research on real sockets: whatever a page, a redirect or a name server says, nothing inside is ever connected to."""

import asyncio
import json
import socket
import socketserver
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle

import httpcore2
import pytest
import uvicorn

from hakoniwa.capabilities.fetch import FetchRefused, fetch_page
from hakoniwa.capabilities.means import CapabilityMeans, ToolServer, WebMeans
from hakoniwa.capabilities.tools import McpTools
from hakoniwa.capabilities.web_access import WebAccess
from hakoniwa.llm.wire import LARGEST
from hakoniwa.persona.action import ActionResult
from tests.capabilities.hostile import AUTHORITIES, NAMES, SCHEMES, addresses, inside
from tests.capabilities.orders import order
from tests.capabilities.tool_server import server as tool_server
from tests.capabilities.wire import OTHER, PUBLIC


class Inside(socketserver.ThreadingMixIn, socketserver.TCPServer):
    """A server on every address of this machine, which counts who comes; nobody should."""

    address_family = socket.AF_INET6
    allow_reuse_address = daemon_threads = True
    connections = 0

    def server_bind(self) -> None:
        self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()

    def process_request(self, request: object, client_address: object) -> None:
        self.connections += 1
        super().process_request(request, client_address)  # type: ignore[arg-type]


class Secret(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = b"<p>canary"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


class Site(Secret):
    """A public site: it sends its visitors wherever `?to=` says, and searches for whoever asks."""

    results: list[dict[str, str]] = []

    def do_GET(self) -> None:
        if "to=" in self.path:
            self.send_response(302)
            self.send_header(
                "Location", bytes.fromhex(self.path.partition("to=")[2]).decode("utf-8").encode().decode("latin-1")
            )
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif self.path.startswith("/search?q="):
            body = json.dumps({"results": self.results}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        else:
            super().do_GET()


@dataclass
class Internet(httpcore2.AnyIOBackend):
    """Real sockets, but for two public addresses: those lead to a site on this machine."""

    site: int
    dialled: list[str] = field(default_factory=list)

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        self.dialled.append(host)
        where = ("127.0.0.1", self.site) if host in (PUBLIC, OTHER) else (host, port)
        return await super().connect_tcp(*where, timeout, local_address, socket_options)


@dataclass
class Scene:
    inside: Inside
    internet: Internet
    lookups: dict[str, Iterator[list[str]]]

    async def resolve(self, host: str, port: int) -> list[str]:
        if host not in self.lookups:
            raise FetchRefused("unknown-host")
        return next(self.lookups[host])

    @property
    def web(self) -> WebMeans:
        ports = frozenset({80, 443, self.inside.server_address[1]})
        return WebMeans(wire=self.internet, resolve=self.resolve, ports=ports, page_seconds=60.0)

    def outcome(self, url: str) -> str:
        """Where a page came from in the end, or why none did."""
        try:
            return asyncio.run(fetch_page(url, self.web)).url
        except FetchRefused as refused:
            return refused.fault


@contextmanager
def served(server: socketserver.BaseServer) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    yield
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="module")
def scene() -> Iterator[Scene]:
    secret, site = Inside(("::", 0), Secret), ThreadingHTTPServer(("127.0.0.1", 0), Site)
    table = {**NAMES, "public.example": [PUBLIC]}
    lookups = {name: cycle([found]) for name, found in table.items()}
    with served(secret), served(site):
        yield Scene(secret, Internet(site.server_address[1]), lookups)


@pytest.fixture(autouse=True)
def nobody_comes(scene: Scene) -> Iterator[None]:
    """Whatever is tried: no connection, and nothing but public addresses dialled."""
    scene.internet.dialled.clear()
    before = scene.inside.connections
    yield
    assert scene.inside.connections == before
    assert [address for address in scene.internet.dialled if inside(address)] == []


def test_the_server_inside_would_have_been_reached(scene: Scene) -> None:
    """Were it not for the check: the same request on the same network, without it."""
    for host in ("127.0.0.1", "::1"):
        with socket.create_connection((host, scene.inside.server_address[1]), 60) as caller:
            caller.sendall(b"GET / HTTP/1.0\r\n\r\n")
            assert b"canary" in caller.makefile("rb").read()
    scene.inside.connections -= 2


def test_a_public_page_is_fetched(scene: Scene) -> None:
    assert asyncio.run(fetch_page("http://public.example/", scene.web)).body == b"<p>canary"
    assert scene.internet.dialled == [PUBLIC]


def hexed(url: str) -> str:
    return f"http://public.example/?to={url.encode().hex()}"


NO_WAY = ("bad-url", "private-address", "unknown-host", "port", "redirects", "unreachable")
DIRECT = [f"http://{authority}{{port}}/" for authority in AUTHORITIES]


@pytest.mark.parametrize("port", [":{port}", ""])
def test_an_address_inside_is_refused(port: str, scene: Scene) -> None:
    for url in (*DIRECT, *SCHEMES):
        whole = url.replace("{port}", port.replace("{port}", str(scene.inside.server_address[1])))
        assert scene.outcome(whole) in NO_WAY, whole
        assert scene.internet.dialled == [], whole


def test_a_redirect_leads_nowhere_inside(scene: Scene) -> None:
    """Some of these are read as paths on the site that sent them; then that is where they stay."""
    for url in (*DIRECT, *SCHEMES):
        came = scene.outcome(hexed(url.replace("{port}", f":{scene.inside.server_address[1]}")))
        assert came in NO_WAY or came.startswith("http://public.example/"), url
        assert set(scene.internet.dialled) == {PUBLIC}, url


@pytest.mark.parametrize("hops", [2, 3, 4])
@pytest.mark.parametrize("authority", ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "inside.test"])
def test_no_chain_of_redirects_does(authority: str, hops: int, scene: Scene) -> None:
    url = f"http://{authority}:{scene.inside.server_address[1]}/"
    for _ in range(hops):
        url = hexed(url)
    assert scene.outcome(url) in ("bad-url", "private-address")
    assert scene.internet.dialled == [PUBLIC] * hops


def test_there_are_a_hundred_and_fifty_of_them() -> None:
    assert len({*DIRECT, *SCHEMES}) + len(addresses(seed=11, of_each=1)) >= 150


def test_a_name_that_leads_inside_is_refused(scene: Scene) -> None:
    for address in addresses(seed=11, of_each=1):
        answers = {"only.test": [address], "first.test": [address, PUBLIC], "last.test": [PUBLIC, OTHER, address]}
        scene.lookups.update({name: cycle([found]) for name, found in answers.items()})
        for name in answers:
            assert scene.outcome(f"http://{name}:{scene.inside.server_address[1]}/") == "private-address", address
        assert scene.internet.dialled == []


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "169.254.169.254", "::ffff:127.0.0.1"])
def test_a_name_that_changes_its_mind_is_believed_once(address: str, scene: Scene) -> None:
    """Public when it is checked, inside when it is dialled: the checked address is what is dialled."""
    scene.lookups["rebind.test"] = cycle([[PUBLIC], [address]])
    assert asyncio.run(fetch_page("http://rebind.test/", scene.web)).body == b"<p>canary"
    assert scene.internet.dialled == [PUBLIC]
    assert scene.outcome("http://rebind.test/") == "private-address"


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "169.254.169.254", "::ffff:127.0.0.1"])
def test_a_name_that_changes_its_mind_between_two_hops_is_refused(address: str, scene: Scene) -> None:
    scene.lookups["turncoat.test"] = cycle([[PUBLIC], [address]])
    assert scene.outcome(f"http://turncoat.test/?to={b'http://turncoat.test/'.hex()}") == "private-address"
    assert scene.internet.dialled == [PUBLIC]


def test_research_reads_what_is_public_and_notes_what_is_not(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    port = scene.inside.server_address[1]
    urls = [
        "http://public.example/",
        f"http://127.0.0.1:{port}/",
        hexed(f"http://localhost:{port}/"),
        "http://gone.test/",
    ]
    monkeypatch.setattr(Site, "results", [{"url": url, "title": "題", "content": "抜粋"} for url in urls])
    search = f"http://127.0.0.1:{scene.internet.site}/search"
    web = WebMeans(search, wire=Internet(scene.internet.site), resolve=scene.resolve, ports=scene.web.ports)
    result = asyncio.run(WebAccess().run(order("web_research", {"query": "お茶"}), CapabilityMeans(web=web)))
    assert result.result_status == "partial"
    assert [(one["url"], one["from"]) for one in result.result_payload["findings"]] == [
        ("http://public.example/", "page"),
        ("http://gone.test/", "search"),
    ]
    assert [note["fault"] for note in result.result_payload["notes"]] == [
        "private-address",
        "private-address",
        "unknown-host",
    ]


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
def test_a_tool_that_never_stops_answering_fills_no_memory(kind: str) -> None:
    sent = 0

    async def flood(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        await reader.readuntil(b"\r\n\r\n")
        writer.write(f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n".encode())
        with suppress(ConnectionError):
            while True:
                writer.write(b"data: no end\n\n" * 4096)
                sent += 4096 * 14
                await writer.drain()
        writer.close()

    async def through() -> ActionResult:
        async with await asyncio.start_server(flood, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            servers = {"tempers": ToolServer(tools=("greet",), url=f"http://127.0.0.1:{port}/mcp")}
            return await McpTools().run(order("mcp:tempers/greet", {}), CapabilityMeans(servers=servers))

    result = asyncio.run(through())
    assert (result.result_status, result.result_payload) == ("failed", {"fault": "unreachable"})
    assert sent < 8 * LARGEST  # what lies in pipes on the way is counted too


def test_a_tool_behind_an_address_answers() -> None:
    config = uvicorn.Config(tool_server.streamable_http_app(), port=0, log_level="error")
    http = uvicorn.Server(config)
    thread = threading.Thread(target=http.run, daemon=True)
    thread.start()
    while not http.started:
        assert thread.is_alive()
        threading.Event().wait(0.02)
    port = http.servers[0].sockets[0].getsockname()[1]
    servers = {"tempers": ToolServer(tools=("greet",), url=f"http://127.0.0.1:{port}/mcp")}
    try:
        result = asyncio.run(
            McpTools().run(order("mcp:tempers/greet", {"name": "やな"}), CapabilityMeans(servers=servers))
        )
    finally:
        http.should_exit = True
        thread.join()
    assert result.result_payload["text"] == "こんにちは、やなさん。"
