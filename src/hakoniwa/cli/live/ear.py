"""The ear: what is typed while a garden plays, line by line, from a prompt or from a pipe."""

import asyncio
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from typing import IO

CHUNK = 65_536


class Signal(Enum):
    """What may come instead of a line."""

    INTERRUPTED = "interrupted"
    CLOSED = "closed"


class Ear:
    """Lines as they come; after the last one it stays silent."""

    def __init__(self) -> None:
        self._heard: asyncio.Queue[str | Signal] = asyncio.Queue()
        self._stop: Callable[[], object] | None = None
        self.closed = False

    def hear(self, what: str | Signal) -> None:
        if what is Signal.INTERRUPTED and self._stop is not None:
            self._stop()
        else:
            self._heard.put_nowait(what)

    @contextmanager
    def interrupting(self, stop: Callable[[], object]) -> Iterator[list[Signal]]:
        """While this lasts, an interrupt stops something instead of being heard; yields the interrupts that came."""
        came: list[Signal] = []

        def stop_and_note() -> None:
            came.append(Signal.INTERRUPTED)
            stop()

        self._stop = stop_and_note
        try:
            yield came
        finally:
            self._stop = None

    async def listen(self, seconds: float | None) -> str | Signal | None:
        """The next line, or None if none comes in time; None for `seconds` waits for as long as it takes."""
        try:
            heard = await asyncio.wait_for(self._heard.get(), seconds)
        except TimeoutError:
            return None
        self.closed = self.closed or heard is Signal.CLOSED
        return heard


def listen_to_pipe(ear: Ear, source: IO[str]) -> None:
    """Read lines on a thread of their own. It reads the file itself: Python cannot exit while a buffer is locked."""
    try:
        file = source.fileno()
    except (OSError, ValueError):
        ear.hear(Signal.CLOSED)
        return
    loop = asyncio.get_running_loop()
    threading.Thread(target=_read, args=(file, ear, loop), name="stdin", daemon=True).start()


def _read(file: int, ear: Ear, loop: asyncio.AbstractEventLoop) -> None:
    with suppress(RuntimeError):  # the loop has closed: the play is over, and nobody listens any more
        for line in _lines(file):
            loop.call_soon_threadsafe(ear.hear, line.decode("utf-8", "replace").rstrip("\r"))
        loop.call_soon_threadsafe(ear.hear, Signal.CLOSED)


def _lines(file: int) -> Iterator[bytes]:
    rest = b""
    while chunk := os.read(file, CHUNK):
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines
    if rest:
        yield rest
