"""Lore: what a character knows of the world beyond the room, and which of it comes to mind by what is said."""

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import re2  # type: ignore[import-untyped]
from pydantic import Field

from hakoniwa.actor.keys import MAX_TEXT, Key, Keys, Scanned
from hakoniwa.turn import Value, Witnessed

MAX_ENTRIES, MAX_RECURSION = 2000, 3
MAX_PATTERN, MAX_PATTERNS = 500, 256
MAX_FACTS, MAX_FACT, MAX_TOKENS = 3, 200, 200
DEPTH = 4
Logic = Literal["any", "all", "not_any", "not_all"]

_SPACE = re.compile(r"\s+")
_SENTENCE = re.compile(r".*(?:[。！？!?」』]|\.(?=\s))", re.DOTALL)
_META = re.compile(r"[\\^$.|?*+()\[\]{}]")
_SLASHED = re.compile(r"/(.+)/([a-z]*)", re.DOTALL)


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


def heard(recent: Sequence[Witnessed]) -> list[str]:
    """What somebody has perceived lately, as texts: what was said, and the names of what was used."""
    texts = [" ".join([one.speech, *(what for _, what in one.deeds if what)]) for one in recent]
    return [text for text in texts if text.strip()]


def recalled(
    book: "Lorebook",
    recent: Sequence[str],
    scan: LoreScan = SCAN,
    most: int = MAX_FACTS,
    tokens: int = MAX_TOKENS,
) -> list[str]:
    """The facts that the latest texts (oldest first) bring to mind: few, short, and in the order of the lorebook."""
    awake = book.awake(recent, scan)
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


class Lorebook:
    """Entries made ready once, so that which of them a text calls for is soon found, however many keys they have."""

    def __init__(self, entries: Sequence[LoreEntry]) -> None:
        known = [(place, entry) for place, entry in enumerate(entries[:MAX_ENTRIES]) if entry.enabled]
        self._ready = {place: _Ready.of(entry) for place, entry in known if entry.content.strip()}
        self._places: dict[Key, list[int]] = {}
        for place, one in self._ready.items():
            for key in one.keys:
                self._places.setdefault(key, []).append(place)
        self._keys = Keys(key for one in self._ready.values() for key in (*one.keys, *one.secondary_keys))
        self._with_patterns = [place for place, one in self._ready.items() if one.patterns]
        self._constant = [place for place, one in self._ready.items() if one.entry.constant]
        self._depths = {one.entry.depth for one in self._ready.values()}

    def awake(self, recent: Sequence[str], scan: LoreScan) -> dict[int, LoreEntry]:
        """Entries by place that the texts call for, and those which these call for in turn."""
        found = latest = self._called(_Recent(recent, scan.depth))
        for _ in range(MAX_RECURSION if scan.recursive else 0):
            if not latest:
                break
            called = self._called(_Recent([entry.content for entry in latest.values()], None))
            latest = {place: entry for place, entry in called.items() if place not in found}
            found = found | latest
        return found

    def _called(self, recent: "_Recent") -> dict[int, LoreEntry]:
        """The entries that are called for, in the order of the book: their contents are read as one text."""
        places = set(self._constant)
        for count in {recent.count(depth) for depth in self._depths}:
            places.update(self._called_by(recent, count))
        return {place: self._ready[place].entry for place in sorted(places)}

    def _called_by(self, recent: "_Recent", count: int) -> Iterator[int]:
        """The entries that look at so many texts, and are called for by them."""
        text = Scanned.of(recent.texts[-count:] if count else [])
        standing = self._keys.standing(text)
        likely = {place for key in standing for place in self._places.get(key, ())}.union(self._with_patterns)
        for place in likely:
            one = self._ready[place]
            if recent.count(one.entry.depth) == count and one.wanted(standing, text):
                yield place


class _Recent:
    """The texts that are looked at, and how many of the latest (None: all, whatever an entry asks for)."""

    def __init__(self, texts: Sequence[str], depth: int | None) -> None:
        self.texts = texts
        self.depth = depth

    def count(self, asked: int | None) -> int:
        """How many texts that is for an entry which asks for so many."""
        depth = self.depth if self.depth is None or asked is None else asked
        return len(self.texts) if depth is None else min(depth, len(self.texts))


@dataclass(frozen=True, slots=True)
class _Ready:
    """An entry with its keys as they are looked for: as words, or as patterns one by one."""

    entry: LoreEntry
    keys: tuple[Key, ...]
    patterns: tuple[str, ...]
    secondary_keys: tuple[Key, ...] = ()
    secondary_patterns: tuple[str, ...] = ()

    @classmethod
    def of(cls, entry: LoreEntry) -> "_Ready":
        return cls(entry, *_sorted(entry, entry.keys), *_sorted(entry, entry.secondary_keys if entry.selective else ()))

    def wanted(self, standing: Container[Key], text: Scanned) -> bool:
        """Whether a text calls for the entry, given which of all keys are in it."""
        if not any(self._hits(self.keys, self.patterns, standing, text)):
            return False
        if not self.secondary_keys and not self.secondary_patterns:
            return True
        hits = self._hits(self.secondary_keys, self.secondary_patterns, standing, text)
        match self.entry.logic:
            case "all":
                return all(hits)
            case "not_any":
                return not any(hits)
            case "not_all":
                return not all(hits)
        return any(hits)

    def _hits(
        self, keys: Sequence[Key], patterns: Sequence[str], standing: Container[Key], text: Scanned
    ) -> Iterator[bool]:
        yield from (key in standing for key in keys)
        for pattern in patterns:
            yield pattern_of(pattern, self.entry.case_sensitive).search(text.plain) is not None


def _sorted(entry: LoreEntry, words: Sequence[str]) -> tuple[tuple[Key, ...], tuple[str, ...]]:
    """The keys of an entry that are plain words, and those that are patterns."""
    patterns = [word for word in words if entry.regex and pattern_of(word, entry.case_sensitive) is not None]
    plain = [word for word in words if word not in patterns] if patterns else words
    return tuple(Key.of(word, entry.case_sensitive, entry.whole_words) for word in plain), tuple(patterns)


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
