"""The words of a report in one language, and the verdict: what the figures come to and what they do not tell."""

from collections.abc import Sequence
from functools import cache, reduce
from typing import Any, Literal

from hakoniwa.lab.metrics import Metric
from hakoniwa.lab.report.analysis import CLEAR, Measure, Panel, is_clear
from hakoniwa.lab.results import Arm, Results, Scoring
from hakoniwa.lab.statistics import Contrast, Estimate
from hakoniwa.messages import read_yaml
from hakoniwa.turn import Value

Unit = Literal["share", "per_turn", "score"]
QUALITY = (
    "quality", "character_consistency", "topic_novelty", "relationship_quality", "naturalness", "concreteness",
)  # fmt: skip
LEAST_P = 0.001
LARGE = 100  # per turn: tokens, of which nobody needs a fraction


@cache
def _catalogue(lang: str) -> Any:
    return read_yaml("hakoniwa.lab.report", f"words.{lang}.yaml")


class ReportWording:
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


BOTH, EFFECTS, CONTRASTS = "D-A", ("inject", "gm"), 8  # contrasts of each measure: three effects and five pairs
FEW = 15  # pairs under which a bootstrap is known to be too sure of itself


class ReportVerdict(Value):
    """A few sentences, the figures they rest on, and what is to be kept in mind."""

    lead: tuple[str, ...]
    figures: tuple[str, ...]
    caveats: tuple[str, ...]


def verdict(panel: Panel, results: Results, say: ReportWording) -> ReportVerdict:
    if not {Arm.A, Arm.D} <= set(panel.arms):
        return ReportVerdict(lead=(say("verdict.no-arms"),), figures=(), caveats=_caveats(panel, results, say))
    return ReportVerdict(
        lead=(*_both(panel, say), *_factors(panel, say), *_price(panel, say)),
        figures=tuple(_figures(one, say) for one in panel.primary if BOTH in one.pairs),
        caveats=_caveats(panel, results, say),
    )


def gain(measure: Measure, found: Contrast) -> float:
    """How much better a difference is: above zero if it is for the better, whichever way that is."""
    sign = {"less": -1, "more": 1, "neither": 0}[measure.metric.better]
    return sign * (found.difference.mean or 0.0)


def _both(panel: Panel, say: ReportWording) -> list[str]:
    """What both factors together do."""
    known = [(one, one.pairs[BOTH]) for one in panel.primary if BOTH in one.pairs]
    same = [one for one, found in known if found.equal == found.difference.n]
    told = _by_gain(known)
    unclear = [one for one, _ in known if one not in (*same, *told["better"], *told["worse"])]
    told |= {"unclear": unclear, "same": same}
    return [_measures_sentence(f"verdict.{key}", measures, say) for key, measures in told.items() if measures]


def _by_gain(known: Sequence[tuple[Measure, Contrast]]) -> dict[str, list[Measure]]:
    """The measures that are clearly better, and those that are clearly worse."""
    gains = [(one, gain(one, found)) for one, found in known if is_clear(found)]
    return {"better": [one for one, much in gains if much > 0], "worse": [one for one, much in gains if much < 0]}


def _factors(panel: Panel, say: ReportWording) -> list[str]:
    """What each factor does by itself, and whether they depend on each other."""
    if not panel.factorial:
        return []
    lines = [line for effect in EFFECTS for line in _effect(panel, effect, say)]
    crossed = [one for one in panel.primary if "interaction" in one.effects and is_clear(one.effects["interaction"])]
    return [*lines, *([_measures_sentence("verdict.interaction", crossed, say)] if crossed else [])]


def _effect(panel: Panel, effect: str, say: ReportWording) -> list[str]:
    told = _by_gain([(one, one.effects[effect]) for one in panel.primary if effect in one.effects])
    lines = [_measures_sentence(f"verdict.{effect}-{key}", measures, say) for key, measures in told.items() if measures]
    return lines or [say(f"verdict.{effect}-none")]


def _price(panel: Panel, say: ReportWording) -> list[str]:
    """What is left in the story after retakes, and what they cost."""
    kept, extra = panel.measure("impossible_kept"), panel.measure("extra_calls")
    lines = [say("verdict.kept", d=say.mean("share", kept.arms[Arm.D]), a=say.mean("share", kept.arms[Arm.A]))]
    if extra.arms[Arm.D].mean:
        lines.append(say("verdict.cost", calls=say.mean("per_turn", extra.arms[Arm.D])))
    return lines


def _figures(measure: Measure, say: ReportWording) -> str:
    found, unit = measure.pairs[BOTH], measure.metric.unit
    return say(
        "verdict.line", label=say.label(measure.metric), a=say.mean(unit, measure.arms[Arm.A]),
        d=say.mean(unit, measure.arms[Arm.D]), difference=say.difference(unit, found.difference.mean),
        interval=say.change_interval(unit, found), p=say.p(found.p_holm),
    )  # fmt: skip


def _caveats(panel: Panel, results: Results, say: ReportWording) -> tuple[str, ...]:
    """What a sceptical reader would say, where it applies."""
    lines = [say(f"caveat.{panel.kind}")] if panel.kind else []
    lines += [*_too_few(panel, say), *_by_design(panel, say)]
    if panel.distinct < panel.runs - panel.crashed:
        lines.append(say("caveat.repeated", distinct=panel.distinct, runs=panel.runs - panel.crashed))
    agreed = panel.agreement
    lines.append(say("caveat.judge", share=say.value("share", agreed.share), kappa=say.size(agreed.kappa)))
    if any(one.metric.key == "quality" for one in panel.measures):
        lines.append(_scoring_note(results, say))
    if any(one.flat for one in panel.primary):
        bound = min(1.0, 3 / max(1, min(panel.turns.values())))
        lines.append(say("caveat.flat", bound=say.value("share", bound)))
    if panel.crashed:
        lines.append(say("caveat.crashed", crashed=panel.crashed))
    return (*lines, say("caveat.scenarios"))


def _too_few(panel: Panel, say: ReportWording) -> list[str]:
    least = panel.smallest_p
    if len(panel.arms) < 2 or least is None:
        return []
    if least * CONTRASTS * len(panel.primary) >= CLEAR:
        return [say("caveat.too-few", pairs=panel.pairs, p=say.p(least))]
    return [say("caveat.few", pairs=panel.pairs)] if panel.pairs < FEW else []


def _by_design(panel: Panel, say: ReportWording) -> list[str]:
    """Differences that are there, or not there, because of how the arms are made."""
    lines = []
    if panel.same_replies and panel.same_replies[0]:
        same, total = panel.same_replies
        lines.append(say("caveat.same-replies", same=same, total=total))
    if any(arm.gm for arm in panel.arms) and not all(arm.gm for arm in panel.arms):
        lines += [say("caveat.worlds"), say("caveat.by-construction")]
    if Arm.D in panel.arms and len(panel.arms) > 1:
        lines.append(say("caveat.only-d"))
    return lines


def _scoring_note(results: Results, say: ReportWording) -> str:
    scoring = results.scoring
    if scoring.method == "formula":
        return say("caveat.quality-formula")
    count = max(1, len(scoring.calibration))
    before = sum(one.error_before for one in scoring.calibration) / count
    after = sum(one.error_after for one in scoring.calibration) / count
    return say(
        "caveat.quality-model", model=scoring.model, anchors=scoring.anchors,
        before=say.value("score", before), after=say.value("score", after),
    )  # fmt: skip


def _measures_sentence(key: str, measures: list[Measure], say: ReportWording) -> str:
    return say(key, labels=say.quoted([say.label(one.metric) for one in measures]))
