"""The gate: what closes it."""

from typing import Any

import pytest

from hakoniwa.lab.metrics import Baseline, baseline_of, gate
from hakoniwa.lab.results import Results
from tests.lab.bench import results


def with_metrics(**values: Any) -> Results:
    """Results that are good but for these values, in every run."""
    good = {"give_ups": 0.0, "extra_calls": 0.0, **values}
    given = results("builtin")
    runs = [run.with_field("metrics", run.metrics.with_fields(good)) for run in given.runs if run.key.arm == "D"]
    return given.with_field("runs", tuple(runs))


@pytest.mark.parametrize(
    ("metric", "value", "closed"),
    [("give_ups", 0.0999, False), ("give_ups", 0.1, True), ("extra_calls", 0.499, False), ("extra_calls", 0.5, True)],
)
def test_the_limits_of_the_gate(metric: str, value: float, closed: bool) -> None:
    failures = gate(with_metrics(**{metric: value}))
    assert [(one.kind, one.metric) for one in failures] == ([("limit", metric)] if closed else [])


def test_one_crash_closes_it() -> None:
    good = with_metrics()
    crashed = good.with_field("runs", (good.runs[0].with_field("crash", "KeyError: 'x'"), *good.runs[1:]))
    assert [(one.kind, one.found) for one in gate(crashed)] == [("crash", 1)]


@pytest.mark.parametrize(
    ("metric", "before", "now", "closed"),
    [
        ("impossible_acts", 0.2, 0.26, True),
        ("impossible_acts", 0.2, 0.24, False),
        ("impossible_acts", 0.2, 0.0, False),
        ("effective_acts", 0.5, 0.44, True),
        ("effective_acts", 0.5, 0.9, False),
        ("quality", 0.7, 0.6, True),
    ],
)
def test_a_metric_may_not_fall_behind_the_baseline(metric: str, before: float, now: float, closed: bool) -> None:
    kept = baseline_of(with_metrics(**{metric: before}))
    failures = gate(with_metrics(**{metric: now}), kept)
    assert [(one.kind, one.metric) for one in failures] == ([("baseline", metric)] if closed else [])


def test_a_group_that_is_gone_is_noticed() -> None:
    gone = Baseline(groups={**baseline_of(with_metrics()).groups, "gemma/D": {"quality": 0.5}})
    assert [(one.kind, one.group) for one in gate(with_metrics(), gone)] == [("missing", "gemma/D")]
