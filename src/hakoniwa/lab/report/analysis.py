"""Analysis: the figures, times and examples of a report, from the results. Nothing here is words or pictures."""

import csv
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import StringIO
from typing import Any, Literal

import numpy as np

from hakoniwa.lab.metrics import METRICS, Metric
from hakoniwa.lab.results import Arm, Results, RunResult, Timings, TurnRow, TurnTiming
from hakoniwa.lab.statistics import Contrast, Estimate, contrast, correct_family, estimate, kappa, smallest_p
from hakoniwa.turn import DeniedReason, Value

Cell = tuple[str, int]  # what a pair has in common within a panel: scenario and seed
Weights = dict[Arm, float]

EFFECTS: dict[str, Weights] = {
    "inject": {Arm.A: -0.5, Arm.B: 0.5, Arm.C: -0.5, Arm.D: 0.5},
    "gm": {Arm.A: -0.5, Arm.B: -0.5, Arm.C: 0.5, Arm.D: 0.5},
    "interaction": {Arm.A: 1, Arm.B: -1, Arm.C: -1, Arm.D: 1},
}
PAIRS: dict[str, Weights] = {
    f"{to}-{of}": {Arm(of): -1, Arm(to): 1} for of, to in (("A", "B"), ("A", "C"), ("A", "D"), ("B", "D"), ("C", "D"))
}
CLEAR = 0.05


class Measure(Value):
    """One measure in one panel: what it is in each arm, in each scenario, and how the arms differ."""

    metric: Metric
    arms: dict[Arm, Estimate]
    scenarios: dict[str, dict[Arm, Estimate]]  # of a primary measure only
    effects: dict[str, Contrast]
    pairs: dict[str, Contrast]
    differences: dict[str, tuple[float, ...]]  # D - A of every pair, by scenario

    @property
    def flat(self) -> bool:
        """Whether some arm has the same value in all its runs of a scenario, so that its interval has no width."""
        return any(one.n > 1 and one.low == one.high for one in self.arms.values())


class Agreement(Value):
    """The judge beside the check that knows only words, over all first replies of a panel."""

    both: int
    judge_only: int
    words_only: int
    neither: int
    kappa: float | None

    @property
    def share(self) -> float | None:
        """Of all replies, how many they agree on."""
        total = self.both + self.judge_only + self.words_only + self.neither
        return (self.both + self.neither) / total if total else None


class Panel(Value):
    """One model in one variant: everything that is compared with each other."""

    model: str
    kind: str
    variant: str
    arms: tuple[Arm, ...]
    scenarios: tuple[str, ...]
    runs: int
    crashed: int
    pairs: int  # scenario and seed with a run in every arm
    finished: dict[Arm, int]  # runs that did not break off
    turns: dict[Arm, int]
    measures: tuple[Measure, ...]
    denials: dict[DeniedReason, dict[Arm, int]]
    stalls: dict[str, dict[Arm, tuple[float, ...]]]  # by scenario: the mean stall score of each turn
    agreement: Agreement
    distinct: int  # runs that differ in their first replies from all others of their scenario and arm
    same_replies: tuple[int, int] | None  # pairs of A and C with the same first replies, of how many

    def measure(self, key: str) -> Measure:
        return next(one for one in self.measures if one.metric.key == key)

    @property
    def factorial(self) -> bool:
        return len(self.arms) == len(Arm)

    @property
    def smallest_p(self) -> float | None:
        return smallest_p(self.pairs)

    @property
    def primary(self) -> tuple[Measure, ...]:
        return tuple(one for one in self.measures if one.metric.primary)


def panels(results: Results) -> tuple[Panel, ...]:
    """One panel for each model and variant, in the order of the design."""
    kinds = {one.id: one.kind for one in results.spec.models}
    keys = dict.fromkeys((run.key.model, run.key.variant.label) for run in results.runs)
    return tuple(_panel(*key, kinds.get(key[0], ""), _runs_of(results.runs, *key)) for key in keys)


def is_clear(found: Contrast) -> bool:
    """Whether a difference stands after the correction, and its interval is on one side of zero."""
    low, high = found.difference.low, found.difference.high
    beyond = low is not None and high is not None and (low > 0 or high < 0)
    return beyond and found.p_holm is not None and found.p_holm < CLEAR


def _runs_of(runs: Iterable[RunResult], model: str, variant: str) -> list[RunResult]:
    return [run for run in runs if (run.key.model, run.key.variant.label) == (model, variant)]


def _panel(model: str, variant: str, kind: str, runs: list[RunResult]) -> Panel:
    whole = [run for run in runs if run.crash is None]
    arms = tuple(arm for arm in Arm if any(run.key.arm is arm for run in runs))
    by_arm = {arm: {(run.key.scenario, run.key.seed): run for run in whole if run.key.arm is arm} for arm in arms}
    scenarios = tuple(dict.fromkeys(run.key.scenario for run in runs))
    cells = list(dict.fromkeys((run.key.scenario, run.key.seed) for run in runs))
    return Panel(
        model=model,
        kind=kind,
        variant=variant,
        arms=arms,
        scenarios=scenarios,
        runs=len(runs),
        crashed=len(runs) - len(whole),
        pairs=sum(all(cell in by_arm[arm] for arm in arms) for cell in cells),
        finished={arm: len(by_arm[arm]) for arm in arms},
        turns={arm: sum(run.metrics.turns for run in by_arm[arm].values()) for arm in arms},
        measures=_measures(by_arm, scenarios, cells),
        denials=_denials(by_arm),
        stalls={one: {arm: _curve(by_arm[arm].values(), one) for arm in arms} for one in scenarios},
        agreement=_agreement(whole),
        distinct=len({(run.key.scenario, run.key.arm, *_texts(run.rows)) for run in whole}),
        same_replies=_same_replies(by_arm),
    )


def _measures(
    by_arm: dict[Arm, dict[Cell, RunResult]], scenarios: Sequence[str], cells: list[Cell]
) -> tuple[Measure, ...]:
    """Every measure that anything is known of; the primary ones are corrected together, the others among themselves."""
    found = [_measure(metric, by_arm, scenarios, cells) for metric in METRICS]
    known = [one for one in found if any(mean.n for mean in one.arms.values())]
    primary = _as_family([one for one in known if one.metric.primary])
    others = _as_family([one for one in known if not one.metric.primary])
    return tuple(sorted((*primary, *others), key=lambda one: METRICS.index(one.metric)))


def _measure(
    metric: Metric, by_arm: dict[Arm, dict[Cell, RunResult]], scenarios: Sequence[str], cells: list[Cell]
) -> Measure:
    values = {arm: {cell: run_value(runs.get(cell), metric.key) for cell in cells} for arm, runs in by_arm.items()}
    strata = {one: [cell for cell in cells if cell[0] == one] for one in scenarios}

    def over(weights: Weights) -> list[list[float]]:
        return [
            [sum(much * values[arm][cell] for arm, much in weights.items()) for cell in at] for at in strata.values()
        ]

    def contrasts(wanted: dict[str, Weights]) -> dict[str, Contrast]:
        possible = {name: over(weights) for name, weights in wanted.items() if set(weights) <= set(values)}
        tested = {name: contrast(groups) for name, groups in possible.items()}
        return {name: one for name, one in tested.items() if one.difference.n}

    return Measure(
        metric=metric,
        arms={arm: estimate(over({arm: 1})) for arm in values},
        scenarios={one: _alone(values, cells) for one, cells in strata.items() if metric.primary},
        effects=contrasts(EFFECTS),
        pairs=contrasts(PAIRS),
        differences=_differences(values, strata),
    )


def _alone(values: dict[Arm, dict[Cell, float]], cells: list[Cell]) -> dict[Arm, Estimate]:
    """Each arm in one scenario."""
    return {arm: estimate([[known[cell] for cell in cells]]) for arm, known in values.items()}


def _differences(values: dict[Arm, dict[Cell, float]], strata: dict[str, list[Cell]]) -> dict[str, tuple[float, ...]]:
    if not {Arm.A, Arm.D} <= set(values):
        return {}
    found = {one: [values[Arm.D][at] - values[Arm.A][at] for at in cells] for one, cells in strata.items()}
    return {one: tuple(filter(math.isfinite, all_of)) for one, all_of in found.items()}


def run_value(run: RunResult | None, key: str) -> float:
    """A measure of a run; nan where there is no run, or nothing to measure in it."""
    value = None if run is None else getattr(run.metrics, key)
    return math.nan if value is None else float(value)


def _as_family(measures: list[Measure]) -> list[Measure]:
    tested = {(one.metric.key, name): found for one in measures for name, found in (one.effects | one.pairs).items()}
    family = correct_family(tested)

    def of(measure: Measure, names: Iterable[str]) -> dict[str, Contrast]:
        return {name: family[measure.metric.key, name] for name in names}

    return [one.with_fields({"effects": of(one, one.effects), "pairs": of(one, one.pairs)}) for one in measures]


def _denials(by_arm: dict[Arm, dict[Cell, RunResult]]) -> dict[DeniedReason, dict[Arm, int]]:
    counts = {arm: Counter[DeniedReason]() for arm in by_arm}
    for arm, runs in by_arm.items():
        for run in runs.values():
            counts[arm].update(run.metrics.denials)
    found = {reason: {arm: counts[arm][reason] for arm in by_arm} for reason in DeniedReason}
    return {reason: arms for reason, arms in found.items() if any(arms.values())}


def _curve(runs: Iterable[RunResult], scenario: str) -> tuple[float, ...]:
    """The mean stall score of the first turn, the second …, over all runs that got so far."""
    scores: dict[int, list[float]] = {}
    for run in runs:
        for row in run.rows if run.key.scenario == scenario else ():
            if row.fault is None:
                scores.setdefault(row.turn, []).append(row.stall_score)
    return tuple(sum(scores[turn]) / len(scores[turn]) for turn in sorted(scores))


def _agreement(runs: list[RunResult]) -> Agreement:
    both, judge, words, neither = (sum(run.metrics.agreement[at] for run in runs) for at in range(4))
    return Agreement(
        both=both, judge_only=judge, words_only=words, neither=neither, kappa=kappa(both, judge, words, neither)
    )


def _same_replies(by_arm: dict[Arm, dict[Cell, RunResult]]) -> tuple[int, int] | None:
    """A and C are asked the same: how often they answer the same tells how much chance a model brings in."""
    if not {Arm.A, Arm.C} <= set(by_arm):
        return None
    shared = [cell for cell in by_arm[Arm.A] if cell in by_arm[Arm.C]]
    same = sum(_texts(by_arm[Arm.A][cell].rows) == _texts(by_arm[Arm.C][cell].rows) for cell in shared)
    return same, len(shared)


def _texts(rows: Sequence[TurnRow]) -> list[str]:
    return [row.text for row in rows]


class Shift(Value):
    """One main measure in one arm, as a variant differs from the first one of the design."""

    model: str
    variant: str
    arm: Arm
    metric: Metric
    found: Contrast


def shifts(results: Results) -> tuple[Shift, ...]:
    """All of them, corrected together; none where there is but one variant."""
    standard, *others = results.spec.variants
    runs = {(run.key.model, run.key.variant.label, run.key.arm, run.key.scenario, run.key.seed): run
            for run in results.runs if run.crash is None}  # fmt: skip
    found = {
        (model.id, other.label, arm, metric): contrast(
            [[run_value(runs.get((model.id, other.label, arm, scenario, seed)), metric.key)
              - run_value(runs.get((model.id, standard.label, arm, scenario, seed)), metric.key)
              for seed in results.spec.seeds] for scenario in results.spec.scenarios]
        )
        for model in results.spec.models for other in others for arm in results.spec.arms
        for metric in METRICS if metric.primary
    }  # fmt: skip
    return tuple(
        Shift(model=model, variant=variant, arm=arm, metric=metric, found=one)
        for (model, variant, arm, metric), one in correct_family(found).items()
        if one.difference.n
    )


# --- times, lines and examples ----------------------------------------------------------------------------------------


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
