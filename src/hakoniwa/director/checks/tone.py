"""Tone: the sheet's forbidden forms and the right first person."""

import re

from hakoniwa.director.check import Check, Line, checks
from hakoniwa.director.words import words
from hakoniwa.turn import Finding, Status

_KATAKANA = re.compile(r"[ァ-ヺー]+")


@checks.add("tone")
class Tone(Check):
    def look(self, line: Line) -> Finding | None:
        for form in line.character.speech.forbidden:
            if form and _uses(form, line):
                return Finding(check="tone", status=Status.RETRY, rule="tone.forbidden", form=form)
        wrong = _wrong_first_person(line)
        return Finding(check="tone", status=Status.RETRY, rule="tone.first_person", form=wrong) if wrong else None


def _uses(form: str, line: Line) -> bool:
    """Whether a form is used and is not a piece of another word (マジ in マジック, ます in 耳を澄ます)."""
    speech = line.speech
    for word in words(line.language).innocent:
        speech = speech.replace(word, "")
    if form.isascii() and form[0].isalpha():
        return re.search(rf"(?<![a-z]){re.escape(form)}(?![a-z])", speech, re.IGNORECASE) is not None
    return form in (_KATAKANA.findall(speech) if _KATAKANA.fullmatch(form) else speech)


def _wrong_first_person(line: Line) -> str | None:
    """A first person that is not this speaker's, standing where one would."""
    own, known = line.character.speech.first_person, words(line.language)
    others = [form for group in known.first_persons if own not in group for form in group]
    if not own or not others:
        return None
    either = "|".join(sorted(map(re.escape, others), key=len, reverse=True))
    after = "|".join(map(re.escape, known.first_person_after))
    found = re.search(rf"(?:^|[、。！？!?…\s「])({either})(?={after})(?!という)", line.speech)
    return found[1] if found else None
