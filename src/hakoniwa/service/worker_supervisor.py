"""Caretaker: has a worker in this process from the moment somebody lives by themselves; until then none is loaded."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import Literal, Protocol

from hakoniwa.errors import HakoniwaError, JournalError
from hakoniwa.memory.store import Memories

log = logging.getLogger("hakoniwa.service")

LOOKS = 5.0  # seconds between looks whether somebody was let live by another process

WorkerState = Literal["elsewhere", "waiting", "working", "impossible"]


class BackgroundWorker(Protocol):
    """Whoever looks after those who live by themselves."""

    def start(self) -> None: ...

    def close(self) -> None: ...


class WorkerSupervisor:
    """Waits for somebody to look after. With nobody to hire, that is left to other processes."""

    def __init__(self, memories: Memories, hire: Callable[[], BackgroundWorker] | None) -> None:
        self._memories, self._hire = memories, hire
        self.care: WorkerState = "waiting" if hire else "elsewhere"
        self._closed, self._hiring = asyncio.Event(), asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self._worker: BackgroundWorker | None = None

    async def open(self) -> None:
        if self._hire is not None:
            self._task = asyncio.create_task(self._wait())

    async def ready(self) -> None:
        """Have a worker here, unless that is left to other processes; raises the error that prevents it."""
        async with self._hiring:
            if self._hire is not None and self._worker is None and not self._closed.is_set():
                await asyncio.to_thread(self._begin, self._hire)

    async def _wait(self) -> None:
        """Have a worker as soon as a persona lives; without one, everything else goes on."""
        while not self._closed.is_set() and self.care == "waiting":
            if await asyncio.to_thread(self._somebody):
                with suppress(HakoniwaError):  # told in the log, and to the next who asks for it
                    await self.ready()
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(self._closed.wait(), LOOKS)

    def _somebody(self) -> bool:
        try:
            return bool(self._memories.living())
        except JournalError as error:
            log.warning("nobody knows who lives by themselves: %s", error.key)
            return False

    def _begin(self, hire: Callable[[], BackgroundWorker]) -> None:
        try:
            worker = hire()
            with ExitStack() as in_vain:
                in_vain.callback(worker.close)
                worker.start()
                in_vain.pop_all()
        except HakoniwaError as error:
            self.care = "impossible"
            log.warning("nobody looks after those who live by themselves: %s", error.key)
            raise
        self._worker, self.care = worker, "working"

    async def close(self) -> None:
        """Let the worker leave what it does to others; one that is just being hired is waited for."""
        self._closed.set()
        if self._task is not None:
            await self._task
        async with self._hiring:
            if self._worker is not None:
                await asyncio.to_thread(self._worker.close)
