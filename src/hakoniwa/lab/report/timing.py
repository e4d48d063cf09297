"""Timing: what a stopwatch said, arm by arm; kept apart from the results, as no two machines agree."""

from collections.abc import Iterable
from typing import Literal

import numpy as np

from hakoniwa.lab.results import Arm, Results, Timings, TurnTiming
from hakoniwa.turn import Value

Part = Literal["total", "think", "perform", "retake", "referee", "first_token"]
PARTS: tuple[Part, ...] = ("total", "think", "perform", "retake", "referee", "first_token")


class Spent(Value):
    """How long something took: as a rule, and at its slowest but for one in twenty."""

    median: float
    slow: float


def spent(results: Results, timings: Timings, model: str, variant: str) -> dict[Part, dict[Arm, Spent]]:
    """Milliseconds of each part of a turn in each arm; parts that nobody timed are left out."""
    clocks = {one.run: one.turns for one in timings.runs}
    keys = [run.key for run in results.runs if (run.key.model, run.key.variant.label) == (model, variant)]
    turns = {arm: [turn for key in keys if key.arm is arm for turn in clocks.get(key.id, ())] for arm in Arm}
    found = {part: {arm: _spent(turns[arm], part) for arm in Arm} for part in PARTS}
    known = {part: {arm: one for arm, one in arms.items() if one is not None} for part, arms in found.items()}
    return {part: arms for part, arms in known.items() if arms}


def _spent(turns: Iterable[TurnTiming], part: Part) -> Spent | None:
    values = [value for turn in turns if (value := getattr(turn, part)) is not None]
    if not values:
        return None
    median, slow = np.quantile(values, (0.5, 0.95))
    return Spent(median=float(median), slow=float(slow))
