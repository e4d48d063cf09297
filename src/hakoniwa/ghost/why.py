"""Why something was called to mind by rule, in words: how it was found, and what of the persona's own it touches."""

from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from hakoniwa.ghost.candidate import Candidate
from hakoniwa.messages import LOADER

NAMED = 3  # the sources that had it highest, and the things it touches


def why_by_rule(one: Candidate, language: str) -> str:
    """The reason: which sources had it, and at which place, and what it touches."""
    known = _words(language)
    highest = sorted(one.ranks.items(), key=lambda pair: (pair[1], pair[0]))[:NAMED]
    ways = [known["place"].format(source=known["sources"][source], rank=rank) for source, rank in highest]
    touched = [known["touches"].format(what=name.partition(":")[2]) for name in one.touches[:NAMED]]
    return str(known["and"]).join([*ways, *touched])


def source_name(source: str, language: str) -> str:
    """What a source is called."""
    return str(_words(language)["sources"][source])


@cache
def _words(language: str) -> dict[str, Any]:
    text = files("hakoniwa").joinpath("lexicon", f"recall.{language}.yaml").read_text(encoding="utf-8")
    data: dict[str, Any] = yaml.load(text, Loader=LOADER)
    return data
