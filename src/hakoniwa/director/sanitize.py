"""ActionSanitizer: stage directions that use what is not there become gestures. Dictionary only, no tokenizer."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from hakoniwa.director.props import PropDictionary, absent_props, prop_dictionary, scene_forms
from hakoniwa.stage.names import nfkc

OnBlock = Literal["replace", "remove"]
_NARROW = str.maketrans("（）＊＂", '()*"')
_OPEN, _CLOSE = "「『“", "」』”"
_STARS = re.compile(r"\*+")
_LONGEST_MARK = 3
_NO_STARS = str.maketrans("", "", "*＊")
_NO_MARKS = str.maketrans("", "", "*＊()（）")
_MOST_READINGS = 8
_QUOTED = re.compile(r"[「『“][^「『“」』”]*[」』”]")
_ACT_TAG = re.compile(r"^(?!ACTION|NOTE|SCENE)[A-Z][A-Z_]+\s*(?::[^を]*)?$")
_JAPANESE = re.compile(r"[぀-ヿ㐀-鿿]")


@dataclass(frozen=True)
class SanitizerInput:
    """A line of output, and everything that is in the scene: held, in reach, brought in by incidents."""

    output_text: str
    scene_items: list[str]


@dataclass(frozen=True)
class SanitizerResult:
    """The line as it may be shown, and what was done to it."""

    sanitized_text: str
    action_removed: bool = False
    action_replaced: bool = False
    blocked_props: list[str] = field(default_factory=list)
    original_action: str | None = None
    replacement: str | None = None
    actions: list[str] = field(default_factory=list)

    def as_log(self, turn: int, speaker: str) -> dict[str, Any]:
        """The log entry of one line."""
        return {
            "turn": turn,
            "speaker": speaker,
            "sanitizer": {
                "triggered": bool(self.blocked_props),
                "action_removed": self.action_removed,
                "action_replaced": self.action_replaced,
                "blocked_props": self.blocked_props,
                "original_action": self.original_action,
                "replacement": self.replacement,
                "actions": self.actions,
            },
        }


class ActionSanitizer:
    """Turns actions that use absent props into harmless gestures, or takes them out."""

    def __init__(self, on_block: OnBlock = "replace") -> None:
        self.on_block = on_block

    def sanitize(self, output_text: str, scene_items: Sequence[str], makeable: Sequence[str] = ()) -> SanitizerResult:
        """The text with every guilty action replaced (or removed); speech is never touched. What is makeable is there
        for an action that makes it.

        What was rewritten is read again: where brackets do not pair, a change shows what stood behind another.
        Where there is no end to that, the marks go.
        """
        scene = Present(scene_forms(scene_items), scene_forms(makeable))
        text, judged = self._read(output_text, scene)
        before = output_text
        for _ in range(_MOST_READINGS):
            if text == before:
                return self._result(text, judged)
            before = text
            text, again = self._read(text, scene)
            judged += [one for one in again if one.blocked]
        return self._result(text.translate(_NO_MARKS), judged)

    def _read(self, text: str, scene: "Present") -> tuple[str, list["_JudgedAction"]]:
        """The text with each action as it may be shown, and what was thought of them."""
        parts: list[str] = []
        judged: list[_JudgedAction] = []
        last = 0
        for action in actions_in(text):
            one = self._judged(action, scene)
            judged.append(one)
            parts += [text[last : action.start], one.shown]
            last = action.end
            while not one.shown and text[last : last + 1].isspace():
                last += 1
        parts.append(text[last:])
        return "".join(parts), judged

    def _judged(self, action: "StageDirection", scene: "Present") -> "_JudgedAction":
        """An action as it may be shown; what is said within it stays."""
        words = prop_dictionary("ja" if _JAPANESE.search(action.inner) else "en")
        done = _QUOTED.sub("", action.inner)
        blocked = [] if _ACT_TAG.match(nfkc(action.inner)) else absent_props(done, scene.during(done, words), words)
        if not blocked:
            return _JudgedAction(action.inner, _in_brackets(action.inner, words) if action.starred else action.text)
        said = "".join(_QUOTED.findall(action.inner))
        if self.on_block == "remove":
            return _JudgedAction(action.inner, said, blocked)
        gesture = gesture_for(done, blocked, words)
        return _JudgedAction(action.inner, f"{_in_brackets(gesture, words)}{said}", blocked, gesture)

    def _result(self, text: str, judged: Sequence["_JudgedAction"]) -> SanitizerResult:
        guilty = [one for one in judged if one.blocked]
        first = next(iter([*guilty, *judged]), None)
        removes = self.on_block == "remove"
        return SanitizerResult(
            sanitized_text=text,
            action_removed=bool(guilty) and removes,
            action_replaced=bool(guilty) and not removes,
            blocked_props=list(dict.fromkeys(prop for one in guilty for prop in one.blocked)),
            original_action=first.inner if first else None,
            replacement=first.gesture if first else None,
            actions=[one.inner for one in judged],
        )


@dataclass(frozen=True)
class Present:
    """What is in the scene, and what could be made of it."""

    scene: frozenset[str]
    makeable: frozenset[str]

    def during(self, action: str, words: PropDictionary) -> frozenset[str]:
        made = bool(self.makeable) and words.making.search(nfkc(action).casefold())
        return self.scene | self.makeable if made else self.scene


@dataclass(frozen=True)
class _JudgedAction:
    """An action, how it is shown, the props it may not use, and the gesture in its place."""

    inner: str
    shown: str
    blocked: Sequence[str] = ()
    gesture: str | None = None


def _in_brackets(action: str, words: PropDictionary) -> str:
    return f"{words.brackets[0]}{action}{words.brackets[1]}"


def gesture_for(action: str, blocked: Sequence[str], words: PropDictionary) -> str:
    """A gesture the action already has, one for the prop, one for the verb, or the plainest of all."""
    text = nfkc(action).casefold()
    found = ((_place(form, text), one, form) for one, forms in words.safe.items() for form in forms)
    if safe := [hit for hit in found if hit[0] >= 0]:
        _, one, form = min(safe)
        return form if words.inflected else one
    gesture = _instead(text, blocked, words)
    return words.inflected.get(gesture, {}).get(_inflection(text, words), gesture)


def _instead(text: str, blocked: Sequence[str], words: PropDictionary) -> str:
    for prop in blocked:
        if prop in words.by_prop:
            return words.by_prop[prop]
    for gesture, forms in words.by_verb.items():
        if any(_place(form, text) >= 0 for form in forms):
            return gesture
    return words.default


def _inflection(text: str, words: PropDictionary) -> str:
    """The ending of the verb that an English action begins with, behind its subject and its adverbs."""
    first = [word for word in re.findall("[a-z']+", text)[:4] if not word.endswith("ly")]
    if not first or first[0] in words.plain:
        return ""
    verb = next((word for word in first if word not in words.around.articles and word not in ("she", "he")), "")
    if verb in words.past or verb.endswith("ed"):
        return "ed"
    return "ing" if verb.endswith("ing") else "s" if verb.endswith("s") else ""


def _place(form: str, text: str) -> int:
    """Where a form stands in a text; English words stand alone (sigh is not in sight)."""
    at = text.find(form)
    if at < 0 or not form.isascii():
        return at
    found = re.search(rf"\b{re.escape(form)}\b", text)
    return found.start() if found else -1


# --- finding actions -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StageDirection:
    """A stage direction in its place."""

    start: int
    end: int
    text: str
    inner: str
    starred: bool


def actions_in(text: str) -> Iterator[StageDirection]:
    """Every stage direction outside quotation marks: both widths of brackets, nested, and *…*. None spans lines."""
    start = 0
    for line in text.split("\n"):
        yield from _actions(line, start)
        start += len(line) + 1


def _actions(line: str, offset: int) -> Iterator[StageDirection]:
    narrow, at = line.translate(_NARROW), 0
    brackets, quotes = _pairs(narrow, "(", ")"), _pairs(narrow, _OPEN, _CLOSE)
    while at < len(line):
        char = narrow[at]
        if char in _OPEN:
            at = quotes.get(at, len(line))
        elif char == '"':
            at = narrow.find('"', at + 1) + 1 or at + 1
        elif char in "(*" and (end := brackets.get(at) or _end(narrow, at)):
            inner = line[at + 1 : end - 1 if at in brackets else end].strip()
            starred = (plain := inner.translate(_NO_STARS).strip()) != inner
            if plain := _strip_unpaired(plain).strip() if starred else plain:
                yield StageDirection(offset + at, offset + end, line[at:end], plain, starred)
            at = end
        else:
            at = _stars_from(narrow, at) if char == "*" else at + 1


def _pairs(narrow: str, opening: str, closing: str) -> dict[int, int]:
    """Where each bracket of one kind ends, for those that close."""
    pairs: dict[int, int] = {}
    waiting: list[int] = []
    for place, char in enumerate(narrow):
        if char in opening:
            waiting.append(place)
        elif char in closing and waiting:
            pairs[waiting.pop()] = place + 1
    return pairs


def _strip_unpaired(inner: str) -> str:
    """A text without the brackets that have no partner in it: it can be put in brackets of its own."""
    narrow = inner.translate(_NARROW)
    pairs = _pairs(narrow, "(", ")")
    partnered = {*pairs, *(end - 1 for end in pairs.values())}
    return "".join(char for at, char in enumerate(inner) if narrow[at] not in "()" or at in partnered)


def _end(narrow: str, start: int) -> int | None:
    """The end of *…*; or of a bracket that never closes: before the speech, else with its line."""
    if narrow[start] == "(":
        return min((place for mark in _OPEN if (place := narrow.find(mark, start)) >= 0), default=len(narrow))
    stop = _stars_from(narrow, start)
    for place in range(start, stop):  # the first of a run that have a partner: the stars before belong to them
        after = min(place + _LONGEST_MARK, stop)
        end = narrow.find(narrow[place:after], after)
        if end > after:
            return end + after - place
    return None


def _stars_from(narrow: str, start: int) -> int:
    """Where a run of stars ends."""
    stars = _STARS.match(narrow, start)
    assert stars is not None
    return stars.end()


# --- measuring -----------------------------------------------------------------------------------------------------


def metrics(entries: Sequence[dict[str, Any]], top: int = 10) -> dict[str, Any]:
    """The four figures over log entries: the sanitized rate counts turns that have an action."""
    lines = [entry["sanitizer"] for entry in entries]
    acting = [line for line in lines if line.get("actions")]
    blocked = Counter(prop for line in lines for prop in line["blocked_props"])
    return {
        "action_sanitized_rate": round(sum(line["triggered"] for line in acting) / len(acting), 4) if acting else 0.0,
        "blocked_props_topN": sorted(blocked.items(), key=lambda pair: (-pair[1], pair[0]))[:top],
        "action_removed_count": sum(line["action_removed"] for line in lines),
        "action_replaced_count": sum(line["action_replaced"] for line in lines),
    }
