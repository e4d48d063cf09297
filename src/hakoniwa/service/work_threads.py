"""Threads by kind of work, so that no kind keeps another waiting. What asks the journal has the event loop's own."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

Result = TypeVar("Result")
JOURNAL_THREADS = 32


class WorkThreads:
    """A few threads for one kind of work; what comes while all are busy waits for them alone."""

    def __init__(self, kind: str, most: int) -> None:
        self._threads = ThreadPoolExecutor(most, thread_name_prefix=kind)

    async def run(self, work: Callable[..., Result], *details: Any) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._threads, partial(work, *details))


FILE_WORK = WorkThreads("files", 4)  # scenarios, sheets and experiments, which need no database
LONG_WORK = WorkThreads("long", 2)  # exports and comparisons, which go through whole gardens


def give_journal_threads() -> None:
    """Have the running event loop ask the journal in more threads than it would by itself: they mostly wait."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(JOURNAL_THREADS, thread_name_prefix="journal"))
