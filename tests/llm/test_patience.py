"""Patience: silence and slowness end in their own names, signs of life count, and another try is worth its wait."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from hakoniwa.errors import ModelError
from hakoniwa.llm.faults import CallTimer, Timeouts, fault

LITTLE = Timeouts(connect=1, first=0.3, idle=0.2, whole=100, backoff=0.1, longest_wait=0.25)
HURRIED = LITTLE.model_copy(update={"whole": 0.9})


def ended(
    step: Callable[[], Awaitable[object]], begun: bool = False, heard: Callable[[], int] = lambda: 0,
    patience: Timeouts = LITTLE,
) -> str:  # fmt: skip
    """How a step ends that may be silent for a moment."""

    async def through() -> str:
        watch = CallTimer(patience)
        watch.begun = begun
        try:
            return str(await watch.over(step(), patience.idle if begun else patience.first, heard))
        except ModelError as error:
            return error.key

    return asyncio.run(through())


async def at_once() -> str:
    return "done"


async def in_a_while() -> str:
    await asyncio.sleep(0.1)
    return "done"


async def never() -> None:
    await asyncio.Event().wait()


def growing() -> Callable[[], int]:
    sizes = iter(range(1, 1000))
    return lambda: next(sizes)


def test_what_comes_in_time_comes() -> None:
    assert ended(at_once) == "done"
    assert ended(in_a_while) == "done"


def test_silence_is_called_after_when_it_falls() -> None:
    assert ended(never) == "model.no-first-token"
    assert ended(never, begun=True) == "model.stalled"


def test_a_trickle_is_ended_by_the_clock() -> None:
    assert ended(never, heard=growing(), patience=HURRIED) == "model.too-slow"
    assert ended(never, begun=True, heard=growing(), patience=HURRIED) == "model.too-slow"


def test_what_was_given_up_is_cancelled() -> None:
    async def through() -> bool:
        step = asyncio.ensure_future(never())
        with pytest.raises(ModelError):
            await CallTimer(LITTLE).over(step, 0.1)
        return step.cancelled()

    assert asyncio.run(through())


def test_cancelling_the_wait_cancels_the_step() -> None:
    async def through() -> bool:
        step = asyncio.ensure_future(never())
        waiting = asyncio.create_task(CallTimer(LITTLE).over(step, 10))
        await asyncio.sleep(0.01)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        return step.cancelled()

    assert asyncio.run(through())


def test_waits_grow_up_to_the_longest() -> None:
    watch, loading = CallTimer(LITTLE), fault("model.loading")
    assert [watch.pause(loading, tries) for tries in range(1, 6)] == [0.1, 0.2, 0.25, 0.25, 0.25]
    assert watch.pause(loading, 9) is None


def test_a_server_is_believed_up_to_the_longest() -> None:
    watch = CallTimer(LITTLE)
    assert [watch.pause(fault("model.rate-limited", wait=wait), 1) for wait in (0.0, 0.2, 3600.0)] == [0.0, 0.2, 0.25]


def test_there_is_no_other_try_once_it_has_begun_or_where_it_is_useless_or_too_late() -> None:
    watch, hurried = CallTimer(LITTLE), CallTimer(LITTLE.model_copy(update={"whole": 0.05}))
    assert watch.pause(fault("model.unauthorised"), 1) is None
    assert hurried.pause(fault("model.loading"), 1) is None
    assert watch.pause(fault("model.reset"), 1) is not None
    watch.begun = True
    assert watch.pause(fault("model.reset"), 1) is None
