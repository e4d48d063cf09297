"""What validators complain of, in the user's language: their sentences are matched, and told by our catalogue."""

import re
from collections.abc import Mapping

from hakoniwa.errors import HakoniwaError
from hakoniwa.messages import say, tell

_SENTENCES = {
    "integer": r"Input should be a valid integer.*",
    "number": r"Input should be a valid (?:number|decimal).*",
    "text": r"Input should be a valid string.*",
    "boolean": r"Input should be a valid boolean.*",
    "list": r"Input should be a valid (?:list|tuple|array).*",
    "mapping": r"Input should be (?:a valid dictionary|an object|a valid mapping).*",
    "at-least": r"Input should be greater than or equal to (?P<limit>\S+)",
    "at-most": r"Input should be less than or equal to (?P<limit>\S+)",
    "more-than": r"Input should be greater than (?P<limit>\S+)",
    "less-than": r"Input should be less than (?P<limit>\S+)",
    "one-of": r"Input should be (?P<allowed>'.+'(?: or '.+')?)",
    "pattern": r"String should match pattern '(?P<pattern>.+)'",
    "missing": r"Field required",
    "empty": r"\w+ should have at least 1 (?:character|item).*",
    "finite": r"Input should be a finite number",
    "extra": r"Extra inputs are not permitted",
    "letters": r"String should have at most (?P<limit>\d+) characters?",
    "items": r"\w+ should have at most (?P<limit>\d+) items? after validation, not .+",
    "large-integer": r"an integer beyond 64 bits",
    "large-number": r"a number beyond the range of a double",
    "hours": r"hours are written as in 23:00-07:00",
    "no-hours": r"quiet hours begin and end at different times",
    "program": r"a program is named by its whole path, or by a name without /",
    "path": r"a path begins with / or ~/",
    "command-or-url": r"either `command` or `url`",
    "no-tool": r"not a tool that \[servers\] has, as in server/tool",
    "name-length": r"a name has 1 to (?P<limit>\d+) characters",
    "sentence": r"a sentence may hold (?P<names>.+) only",
    "too-many-rooms": r"at most (?P<limit>\d+) locations",
    "too-many": r"at most (?P<limit>\d+)",
    "no-speaker": r"speaker '(?P<name>.+)' is not in world_state\.characters",
    "too-long": r"raw_output has at most (?P<limit>\d+) bytes",
    "no-act": r"acts: (?P<tag>['\"].*['\"]) is no act",
    "no-verb": r"acts: (?P<name>['\"].*['\"]) is no verb of (?P<intent>[A-Z_]+)",
    "long-name": r"acts: a name has at most (?P<limit>\d+) characters",
    "name-signs": r"a name has no control, bidi or zero-width characters",
    "no-body": r"no character '(?P<name>.+)' in world\.characters",
    "no-role": r"'(?P<name>.+)' has no entry in cast",
    "twice": r"'(?P<name>.+)' stands twice",
    "no-bearer": r"(?P<place>\S+): no character '(?P<name>.+)'",
    "no-room": r"(?P<place>\S+): no room '(?P<name>.+)'",
    "no-door": r"(?P<place>\S+): no door '(?P<name>.+)'",
    "two-places": r"(?P<place>.+): more than one of inside, on, held_by, carried_by, worn_by",
    "door-gone": r"(?P<place>.+): gone, though it is a door of '(?P<name>.+)'",
    "held-twice": r"(?P<place>.+)\.holding: something stands twice",
    "other-hand": r"(?P<place>.+)\.holding: '(?P<name>.+)' is in the hand of '(?P<who>.+)'",
    "not-holding": r"(?P<place>.+)\.held_by: '(?P<name>.+)' does not hold it",
    "not-held": r"(?P<place>.+)\.holding: '(?P<name>.+)' is not held_by '(?P<who>.+)'",
    "not-with-holder": r"(?P<place>.+): not where its holder is",
    "not-with-parent": r"(?P<place>.+): not where '(?P<name>.+)' is",
    "no-parent": r"(?P<place>.+): in or on '(?P<name>.+)', which does not exist",
    "inside-itself": r"(?P<place>.+): inside itself",
}
_IN_JSON = {  # in the words of both parsers: that of bodies and cards, which counts bytes, and that of single lines
    "end": r"EOF while parsing .+",
    "string-end": r"Unterminated string starting at",
    "trailing-comma": r"trailing comma|Illegal trailing comma before end of .+",
    "name": r"key must be a string|Expecting property name enclosed in double quotes",
    "colon": r"expected `:`|Expecting ':' delimiter",
    "comma": r"expected `,` or `[\]}]`|Expecting ',' delimiter",
    "value": r"expected (?:value|ident)|Expecting value",
    "more": r"trailing characters|Extra data",
    "number": r"invalid number",
    "range": r"number out of range",
    "control": r"control character .+|Invalid control character.*",
    "escape": r"invalid escape|.+ hex escape|Invalid \\(?:escape|uXXXX escape).*",
    "unicode": r"invalid unicode code point",
    "bom": r"Unexpected UTF-8 BOM .+",
    "deep": r"recursion limit exceeded",
    "other": r".+",
}
_NOWHERE = {
    "range": r"Exceeds the limit \(\d+ digits\) .+",
    "deep": r"maximum recursion depth exceeded.*",
    "unicode": r"'utf-8' codec can't decode .+",
}
_PLACES = {
    "byte": r"(?:Invalid JSON: )?(?P<what>.+) at line (?P<line>\d+) column (?P<column>\d+)",
    "letter": r"(?P<what>.+): line (?P<line>\d+) column (?P<column>\d+) \(char \d+\)",
}
_PATTERNS = {key: re.compile(pattern) for key, pattern in _SENTENCES.items()}
_JSON = {key: re.compile(pattern) for key, pattern in _IN_JSON.items()}
_NO_PLACE = {key: re.compile(pattern, re.DOTALL) for key, pattern in _NOWHERE.items()}
_AT = {key: re.compile(pattern, re.DOTALL) for key, pattern in _PLACES.items()}


def explain_error(error: HakoniwaError, lang: str) -> str:
    """The error as one message, in which what a validator complained of is told in the user's language, too."""
    if "problem" not in error.details:
        return tell(error, lang)
    problem = in_other_words(str(error.details["problem"]), lang)
    return tell(type(error)(error.key, **{**error.details, "problem": problem}), lang)


def in_other_words(problem: str, lang: str) -> str:
    """A validator's complaint as the catalogue tells it; one it does not know, as it came."""
    return _explain_json(problem, lang) or "; ".join(_explain_problem(one, lang) for one in problem.split("; "))


def _explain_problem(problem: str, lang: str) -> str:
    sentence = problem.removeprefix("Value error, ").removeprefix("world_state: ")
    for key, pattern in _PATTERNS.items():
        if found := pattern.fullmatch(sentence):
            return say(f"problem.{key}", lang, **found.groupdict())
    return problem


def _explain_json(sentence: str, lang: str) -> str | None:
    """What a parser of JSON stumbled over, and where; none of its own words are handed on."""
    for place, pattern in _AT.items():
        if found := pattern.fullmatch(sentence):
            what = say(f"problem.json.{_kind(_JSON, found['what'])}", lang)
            return say(f"problem.json.at-{place}", lang, line=found["line"], column=found["column"], what=what)
    kind = _kind(_NO_PLACE, sentence)
    return say(f"problem.json.{kind}", lang) if kind else None


def _kind(patterns: Mapping[str, re.Pattern[str]], words: str) -> str | None:
    return next((key for key, pattern in patterns.items() if pattern.fullmatch(words)), None)
