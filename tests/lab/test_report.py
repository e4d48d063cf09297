"""Reports: what they say fits what was put in, in both languages; what models wrote stays text; nothing is fetched."""

import base64
import csv
import hashlib
import io
import json
import re
import string
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import yaml

from hakoniwa.lab.metrics import METRICS
from hakoniwa.lab.report import write_report
from hakoniwa.lab.report.analysis import Panel, examples, is_clear, panels, shifts
from hakoniwa.lab.report.verdict import ReportWording, verdict
from hakoniwa.lab.results import (
    Arm,
    Calibration,
    Results,
    RunTiming,
    Scoring,
    Timings,
    TurnRow,
    TurnTiming,
    Variant,
)  # fmt: skip
from hakoniwa.turn import DeniedReason
from tests.lab.made import ERRS, HOSTILE, made

BY_MODEL = Scoring(
    method="model", model="critic-12b", anchors=20,
    calibration=(Calibration(axis="naturalness", slope=1, intercept=0, error_before=0.2, error_after=0.1),),
)  # fmt: skip


@pytest.fixture(scope="module")
def results() -> Results:
    return made()


@pytest.fixture(scope="module")
def panel(results: Results) -> Panel:
    (only,) = panels(results)
    return only


@pytest.fixture(scope="module")
def folder(results: Results, tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("report")
    times = tuple(
        RunTiming(run=run.key.id, seconds=1, turns=(TurnTiming(turn=1, total=40, perform=30, referee=0.5),))
        for run in results.runs
    )
    (where / "timings.json").write_text(Timings(runs=times).model_dump_json(), encoding="utf-8")
    write_report(results, where)
    return where


@pytest.fixture(scope="module")
def page(folder: Path) -> str:
    return (folder / "report.html").read_text(encoding="utf-8")


class Parsed(HTMLParser):
    """The tags of a page with their attributes, and the ids and texts in it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.tags if name == tag]


def test_the_verdict_is_what_was_put_in(results: Results, panel: Panel) -> None:
    acts = panel.measure("impossible_acts")
    for arm, rate in ERRS.items():
        assert acts.arms[arm].mean == pytest.approx(rate, abs=0.06)
        assert acts.arms[arm].low < acts.arms[arm].mean < acts.arms[arm].high
    assert is_clear(acts.effects["inject"])
    assert acts.effects["inject"].difference.mean < 0
    assert not is_clear(acts.pairs["C-A"])
    told = verdict(panel, results, ReportWording("en", results.scoring))
    assert "clearly better: Impossible acts" in told.lead[0]
    assert "Stall rate" in told.lead[1]
    assert "in 60 of 60 pairs" in " ".join(told.caveats)


def test_effects_are_made_of_the_paired_contrasts(panel: Panel) -> None:
    for measure in panel.primary:
        pairs = {name: one.difference.mean for name, one in measure.pairs.items()}
        effects = {name: one.difference.mean for name, one in measure.effects.items()}
        assert effects["inject"] == pytest.approx((pairs["B-A"] + pairs["D-C"]) / 2)
        assert effects["gm"] == pytest.approx((pairs["C-A"] + pairs["D-B"]) / 2)
        assert effects["interaction"] == pytest.approx(pairs["D-C"] - pairs["B-A"])


def test_arms_that_are_the_same_are_said_to_be_so() -> None:
    same = made(seeds=6, errs=dict.fromkeys(Arm, 0.0))
    (panel,) = panels(same)
    told = verdict(panel, same, ReportWording("en", same.scoring))
    assert any(line.startswith("The same in every single pair") and "Impossible acts" in line for line in told.lead)
    assert not any(is_clear(one.pairs["D-A"]) for one in panel.primary if one.metric.key == "impossible_acts")


CAVEATS: dict[str, tuple[dict[str, Any], str]] = {
    "the built-in mind": ({"kind": "builtin", "seeds": 6}, "chooses among possible acts only"),
    "a script of ours": ({"kind": "clumsy", "seeds": 6}, "a script of our own"),
    "one model": ({"kind": "server", "seeds": 6}, "one model in one setting"),
    "too few to show anything": ({"seeds": 2}, "There are only 6 pairs"),
    "few": ({"seeds": 4}, "With only 12 pairs"),
    "scored by a model": ({"seeds": 4, "scoring": BY_MODEL}, "off by 0.200 on average, 0.100 after"),
    "scored by formula": ({"seeds": 4}, "Quality is a score by formula"),
    "never seen": ({"seeds": 4, "errs": dict.fromkeys(Arm, 0.0)}, "3 ÷ turns (2.5%)"),
}


@pytest.mark.parametrize("case", CAVEATS)
def test_what_a_sceptic_would_say_stands_beside_the_verdict(case: str) -> None:
    options, words = CAVEATS[case]
    results = made(**options)
    (panel,) = panels(results)
    assert words in " ".join(verdict(panel, results, ReportWording("en", results.scoring)).caveats)


def test_one_arm_alone_is_measured_and_not_compared(tmp_path: Path) -> None:
    alone = made(seeds=1, arms=(Arm.D,), scenarios=("kitchen_morning",))
    write_report(alone, tmp_path)
    text = (tmp_path / "REPORT.md").read_text(encoding="utf-8")
    assert "arms cannot be compared" in text
    assert "Main effects" not in text


def test_a_crashed_run_is_left_out_and_counted() -> None:
    whole = made(seeds=5)
    broken = whole.runs[0].with_field("crash", "WorldError: no such thing")
    results = whole.with_field("runs", (broken, *whole.runs[1:]))
    (panel,) = panels(results)
    assert (panel.crashed, panel.pairs) == (1, 14)
    assert panel.measure("impossible_acts").pairs["B-A"].left_out == 1
    assert panel.measure("impossible_acts").pairs["D-B"].left_out == 0


def test_nothing_measured_is_never_nought(panel: Panel) -> None:
    retakes = panel.measure("retakes")
    assert [retakes.arms[arm].mean for arm in (Arm.A, Arm.B, Arm.C)] == [None] * 3
    assert not retakes.pairs
    keys = [one.metric.key for one in panel.measures]
    assert "prompt_tokens" not in keys


def test_further_factors_are_compared_with_the_standard() -> None:
    plain = made(seeds=8, scenarios=("kitchen_morning",))
    chosen = Variant(acts="choose")
    others = made(seeds=8, scenarios=("kitchen_morning",), errs=dict.fromkeys(Arm, 0.0)).runs
    runs = (*plain.runs, *(one.with_field("key", one.key.with_field("variant", chosen)) for one in others))
    spec = plain.spec.with_field("variants", (Variant(), chosen))
    found = shifts(plain.with_fields({"runs": runs, "spec": spec}))
    (acts,) = (one for one in found if one.arm is Arm.A and one.metric.key == "impossible_acts")
    assert acts.variant == "acts=choose"
    assert acts.found.difference.mean < -0.2
    assert not shifts(plain)


def test_examples_are_taken_by_rule_and_differ(results: Results) -> None:
    found = examples(results, "clumsy", "")
    denied = [one for one in found if one.kind == "violation"]
    assert {one.arm for one in denied} == set(Arm)
    for arm in Arm:
        assert len({one.scenario for one in denied if one.arm is arm}) == 2
    assert {one.kind for one in found} >= {"retake", "stall", "judge_only"}
    stall = next(one for one in found if one.kind == "stall")
    assert [one.turn for one in stall.before] == [stall.row.turn - 2, stall.row.turn - 1]
    assert found == examples(results, "clumsy", "")


def test_the_page_runs_nothing_fetches_nothing_and_shows_what_models_wrote_as_text(page: str) -> None:
    parsed = Parsed(page)
    assert HOSTILE not in page
    assert "&lt;script&gt;alert" in page
    assert not {name for name, _ in parsed.tags} & {"script", "link", "img", "iframe", "object", "base", "form"}
    assert not [attrs for _, attrs in parsed.tags if "style" in attrs or any(name.startswith("on") for name in attrs)]
    (policy,) = (one["content"] for one in parsed.named("meta") if one.get("http-equiv"))
    assert re.fullmatch(r"default-src 'none'; style-src 'sha256-[\w+/]+='", policy or "")
    places = {one["href"] for one in parsed.named("a")}
    assert all((place or "").startswith(("#", "http://127.0.0.1:8765/#/why/")) for place in places)
    assert "url(" not in page
    assert "@import" not in page


def test_the_style_is_the_one_the_policy_lets_in(page: str) -> None:
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in page


def test_every_chart_says_what_it_shows_and_every_link_leads_somewhere(page: str) -> None:
    parsed = Parsed(page)
    ids = [attrs["id"] for _, attrs in parsed.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    charts = parsed.named("svg")
    assert len(charts) == 2 * (5 + 5 + 5 + 1 + 3)
    for chart in charts:
        assert chart["role"] == "img"
        assert all(name in ids for name in (chart["aria-labelledby"] or "").split())
    inside = {(one["href"] or "")[1:] for one in parsed.named("a") if (one["href"] or "").startswith("#")}
    assert inside <= set(ids)
    assert inside


def test_both_languages_are_whole_and_neither_leaks_into_the_other(page: str) -> None:
    halves = dict(re.findall(r'<main lang="(\w+)">(.*?)</main>', page, re.DOTALL))
    for metric in METRICS:
        assert metric.label.ja in halves["ja"]
        assert metric.label.en in halves["en"]
    ours = re.sub(r"<blockquote.*?</blockquote>|<bdi>.*?</bdi>|</?\w[^>]*>", " ", halves["en"], flags=re.DOTALL)
    ours = re.sub("やな|あゆ", "", ours)  # who they are is the scenario's own language
    assert not re.findall(r"[ぁ-んァ-ヶ一-龠]+", ours)


def test_the_words_have_the_same_keys_and_places_in_both_languages() -> None:
    ja, en = (dict(_flat("", _words(lang))) for lang in ("ja", "en"))
    assert list(ja) == list(en)
    for key in ja:
        assert _places(ja[key]) == _places(en[key]), key


def _words(lang: str) -> Any:
    return yaml.safe_load(files("hakoniwa.lab.report").joinpath(f"words.{lang}.yaml").read_text(encoding="utf-8"))


def _flat(prefix: str, node: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(node, dict):
        yield prefix, node
        return
    for name, child in node.items():
        assert isinstance(name, str), f"{prefix}.{name} is read as a boolean"
        yield from _flat(f"{prefix}.{name}", child)


def _places(text: str) -> list[str]:
    return sorted(field for _, field, _, _ in string.Formatter().parse(text) if field)


def test_the_axes_say_how_they_were_scored() -> None:
    quality = next(one for one in METRICS if one.key == "naturalness")
    by_formula, by_model = ReportWording("en", Scoring()), ReportWording("en", BY_MODEL)
    assert by_formula.label(quality) == "Naturalness (by formula)"
    assert by_model.label(quality) == "Naturalness (by model)"
    assert "critic-12b" in by_model.meaning(quality)
    assert by_model.formula(quality) != quality.formula


def test_a_model_that_scores_shows_how_far_off_it_was(tmp_path: Path) -> None:
    page = write_report(made(seeds=2, scoring=BY_MODEL), tmp_path).read_text(encoding="utf-8")
    assert "Calibration of the scoring model (20 anchor dialogues)" in page
    assert "1.00 x +0.00" in page
    assert "by formula" not in page.replace("no model was asked", "")


def test_every_turn_is_a_line_and_none_is_a_formula(folder: Path, results: Results) -> None:
    text = (folder / "turns.csv").read_text(encoding="utf-8-sig")
    lines = list(csv.DictReader(io.StringIO(text)))
    assert len(lines) == sum(len(run.rows) for run in results.runs)
    first, row = lines[0], results.runs[0].rows[0]
    assert (first["run"], first["text"], float(first["stall_score"])) == (
        results.runs[0].key.id, row.text, row.stall_score,
    )  # fmt: skip
    formula = row.with_field("text", "=HYPERLINK(1)")
    run = results.runs[0].with_field("rows", (formula,))
    write_report(results.with_field("runs", (run,)), folder / "one")
    (line,) = csv.DictReader(io.StringIO((folder / "one" / "turns.csv").read_text(encoding="utf-8-sig")))
    assert line["text"] == "'=HYPERLINK(1)"


def test_the_results_come_back_as_they_were(folder: Path, results: Results) -> None:
    assert Results.model_validate_json((folder / "results.json").read_bytes()) == results
    assert json.loads((folder / "results.json").read_text(encoding="utf-8"))["version"] == 1


def test_the_same_results_make_the_same_report(folder: Path, results: Results, tmp_path: Path) -> None:
    (tmp_path / "timings.json").write_bytes((folder / "timings.json").read_bytes())
    write_report(results, tmp_path)
    for name in ("report.html", "REPORT.md", "turns.csv", "results.json"):
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()


def test_times_are_shown_where_they_were_taken(page: str) -> None:
    assert "40.0 / 40.0" in page
    assert "0.5 / 0.5" in page


def denied(results: Results, text: str) -> TurnRow:
    return results.runs[0].rows[0].with_fields({"text": text, "denied_reason": DeniedReason.NOT_OWNED})


def test_markdown_is_not_made_by_what_models_wrote(results: Results, tmp_path: Path) -> None:
    row = denied(results, "# big\n| a | b |\n<b>[x](http://evil)</b>")
    run = results.runs[0].with_field("rows", (row,))
    write_report(results.with_field("runs", (run,)), tmp_path)
    text = (tmp_path / "REPORT.md").read_text(encoding="utf-8")
    assert r"\# big \| a \| b \| \<b\>\[x\](http://evil)\</b\>" in text


def test_a_text_that_would_turn_the_page_round_is_shown_with_marks(results: Results, tmp_path: Path) -> None:
    row = denied(results, "abc\u202edef\x00")
    run = results.runs[0].with_field("rows", (row,))
    write_report(results.with_field("runs", (run,)), tmp_path)
    assert "abc␣def␣" in (tmp_path / "report.html").read_text(encoding="utf-8")
