"""Tone: the sheet's forbidden forms and the right first person."""

import re

from hakoniwa.director.check import Check, Line, checks
from hakoniwa.director.words import words
from hakoniwa.turn import Finding, Status


@checks.add("tone")
class Tone(Check):
    def look(self, line: Line) -> Finding | None:
        for form in line.character.speech.forbidden:
            if form and form in line.speech:
                return Finding(check="tone", status=Status.RETRY, rule="tone.forbidden", form=form)
        wrong = _wrong_first_person(line)
        return Finding(check="tone", status=Status.RETRY, rule="tone.first_person", form=wrong) if wrong else None


def _wrong_first_person(line: Line) -> str | None:
    """A first person that is not this speaker's, standing where one would."""
    own, known = line.character.speech.first_person, words(line.language)
    if not own or own not in known.first_persons:
        return None
    others = "|".join(map(re.escape, (one for one in known.first_persons if one != own)))
    after = "|".join(map(re.escape, known.first_person_after))
    found = re.search(rf"(?:^|[、。！？!?…\s「])({others})(?={after})", line.speech)
    return found[1] if found else None
