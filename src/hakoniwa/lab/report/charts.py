"""Charts: still pictures in SVG, drawn from the analysis; every colour is a class, so that the page's style decides."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from lxml import etree
from lxml.builder import E
from markupsafe import Markup

from hakoniwa.lab.metrics import Metric
from hakoniwa.lab.report.analysis import Measure, Panel
from hakoniwa.lab.report.verdict import ReportWording
from hakoniwa.lab.results import Arm

WIDTH = 340
LEFT, RIGHT = 46, 14
Svg = etree._Element
SHAPES = {
    Arm.A: "m-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z", Arm.B: "m-4.5 -4.5h9v9h-9z",
    Arm.C: "m0 -5.5l5.5 10h-11z", Arm.D: "m0 -6l6 6l-6 6l-6 -6z",
}  # fmt: skip


class Scale:
    """Where a value stands between two edges."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        self.low, self.high, self.start, self.end = low, high, start, end

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.start + min(1.0, max(0.0, share)) * (self.end - self.start)

    def ticks(self, count: int = 4) -> list[float]:
        """A few round values across the scale."""
        step = round_up((self.high - self.low) / count)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [at * step for at in range(first, last + 1)]


def round_up(value: float) -> float:
    """The next of 1, 2, 2.5, 5, times a power of ten."""
    if value <= 0:
        return 0.1
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 2.5, 5, 10) if step * power >= value * (1 - 1e-9))


def mark(arm: Arm, x: float, y: float) -> Svg:
    """A circle, a square, a triangle, a diamond."""
    return E.path({"d": f"M{x:.1f} {y:.1f}{SHAPES[arm]}", "class": f"fill arm-{arm}"})


def dot(x: float, y: float, kind: str) -> Svg:
    return E.circle({"cx": f"{x:.1f}", "cy": f"{y:.1f}", "r": "2.3", "class": kind})


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Svg:
    return E.line({"x1": f"{x1:.1f}", "y1": f"{y1:.1f}", "x2": f"{x2:.1f}", "y2": f"{y2:.1f}", "class": kind})


def path(points: Sequence[tuple[float, float]], kind: str) -> Svg:
    return E.path({"d": "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points), "class": kind})


def text(x: float, y: float, words: str, kind: str) -> Svg:
    return E.text(words, {"x": f"{x:.1f}", "y": f"{y:.1f}", "class": kind})


def figure(name: str, title: str, described: str, height: float, drawn: Iterable[Svg]) -> Markup:
    svg = E.svg(
        E.title(title, id=f"{name}-t"), E.desc(described, id=f"{name}-d"), *drawn,
        {"viewBox": f"0 0 {WIDTH} {height:.0f}", "role": "img", "aria-labelledby": f"{name}-t {name}-d"},
    )  # fmt: skip
    return Markup(etree.tostring(svg, encoding="unicode"))


HEAP = 50  # the most a heap of dots may rise

Draw = Callable[[Measure, ReportWording, str], Markup]


def intervals(measure: Measure, say: ReportWording, name: str) -> Markup:
    """Mean and interval of each arm, one below the other."""
    metric, arms = measure.metric, list(measure.arms)
    scale = Scale(0, _top(metric, _edges(measure)), LEFT, WIDTH - RIGHT)
    rows = {arm: 22 + 24 * place for place, arm in enumerate(arms)}
    bottom = 22 + 24 * len(arms) - 8
    drawn = [*_grid(scale, 8, bottom, metric)]
    for arm, y in rows.items():
        drawn += [text(LEFT - 22, y + 4, arm, "arm"), *_bar(measure, arm, scale, y, say)]
    title = say("arms.chart-one", label=say.label(metric))
    return figure(name, title, _describe(measure, say), bottom + 20, drawn)


def crossing(measure: Measure, say: ReportWording, name: str) -> Markup:
    """The interaction: GM off and on, one line without Inject and one with it."""
    metric = measure.metric
    height, edges = 150, _edges(measure)
    across = Scale(0, 1, LEFT + 40, WIDTH - RIGHT - 70)
    scale = Scale(0, _top(metric, edges), height - 24, 10)
    drawn = [*_rows(scale, metric)]
    for place, word in enumerate(("effects.off", "effects.on")):
        drawn.append(text(across(place), height - 6, say(word), "tick middle"))
    for off, on, word in ((Arm.A, Arm.C, "effects.without"), (Arm.B, Arm.D, "effects.with")):
        drawn += _crossing_line(measure, off, on, across, scale, say(word))
    title = say("effects.chart-one", label=say.label(metric))
    return figure(name, title, _describe(measure, say), height, drawn)


def pairs(measure: Measure, say: ReportWording, name: str) -> Markup:
    """The difference of D and A in every pair, equal ones heaped on each other, one row for each scenario."""
    metric = measure.metric
    values = [value for one in measure.differences.values() for value in one]
    reach = round_up(max((abs(value) for value in values), default=0.0) or 0.1)
    scale = Scale(-reach, reach, RIGHT, WIDTH - RIGHT)
    drawn, y = [], 0.0
    for scenario, found in measure.differences.items():
        y += 14
        drawn.append(text(RIGHT, y, scenario, "tick"))
        y += HEAP + 6
        drawn += [*_heap_dots(found, scale, y), line(RIGHT, y + 1, WIDTH - RIGHT, y + 1, "rule")]
        if found:
            mean = sum(found) / len(found)
            told = f"{scenario}: {say.difference(metric.unit, mean)}"
            drawn.append(E.path(E.title(told), {"d": f"M{scale(mean):.1f} {y + 2:.1f}l5 8h-10z", "class": "mean"}))
        y += 8
    marks = {-reach: "tick", 0.0: "tick middle", reach: "tick end"}
    ticks = [text(scale(at), y + 14, say.change(metric.unit, at), kind) for at, kind in marks.items()]
    zero = line(scale(0), 4, scale(0), y, "zero")
    title = say("pairs.chart-one", label=say.label(metric))
    return figure(name, title, _describe(measure, say), y + 20, [zero, *drawn, *ticks])


def denials(panel: Panel, say: ReportWording, name: str) -> Markup:
    """How often each reason was given in each arm, per hundred turns."""
    rates = {reason: _per_hundred(panel, arms) for reason, arms in panel.denials.items()}
    top = round_up(max(rate for arms in rates.values() for rate in arms.values()))
    scale, drawn, y = Scale(0, top, RIGHT, WIDTH - 60), [], 4.0
    for reason, arms in rates.items():
        y += 16
        drawn.append(text(RIGHT, y, say(f"reasons.{reason}"), "name"))
        for arm, rate in arms.items():
            y += 13
            bar = {"x": str(RIGHT), "y": f"{y - 8:.1f}", "width": f"{max(0.5, scale(rate) - RIGHT):.1f}", "height": "9"}
            drawn += [
                E.rect({**bar, "class": f"fill arm-{arm}"}),
                text(scale(rate) + 6, y, f"{arm} {rate:.1f}", "tick"),
            ]
        y += 6
    lines = [f"{say(f'reasons.{reason}')}: " + _per_arm(arms) for reason, arms in rates.items()]
    return figure(name, say("denials.chart"), say.listed(lines), y + 6, drawn)


def stalls(scenario: str, curves: dict[Arm, tuple[float, ...]], say: ReportWording, name: str) -> Markup:
    """The mean stall score turn by turn, a line for each arm."""
    height = 140
    longest = max((len(one) for one in curves.values()), default=0)
    across = Scale(1, max(2, longest), LEFT, WIDTH - RIGHT - 16)
    scale = Scale(0, 1, height - 24, 10)
    drawn = [*_rows(scale, None)]
    drawn += [text(across(at), height - 8, str(at), "tick middle") for at in _turns_named(longest)]
    for place, (arm, curve) in enumerate(curves.items()):
        points = [(across(turn), scale(score)) for turn, score in enumerate(curve, 1)]
        if points:
            drawn.append(path(points, f"line arm-{arm}"))
            drawn.append(mark(arm, *points[(place + 1) * len(points) // 5]))
            drawn.append(text(points[-1][0] + 5, points[-1][1] + 4 + 0.01 * place, arm, f"ink arm-{arm}"))
    means = {arm: sum(curve) / len(curve) for arm, curve in curves.items() if curve}
    told = say.listed([f"{arm} {mean:.2f}" for arm, mean in means.items()])
    return figure(name, say("stalls.chart-one", scenario=scenario), told, height, drawn)


def _per_hundred(panel: Panel, counts: dict[Arm, int]) -> dict[Arm, float]:
    return {arm: 100 * count / panel.turns[arm] if panel.turns[arm] else 0.0 for arm, count in counts.items()}


def _per_arm(rates: dict[Arm, float]) -> str:
    return " / ".join(f"{arm} {rate:.1f}" for arm, rate in rates.items())


def _turns_named(longest: int) -> list[int]:
    step = max(1, longest // 5)
    return [1, *range(step if step > 1 else 2, longest + 1, step)]


def _bar(measure: Measure, arm: Arm, scale: Scale, y: float, say: ReportWording) -> list[Svg]:
    """One arm: its interval, its mean as a sign, and the mean in figures."""
    found, unit = measure.arms[arm], measure.metric.unit
    if found.mean is None:
        return [text(LEFT, y + 4, say("missing"), "tick")]
    told = f"{arm}: {say.mean(unit, found)} ({say.interval(unit, found)})"
    drawn = [E.g(E.title(told), mark(arm, scale(found.mean), y))]
    if found.low is not None and found.high is not None:
        drawn.insert(0, line(scale(found.low), y, scale(found.high), y, f"line arm-{arm}"))
    return drawn


def _crossing_line(measure: Measure, off: Arm, on: Arm, across: Scale, scale: Scale, word: str) -> list[Svg]:
    means = [measure.arms[arm].mean for arm in (off, on)]
    if means[0] is None or means[1] is None:
        return []
    ends = [(across(0), scale(means[0])), (across(1), scale(means[1]))]
    drawn: list[Svg] = [path(ends, f"line {'with' if on.inject else 'without'}")]
    for arm, (x, y) in zip((off, on), ends, strict=True):
        low, high = measure.arms[arm].low, measure.arms[arm].high
        if low is not None and high is not None:
            drawn.append(line(x, scale(low), x, scale(high), f"line arm-{arm}"))
        drawn.append(mark(arm, x, y))
    return [*drawn, text(ends[1][0] + 9, ends[1][1] + (-3 if on.inject else 11), f"{on} {word}", "tick")]


def _heap_dots(values: Iterable[float], scale: Scale, y: float) -> list[Svg]:
    """A dot for each value; those at the same place heaped up, the highest heap as high as there is room."""
    heaps = Counter(round(scale(value) / 5) * 5.0 for value in values)
    step = min(5.0, HEAP / max(heaps.values(), default=1))
    return [dot(x, y - 3 - step * at, "pair") for x, count in sorted(heaps.items()) for at in range(count)]


def _grid(scale: Scale, top: float, bottom: float, metric: Metric) -> list[Svg]:
    """Upright lines with the value each stands for."""
    drawn = []
    for at in scale.ticks():
        drawn += [line(scale(at), top, scale(at), bottom, "rule")]
        drawn += [text(scale(at), bottom + 14, _tick(metric, at), "tick middle")]
    return drawn


def _rows(scale: Scale, metric: Metric | None) -> list[Svg]:
    """Lines across with the value each stands for."""
    drawn = []
    for at in scale.ticks():
        drawn += [line(LEFT, scale(at), WIDTH - RIGHT, scale(at), "rule")]
        drawn += [text(LEFT - 6, scale(at) + 4, _tick(metric, at), "tick end")]
    return drawn


def _tick(metric: Metric | None, value: float) -> str:
    return f"{100 * value:.3g}%" if metric is not None and metric.unit == "share" else f"{value:g}"


def _edges(measure: Measure) -> list[float]:
    known = [(one.mean, one.high) for one in measure.arms.values()]
    return [edge for pair in known for edge in pair if edge is not None]


def _top(metric: Metric, edges: list[float]) -> float:
    """Where the scale ends: from zero always, and no further than it must."""
    top = round_up(max(edges, default=0.0) or 0.1)
    return top if metric.unit == "per_turn" else min(1.0, top)


def _describe(measure: Measure, say: ReportWording) -> str:
    unit = measure.metric.unit
    return say.listed([f"{arm} {say.mean(unit, one)}" for arm, one in measure.arms.items()])
