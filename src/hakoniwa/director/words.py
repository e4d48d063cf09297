"""The Director's words, by language."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import yaml

from hakoniwa.messages import LOADER


@dataclass(frozen=True)
class Words:
    """Closed word lists and sentences that the checks, facts and guidance cards use."""

    first_persons: tuple[frozenset[str], ...]
    first_person_after: tuple[str, ...]
    innocent: tuple[str, ...]
    foreign: frozenset[str]
    facts: dict[str, str]
    reasons: dict[str, str]
    suggestions: dict[str, str]
    guidance: dict[str, str]


@cache
def words(language: str) -> Words:
    path = files("hakoniwa").joinpath("lexicon", f"director.{language}.yaml")
    data = yaml.load(path.read_text(encoding="utf-8"), Loader=LOADER)
    return Words(
        first_persons=tuple(map(frozenset, data["first_persons"])),
        first_person_after=tuple(data["first_person_after"]),
        innocent=tuple(data["innocent"]),
        foreign=frozenset(data["foreign"]),
        facts=data["facts"],
        reasons=data["reasons"],
        suggestions=data["suggestions"],
        guidance=data["guidance"],
    )
