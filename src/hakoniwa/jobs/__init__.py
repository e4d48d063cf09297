"""Durable work: a flow is a plain function of steps. Each step's result is kept, so that a kill at any moment loses
nothing, and a step that must not happen twice is never run again: if nobody knows how it ended, the flow is told so."""

import asyncio
import inspect
import json
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal, Protocol

from hakoniwa.errors import UnknownName
from hakoniwa.turn import Value

Status = Literal["waiting", "running", "done", "failed", "cancelled"]


class StepOutcome(Enum):
    """How a step ended when there is nothing it returned."""

    UNKNOWN = "unknown"


@dataclass(frozen=True)
class FlowStep:
    """A named piece of work from JSON to JSON, async or not; `work` is handed a key that is the same at every try.

    Work that runs again after a kill must come to the same by that key. What cannot is `once`: it has one try, and
    after a kill its outcome is `StepOutcome.UNKNOWN`. Work that is `found_again` finds what it came to by its key, so
    nothing else records it. A step's name is a promise: under another name it is another step.
    """

    name: str
    work: Callable[[str, Any], Any]
    once: bool = False
    found_again: bool = False
    tries: int = 1
    pause: float = 1.0  # seconds before the second try, doubled before each further one


class FlowContext(Protocol):
    """One flow on its way, as the flow sees it."""

    @property
    def key(self) -> str:
        """The key the flow was started with."""
        ...

    async def do(self, step: FlowStep, given: Any = None, part: str = "") -> Any:
        """What the step returns, or returned before a kill; `part` tells apart its uses in one flow; raises Failed."""
        ...


@dataclass(frozen=True)
class Flow:
    """A plain function of steps, found by its name; whatever it does besides its steps, it may do more than once."""

    name: str
    run: Callable[[FlowContext, Any], Awaitable[Any]]
    at_once: int = 4  # how many of it one worker runs at the same time


class FlowFault(Value):
    """Why a flow, or a step of it, failed: the name of what was raised and what that said."""

    step: str | None = None
    name: str
    message: str


class StepFailed(Exception):
    """A step has had all its tries; a flow that does not catch it fails with the same fault."""

    def __init__(self, fault: FlowFault) -> None:
        super().__init__(f"{fault.step or 'flow'}: {fault.name}: {fault.message}")
        self.fault = fault


class FlowEnd(Value):
    """How a flow ended, and what it returned or why it failed."""

    status: Literal["done", "failed", "cancelled"]
    value: Any = None
    fault: FlowFault | None = None


class Jobs(Protocol):
    """Starts flows and watches them from any process; those that `run` carry them out."""

    def start(self, flow: str, key: str, order: Mapping[str, Any]) -> None:
        """Have a flow carried out, unless one of this key was ever started, by whomever; UnknownName if there is none
        of that name, ValueError if the key belongs to another flow."""
        ...

    def status(self, key: str) -> Status | None:
        """How far it is; None if it was never started."""
        ...

    def result(self, key: str) -> FlowEnd | None:
        """How it ended; None if it has not, or was never started."""
        ...

    def clear(self, key: str) -> bool:
        """Keep nothing of a flow that has ended, so that one of this key can be started anew; False if it goes on."""
        ...

    def carries_out(self, key: str) -> bool:
        """Whether a flow is carried out in this process just now; known without asking the database."""
        ...

    def run(self) -> None:
        """Begin to carry out flows in this process, on an event loop of their own, and return."""
        ...

    def look(self) -> None:
        """Take up what others have started or left when they died; with nothing under way, let the database rest."""
        ...

    def close(self, patience: float = 5.0) -> None:
        """Begin no further step, wait as long for those that run, and let go; another worker finishes the rest."""
        ...


def by_name(flows: Iterable[Flow]) -> dict[str, Flow]:
    table = {flow.name: flow for flow in flows}
    return {name: table[name] for name in sorted(table)}


def find_flow(flows: Mapping[str, Flow], name: str) -> Flow:
    """The flow of that name, or UnknownName."""
    if name not in flows:
        raise UnknownName("unknown.entry", kind="flow", name=name, known=", ".join(flows))
    return flows[name]


class StoredFlowContext(FlowContext):
    """Does its steps one after another, each once by its name, and keeps what they returned or how they failed."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._kept: dict[str, Any] = {}
        self._one_after_another = asyncio.Lock()

    @property
    def key(self) -> str:
        return self._key

    async def do(self, step: FlowStep, given: Any = None, part: str = "") -> Any:
        name = f"{step.name}/{part}" if part else step.name
        async with self._one_after_another:
            if step.found_again or name not in self._kept:
                await self._newly(step, name, given)
        if isinstance(self._kept[name], StepFailed):
            raise self._kept[name]
        return self._kept[name]

    @abstractmethod
    async def _newly(self, step: FlowStep, name: str, given: Any) -> None:
        """Do the step and keep how it ended."""


async def carry_out(step: FlowStep, key: str, given: Any) -> Any:
    """What the step returns, as it will be read back; Failed if none of its tries succeeds."""
    tries = 1 if step.once else step.tries
    for tried in range(1, tries + 1):
        try:
            return as_json_value(await _call(step.work, key, given))
        except Exception as error:
            if tried == tries:
                raise StepFailed(fault(error, step.name)) from error
        await asyncio.sleep(step.pause * 2 ** (tried - 1))
    raise AssertionError(f"{step.name!r} may not be tried at all")


async def _call(work: Callable[[str, Any], Any], key: str, given: Any) -> Any:
    if inspect.iscoroutinefunction(work):
        return await work(key, given)
    return await asyncio.to_thread(work, key, given)


def fault(error: Exception, step: str | None = None) -> FlowFault:
    return (
        error.fault
        if isinstance(error, StepFailed)
        else FlowFault(step=step, name=type(error).__name__, message=str(error))
    )


def as_json_value(value: Any) -> Any:
    """The value as JSON gives it back, so that a flow sees the same before a kill and after it."""
    return json.loads(json.dumps(value, allow_nan=False))
