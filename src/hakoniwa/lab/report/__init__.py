"""The report of an experiment: one page that needs nothing else, the same in short as Markdown, and the data."""

import base64
import hashlib
import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import groupby
from pathlib import Path

from jinja2 import Environment
from markupsafe import Markup

from hakoniwa.lab.metrics import BY_KEY, METRICS
from hakoniwa.lab.report import charts
from hakoniwa.lab.report.analysis import Measure, Panel, Shift, is_clear, panels, shifts
from hakoniwa.lab.report.details import Example, TimedPart, TimeSpent, examples, spent, turns_csv
from hakoniwa.lab.report.verdict import ReportVerdict, ReportWording, verdict
from hakoniwa.lab.results import RESULTS, TIMINGS, Arm, Results, Timings
from hakoniwa.messages import LANGUAGES
from hakoniwa.prompts import environment

PAGE, MARKDOWN, TURNS = "report.html", "REPORT.md", "turns.csv"
CONSOLE = "http://127.0.0.1:8765/"  # where `hakoniwa serve` is found unless told otherwise
_MARKS = re.compile(r"([\\`*_\[\]<>#|~&])")


@dataclass(frozen=True)
class Chart:
    """A picture with what it is called."""

    label: str
    hint: str
    svg: Markup


@dataclass(frozen=True)
class ReportSection:
    """Everything about one model in one variant, in one language."""

    panel: Panel
    verdict: ReportVerdict
    others: tuple[Measure, ...]
    intervals: tuple[Chart, ...]
    crossings: tuple[Chart, ...]
    pairs: tuple[Chart, ...]
    stalls: tuple[Chart, ...]
    denials: Markup | None
    examples: dict[str, list[Example]]
    spent: dict[TimedPart, dict[Arm, TimeSpent]]


@dataclass(frozen=True)
class LanguageReport:
    """The whole report in one language."""

    say: ReportWording
    summary: str
    seeds: str
    effects: dict[str, str]
    parts: tuple[ReportSection, ...]


@dataclass(frozen=True)
class ReportData:
    """What both languages are written from."""

    results: Results
    timings: Timings
    panels: tuple[Panel, ...]
    shifts: tuple[Shift, ...]


def write_report(results: Results, folder: Path, lang: str = LANGUAGES[0]) -> Path:
    """Write all files of a report into a folder, and say which one to open; it opens in `lang` and can be switched."""
    material = _report_data(results, folder)
    sheets = [_language_report(material, one) for one in sorted(LANGUAGES, key=lambda one: one != lang)]
    written = {
        PAGE: _page(material, sheets),
        MARKDOWN: _markdown(material, sheets),
        TURNS: turns_csv(results),
        RESULTS: results.model_dump_json(indent=1),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in written.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    return folder / PAGE


def _report_data(results: Results, folder: Path) -> ReportData:
    clock = folder / TIMINGS
    timings = Timings.model_validate_json(clock.read_bytes()) if clock.is_file() else Timings()
    return ReportData(results=results, timings=timings, panels=panels(results), shifts=shifts(results))


def _page(material: ReportData, sheets: list[LanguageReport]) -> str:
    style = _style()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return _render("report.html.j2", material, sheets, style=style, digest=digest, console=CONSOLE)


def _markdown(material: ReportData, sheets: list[LanguageReport]) -> str:
    text = _render("report.md.j2", material, sheets)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def _render(template: str, material: ReportData, sheets: list[LanguageReport], **more: str) -> str:
    return _templates(template.endswith(".html.j2")).get_template(template).render(
        results=material.results, shifts=material.shifts, sheets=sheets, first=sheets[0].say.lang, metrics=METRICS,
        is_clear=is_clear, by_key=BY_KEY, **more,
    )  # fmt: skip


def _language_report(material: ReportData, lang: str) -> LanguageReport:
    spec, say = material.results.spec, ReportWording(lang, material.results.scoring)
    return LanguageReport(
        say=say,
        summary=say(
            "summary", runs=len(material.results.runs), models=say.listed([say.panel(one) for one in material.panels]),
            scenarios=len(spec.scenarios), seeds=len(spec.seeds), arms=len(spec.arms), profile=spec.profile,
            turns=sum(sum(one.turns.values()) for one in material.panels),
        ),
        seeds=say("run.seeds-range", first=min(spec.seeds), last=max(spec.seeds), count=len(spec.seeds)),
        effects={name: say(f"effects.{name}") for name in ("inject", "gm", "interaction")},
        parts=tuple(_report_section(material, panel, say, f"{lang}-{at}") for at, panel in enumerate(material.panels)),
    )  # fmt: skip


def _report_section(material: ReportData, panel: Panel, say: ReportWording, name: str) -> ReportSection:
    found = examples(material.results, panel.model, panel.variant)
    return ReportSection(
        panel=panel,
        verdict=verdict(panel, material.results, say),
        others=tuple(one for one in panel.measures if not one.metric.primary),
        intervals=tuple(_chart(charts.intervals, one, say, f"{name}-i") for one in panel.primary),
        crossings=tuple(_chart(charts.crossing, one, say, f"{name}-x") for one in panel.primary if panel.factorial),
        pairs=tuple(_chart(charts.pairs, one, say, f"{name}-p") for one in panel.primary if one.differences),
        stalls=tuple(
            Chart(scenario, "", charts.stalls(scenario, curves, say, f"{name}-s{at}"))
            for at, (scenario, curves) in enumerate(panel.stalls.items())
        ),
        denials=charts.denials(panel, say, f"{name}-d") if panel.denials else None,
        examples={kind: list(those) for kind, those in groupby(found, key=lambda one: one.kind)},
        spent=spent(material.results, material.timings, panel.model, panel.variant),
    )


def _chart(draw: charts.Draw, measure: Measure, say: ReportWording, name: str) -> Chart:
    metric = measure.metric
    hint = "" if metric.better == "neither" else say(f"arms.{metric.better}")
    return Chart(say.label(metric), hint, draw(measure, say, f"{name}-{metric.key}"))


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
