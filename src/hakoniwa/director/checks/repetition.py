"""Repetition: not the same line again, and no needle stuck in a groove."""

import re

from rapidfuzz.fuzz import ratio

from hakoniwa.director.check import Check, CheckInput, checks
from hakoniwa.director.checks.echo import bare_text
from hakoniwa.turn import Finding, Status

RECENT, NEARLY, SENTENCE = 8, 90, 12
_LOOP = re.compile(r"(.{6,60}?)\1{3,}", re.DOTALL)
_LONGEST = 1000


@checks.add("repetition")
class Repetition(Check):
    def look(self, line: CheckInput) -> Finding | None:
        speech = line.speech[:_LONGEST]
        if len(speech) < 4:
            return None
        if speech in line.said[-RECENT:] or any(_is_heard(one, speech) for one in line.heard):
            return Finding(check="repetition", status=Status.RETRY, rule="repetition.same")
        if _LOOP.search(speech):
            return Finding(check="repetition", status=Status.RETRY, rule="repetition.loop")
        alike = any(ratio(speech, one[:_LONGEST]) >= NEARLY for one in line.said[-3:])
        return Finding(check="repetition", status=Status.WARN, rule="repetition.same") if alike else None


def _is_heard(heard: str, speech: str) -> bool:
    """Whether words are those that somebody else has just said, alone or among others; anybody may agree in a word."""
    words, said = bare_text(heard), bare_text(speech)
    return len(words) >= SENTENCE and (words in said or ratio(words, said) >= NEARLY)
