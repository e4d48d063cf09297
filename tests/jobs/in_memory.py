"""Work in memory, for tests: the same promises as on a database, but for a kill."""

import asyncio
import threading
from collections.abc import Iterable, Mapping
from typing import Any

from hakoniwa.jobs import (
    Flow,
    FlowEnd,
    FlowStep,
    Jobs,
    Status,
    StepFailed,
    StoredFlowContext,
    as_json_value,
    by_name,
    carry_out,
    fault,
    find_flow,
)


class MemoryFlowContext(StoredFlowContext):
    """One flow and how far it is."""

    def __init__(self, flow: Flow, key: str, order: Any) -> None:
        super().__init__(key)
        self.flow = flow
        self.order = order
        self.status: Status = "waiting"
        self.ended: FlowEnd | None = None

    def end(self, ended: FlowEnd) -> None:
        """The first end holds, be it the flow's own or its cancelling."""
        if self.ended is None:
            self.status, self.ended = ended.status, ended

    async def _newly(self, step: FlowStep, name: str, given: Any) -> None:
        try:
            self._kept[name] = await carry_out(step, f"{self.key}/{name}", given)
        except StepFailed as failed:
            self._kept[name] = failed


class MemoryJobs(Jobs):
    """Flows on an event loop in a thread of their own."""

    def __init__(self, flows: Iterable[Flow]) -> None:
        self._flows = by_name(flows)
        self._lines: dict[str, MemoryFlowContext] = {}
        self._guard = threading.RLock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._room: dict[str, asyncio.Semaphore] = {}

    def start(self, flow: str, key: str, order: Mapping[str, Any]) -> None:
        line = MemoryFlowContext(find_flow(self._flows, flow), key, as_json_value(dict(order)))
        with self._guard:
            if self._lines.setdefault(key, line).flow.name != flow:
                raise ValueError(f"{key!r} is the key of another flow than {flow!r}")
            if self._loop and self._lines[key] is line:
                asyncio.run_coroutine_threadsafe(self._through(line), self._loop)

    def status(self, key: str) -> Status | None:
        with self._guard:
            return self._lines[key].status if key in self._lines else None

    def result(self, key: str) -> FlowEnd | None:
        with self._guard:
            return self._lines[key].ended if key in self._lines else None

    def clear(self, key: str) -> bool:
        with self._guard:
            if key in self._lines and not self._lines[key].ended:
                return False
            self._lines.pop(key, None)
            return True

    def carries_out(self, key: str) -> bool:
        return self.status(key) == "running"

    def look(self) -> None:
        pass  # nobody else can start or leave anything

    def run(self) -> None:
        assert self._loop is None, "these jobs run already"
        with self._guard:
            self._loop = asyncio.new_event_loop()
            self._room = {name: asyncio.Semaphore(flow.at_once) for name, flow in self._flows.items()}
            self._thread = threading.Thread(target=self._loop.run_forever, name="hakoniwa-jobs", daemon=True)
            self._thread.start()
            for line in self._lines.values():
                asyncio.run_coroutine_threadsafe(self._through(line), self._loop)

    def close(self, patience: float = 5.0) -> None:
        if self._loop and self._thread:
            asyncio.run_coroutine_threadsafe(_finish_tasks(patience), self._loop).result()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()
            self._loop = None

    async def _through(self, line: MemoryFlowContext) -> None:
        async with self._room[line.flow.name]:
            if line.ended:
                return
            line.status = "running"
            try:
                ended = FlowEnd(status="done", value=as_json_value(await line.flow.run(line, line.order)))
            except asyncio.CancelledError:
                ended = FlowEnd(status="cancelled")
            except Exception as error:
                ended = FlowEnd(status="failed", fault=fault(error))
            with self._guard:
                line.end(ended)


async def _finish_tasks(patience: float) -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    if others:
        _, left = await asyncio.wait(others, timeout=patience)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
