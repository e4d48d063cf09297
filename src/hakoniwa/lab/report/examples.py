"""Examples: turns worth quoting, chosen by rule and not by hand, so that nobody picks the ones that suit them."""

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from hakoniwa.lab.results import Arm, Results, Run, TurnRow
from hakoniwa.turn import DeniedReason, Value

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


def _first(runs: list[Run], kind: Kind, fits: Callable[[TurnRow], bool]) -> list[Example]:
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


def _most_stuck(runs: list[Run]) -> list[Example]:
    """The turn with the highest stall score, if it is high at all."""
    stuck = [(run, row) for run, row in _turns(runs) if row.stall_score > STALLED]
    if not stuck:
        return []
    run, row = max(stuck, key=lambda pair: pair[1].stall_score)
    before = tuple(one for one in run.rows if row.turn - LED_UP <= one.turn < row.turn)
    return [_example("stall", run, row).with_field("before", before)]


def _turns(runs: Iterable[Run]) -> Iterator[tuple[Run, TurnRow]]:
    return ((run, row) for run in runs if run.crash is None for row in run.rows if row.fault is None)


def _example(kind: Kind, run: Run, row: TurnRow) -> Example:
    return Example(
        kind=kind, garden=run.garden, scenario=run.key.scenario, seed=run.key.seed, arm=run.key.arm, row=row
    )
