"""Caretaker: has a worker in this process from the moment somebody lives by themselves; until then none is loaded."""

import asyncio
import logging
from collections.abc import Callable
from typing import Literal, Protocol

from hakoniwa.errors import HakoniwaError, JournalError
from hakoniwa.ghost.store import Memories

log = logging.getLogger("hakoniwa.service")

LOOKS = 5.0  # seconds between looks whether somebody was let live by another process

Care = Literal["elsewhere", "waiting", "working", "impossible"]


class Working(Protocol):
    """Whoever looks after those who live by themselves."""

    def start(self) -> None: ...

    def close(self) -> None: ...


class Caretaker:
    """Waits for somebody to look after. With nobody to hire, that is left to other processes."""

    def __init__(self, memories: Memories, hire: Callable[[], Working] | None) -> None:
        self._memories, self._hire = memories, hire
        self.care: Care = "waiting" if hire else "elsewhere"
        self._called, self._closing = asyncio.Event(), False
        self._task: asyncio.Task[None] | None = None
        self._worker: Working | None = None

    async def open(self) -> None:
        if self._hire is not None:
            self._task = asyncio.create_task(self._wait(self._hire))

    def call(self) -> None:
        """Look now: somebody has just been let live."""
        self._called.set()

    async def _wait(self, hire: Callable[[], Working]) -> None:
        while not self._closing:
            if await asyncio.to_thread(self._somebody):
                await asyncio.to_thread(self._begin, hire)
                return
            self._called.clear()
            try:
                await asyncio.wait_for(self._called.wait(), LOOKS)
            except TimeoutError:
                continue

    def _somebody(self) -> bool:
        try:
            return bool(self._memories.living())
        except JournalError as error:
            log.warning("nobody knows who lives by themselves: %s", error.key)
            return False

    def _begin(self, hire: Callable[[], Working]) -> None:
        """Everything else goes on where there can be no worker."""
        try:
            self._worker = hire()
            self._worker.start()
            self.care = "working"
        except HakoniwaError as error:
            self.care = "impossible"
            log.warning("nobody looks after those who live by themselves: %s", error.key)

    async def close(self) -> None:
        """Let the worker leave what it does to others; one that is just being hired is waited for."""
        self._closing = True
        self.call()
        if self._task is not None:
            await self._task
        if self._worker is not None:
            await asyncio.to_thread(self._worker.close)
