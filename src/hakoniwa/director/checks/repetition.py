"""Repetition: not the same line or sentence again, and no needle stuck in a groove."""

import re

from rapidfuzz.fuzz import ratio

from hakoniwa.director.check import Check, CheckInput, checks
from hakoniwa.director.checks.echo import bare_text
from hakoniwa.turn import Finding, Status

RECENT, NEARLY, SENTENCE = 8, 90, 12
# Four times a phrase or six times a word; one letter over and over is laughter.
_LOOP = re.compile(r"(.{6,60}?)\1{3,}|((.)(?!\3).{1,4}?)\2{5,}", re.DOTALL)
_SENTENCES = re.compile(r"[^。．.!?！？…\n]+")
_LONGEST = 1000


@checks.add("repetition")
class Repetition(Check):
    def look(self, line: CheckInput) -> Finding | None:
        speech = line.speech[:_LONGEST]
        if len(speech) < 4:
            return None
        if speech in line.said[-RECENT:] or any(_is_said_again(one, speech) for one in line.said[-RECENT:]):
            return Finding(check="repetition", status=Status.RETRY, rule="repetition.same")
        if any(_is_heard(one, speech) for one in line.heard):
            return Finding(check="repetition", status=Status.RETRY, rule="repetition.same")
        if _LOOP.search(speech):
            return Finding(check="repetition", status=Status.RETRY, rule="repetition.loop")
        return None


def _is_said_again(earlier: str, speech: str) -> bool:
    """Whether a sentence of an own line is said almost to the letter once more."""
    known = _long_sentences(earlier)
    return any(ratio(one, other) >= NEARLY for one in _long_sentences(speech) for other in known)


def _long_sentences(text: str) -> list[str]:
    found = (bare_text(one) for one in _SENTENCES.findall(text[:_LONGEST]))
    return [one for one in found if len(one) >= SENTENCE]


def _is_heard(heard: str, speech: str) -> bool:
    """Whether words are those that somebody else has just said, alone or among others; anybody may agree in a word."""
    words, said = bare_text(heard), bare_text(speech)
    return len(words) >= SENTENCE and (words in said or ratio(words, said) >= NEARLY)
