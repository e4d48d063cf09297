"""How long something takes, on a machine that others use too."""

import gc
import time
from collections.abc import Callable

SQUARES, USUAL = 50_000, 0.0025  # seconds of the processor that they take on the machine time limits were chosen on


def busy(work: Callable[[], object], within: float, tries: int = 5) -> float:
    """The processor time of the best of some tries: no more of them than it takes to be `within` it."""
    best = float("inf")
    for number in range(tries):
        if number:
            gc.collect()  # what other tests left behind is not this one's work
        started = time.process_time()
        work()
        best = min(best, time.process_time() - started)
        if best < within:
            break
    return best


def squares(count: int) -> float:
    """What a piece of work that is always the same takes of the processor just now."""
    best = float("inf")
    for _ in range(3):
        began = time.process_time()
        sum(number * number for number in range(count))
        best = min(best, time.process_time() - began)
    return best


def slowness() -> float:
    """How many times longer than that machine this one takes just now; 1 where it is faster."""
    return max(1.0, squares(SQUARES) / USUAL)
