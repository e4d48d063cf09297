"""What can go wrong with a model, by name; how long it may be silent, and how long to wait before asking again."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from email.utils import parsedate_to_datetime
from time import monotonic
from typing import Any, TypeVar

from hakoniwa.errors import ModelError, ModelMisbehaved, ModelSpent, ModelUnavailable
from hakoniwa.turn import Value

# How many more tries each fault is worth, as long as nothing of the answer has come.
# What passes by itself is tried again; what only a person can change is not, nor what took all its time to fail.
FURTHER_TRIES: dict[tuple[type[ModelError], str], int] = {
    (ModelUnavailable, "model.refused"): 2,
    (ModelUnavailable, "model.unknown-host"): 0,
    (ModelUnavailable, "model.bad-address"): 0,
    (ModelUnavailable, "model.unreachable"): 0,
    (ModelUnavailable, "model.connect-timeout"): 0,
    (ModelUnavailable, "model.no-first-token"): 0,
    (ModelUnavailable, "model.unauthorised"): 0,
    (ModelUnavailable, "model.missing"): 0,
    (ModelUnavailable, "model.not-a-server"): 0,
    (ModelUnavailable, "model.moved"): 0,
    (ModelUnavailable, "model.rate-limited"): 3,
    (ModelUnavailable, "model.server-error"): 2,
    (ModelUnavailable, "model.loading"): 8,
    (ModelMisbehaved, "model.reset"): 2,
    (ModelMisbehaved, "model.stalled"): 0,
    (ModelMisbehaved, "model.too-slow"): 0,
    (ModelMisbehaved, "model.truncated"): 0,
    (ModelMisbehaved, "model.context-too-long"): 0,
    (ModelMisbehaved, "model.bad-request"): 0,
    (ModelMisbehaved, "model.broken-chunk"): 0,
    (ModelMisbehaved, "model.mixed-chunks"): 0,
    (ModelMisbehaved, "model.garbled"): 0,
    (ModelMisbehaved, "model.not-vectors"): 0,
    (ModelMisbehaved, "model.other-dimension"): 0,
    (ModelMisbehaved, "model.too-long"): 0,
    (ModelMisbehaved, "model.empty"): 0,
    (ModelMisbehaved, "model.only-thinking"): 0,
    (ModelMisbehaved, "model.blanks"): 0,
    (ModelMisbehaved, "model.repetition"): 0,
    (ModelMisbehaved, "model.json-cut"): 0,
    (ModelMisbehaved, "model.json-shape"): 0,
    (ModelMisbehaved, "model.wrong-language"): 0,
    (ModelSpent, "model.session-budget"): 0,
    (ModelSpent, "model.hour-budget"): 0,
    # Never raised; a call that ended so is recorded with it.
    (ModelMisbehaved, "model.prompt-cut"): 0,
    (ModelMisbehaved, "model.stopped"): 0,
}
KINDS = {key: kind for kind, key in FURTHER_TRIES}

_BY_STATUS = {401: "model.unauthorised", 403: "model.unauthorised", 429: "model.rate-limited", 503: "model.loading"}
_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context_size|maximum context length|too many tokens|prompt is too long"
    r"|context.{0,40}(?:exceed|too (?:long|small))|exceed.{0,60}context",
    re.IGNORECASE | re.DOTALL,
)
_NO_MODEL = re.compile(
    r"model.{0,100}(?:not found|not exist|not loaded|not available)|no models? (?:is |are )?loaded|unknown model",
    re.IGNORECASE | re.DOTALL,
)


def fault(key: str, **details: Any) -> ModelError:
    """The fault of that name, to be raised."""
    return KINDS[key](key, **details)


def further_tries(key: str) -> int:
    return next((more for (_, name), more in FURTHER_TRIES.items() if name == key), 0)


def fault_key(status: int, said: str) -> str:
    """The fault an error means. The server's words decide before its number, since servers differ in their numbers."""
    if _TOO_LONG.search(said):
        return "model.context-too-long"
    if _NO_MODEL.search(said):
        return "model.missing"
    if status == 404:
        return "model.missing" if "model" in said.casefold() else "model.not-a-server"
    return _BY_STATUS.get(status, "model.server-error" if status >= 500 else "model.bad-request")


def seconds_asked_for(retry_after: str | None, now: float) -> float | None:
    """How long a Retry-After header asks to wait, given as seconds or as a date; None if it asks for nothing."""
    if not retry_after:
        return None
    try:
        return max(float(retry_after), 0.0)
    except ValueError:
        pass
    try:
        return max(parsedate_to_datetime(retry_after).timestamp() - now, 0.0)
    except ValueError:
        return None


T = TypeVar("T")
_A_MOMENT = 0.05


class Timeouts(Value):
    """The limits of one call in seconds; `whole` holds for all its tries and the waits between them together."""

    connect: float = 5.0
    first: float = 120.0
    idle: float = 30.0
    whole: float = 300.0
    backoff: float = 0.5
    longest_wait: float = 20.0


class Watchdog:
    """Breaks off what the current task waits for when all has been silent for too long. It costs a timer and no task,
    for a call waits as often as it has tokens."""

    def __init__(self, timer: "CallTimer", silence: float, heard: Callable[[], int]) -> None:
        task = asyncio.current_task()
        assert task is not None, "calls are made in tasks"
        self._timer, self._silence, self._heard, self._task = timer, silence, heard, task
        self._cancelling = task.cancelling()
        self.found: ModelError | None = None
        self._begin()

    def _begin(self) -> None:
        self._before = self._heard()
        wait = max(min(self._silence, self._timer.left), 0)
        # A busy event loop may not have had the time to listen: it gets a moment more.
        self._handle = self._task.get_loop().call_later(wait, self._wait_a_moment)

    def _wait_a_moment(self) -> None:
        self._handle = self._task.get_loop().call_later(_A_MOMENT, self._look)

    def _look(self) -> None:
        heard = self._heard()
        self.found = self._timer.trouble(heard > self._before, self._silence, anything=heard > 0)
        if self.found is None:
            self._begin()
        else:
            self._task.cancel()

    def cancelled_by_others(self) -> bool:
        """Whether somebody else breaks the task off as well."""
        return self._task.uncancel() > self._cancelling

    def end(self) -> None:
        self._handle.cancel()


class CallTimer:
    """One call against the clock; `begun` once a token has come."""

    def __init__(self, patience: Timeouts) -> None:
        self.patience = patience
        self.begun = False
        self._deadline = monotonic() + patience.whole

    @property
    def left(self) -> float:
        return self._deadline - monotonic()

    async def over(self, step: Awaitable[T], silence: float, heard: Callable[[], int] = lambda: 0) -> T:
        """What the step comes to, unless all is silent for that long or the call's time is up.

        Every byte `heard` is a sign of life, so that a trickle is ended by the clock."""
        watchdog = Watchdog(self, silence, heard)
        try:
            return await step
        except asyncio.CancelledError:
            if watchdog.found is None or watchdog.cancelled_by_others():
                raise
            raise watchdog.found from None
        finally:
            watchdog.end()

    def trouble(self, alive: bool, silence: float, anything: bool) -> ModelError | None:
        """Why a step is not waited for any longer, if it is not."""
        if self.left <= 0:
            key = "model.too-slow" if self.begun or anything else "model.no-first-token"
            return fault(key, seconds=self.patience.whole)
        if not alive:
            return fault("model.stalled" if self.begun else "model.no-first-token", seconds=silence)
        return None

    def pause(self, error: ModelError, tries: int) -> float | None:
        """How long to wait before another try; None when there is to be none."""
        if self.begun or tries > further_tries(error.key):
            return None
        asked = error.details.get("wait")
        wait = min(self.patience.backoff * 2 ** (tries - 1) if asked is None else asked, self.patience.longest_wait)
        return wait if wait < self.left else None
