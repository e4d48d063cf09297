"""What every measure is: its name and meaning in both languages, its formula, and which way is better.

The words are in `metrics.yaml`; the docs and the report show them from there and nowhere else.
"""

from importlib import resources
from typing import Literal

import yaml
from pydantic import TypeAdapter

from hakoniwa.messages import LOADER
from hakoniwa.turn import Value


class Words(Value):
    """The same in both languages."""

    ja: str
    en: str


class Metric(Value):
    """One measure of a run: the field of `Metrics` of the same name."""

    key: str
    better: Literal["less", "more", "neither"]
    unit: Literal["share", "per_turn", "score"]
    label: Words
    meaning: Words
    formula: str
    primary: bool = False  # whether it is one of the few the experiment is about
    gated: bool = False  # whether `lab gate` compares it with a baseline


def _read() -> tuple[Metric, ...]:
    text = (resources.files("hakoniwa.lab") / "metrics.yaml").read_text(encoding="utf-8")
    return TypeAdapter(tuple[Metric, ...]).validate_python(yaml.load(text, Loader=LOADER))


METRICS = _read()
BY_KEY = {one.key: one for one in METRICS}
