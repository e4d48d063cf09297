"""Findings: what an experiment came to, for a page to show: the verdict and the arms, without the report's pictures."""

from functools import lru_cache
from pathlib import Path

from hakoniwa.lab.experiment import read_results
from hakoniwa.lab.report.analysis import Measure, Panel, panels
from hakoniwa.lab.report.verdict import ReportWording, verdict
from hakoniwa.lab.results import RESULTS, Arm, Results
from hakoniwa.turn import Value

CACHE_SIZE = 8  # analysed anew otherwise: a second or two each


class ArmMean(Value):
    """One arm in one measure, as a number with its interval and in words."""

    arm: Arm
    mean: float | None
    low: float | None
    high: float | None
    told: str
    interval: str


class MeasureView(Value):
    """One main measure of a panel."""

    key: str
    label: str
    hint: str
    arms: tuple[ArmMean, ...]


class PanelView(Value):
    """One model in one variant: what was found, what that does not tell, and the main measures."""

    title: str
    lead: tuple[str, ...]
    figures: tuple[str, ...]
    caveats: tuple[str, ...]
    measures: tuple[MeasureView, ...]


def findings(folder: Path, language: str) -> tuple[PanelView, ...]:
    """What the results in a folder say; the same file is analysed once."""
    path = folder / RESULTS
    stat = path.stat()
    results, analysed = _analyse(path, stat.st_mtime_ns, stat.st_size)
    say = ReportWording(language, results.scoring)
    return tuple(_panel(panel, results, say) for panel in analysed)


@lru_cache(maxsize=CACHE_SIZE)
def _analyse(path: Path, _changed: int, _size: int) -> tuple[Results, tuple[Panel, ...]]:
    """By the file and when it was written: another one under the same name is another."""
    results = read_results(path)
    return results, panels(results)


def _panel(panel: Panel, results: Results, say: ReportWording) -> PanelView:
    told = verdict(panel, results, say)
    return PanelView(
        title=say.panel(panel),
        lead=told.lead,
        figures=told.figures,
        caveats=told.caveats,
        measures=tuple(_measure(one, say) for one in panel.primary),
    )


def _measure(measure: Measure, say: ReportWording) -> MeasureView:
    unit = measure.metric.unit
    return MeasureView(
        key=measure.metric.key,
        label=say.label(measure.metric),
        hint=say(f"arms.{measure.metric.better}"),
        arms=tuple(
            ArmMean(
                arm=arm, mean=one.mean, low=one.low, high=one.high, told=say.mean(unit, one),
                interval=say.interval(unit, one),
            )
            for arm, one in measure.arms.items()
        ),
    )  # fmt: skip
