"""Checks: what a line may be faulted for, each looking at one thing; and the word lists they use."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Protocol

import yaml

from hakoniwa.actor.character import Character
from hakoniwa.gm.leaks import Leak
from hakoniwa.messages import LOADER
from hakoniwa.registry import Registry
from hakoniwa.turn import Finding, ParsedOutput, Status


@dataclass(frozen=True)
class DirectorLexicon:
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
def words(language: str) -> DirectorLexicon:
    path = files("hakoniwa").joinpath("lexicon", f"director.{language}.yaml")
    data = yaml.load(path.read_text(encoding="utf-8"), Loader=LOADER)
    return DirectorLexicon(
        first_persons=tuple(map(frozenset, data["first_persons"])),
        first_person_after=tuple(data["first_person_after"]),
        innocent=tuple(data["innocent"]),
        foreign=frozenset(data["foreign"]),
        facts=data["facts"],
        reasons=data["reasons"],
        suggestions=data["suggestions"],
        guidance=data["guidance"],
    )


@dataclass(frozen=True)
class CheckInput:
    """A reply in front of the Director: who says it, to whom, what was said before, what they were asked, and
    what they cannot know."""

    who: str
    character: Character
    text: str
    parsed: ParsedOutput
    language: str
    company: Sequence[str] = ()
    said: Sequence[str] = ()
    leaks: Sequence[Leak] = ()
    leak_status: Status = Status.PASS  # what is wanted done about a line that leaks
    told: str = ""
    heard: Sequence[str] = ()

    @property
    def speech(self) -> str:
        return self.parsed.speech or ""


class Check(Protocol):
    """One kind of fault."""

    def look(self, line: CheckInput) -> Finding | None: ...


checks: Registry[Check] = Registry("check")

STRICTNESS = {Status.PASS: 0, Status.WARN: 1, Status.MODIFY: 2, Status.RETRY: 3}
