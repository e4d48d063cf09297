"""The report of an experiment: one page that needs nothing else, the same in short as Markdown, and the data."""

import base64
import hashlib
import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any

from jinja2 import Environment

from hakoniwa.lab.metrics import BY_KEY, METRICS
from hakoniwa.lab.report import charts
from hakoniwa.lab.report.analysis import Measure, Panel, examples, is_clear, panels, shifts, spent, turns_csv
from hakoniwa.lab.report.verdict import ReportWording, verdict
from hakoniwa.lab.results import RESULTS, TIMINGS, Results, Timings
from hakoniwa.messages import LANGUAGES
from hakoniwa.prompts import environment

PAGE, MARKDOWN, TURNS = "report.html", "REPORT.md", "turns.csv"
CONSOLE = "http://127.0.0.1:8765/"  # where `hakoniwa serve` is found unless told otherwise
Shown = dict[str, Any]  # what a template is given, by name
_MARKS = re.compile(r"([\\`*_\[\]<>#|~&])")


def write_report(results: Results, folder: Path, lang: str = LANGUAGES[0]) -> Path:
    """Write all files of a report into a folder, and say which one to open; it opens in `lang` and can be switched."""
    clock = folder / TIMINGS
    timings = Timings.model_validate_json(clock.read_bytes()) if clock.is_file() else Timings()
    found = panels(results)
    sheets = [_sheet(results, found, timings, one) for one in sorted(LANGUAGES, key=lambda one: one != lang)]
    shown = {
        "results": results, "shifts": shifts(results), "sheets": sheets, "first": lang, "metrics": METRICS,
        "is_clear": is_clear, "by_key": BY_KEY,
    }  # fmt: skip
    written = {
        PAGE: _page(shown),
        MARKDOWN: _markdown(shown),
        TURNS: turns_csv(results),
        RESULTS: results.model_dump_json(indent=1),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in written.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    return folder / PAGE


def _page(shown: Shown) -> str:
    style = _style()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    page = _templates(autoescape=True).get_template("report.html.j2")
    return page.render(**shown, style=style, digest=digest, console=CONSOLE)


def _markdown(shown: Shown) -> str:
    text = _templates(autoescape=False).get_template("report.md.j2").render(**shown)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def _sheet(results: Results, found: Sequence[Panel], timings: Timings, lang: str) -> Shown:
    """The whole report in one language."""
    spec, say = results.spec, ReportWording(lang, results.scoring)
    summary = say(
        "summary", runs=len(results.runs), models=say.listed([say.panel(one) for one in found]),
        scenarios=len(spec.scenarios), seeds=len(spec.seeds), arms=len(spec.arms), profile=spec.profile,
        turns=sum(sum(one.turns.values()) for one in found),
    )  # fmt: skip
    return {
        "say": say,
        "summary": summary,
        "seeds": say("run.seeds-range", first=min(spec.seeds), last=max(spec.seeds), count=len(spec.seeds)),
        "effects": {name: say(f"effects.{name}") for name in ("inject", "gm", "interaction")},
        "parts": [_section(results, timings, panel, say, f"{lang}-{at}") for at, panel in enumerate(found)],
    }


def _section(results: Results, timings: Timings, panel: Panel, say: ReportWording, name: str) -> Shown:
    """Everything about one model in one variant, in one language."""
    quoted = examples(results, panel.model, panel.variant)
    return {
        "panel": panel,
        "verdict": verdict(panel, results, say),
        "others": [one for one in panel.measures if not one.metric.primary],
        "intervals": [_chart(charts.intervals, one, say, f"{name}-i") for one in panel.primary],
        "crossings": [_chart(charts.crossing, one, say, f"{name}-x") for one in panel.primary if panel.factorial],
        "pairs": [_chart(charts.pairs, one, say, f"{name}-p") for one in panel.primary if one.differences],
        "stalls": [
            {"label": scenario, "svg": charts.stalls(scenario, curves, say, f"{name}-s{at}")}
            for at, (scenario, curves) in enumerate(panel.stalls.items())
        ],
        "denials": charts.denials(panel, say, f"{name}-d") if panel.denials else None,
        "examples": {kind: list(those) for kind, those in groupby(quoted, key=lambda one: one.kind)},
        "spent": spent(results, timings, panel.model, panel.variant),
    }


def _chart(draw: charts.Draw, measure: Measure, say: ReportWording, name: str) -> Shown:
    """A picture with what it is called."""
    metric = measure.metric
    hint = "" if metric.better == "neither" else say(f"arms.{metric.better}")
    return {"label": say.label(metric), "hint": hint, "svg": draw(measure, say, f"{name}-{metric.key}")}


def _visible(text: str) -> str:
    """A text in which nothing is hidden: signs that cannot be seen, or turn the direction of others, show as marks."""
    return "".join("␣" if unicodedata.category(one) in ("Cc", "Cf") and one != "\n" else one for one in text)


def _plain(text: str) -> str:
    """A text on one line that means nothing to Markdown."""
    return _MARKS.sub(r"\\\1", re.sub(r"\s+", " ", text))


@cache
def _style() -> str:
    return files("hakoniwa.lab.report").joinpath("report.css").read_text(encoding="utf-8")


@cache
def _templates(autoescape: bool) -> Environment:
    templates = environment("hakoniwa.lab.report", autoescape=autoescape)
    templates.filters |= {"plain": _plain, "visible": _visible, "told": lambda say, key: say(key)}
    return templates
