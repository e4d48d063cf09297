"""Tone: the sheet's forbidden forms and the right first person."""

import re
from functools import lru_cache

from hakoniwa.director.check import Check, CheckInput, checks, words
from hakoniwa.turn import Finding, Status

_KATAKANA = re.compile(r"[ァ-ヺー]+")


@checks.add("tone")
class Tone(Check):
    def look(self, line: CheckInput) -> Finding | None:
        plain = _without_innocent(line.speech, line.language)
        for form in line.character.speech.forbidden:
            if form and _uses(form, plain):
                return Finding(check="tone", status=Status.RETRY, rule="tone.forbidden", form=form)
        wrong = _wrong_first_person(line)
        return Finding(check="tone", status=Status.RETRY, rule="tone.first_person", form=wrong) if wrong else None


def _without_innocent(speech: str, language: str) -> str:
    """What is said without the words in which a form is only a piece (ます in 耳を澄ます)."""
    for word in words(language).innocent:
        speech = speech.replace(word, "")
    return speech


def _uses(form: str, speech: str) -> bool:
    """Whether a form is used and is not a piece of another word (マジ in マジック)."""
    if form.isascii() and form[0].isalpha():
        return re.search(rf"(?<![a-z]){re.escape(form)}(?![a-z])", speech, re.IGNORECASE) is not None
    return form in (_KATAKANA.findall(speech) if _KATAKANA.fullmatch(form) else speech)


def _wrong_first_person(line: CheckInput) -> str | None:
    """A first person that is not this speaker's, standing where one would."""
    others = _first_persons_but(line.character.speech.first_person, line.language)
    found = others.search(line.speech) if others else None
    return found[1] if found else None


@lru_cache(maxsize=256)
def _first_persons_but(own: str, language: str) -> re.Pattern[str] | None:
    """Everybody's first persons but one's own; None if there is nothing to tell apart."""
    known = words(language)
    others = [form for group in known.first_persons if own not in group for form in group]
    if not own or not others:
        return None
    either = "|".join(sorted(map(re.escape, others), key=len, reverse=True))
    after = "|".join(map(re.escape, known.first_person_after))
    return re.compile(rf"(?:^|[、。！？!?…\s「])({either})(?={after})(?!という)")
