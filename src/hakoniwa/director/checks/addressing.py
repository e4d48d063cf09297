"""Addressing: people are called what the sheet says they are called."""

from hakoniwa.director.check import Check, Line, checks
from hakoniwa.turn import Finding, Status


@checks.add("addressing")
class Addressing(Check):
    def look(self, line: Line) -> Finding | None:
        for other, form in line.character.speech.address.items():
            if other in line.company and form != other and form not in other and other in line.speech.replace(form, ""):
                return Finding(
                    check="addressing", status=Status.RETRY, rule="addressing.wrong", form=form, other=other
                )
        return None
