"""What every measure is and how it is calculated, by `metrics.yaml`; and whether results are good enough to go on."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from hakoniwa.errors import ScenarioError
from hakoniwa.gm.stall import RECOVERY, WARNING
from hakoniwa.lab.results import Metrics, Results, RunResult, TurnRow
from hakoniwa.messages import read_yaml
from hakoniwa.turn import DeniedReason, FiveAxes, Value


class BilingualText(Value):
    """The same in both languages."""

    ja: str
    en: str


class Metric(Value):
    """One measure of a run: the field of `Metrics` of the same name."""

    key: str
    better: Literal["less", "more", "neither"]
    unit: Literal["share", "per_turn", "score"]
    label: BilingualText
    meaning: BilingualText
    formula: str
    primary: bool = False  # whether it is one of the few the experiment is about
    gated: bool = False  # whether `lab gate` compares it with a baseline


METRICS = TypeAdapter(tuple[Metric, ...]).validate_python(read_yaml("hakoniwa.lab", "metrics.yaml"))
BY_KEY = {one.key: one for one in METRICS}


ABSENT = frozenset({DeniedReason.MISSING_OBJECT, DeniedReason.WRONG_LOCATION})
DIGITS = 6


def metrics_of(rows: Sequence[TurnRow]) -> Metrics:
    """Every measure of one run."""
    replies = [row for row in rows if row.fault is None]
    share = _sharer(replies)
    retaken = [row for row in replies if row.retakes]
    return Metrics(
        turns=len(replies),
        impossible_acts=share(lambda row: row.denied_reason is not None),
        absent_things=share(uses_absent),
        absent_by_words=share(lambda row: bool(row.absent_words)),
        impossible_kept=share(lambda row: row.kept_denied is not None),
        retakes=mean(row.retakes for row in replies),
        retake_success=mean(row.kept_denied is None for row in retaken),
        give_ups=mean(row.gave_up for row in replies),
        silent_corrections=mean(row.silent_correction for row in retaken),
        extra_calls=mean(row.extra_calls for row in replies),
        stall_rate=share(lambda row: row.stall_score > WARNING),
        stall_mean=mean(row.stall_score for row in replies),
        stall_recovery=_recovery(replies),
        effective_acts=share(lambda row: row.effective),
        world_changes=share(lambda row: row.changed),
        addressing_errors=share(lambda row: row.addressing_error),
        tone_errors=share(lambda row: row.tone_error),
        omniscience=share(lambda row: row.leak),
        format_breaks=share(lambda row: row.format_break is not None),
        quality=mean(row.quality.overall for row in replies if row.quality),
        **{axis: mean(getattr(row.quality, axis) for row in replies if row.quality) for axis in FiveAxes.model_fields},
        calls=mean(row.calls for row in replies),
        prompt_tokens=mean(row.prompt_tokens for row in replies),
        completion_tokens=mean(row.completion_tokens for row in replies),
        faults=mean(row.fault is not None for row in rows),
        denials=_denials(replies),
        agreement=_agreement(replies),
    )


def uses_absent(row: TurnRow) -> bool:
    """Whether the judge says that the thing used is nowhere, or not here."""
    return row.denied_reason in ABSENT


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of what there is; of nothing there is none."""
    known = [one for one in values if one is not None]
    return round(sum(known) / len(known), DIGITS) if known else None


def _sharer(replies: Sequence[TurnRow]) -> Callable[[Callable[[TurnRow], bool]], float | None]:
    return lambda holds: mean(holds(row) for row in replies)


def _denials(replies: Sequence[TurnRow]) -> dict[DeniedReason, int]:
    counted = Counter(row.denied_reason for row in replies)
    return {reason: counted[reason] for reason in DeniedReason if counted[reason]}


def _agreement(replies: Sequence[TurnRow]) -> tuple[int, int, int, int]:
    """Judge and words on whether a thing is used that is not here: both, judge only, words only, neither."""
    counted = Counter((uses_absent(row), bool(row.absent_words)) for row in replies)
    return counted[True, True], counted[True, False], counted[False, True], counted[False, False]


def _recovery(replies: Sequence[TurnRow]) -> float | None:
    """The share of stalls after whose first turn, with three more to come, something is done that counts."""
    stalled = [row.stall_score > WARNING for row in replies]
    onsets = [place for place, now in enumerate(stalled) if now and not (place and stalled[place - 1])]
    seen = [place for place in onsets if place + RECOVERY < len(replies)]
    return mean(any(row.effective for row in replies[place + 1 : place + 1 + RECOVERY]) for place in seen)


# --- the gate ---------------------------------------------------------------------------------------------------------


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
