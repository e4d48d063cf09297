"""The docs define every measure as the code does, and their specs can be read."""

import re
from pathlib import Path

import pytest

from hakoniwa.lab.clumsy import Habits
from hakoniwa.lab.metrics import METRICS, Metric
from hakoniwa.lab.spec import keys_of, read_plan

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "lab.md").read_text(encoding="utf-8")
SPECS = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("metric", METRICS, ids=lambda one: one.key)
def test_the_docs_define_a_measure_as_the_code_does(metric: Metric) -> None:
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{metric.key}`"))
    name, better, meaning, formula = (cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1])
    assert (metric.primary, meaning) == (name.endswith("*"), metric.meaning.en)
    assert formula.strip("`").replace("\\|", "|") == metric.formula
    assert better == {"less": "less", "more": "more", "neither": "–"}[metric.better]


@pytest.mark.parametrize("text", SPECS, ids=range(len(SPECS)))
def test_the_specs_of_the_docs_are_right(text: str, tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(text, encoding="utf-8")
    assert keys_of(read_plan(path).spec)


def test_the_example_is_the_full_design() -> None:
    assert len(keys_of(read_plan(DOCS / "examples" / "two_by_two.yaml").spec)) == 3 * 2 * 20 * 4


@pytest.mark.parametrize(("habit", "share"), Habits().model_dump().items())
def test_the_docs_tell_the_habits_of_the_clumsy_model(habit: str, share: float) -> None:
    section = PAGE.partition("## The clumsy model")[2].partition("\n## ")[0]
    assert f"{round(share * 100)} %" in section, habit
