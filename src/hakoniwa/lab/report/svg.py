"""SVG: the few strokes charts are made of; every colour is a class, so that the page's style decides."""

import math
from collections.abc import Iterable, Sequence

from lxml import etree
from lxml.builder import E
from markupsafe import Markup

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
