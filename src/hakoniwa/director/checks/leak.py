"""Leak: nobody says what they have neither witnessed nor been told."""

from hakoniwa.director.check import Check, CheckInput, checks
from hakoniwa.turn import Finding


@checks.add("leak")
class LeakCheck(Check):
    def look(self, line: CheckInput) -> Finding | None:
        if not line.leaks:
            return None
        fact = line.leaks[0].fact
        return Finding(
            check="leak", status=line.leak_status, rule="leak.unknown", form=fact.subject, other=fact.object or ""
        )
