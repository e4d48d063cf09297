"""Patience: how long a model may be silent, how long it may take, and how long to wait before asking again."""

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import TypeVar

from hakoniwa.errors import ModelError
from hakoniwa.llm.faults import fault, further_tries
from hakoniwa.turn import Value

T = TypeVar("T")
_A_MOMENT = 0.05


class Patience(Value):
    """The limits of one call in seconds; `whole` holds for all its tries and the waits between them together."""

    connect: float = 5.0
    first: float = 120.0
    idle: float = 30.0
    whole: float = 300.0
    backoff: float = 0.5
    longest_wait: float = 20.0


class Watch:
    """One call against the clock; `begun` once a token has come."""

    def __init__(self, patience: Patience) -> None:
        self.patience = patience
        self.begun = False
        self._deadline = monotonic() + patience.whole

    @property
    def left(self) -> float:
        return self._deadline - monotonic()

    async def over(self, step: Awaitable[T], silence: float, heard: Callable[[], int] = lambda: 0) -> T:
        """What the step comes to, unless all is silent for that long or the call's time is up.

        Every byte `heard` is a sign of life, so that a trickle is ended by the clock."""
        task = asyncio.ensure_future(step)
        try:
            while not task.done():
                before = heard()
                await asyncio.wait({task}, timeout=max(min(silence, self.left), 0))
                if not task.done():  # a busy event loop may not have had the time to listen
                    await asyncio.wait({task}, timeout=_A_MOMENT)
                if not task.done():
                    self._go_on(heard() > before, silence, anything=heard() > 0)
            return task.result()
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait({task})

    def _go_on(self, alive: bool, silence: float, anything: bool) -> None:
        if self.left <= 0:
            key = "model.too-slow" if self.begun or anything else "model.no-first-token"
            raise fault(key, seconds=self.patience.whole)
        if not alive:
            raise fault("model.stalled" if self.begun else "model.no-first-token", seconds=silence)

    def pause(self, error: ModelError, tries: int) -> float | None:
        """How long to wait before another try; None when there is to be none."""
        if self.begun or tries > further_tries(error.key):
            return None
        asked = error.details.get("wait")
        wait = min(self.patience.backoff * 2 ** (tries - 1) if asked is None else asked, self.patience.longest_wait)
        return wait if wait < self.left else None
