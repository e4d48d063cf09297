"""ActionSanitizer: stage directions that use what is not there become gestures. Dictionary only, no tokenizer."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import yaml

from hakoniwa.stage.names import nfkc

OnBlock = Literal["replace", "remove"]
_NARROW = str.maketrans("（）＊", "()*")
_OPEN, _CLOSE = "「『“", "」』”"
_RUNS = (r"[ァ-ヺー・]", r"[㐀-鿿々]", r"[A-Za-z]")
_ACT_TAG = re.compile(r"^[A-Z][A-Z_]+\s*(?::|$)")
_SYMBOLS = re.compile(r"[^\w\s]|_")
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


@dataclass(frozen=True)
class Dictionary:
    """The props of one language and the gestures that stand in for them."""

    same: dict[str, frozenset[str]]
    entries: tuple[str, ...]
    modifiers: tuple[str, ...]
    innocent: tuple[str, ...]
    safe: dict[str, tuple[str, ...]]
    by_prop: dict[str, str]
    by_verb: dict[str, tuple[str, ...]]
    default: str


@cache
def dictionary(language: str) -> Dictionary:
    path = files("hakoniwa").joinpath("lexicon", f"sanitizer.{language}.yaml")
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    same = {word: frozenset(group) for group in data["props"] for word in group}
    return Dictionary(
        same=same,
        entries=tuple(sorted(same, key=lambda word: (-len(word), word))),
        modifiers=tuple(sorted(data["modifiers"], key=lambda word: (-len(word), word))),
        innocent=tuple(data["innocent"]),
        safe={gesture: tuple(forms) for gesture, forms in data["safe"].items()},
        by_prop=data["by_prop"],
        by_verb={gesture: tuple(forms) for gesture, forms in data["by_verb"].items()},
        default=data["default"],
    )


class ActionSanitizer:
    """Turns actions that use absent props into harmless gestures, or takes them out."""

    def __init__(self, on_block: OnBlock = "replace") -> None:
        self.on_block = on_block

    def sanitize(self, output_text: str, scene_items: Sequence[str]) -> SanitizerResult:
        """The text with every guilty action replaced (or removed); speech is never touched."""
        scene = _scene(scene_items)
        parts: list[str] = []
        actions: list[str] = []
        guilty: list[tuple[str, list[str], str]] = []
        last = 0
        for action in actions_in(output_text):
            parts.append(output_text[last : action.start])
            shown, blocked = self._judged(action, scene)
            parts.append(shown)
            actions.append(action.inner)
            guilty += [(action.inner, blocked, shown.strip("（）"))] if blocked else []
            last = action.end
        parts.append(output_text[last:])
        return self._result("".join(parts), actions, guilty)

    def _judged(self, action: "Action", scene: frozenset[str]) -> tuple[str, list[str]]:
        """How an action may be shown, and the props it may not use."""
        words = dictionary("ja" if _JAPANESE.search(action.inner) else "en")
        blocked = [] if _ACT_TAG.match(action.inner) else absent_props(action.inner, scene, words)
        if not blocked:
            return (f"（{action.inner}）" if action.starred else action.text), []
        return ("" if self.on_block == "remove" else f"（{gesture_for(action.inner, blocked, words)}）"), blocked

    def _result(
        self, text: str, actions: list[str], guilty: list[tuple[str, list[str], str]]
    ) -> SanitizerResult:
        removes = self.on_block == "remove"
        return SanitizerResult(
            sanitized_text=text,
            action_removed=bool(guilty) and removes,
            action_replaced=bool(guilty) and not removes,
            blocked_props=list(dict.fromkeys(prop for _, blocked, _ in guilty for prop in blocked)),
            original_action=guilty[0][0] if guilty else actions[0] if actions else None,
            replacement=guilty[0][2] if guilty and not removes else None,
            actions=actions,
        )


# --- finding actions -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Action:
    """A stage direction in its place."""

    start: int
    end: int
    text: str
    inner: str
    starred: bool


def actions_in(text: str) -> Iterator[Action]:
    """Every stage direction outside quotation marks: both widths of brackets, nested, and *…*."""
    narrow, at, quoted = text.translate(_NARROW), 0, 0
    while at < len(narrow):
        char = narrow[at]
        quoted += (char in _OPEN) - (char in _CLOSE and quoted > 0)
        end = _end(narrow, at) if not quoted and char in "(*" else None
        if end is None:
            at += 1
            continue
        inner = text[at + 1 : end - 1 if narrow[end - 1] in ")*" else end].strip()
        starred = "*" in narrow[at:end]
        yield Action(at, end, text[at:end], inner.strip("*＊ 　") if starred else inner, starred)
        at = end


def _end(narrow: str, start: int) -> int | None:
    """Where the direction that opens here ends; one that never closes ends before the speech or with its line."""
    if narrow[start] == "*":
        end, line = narrow.find("*", start + 1), narrow.find("\n", start)
        return end + 1 if end > start + 1 and (line < 0 or end < line) else None
    depth = 0
    for place in range(start, len(narrow)):
        char = narrow[place]
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return place + 1
        if char == "\n" or char in _OPEN:
            return place
    return len(narrow)


# --- finding props -------------------------------------------------------------------------------------------------


def _scene(items: Iterable[str]) -> frozenset[str]:
    """Scene items as they are compared: one width, lower case, no symbols."""
    return frozenset(plain for item in items if (plain := _SYMBOLS.sub("", nfkc(item).casefold()).strip()))


def absent_props(action: str, scene: frozenset[str], words: Dictionary) -> list[str]:
    """The dictionary's props that an action uses and the scene does not have, in the order of the text."""
    text = nfkc(action)
    plain = text.casefold()
    free = [*_spans(plain, scene), *_spans(plain, words.innocent)]
    found: dict[int, str] = {}
    taken: list[tuple[int, int]] = []
    for entry in words.entries:
        for start, end in _spans(plain, [entry.casefold()]):
            covered = any(left <= start and end <= right for left, right in [*free, *taken])
            if not covered and _stands_alone(text, start, end, words):
                taken.append((start, end))
                if not _in_scene(entry, scene, words):
                    found[start] = entry
    return list(dict.fromkeys(found[start] for start in sorted(found)))


def _spans(text: str, needles: Iterable[str]) -> Iterator[tuple[int, int]]:
    for needle in sorted(needles):
        at = text.find(needle) if needle else -1
        while at >= 0:
            yield at, at + len(needle)
            at = text.find(needle, at + 1)


def _in_scene(entry: str, scene: frozenset[str], words: Dictionary) -> bool:
    """The thing itself, another spelling of it, or a longer name that ends with it (マグカップ for カップ)."""
    names = [name.casefold() for name in words.same[entry]]
    return any(item == name or item.endswith(name) for item in scene for name in names)


def _stands_alone(text: str, start: int, end: int, words: Dictionary) -> bool:
    """Whether a hit is the thing and not a piece of another word, judged by the run of letters it lies in."""
    run = _run(text, start, end)
    if run == text[start:end]:
        return True
    rest = run.replace(text[start:end], "", 1)
    pieces = (*words.modifiers, *words.entries)
    while rest:
        piece = next((one for one in pieces if rest.startswith(one)), None)
        if piece is None:
            return False
        rest = rest[len(piece) :]
    return True


def _run(text: str, start: int, end: int) -> str:
    """The longest stretch of one script around a hit."""
    left, right = start, end
    before = next((kind for kind in _RUNS if re.match(kind, text[start])), None)
    after = next((kind for kind in _RUNS if re.match(kind, text[end - 1])), None)
    while before and left > 0 and re.match(before, text[left - 1]):
        left -= 1
    while after and right < len(text) and re.match(after, text[right]):
        right += 1
    return text[left:right]


def gesture_for(action: str, blocked: Sequence[str], words: Dictionary) -> str:
    """A gesture the action already has, one for the prop, one for the verb, or the plainest of all."""
    safe = [(action.find(form), gesture) for gesture, forms in words.safe.items() for form in forms if form in action]
    if safe:
        return min(safe)[1]
    for prop in blocked:
        if prop in words.by_prop:
            return words.by_prop[prop]
    for gesture, forms in words.by_verb.items():
        if any(form in action for form in forms):
            return gesture
    return words.default


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
