"""What is typed while a garden plays, line by line, from a prompt or from a pipe; and what Ctrl-C does."""

import asyncio
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from signal import SIGINT, default_int_handler, signal
from typing import IO

CHUNK = 65_536


@contextmanager
def on_interrupt(act: Callable[[], object]) -> Iterator[None]:
    """While this lasts, Ctrl-C does this, on the running loop, and does not end the program."""
    loop = asyncio.get_running_loop()
    before = signal(SIGINT, lambda *_: loop.call_soon_threadsafe(act))
    try:
        yield
    finally:
        signal(SIGINT, before or default_int_handler)


class InputSignal(Enum):
    """What may come instead of a line."""

    INTERRUPTED = "interrupted"
    CLOSED = "closed"


class InputQueue:
    """Lines as they come; after the last one it stays silent."""

    def __init__(self) -> None:
        self._heard: asyncio.Queue[str | InputSignal] = asyncio.Queue()
        self._stop: Callable[[], object] | None = None
        self.closed = False

    def hear(self, what: str | InputSignal) -> None:
        if what is InputSignal.INTERRUPTED and self._stop is not None:
            self._stop()
        else:
            self._heard.put_nowait(what)

    @contextmanager
    def interrupting(self, stop: Callable[[], object]) -> Iterator[list[InputSignal]]:
        """While this lasts, an interrupt stops something instead of being heard; yields the interrupts that came."""
        came: list[InputSignal] = []

        def stop_and_note() -> None:
            came.append(InputSignal.INTERRUPTED)
            stop()

        self._stop = stop_and_note
        try:
            yield came
        finally:
            self._stop = None

    async def listen(self, seconds: float | None) -> str | InputSignal | None:
        """The next line, or None if none comes in time; None for `seconds` waits for as long as it takes."""
        try:
            heard = await asyncio.wait_for(self._heard.get(), seconds)
        except TimeoutError:
            return None
        self.closed = self.closed or heard is InputSignal.CLOSED
        return heard


def listen_to_pipe(ear: InputQueue, source: IO[str]) -> None:
    """Read lines on a thread of their own. It reads the file itself: Python cannot exit while a buffer is locked."""
    try:
        file = source.fileno()
    except (OSError, ValueError):
        ear.hear(InputSignal.CLOSED)
        return
    loop = asyncio.get_running_loop()
    threading.Thread(target=_read_into_queue, args=(file, ear, loop), name="stdin", daemon=True).start()


def _read_into_queue(file: int, ear: InputQueue, loop: asyncio.AbstractEventLoop) -> None:
    with suppress(RuntimeError):  # the loop has closed: the play is over, and nobody listens any more
        for line in _lines(file):
            loop.call_soon_threadsafe(ear.hear, line.decode("utf-8", "replace").rstrip("\r"))
        loop.call_soon_threadsafe(ear.hear, InputSignal.CLOSED)


def _lines(file: int) -> Iterator[bytes]:
    rest = b""
    while chunk := os.read(file, CHUNK):
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines
    if rest:
        yield rest
