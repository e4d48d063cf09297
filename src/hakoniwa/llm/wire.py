"""Plain HTTP to a model server, on the standard library: looking for one at every start must cost next to nothing."""

import json
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from threading import Event, Timer
from typing import Any, Literal
from urllib.parse import urlsplit

from hakoniwa.turn import Value

Fault = Literal["refused", "no-host", "timeout", "reset", "tls"]
HERE, AT_HOME = ("127.0.0.1", "localhost", "::1"), 0.4
LARGEST, LONGEST_LINE, MOST_LINES = 4 << 20, 1 << 16, 1 << 17  # a line takes far more memory than its bytes


class BodyLine(Value):
    """One line of a body, and the second it came."""

    at: float
    text: str


class HttpReply(Value):
    """What came back, line by line; with a fault, or in a flood, what came before it."""

    status: int = 0
    type: str = ""
    server: str = ""
    lines: tuple[BodyLine, ...] = ()
    seconds: float = 0.0
    fault: Fault | None = None
    flood: bool = False

    @property
    def text(self) -> str:
        return "".join(line.text for line in self.lines)

    @property
    def data(self) -> Any:
        """The body as JSON; None if it is none."""
        try:
            return json.loads(self.text)
        except (ValueError, RecursionError):
            return None


class _TooMuch(Exception):
    """More has come than any answer holds."""


def send(
    url: str, body: dict[str, Any] | None = None, key: str = "", seconds: float = 5.0, most: int | None = None
) -> HttpReply:
    """GET, or POST a body as JSON. It ends after `seconds`, whatever the server does, or when `most` lines have come.

    Nobody at home is found out sooner: some systems take seconds to refuse a connection to a closed port.
    """
    started = time.monotonic()
    head: dict[str, Any] = {}
    lines: list[BodyLine] = []
    fault: Fault | None = None
    flood = False
    try:
        with _response(url, body, key, seconds) as (response, cut):
            head = _head(response)
            for text in _texts(response):
                lines.append(BodyLine(at=time.monotonic() - started, text=text))
                if most is not None and len(lines) >= most:
                    break
            fault = "timeout" if cut.is_set() else None
    except _TooMuch:
        flood = True
    except (OSError, HTTPException, ValueError) as error:
        late = time.monotonic() - started >= seconds
        fault = "timeout" if late else _fault(error)
    return HttpReply(**head, lines=tuple(lines), seconds=time.monotonic() - started, fault=fault, flood=flood)


@contextmanager
def _response(url: str, body: dict[str, Any] | None, key: str, seconds: float) -> Iterator[tuple[HTTPResponse, Event]]:
    """The answer while it comes in, and whether it had to be cut off: a server may send a byte a second for ever."""
    connection, path = _connection(url, seconds)
    connection.connect()
    connection.sock.settimeout(seconds)
    cut = Event()
    deadline = Timer(seconds, _cut_off, (connection.sock, cut))
    deadline.daemon = True
    deadline.start()
    headers = {"Accept": "*/*", **({"Authorization": f"Bearer {key}"} if key else {})}
    try:
        if body is None:
            connection.request("GET", path, headers=headers)
        else:
            headers["Content-Type"] = "application/json"
            connection.request("POST", path, json.dumps(body, ensure_ascii=False).encode(), headers)
        with connection.getresponse() as response:
            yield response, cut
    finally:
        deadline.cancel()
        connection.close()


def _connection(url: str, seconds: float) -> tuple[HTTPConnection, str]:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https"):
        raise ValueError(parts.scheme)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    patience = min(seconds, AT_HOME) if parts.hostname in HERE else seconds
    return kind(parts.hostname or "", parts.port, timeout=patience), parts.path or "/"


def _cut_off(sock: socket.socket, cut: Event) -> None:
    cut.set()
    with suppress(OSError):  # it has just ended by itself
        sock.shutdown(socket.SHUT_RDWR)


def _head(response: HTTPResponse) -> dict[str, Any]:
    read = response.headers.get
    return {"status": response.status, "type": read("Content-Type", ""), "server": read("Server", "")}


def _texts(response: HTTPResponse) -> Iterator[str]:
    size = lines = 0
    while line := response.readline(LONGEST_LINE):
        size, lines = size + len(line), lines + 1
        if size > LARGEST or lines > MOST_LINES:
            raise _TooMuch
        yield line.decode(errors="replace")


def _fault(error: Exception) -> Fault:
    if isinstance(error, ssl.SSLError):
        return "tls"
    if isinstance(error, socket.gaierror | ValueError):
        return "no-host"
    if isinstance(error, ConnectionRefusedError):
        return "refused"
    return "timeout" if isinstance(error, TimeoutError) else "reset"
