"""Addressing: people are called what the sheet says they are called."""

import re

from hakoniwa.director.check import Check, CheckInput, checks
from hakoniwa.stage.names import HONORIFICS
from hakoniwa.turn import Finding, Status

_POLITE = "|".join(HONORIFICS)
# A name that begins a phrase calls or speaks of somebody; in the middle of one it may be any word (いやな, 名助手).
_CALLED = {
    "ja": rf"(?:^|[、。！？!?…\s「『]){{name}}(?:{_POLITE})?(?=は|が|も|って|[、。！？!?…\s」』]|$)",
    "en": r"(?:^|[.!?,;:—\"“]\s*){name}(?=[.!?,;:—\"”]|$)",
}


@checks.add("addressing")
class Addressing(Check):
    def look(self, line: CheckInput) -> Finding | None:
        for other, form in line.character.speech.address.items():
            wrong = other in line.company and form not in other
            if wrong and _calls(other, line.speech.replace(form, ""), line.language):
                return Finding(check="addressing", status=Status.RETRY, rule="addressing.wrong", form=form, other=other)
        return None


def _calls(name: str, speech: str, language: str) -> bool:
    return re.search(_CALLED[language].replace("{name}", re.escape(name)), speech) is not None
