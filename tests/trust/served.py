"""`hakoniwa serve` in a child process, behind a socket that outlives it, and those who watch its gardens.

The socket is a file: nobody else can come in, and whoever comes while there is no server waits for the next."""

import asyncio
import json
import os
import signal
import socket
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from hakoniwa.cli import serve
from hakoniwa.service import run  # loaded before anybody is born
from tests.trust.lives import row_in

assert run.__name__ == serve.SERVER
TOKEN = "a-token-of-this-test"
LONGEST = 600  # seconds that a server lives if nobody kills it
WIDEST = 1 << 20  # bytes of a line


class Door:
    """Where servers of one journal are reached, one after the other."""

    def __init__(self, home: Path, url: str) -> None:
        self.path, self._home, self._url = str(home / "door"), home, url
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(self.path)
        self._socket.listen()

    def serve(self, first: Callable[[], object] = lambda: None) -> int:
        """A server, in a process of its own that does something `first`."""
        child = os.fork()
        if child:
            return child
        try:
            signal.alarm(LONGEST)
            os.environ |= {
                "HAKONIWA_HOME": str(self._home), "HAKONIWA_CONFIG": str(self._home / "none"),
                "HAKONIWA_JOURNAL": self._url, "HAKONIWA_TOKEN": TOKEN, "HAKONIWA_MODEL": "builtin",
            }  # fmt: skip
            first()
            serve._run(self._socket, work=False)
        finally:
            os._exit(1)

    def close(self) -> None:
        self._socket.close()

    async def post(self, path: str, **body: Any) -> int:
        """Ask for something, and hear whether it can be."""
        said = json.dumps(body).encode()
        fields = f"Content-Type: application/json\r\nContent-Length: {len(said)}\r\n"
        reader, writer = await self._asked(f"POST {path}", fields, said)
        status = int((await reader.readline()).split()[1])
        await reader.read()
        writer.close()
        return status

    async def events(self, path: str, after: int) -> AsyncGenerator[str]:
        """What happens in a garden or a chat after a row, event by event, until the server is gone."""
        reader, writer = await self._asked(f"GET {path}/events", f"Last-Event-ID: {after}\r\n")
        event = ""
        try:
            while line := (await reader.readline()).decode():
                if line.strip():
                    event += line
                else:
                    yield event
                    event = ""
        finally:
            writer.close()

    async def _asked(
        self, what: str, fields: str, body: bytes = b""
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """In HTTP/1.0 an answer is what comes until the end."""
        reader, writer = await asyncio.open_unix_connection(self.path, limit=WIDEST)
        head = f"{what} HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n{fields}\r\n"
        writer.write(head.encode() + body)
        return reader, writer


class Console:
    """Somebody who watches a garden, and who keeps what they saw when the server goes."""

    def __init__(self, door: Door, garden: str) -> None:
        self.garden, self.rows = garden, list[dict[str, Any]]()
        self._door = door

    @property
    def last(self) -> int:
        return self.rows[-1]["seq"] if self.rows else 0

    async def watch(self, until: int | None = None) -> None:
        """See what comes, to the end, or until a row has been seen."""
        if until is not None and self.last >= until:
            return
        with suppress(ConnectionError):
            async for event in self._door.events(f"/v1/gardens/{self.garden}", self.last):
                if row := row_in(event):
                    self.rows.append(row)
                if until is not None and self.last >= until:
                    return
