"""Lore: what a character knows of the world beyond the room, and which of it comes to mind by what is said."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import re2  # type: ignore[import-untyped]
from pydantic import Field

from hakoniwa.stage.names import nfkc
from hakoniwa.turn import Value, Witnessed

MAX_ENTRIES, MAX_RECURSION = 2000, 3
MAX_PATTERN, MAX_PATTERNS, MAX_SCANNED, MAX_TEXT = 500, 256, 8000, 1000
MAX_FACTS, MAX_FACT, MAX_TOKENS = 3, 200, 200
DEPTH = 4
Logic = Literal["any", "all", "not_any", "not_all"]

_SPACE = re.compile(r"\s+")
_SENTENCE = re.compile(r".*(?:[。！？!?」』]|\.(?=\s))", re.DOTALL)
_META = re.compile(r"[\\^$.|?*+()\[\]{}]")
_SLASHED = re.compile(r"/(.+)/([a-z]*)", re.DOTALL)
# Scripts that put spaces between words; in all others a key may stand anywhere.
_SPACED = r"0-9A-Za-z\u00aa-\u024f\u0370-\u052f"
_WORD = re.compile(rf"[{_SPACED}]+")
_EDGE = "\0"  # around every word, so that to look for whole words is to look for a text


class LoreEntry(Value):
    """One piece of lore: what is known, and the words that bring it to mind."""

    keys: tuple[str, ...] = ()
    content: str
    name: str = ""
    secondary_keys: tuple[str, ...] = ()
    selective: bool = False
    logic: Logic = "any"
    enabled: bool = True
    constant: bool = False
    case_sensitive: bool = False
    whole_words: bool = True
    regex: bool = False
    order: int = 100
    priority: int = 0
    depth: int | None = Field(default=None, ge=0)


class LoreScan(Value):
    """How far lore looks: how many of the latest lines, how many tokens it may take, whether lore recalls lore."""

    depth: int = Field(default=DEPTH, ge=0)
    budget: int | None = Field(default=None, ge=0)
    recursive: bool = False


SCAN = LoreScan()


@dataclass(frozen=True)
class _Scanned:
    """A text to look for keys in: as it stands, without case, and either with the edges of its words."""

    plain: str
    folded: str
    edged: str
    folded_edged: str

    @classmethod
    def of(cls, texts: Sequence[str]) -> "_Scanned":
        plain = nfkc("\n".join(text[:MAX_TEXT] for text in texts)[-MAX_SCANNED:])
        folded = plain.casefold()
        return cls(plain, folded, _edged(plain), _edged(folded))


def _edged(text: str) -> str:
    return _WORD.sub(rf"{_EDGE}\g<0>{_EDGE}", text)


def heard(recent: Sequence[Witnessed]) -> list[str]:
    """What somebody has perceived lately, as texts: what was said, and the names of what was used."""
    texts = [" ".join([one.speech, *(what for _, what in one.deeds if what)]) for one in recent]
    return [text for text in texts if text.strip()]


def recalled(
    entries: Sequence[LoreEntry],
    recent: Sequence[str],
    scan: LoreScan = SCAN,
    most: int = MAX_FACTS,
    tokens: int = MAX_TOKENS,
) -> list[str]:
    """The facts that the latest texts (oldest first) bring to mind: few, short, and in the order of the lorebook."""
    awake = _awake(entries[:MAX_ENTRIES], recent, scan)
    room = tokens if scan.budget is None else min(tokens, scan.budget)
    kept: list[tuple[int, int, str]] = []
    for place, entry in sorted(awake.items(), key=lambda one: _rank(*one)):
        text = fact(entry.content)
        cost = _tokens(text)
        if text and len(kept) < most and cost <= room and text not in [one for _, _, one in kept]:
            kept.append((entry.order, place, text))
            room -= cost
    return [text for _, _, text in sorted(kept)]


def _rank(place: int, entry: LoreEntry) -> tuple[int, bool, int, int]:
    """What stays when there is no room for all: by priority, what was called for before what is always true."""
    return -entry.priority, entry.constant, -entry.order, place


def fact(content: str) -> str:
    """A piece of lore as one line of a prompt, ended after a sentence where it is too long."""
    line = _SPACE.sub(" ", content[:MAX_TEXT]).strip()
    if len(line) <= MAX_FACT:
        return line
    cut = line[:MAX_FACT]
    whole = _SENTENCE.match(cut)
    return whole[0] if whole and len(whole[0]) > MAX_FACT // 4 else cut[: MAX_FACT - 1] + "…"


def _tokens(text: str) -> int:
    """About as many tokens as a model would count, rather more than fewer: Japanese one a character."""
    return (len(text.encode()) + 2) // 3


# --- which entries come to mind ------------------------------------------------------------------------------------


def _awake(entries: Sequence[LoreEntry], recent: Sequence[str], scan: LoreScan) -> dict[int, LoreEntry]:
    """Entries by place that the texts call for, and those which these call for in turn."""
    asleep = {place: entry for place, entry in enumerate(entries) if entry.enabled and entry.content.strip()}
    found = dict(_called(asleep, _Recent(recent, scan.depth)))
    latest = found
    for _ in range(MAX_RECURSION if scan.recursive else 0):
        if not latest:
            break
        asleep = {place: entry for place, entry in asleep.items() if place not in found}
        latest = dict(_called(asleep, _Recent([entry.content for entry in latest.values()], None)))
        found |= latest
    return found


class _Recent:
    """The texts that are looked at, by how many of the latest an entry asks for (None: all, whatever it asks for)."""

    def __init__(self, texts: Sequence[str], depth: int | None) -> None:
        self.texts = texts
        self.depth = depth
        self._scanned: dict[int, _Scanned] = {}

    def for_(self, entry: LoreEntry) -> _Scanned:
        asked = self.depth if self.depth is None or entry.depth is None else entry.depth
        wanted = len(self.texts) if asked is None else min(asked, len(self.texts))
        if wanted not in self._scanned:
            self._scanned[wanted] = _Scanned.of(self.texts[-wanted:] if wanted else [])
        return self._scanned[wanted]


def _called(entries: dict[int, LoreEntry], recent: _Recent) -> Iterator[tuple[int, LoreEntry]]:
    for place, entry in entries.items():
        if entry.constant or _wanted(entry, recent.for_(entry)):
            yield place, entry


def _wanted(entry: LoreEntry, text: _Scanned) -> bool:
    if not any(_stands(key, entry, text) for key in entry.keys):
        return False
    if not entry.selective or not entry.secondary_keys:
        return True
    hits = [_stands(key, entry, text) for key in entry.secondary_keys]
    match entry.logic:
        case "all":
            return all(hits)
        case "not_any":
            return not any(hits)
        case "not_all":
            return not all(hits)
    return any(hits)


def _stands(key: str, entry: LoreEntry, text: _Scanned) -> bool:
    """Whether a key is in a text."""
    pattern = pattern_of(key, entry.case_sensitive) if entry.regex else None
    if pattern is not None:
        return pattern.search(text.plain) is not None
    needle = _needle(key, entry.case_sensitive)
    within, edged = (text.plain, text.edged) if entry.case_sensitive else (text.folded, text.folded_edged)
    if not needle or needle not in within:
        return False
    return not entry.whole_words or any(form in edged for form in _whole_words(needle))


@lru_cache(maxsize=4 * MAX_ENTRIES)
def _needle(key: str, case_sensitive: bool) -> str:
    plain = nfkc(key)
    return plain if case_sensitive else plain.casefold()


def _whole_words(needle: str) -> Iterator[str]:
    """A key with the edges of its words, where its script knows words, for one thing and for many."""
    yield _edged(needle)
    if _WORD.match(needle[-1]):
        yield from (_edged(needle + plural) for plural in ("s", "es"))


def is_pattern(key: str) -> bool:
    """Whether a key of an entry with patterns is one: `/…/`, or with a sign that means something in a pattern."""
    return bool(_SLASHED.fullmatch(key) or _META.search(key))


def pattern_of(key: str, case_sensitive: bool) -> Any:
    """A key as an RE2 pattern; None if it is a plain word, too long, or not a pattern RE2 takes."""
    return _compiled(key, case_sensitive) if len(key) <= MAX_PATTERN and is_pattern(key) else None


@lru_cache(maxsize=MAX_PATTERNS)
def _compiled(key: str, case_sensitive: bool) -> Any:
    slashed = _SLASHED.fullmatch(key)
    body, flags = (slashed[1], slashed[2]) if slashed else (key, "" if case_sensitive else "i")
    options = re2.Options()
    options.log_errors = False
    options.max_mem = 1 << 19
    options.case_sensitive = "i" not in flags
    options.dot_nl = "s" in flags
    try:
        return re2.compile(body, options)
    except re2.error:
        return None
