"""Checks: what a line may be faulted for. Each looks at one thing and says so."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from hakoniwa.actor.character import Character
from hakoniwa.registry import Registry
from hakoniwa.turn import Finding, ParsedOutput, Status


@dataclass(frozen=True)
class Line:
    """A reply in front of the Director: who says it, to whom, and what they said before."""

    who: str
    character: Character
    text: str
    parsed: ParsedOutput
    language: str
    company: Sequence[str] = ()
    said: Sequence[str] = ()

    @property
    def speech(self) -> str:
        return self.parsed.speech or ""


class Check(Protocol):
    """One kind of fault."""

    def look(self, line: Line) -> Finding | None: ...


checks: Registry[Check] = Registry("check")

STRICTNESS = {Status.PASS: 0, Status.WARN: 1, Status.MODIFY: 2, Status.RETRY: 3}
