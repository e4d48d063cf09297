"""Format: there is something to show, in the agreed form."""

import re

from hakoniwa.director.check import Check, CheckInput, checks
from hakoniwa.turn import Finding, IntentKind, Status


@checks.add("format")
class Format(Check):
    def look(self, line: CheckInput) -> Finding | None:
        acts = [one for one in line.parsed.action_intents if one.intent != IntentKind.SAY]
        if line.parsed.speech is None and not acts:
            return Finding(check="format", status=Status.RETRY, rule="format.empty")
        if _begins_as_a_script(line):
            return Finding(check="format", status=Status.RETRY, rule="format.script")
        if line.parsed.format_break:
            return Finding(check="format", status=Status.WARN, rule="format.broken")
        if "*" in line.text:
            return Finding(check="format", status=Status.MODIFY, rule="format.asterisk")
        return None


def _begins_as_a_script(line: CheckInput) -> bool:
    """Whether the words are another's, as in a script (あゆ「うん」), or begin with a name inside the quotes."""
    others = "|".join(map(re.escape, line.company)) or "$^"
    names = f"{re.escape(line.who)}|{others}"
    written = re.match(rf"(?:\([^()]*\)\s*)*(?:{others})\s*[:：「『]", line.text)
    return bool(written or re.match(rf"\s*(?:{names})\s*[:：]", line.speech))
