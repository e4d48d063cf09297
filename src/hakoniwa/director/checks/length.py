"""Length: a line is a line, not a lecture."""

from hakoniwa.director.check import Check, CheckInput, checks
from hakoniwa.turn import Finding, Status

LONG, TOO_LONG = 160, 400


@checks.add("length")
class Length(Check):
    def look(self, line: CheckInput) -> Finding | None:
        wide = len(line.speech) * (1 if line.language == "ja" else 0.5)
        if wide <= LONG:
            return None
        return Finding(check="length", status=Status.RETRY if wide > TOO_LONG else Status.WARN, rule="length.long")
