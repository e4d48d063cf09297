"""Echo: nothing of what the actor was told is spoken as a line, and no placeholder."""

import unicodedata

from hakoniwa.director.check import Check, CheckInput, checks
from hakoniwa.turn import Finding, Status

PLACEHOLDERS = frozenset(
    {"台詞", "セリフ", "行動", "しぐさ", "言葉", "考え", "番号", "words", "act", "gesture", "thought", "...", "…"}
)
LINE = {"ja": 8, "en": 16}  # characters of a line that is more than a greeting
RUN = {"ja": 16, "en": 40}  # characters in a row that nobody writes by chance
LONGEST = 400


@checks.add("echo")
class Echo(Check):
    def look(self, line: CheckInput) -> Finding | None:
        found = echo_in([line.speech, *line.parsed.directions], line.told, line.language) if line.told else ""
        return Finding(check="echo", status=Status.RETRY, rule="echo.told", form=found) if found else None


def echo_in(written: list[str], told: str, language: str) -> str:
    """A placeholder or a whole line of what was told that stands for words, or a long run of it; empty if neither."""
    lines = PLACEHOLDERS | {bare for one in told.splitlines() if len(bare := bare_text(one)) >= LINE[language]}
    whole = next((bare for one in written if (bare := bare_text(one)) and bare in lines), "")
    run = max((longest_run(one[:LONGEST], told) for one in written), key=len, default="")
    return whole or (run if len(run) >= RUN[language] else "")


def longest_run(words: str, told: str) -> str:
    """The longest stretch of a reply that stands in the prompt as well."""
    best = ""
    for line in filter(None, words.splitlines()):
        for start in range(len(line)):
            while line[start : start + len(best) + 1] in told and start + len(best) < len(line):
                best = line[start : start + len(best) + 1]
    return best.strip()


def bare_text(text: str) -> str:
    """A text without signs at its ends, however it is written."""
    return unicodedata.normalize("NFKC", text).strip(" 　「」『』“”\"'()。、.,!?…[]").casefold()
