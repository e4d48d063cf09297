"""gate: whether an experiment's results are good enough to go on with, and not worse than those kept before."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from hakoniwa.errors import ScenarioError
from hakoniwa.lab.metrics import METRICS, Metric, mean
from hakoniwa.lab.results import Results, RunResult
from hakoniwa.turn import Value

GIVE_UPS, EXTRA_CALLS = 0.10, 0.5
SLACK = {"share": 0.05, "score": 0.05, "per_turn": 0.1}  # how far a metric may fall behind before it counts


class Failure(Value):
    """One reason not to go on."""

    kind: Literal["limit", "crash", "baseline", "missing"]
    group: str
    metric: str
    found: float
    limit: float


class Baseline(Value):
    """The means of an earlier experiment: by group (model, variant, arm), then by metric."""

    groups: dict[str, dict[str, float]]


def gate(results: Results, baseline: Baseline | None = None) -> list[Failure]:
    """Everything that stands against these results; empty: they pass."""
    means = baseline_of(results).groups
    return [*_crashes(results), *_limits(means), *(_behind(means, baseline) if baseline else ())]


def baseline_of(results: Results) -> Baseline:
    """These results as what later ones are measured against."""
    groups: dict[str, list[RunResult]] = {}
    for run in results.runs:
        groups.setdefault(group_of(run), []).append(run)
    return Baseline(groups={name: _means(runs) for name, runs in groups.items()})


def group_of(run: RunResult) -> str:
    return "/".join(one for one in (run.key.model, run.key.variant.label, str(run.key.arm)) if one)


def _means(runs: Sequence[RunResult]) -> dict[str, float]:
    """The mean of each gated metric over the runs that have it."""
    found = {one.key: mean(getattr(run.metrics, one.key) for run in runs) for one in METRICS if one.gated}
    return {key: value for key, value in found.items() if value is not None}


def _crashes(results: Results) -> Iterator[Failure]:
    crashed = [run for run in results.runs if run.crash]
    for group in dict.fromkeys(map(group_of, crashed)):
        count = sum(group_of(run) == group for run in crashed)
        yield Failure(kind="crash", group=group, metric="crashes", found=count, limit=0)


def _limits(means: dict[str, dict[str, float]]) -> Iterator[Failure]:
    for group, values in means.items():
        for metric, limit in (("give_ups", GIVE_UPS), ("extra_calls", EXTRA_CALLS)):
            if values.get(metric, 0.0) >= limit:
                yield Failure(kind="limit", group=group, metric=metric, found=values[metric], limit=limit)


def _behind(means: dict[str, dict[str, float]], baseline: Baseline) -> Iterator[Failure]:
    """What is worse than it was by more than a little, and groups that are no longer there."""
    for group, before in baseline.groups.items():
        if group not in means:
            yield Failure(kind="missing", group=group, metric="-", found=0, limit=0)
            continue
        for one in METRICS:
            if one.key in before and one.key in means[group]:
                limit = _limit(one, before[one.key])
                found = means[group][one.key]
                if found > limit if one.better == "less" else found < limit:
                    yield Failure(kind="baseline", group=group, metric=one.key, found=found, limit=limit)


def _limit(metric: Metric, before: float) -> float:
    slack = SLACK[metric.unit]
    return round(before + slack if metric.better == "less" else before - slack, 6)


def read_baseline(path: Path) -> Baseline:
    try:
        return Baseline.model_validate_json(path.read_bytes())
    except OSError:
        raise ScenarioError("lab.no-file", file=str(path)) from None
    except ValidationError as error:
        raise ScenarioError("lab.not-readable", file=str(path), problem=str(error.errors()[0]["msg"])) from None
