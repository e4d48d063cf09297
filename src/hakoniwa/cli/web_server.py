"""How both servers meet their callers: as many connections as there are files for, and none that waits for long."""

import asyncio
import socket
import sys
from contextlib import suppress
from typing import Any, ClassVar

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

if sys.platform != "win32":
    import resource

HEAD_SECONDS = 10.0  # from the first byte of a request, or from connecting, to the end of its headers
STUCK_SECONDS = 30.0  # how long somebody may leave an answer unread
IDLE_SECONDS = 75
FILES_WANTED, FILES_KEPT = 16_384, 384  # open files to ask the machine for; those that are not for callers
MOST_CONNECTIONS = 4_096
PIECE = 32_768


class TimedProtocol(H11Protocol):
    """A connection with limits in time. Where there are too many, the one that has waited longest without a request
    goes first, so that strangers who ask for nothing keep nobody out."""

    most: ClassVar[int] = MOST_CONNECTIONS
    _waiting: ClassVar[dict["TimedProtocol", None]] = {}  # without a request under way, the oldest first

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._timers: dict[str, asyncio.TimerHandle] = {}
        super().connection_made(transport)
        transport.max_size = PIECE  # type: ignore[attr-defined]  # bytes that are taken in before anybody asks for them
        self._waiting[self] = None
        self._start("head", HEAD_SECONDS)
        if len(self.connections) > self.most:
            self._give_up_oldest()

    def connection_lost(self, exc: Exception | None) -> None:
        self._waiting.pop(self, None)
        for name in list(self._timers):
            self._stop(name)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._waiting.pop(self, None)
            self._stop("head")
        else:
            self._start("head", HEAD_SECONDS)

    def on_response_complete(self) -> None:
        super().on_response_complete()  # which may begin the next request that has come already
        if self.cycle.response_complete and not self.transport.is_closing():
            self._waiting[self] = None

    def pause_writing(self) -> None:
        self._start("write", STUCK_SECONDS)
        self.flow.pause_writing()

    def resume_writing(self) -> None:
        self._stop("write")
        self.flow.resume_writing()

    def _give_up_oldest(self) -> None:
        oldest = next(iter(self._waiting))
        del self._waiting[oldest]
        oldest.transport.abort()

    def _start(self, name: str, seconds: float) -> None:
        if name not in self._timers:
            self._timers[name] = self.loop.call_later(seconds, self.transport.abort)

    def _stop(self, name: str) -> None:
        if timer := self._timers.pop(name, None):
            timer.cancel()


class WebServer(uvicorn.Server):
    """A server that lets those go first who only watch: they would never go by themselves."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if farewell := getattr(getattr(self.config.app, "state", None), "farewell", None):
            farewell()
        await super().shutdown(sockets)


def serve_app(app: Any, door: socket.socket, **options: Any) -> None:
    """Serve an application on a socket until interrupted."""
    TimedProtocol.most = min(MOST_CONNECTIONS, max(1, raise_file_limit() - FILES_KEPT))
    config = uvicorn.Config(
        app, http=TimedProtocol, log_config=None, log_level="warning", access_log=False,
        timeout_keep_alive=IDLE_SECONDS, **options,
    )  # fmt: skip
    with suppress(KeyboardInterrupt):
        WebServer(config).run(sockets=[door])


def raise_file_limit() -> int:
    """As many open files as the machine grants of those that are wanted; how many that are."""
    if sys.platform == "win32":
        return FILES_WANTED
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES_WANTED if hard == resource.RLIM_INFINITY else min(FILES_WANTED, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            return wanted
    return wanted if soft == resource.RLIM_INFINITY else soft
