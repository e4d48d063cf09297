"""The details of a report: what a stopwatch said, every turn as a line, and turns worth quoting."""

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from io import StringIO
from typing import Any, Literal

import numpy as np

from hakoniwa.lab.results import Arm, Results, RunResult, Timings, TurnRow, TurnTiming
from hakoniwa.turn import DeniedReason, Value

TimedPart = Literal["total", "think", "perform", "retake", "referee", "first_token"]
PARTS: tuple[TimedPart, ...] = ("total", "think", "perform", "retake", "referee", "first_token")


class TimeSpent(Value):
    """How long something took: as a rule, and at its slowest but for one in twenty."""

    median: float
    slow: float


def spent(results: Results, timings: Timings, model: str, variant: str) -> dict[TimedPart, dict[Arm, TimeSpent]]:
    """Milliseconds of each part of a turn in each arm; parts that nobody timed are left out."""
    clocks = {one.run: one.turns for one in timings.runs}
    keys = [run.key for run in results.runs if (run.key.model, run.key.variant.label) == (model, variant)]
    turns = {arm: [turn for key in keys if key.arm is arm for turn in clocks.get(key.id, ())] for arm in Arm}
    found = {part: {arm: _part_time(turns[arm], part) for arm in Arm} for part in PARTS}
    known = {part: {arm: one for arm, one in arms.items() if one is not None} for part, arms in found.items()}
    return {part: arms for part, arms in known.items() if arms}


def _part_time(turns: Iterable[TurnTiming], part: TimedPart) -> TimeSpent | None:
    values = [value for turn in turns if (value := getattr(turn, part)) is not None]
    if not values:
        return None
    median, slow = np.quantile(values, (0.5, 0.95))
    return TimeSpent(median=float(median), slow=float(slow))


OF_RUN = ("run", "model", "variant", "scenario", "seed", "arm")
OF_TURN = tuple(TurnRow.model_fields)
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet takes for the beginning of one


def turns_csv(results: Results) -> str:
    file = StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow((*OF_RUN, *OF_TURN))
    for run in results.runs:
        writer.writerows([*_of_run(run), *map(_cell, row.model_dump(mode="json").values())] for row in run.rows)
    return "\ufeff" + file.getvalue()  # without the mark, spreadsheets misread Japanese


def _of_run(run: RunResult) -> list[Any]:
    key = run.key
    return [key.id, key.model, key.variant.label, key.scenario, key.seed, key.arm]


def _cell(value: Any) -> Any:
    """A value as a cell holds it; a text that looks like a formula is marked as text."""
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False) if value else ""
    if isinstance(value, str) and value.startswith(FORMULA):
        return f"'{value}"
    return value


Kind = Literal["violation", "retake", "give_up", "stall", "judge_only", "words_only"]
BY_PLACE = (DeniedReason.MISSING_OBJECT, DeniedReason.WRONG_LOCATION)  # what the check by words looks for too
EACH = 2  # of a kind
LED_UP = 2  # turns before a stall
STALLED = 0.5


class Example(Value):
    """A turn with where it stands."""

    kind: Kind
    garden: str
    scenario: str
    seed: int
    arm: Arm
    row: TurnRow
    before: tuple[TurnRow, ...] = ()  # what led up to it, where that is the point


def examples(results: Results, model: str, variant: str) -> tuple[Example, ...]:
    """Of each kind the first that differ most from each other."""
    runs = [run for run in results.runs if (run.key.model, run.key.variant.label) == (model, variant)]
    arms = [[run for run in runs if run.key.arm is arm] for arm in Arm]
    return (
        *(one for alike in arms for one in _first(alike, "violation", lambda row: row.denied_reason is not None)),
        *_first(runs, "retake", _put_right),
        *_first(runs, "give_up", lambda row: bool(row.gave_up)),
        *(one for alike in arms for one in _most_stuck(alike)),
        *_first(runs, "judge_only", lambda row: row.denied_reason in BY_PLACE and not row.absent_words),
        *_first(runs, "words_only", lambda row: row.denied_reason not in BY_PLACE and bool(row.absent_words)),
    )


def _first(runs: list[RunResult], kind: Kind, fits: Callable[[TurnRow], bool]) -> list[Example]:
    """The first that fits, then the first that is most unlike it."""
    found = [_example(kind, run, row) for run, row in _turns(runs) if fits(row)]
    chosen: list[Example] = []
    while found and len(chosen) < EACH:
        best = max(found, key=lambda one: _novelty(one, chosen))  # of several, the first
        found.remove(best)
        chosen.append(best)
    return chosen


def _novelty(one: Example, chosen: list[Example]) -> int:
    new_scene = all(one.scenario != other.scenario for other in chosen)
    new_reason = all(one.row.denied_reason != other.row.denied_reason for other in chosen)
    return new_scene + new_reason + all(one.row.text != other.row.text for other in chosen)


def _put_right(row: TurnRow) -> bool:
    """Denied at first and allowed in the end; a retake may also be asked for where nothing was impossible."""
    return row.denied_reason is not None and bool(row.retakes) and row.kept_denied is None


def _most_stuck(runs: list[RunResult]) -> list[Example]:
    """The turn with the highest stall score, if it is high at all."""
    stuck = [(run, row) for run, row in _turns(runs) if row.stall_score > STALLED]
    if not stuck:
        return []
    run, row = max(stuck, key=lambda pair: pair[1].stall_score)
    before = tuple(one for one in run.rows if row.turn - LED_UP <= one.turn < row.turn)
    return [_example("stall", run, row).with_field("before", before)]


def _turns(runs: Iterable[RunResult]) -> Iterator[tuple[RunResult, TurnRow]]:
    return ((run, row) for run in runs if run.crash is None for row in run.rows if row.fault is None)


def _example(kind: Kind, run: RunResult, row: TurnRow) -> Example:
    return Example(kind=kind, garden=run.garden, scenario=run.key.scenario, seed=run.key.seed, arm=run.key.arm, row=row)
