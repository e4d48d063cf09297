"""Further factors: what a setting beside the 2×2 changes, against the standard one, arm by arm."""

from hakoniwa.lab.definitions import METRICS, Metric
from hakoniwa.lab.report.analysis import run_value
from hakoniwa.lab.results import Arm, Results
from hakoniwa.lab.statistics import Contrast, contrast, corrected
from hakoniwa.turn import Value


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
        for (model, variant, arm, metric), one in corrected(found).items()
        if one.difference.n
    )
