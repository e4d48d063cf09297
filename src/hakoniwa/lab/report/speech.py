"""Speech: the words and numbers of a report in one language."""

from functools import cache, reduce
from importlib.resources import files
from typing import Any, Literal

import yaml

from hakoniwa.lab.definitions import Metric
from hakoniwa.lab.report.analysis import Panel
from hakoniwa.lab.results import Scoring
from hakoniwa.lab.statistics import Contrast, Estimate
from hakoniwa.messages import LOADER

Unit = Literal["share", "per_turn", "score"]
QUALITY = (
    "quality", "character_consistency", "topic_novelty", "relationship_quality", "naturalness", "concreteness",
)  # fmt: skip
LEAST_P = 0.001
LARGE = 100  # per turn: tokens, of which nobody needs a fraction


@cache
def _catalogue(lang: str) -> dict[str, Any]:
    text = files("hakoniwa.lab.report").joinpath(f"words.{lang}.yaml").read_text(encoding="utf-8")
    words: dict[str, Any] = yaml.load(text, Loader=LOADER)
    return words


class Speech:
    """How one language says it."""

    def __init__(self, lang: str, scoring: Scoring) -> None:
        self.lang, self.scoring = lang, scoring

    def __call__(self, key: str, /, **details: Any) -> str:
        found: Any = reduce(lambda node, name: node[name], key.split("."), _catalogue(self.lang))
        return str(found.format(**details))

    def listed(self, labels: list[str]) -> str:
        return self("comma").join(labels)

    def quoted(self, labels: list[str]) -> str:
        """The same in a sentence that must not run into them."""
        return self("quoted.between").join(self("quoted.each", label=one) for one in labels)

    def label(self, metric: Metric) -> str:
        """What a measure is called; the axes say how they were scored, so that nobody takes one for the other."""
        name = str(getattr(metric.label, self.lang))
        return self(f"arms.scored.{self.scoring.method}", label=name) if metric.key in QUALITY else name

    def meaning(self, metric: Metric) -> str:
        if metric.key in QUALITY[1:] and self.scoring.method == "model":
            return self("method.by-the-model", model=self.scoring.model)
        return str(getattr(metric.meaning, self.lang))

    def formula(self, metric: Metric) -> str:
        by_model = metric.key in QUALITY[1:] and self.scoring.method == "model"
        return self("missing") if by_model else metric.formula

    def panel(self, panel: Panel) -> str:
        kind = self(f"model.{panel.kind}") if panel.kind else panel.model
        model = kind if panel.kind in ("builtin", "clumsy") else f"{kind} {panel.model}"
        return self("panel.variant", model=model, variant=panel.variant) if panel.variant else model

    def value(self, unit: Unit, value: float | None) -> str:
        if value is None:
            return self("missing")
        match unit:
            case "share":
                return f"{100 * value:.1f}%"
            case "per_turn":
                return f"{value:.0f}" if value >= LARGE else f"{value:.2f}"
        return f"{value:.3f}"

    def mean(self, unit: Unit, found: Estimate) -> str:
        return self.value(unit, found.mean)

    def interval(self, unit: Unit, found: Estimate) -> str:
        if found.low is None or found.high is None:
            return ""
        return self("range", low=self.value(unit, found.low), high=self.value(unit, found.high))

    def change(self, unit: Unit, value: float | None) -> str:
        """A difference, with its sign; of shares in points of a hundred."""
        if value is None:
            return self("missing")
        sign = "−" if value < 0 else "+" if value > 0 else ""
        return f"{sign}{self.value(unit, abs(value)).removesuffix('%')}"

    def difference(self, unit: Unit, value: float | None) -> str:
        """The same in a sentence."""
        told = self.change(unit, value)
        return self("points", value=told) if unit == "share" and value is not None else told

    def change_interval(self, unit: Unit, found: Contrast) -> str:
        one = found.difference
        if one.low is None or one.high is None:
            return self("missing")
        return self("range", low=self.change(unit, one.low), high=self.change(unit, one.high))

    def p(self, value: float | None) -> str:
        if value is None:
            return self("missing")
        return f"< {LEAST_P}" if value < LEAST_P else f"{value:.3f}"

    def size(self, value: float | None) -> str:
        return self("missing") if value is None else f"{value:.2f}".replace("-", "−")
