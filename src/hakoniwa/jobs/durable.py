"""One flow on its way through dbos: what it has done is read back by name, what is left is done and recorded."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from threading import Condition
from typing import Any

from dbos import DBOS, DBOSClient, StepOptions

from hakoniwa.jobs import FlowStep, StepFailed, StepOutcome, carry_out
from hakoniwa.jobs.line import StoredFlowContext

ATTEMPTING = "{} is attempted"


class RunningSteps:
    """The steps that run in this process, counted, so that it can leave between two of them."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._count = 0
        self.leaving = False

    @contextmanager
    def one(self) -> Iterator[None]:
        with self._changed:
            self._count += 1
        try:
            yield
        finally:
            with self._changed:
                self._count -= 1
                self._changed.notify_all()

    def over(self, patience: float | None = 0.0) -> bool:
        """Whether none runs, at the latest after so many seconds, or however long it takes."""
        with self._changed:
            return self._changed.wait_for(lambda: self._count == 0, patience)


class DurableFlowContext(StoredFlowContext):
    """dbos knows a step by its place in the flow; this line knows it by its name, so that a flow may gain, lose or move
    steps while some of its kind are under way."""

    def __init__(self, key: str, running: RunningSteps) -> None:
        super().__init__(key)
        self._running = running

    async def read_back(self, client: DBOSClient) -> None:
        """Go through what was recorded, in its order, so that new steps are written behind it."""
        rows = await asyncio.to_thread(client.list_workflow_steps, self.key, load_output=False)
        for row in rows:
            await self._keep(row["function_name"], _fail_missing)

    async def _newly(self, step: FlowStep, name: str, given: Any) -> None:
        if self._running.leaving:
            await asyncio.get_running_loop().create_future()  # never: the worker that takes over goes on from here
        with self._running.one():
            work = partial(carry_out, replace(step, work=self._counted(step.work)), f"{self.key}/{name}", given)
            if step.once:
                await self._once(name, work)
            else:
                await self._keep(name, work, inspect.iscoroutinefunction(step.work))

    async def _once(self, name: str, work: Callable[[], Awaitable[Any]]) -> None:
        """Say that it is attempted, and only then attempt it: who finds that said and no result knows no more."""
        attempting = ATTEMPTING.format(name)
        if attempting in self._kept:
            await self._keep(name, _unknown_outcome)
        else:
            await self._keep(attempting, _note_attempt)
            await self._keep(name, work)

    async def _keep(self, name: str, work: Callable[[], Awaitable[Any]], may_be_torn_off: bool = False) -> None:
        options = StepOptions(name=name, preemptible=may_be_torn_off)
        try:
            self._kept[name] = await DBOS.run_step_async(options, work)
        except StepFailed as failed:
            self._kept[name] = failed

    def _counted(self, work: Callable[[str, Any], Any]) -> Callable[[str, Any], Any]:
        """Work in a thread goes on when whoever waits for it is stopped, so it counts for itself."""
        if inspect.iscoroutinefunction(work):
            return work

        def counted(key: str, given: Any) -> Any:
            with self._running.one():
                return work(key, given)

        return counted


async def _note_attempt() -> None:
    return None


async def _unknown_outcome() -> StepOutcome:
    return StepOutcome.UNKNOWN


async def _fail_missing() -> None:
    raise AssertionError("a step that was recorded is not there any more")
