"""Lore: what a character knows of the world beyond the room, and which of it comes to mind by what is said."""

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import re2  # type: ignore[import-untyped]
from pydantic import Field

from hakoniwa.stage.names import nfkc
from hakoniwa.turn import Value, WitnessedEvent

MAX_SCANNED, MAX_TEXT = 8000, 1000
_WIDEST = 32

# Scripts that put spaces between words; in all others a key may stand anywhere.
_SPACED = r"0-9A-Za-z\u00aa-\u024f\u0370-\u052f"
_WORD = re.compile(rf"[{_SPACED}]+")
_EDGE = "\0"  # around every word, so that to look for whole words is to look for a text


@dataclass(frozen=True)
class ScannedText:
    """A text to look for keys in: as it stands, without case, and either with the edges of its words."""

    plain: str
    folded: str
    edged: str
    folded_edged: str

    @classmethod
    def of(cls, texts: Sequence[str]) -> "ScannedText":
        plain = nfkc("\n".join(text[:MAX_TEXT] for text in texts)[-MAX_SCANNED:])
        folded = plain.casefold()
        return cls(plain, folded, _mark_edges(plain), _mark_edges(folded))


class LoreKey(NamedTuple):
    """A word as it is looked for, and how."""

    needle: str
    case_sensitive: bool
    whole_words: bool

    @classmethod
    def of(cls, word: str, case_sensitive: bool, whole_words: bool) -> "LoreKey":
        plain = nfkc(word)
        return cls(plain if case_sensitive else plain.casefold(), case_sensitive, whole_words)

    def stands(self, text: ScannedText) -> bool:
        """Whether this key is in a text."""
        within, edged = (text.plain, text.edged) if self.case_sensitive else (text.folded, text.folded_edged)
        if not self.needle or self.needle not in within:
            return False
        return not self.whole_words or any(form in edged for form in _whole_words(self.needle))


def _mark_edges(text: str) -> str:
    return _WORD.sub(rf"{_EDGE}\g<0>{_EDGE}", text)


def _whole_words(needle: str) -> Iterator[str]:
    """A key with the edges of its words, where its script knows words, for one thing and for many."""
    yield _mark_edges(needle)
    if _WORD.match(needle[-1]):
        yield from (_mark_edges(needle + plural) for plural in ("s", "es"))


_KeyTable = dict[int, dict[str, list[LoreKey]]]  # by the width of a beginning, and the beginning


class KeyIndex:
    """Many keys, filed by how they begin: only those of which a text has the beginning are looked for in it."""

    def __init__(self, keys: Iterable[LoreKey]) -> None:
        self._with_case: _KeyTable = {}
        self._without: _KeyTable = {}
        for key in dict.fromkeys(keys):
            beginning = _beginning(key.needle)
            if beginning:
                filed = self._with_case if key.case_sensitive else self._without
                filed.setdefault(len(beginning), {}).setdefault(beginning, []).append(key)

    def standing(self, text: ScannedText) -> set[LoreKey]:
        """Those that are in a text."""
        likely = (*_candidate_keys(self._with_case, text.plain), *_candidate_keys(self._without, text.folded))
        return {key for key in likely if key.stands(text)}


def _beginning(needle: str) -> str:
    """The start of a key, as many characters as a power of two allows: a text is gone through once for each width."""
    return needle[: min(1 << len(needle).bit_length() >> 1, _WIDEST)]


def _candidate_keys(filed: _KeyTable, text: str) -> Iterator[LoreKey]:
    """The keys of which a text has at least the beginning."""
    for width, keys in filed.items():
        pieces = {text[at : at + width] for at in range(len(text) - width + 1)}
        for piece in pieces & keys.keys():
            yield from keys[piece]


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


def perceived_texts(recent: Sequence[WitnessedEvent]) -> list[str]:
    """What somebody has perceived lately, as texts: what was said, and the names of what was used."""
    texts = [" ".join([one.speech, *(what for _, what in one.deeds if what)]) for one in recent]
    return [text for text in texts if text.strip()]


def recall_lore(
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
        text = fact_line(entry.content)
        cost = _tokens(text)
        if text and len(kept) < most and cost <= room and text not in [one for _, _, one in kept]:
            kept.append((entry.order, place, text))
            room -= cost
    return [text for _, _, text in sorted(kept)]


def _rank(place: int, entry: LoreEntry) -> tuple[int, bool, int, int]:
    """What stays when there is no room for all: by priority, what was called for before what is always true."""
    return -entry.priority, entry.constant, -entry.order, place


def fact_line(content: str) -> str:
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
        self._ready = {place: _PreparedEntry.of(entry) for place, entry in known if entry.content.strip()}
        self._places: dict[LoreKey, list[int]] = {}
        for place, one in self._ready.items():
            for key in one.keys:
                self._places.setdefault(key, []).append(place)
        self._keys = KeyIndex(key for one in self._ready.values() for key in (*one.keys, *one.secondary_keys))
        self._with_patterns = [place for place, one in self._ready.items() if one.patterns]
        self._constant = [place for place, one in self._ready.items() if one.entry.constant]
        self._depths = {one.entry.depth for one in self._ready.values()}

    def awake(self, recent: Sequence[str], scan: LoreScan) -> dict[int, LoreEntry]:
        """Entries by place that the texts call for, and those which these call for in turn."""
        found = latest = self._called(_RecentTexts(recent, scan.depth))
        for _ in range(MAX_RECURSION if scan.recursive else 0):
            if not latest:
                break
            called = self._called(_RecentTexts([entry.content for entry in latest.values()], None))
            latest = {place: entry for place, entry in called.items() if place not in found}
            found = found | latest
        return found

    def _called(self, recent: "_RecentTexts") -> dict[int, LoreEntry]:
        """The entries that are called for, in the order of the book: their contents are read as one text."""
        places = set(self._constant)
        for count in {recent.count(depth) for depth in self._depths}:
            places.update(self._called_by(recent, count))
        return {place: self._ready[place].entry for place in sorted(places)}

    def _called_by(self, recent: "_RecentTexts", count: int) -> Iterator[int]:
        """The entries that look at so many texts, and are called for by them."""
        text = ScannedText.of(recent.texts[-count:] if count else [])
        standing = self._keys.standing(text)
        likely = {place for key in standing for place in self._places.get(key, ())}.union(self._with_patterns)
        for place in likely:
            one = self._ready[place]
            if recent.count(one.entry.depth) == count and one.wanted(standing, text):
                yield place


class _RecentTexts:
    """The texts that are looked at, and how many of the latest (None: all, whatever an entry asks for)."""

    def __init__(self, texts: Sequence[str], depth: int | None) -> None:
        self.texts = texts
        self.depth = depth

    def count(self, asked: int | None) -> int:
        """How many texts that is for an entry which asks for so many."""
        depth = self.depth if self.depth is None or asked is None else asked
        return len(self.texts) if depth is None else min(depth, len(self.texts))


@dataclass(frozen=True, slots=True)
class _PreparedEntry:
    """An entry with its keys as they are looked for: as words, or as patterns one by one."""

    entry: LoreEntry
    keys: tuple[LoreKey, ...]
    patterns: tuple[str, ...]
    secondary_keys: tuple[LoreKey, ...] = ()
    secondary_patterns: tuple[str, ...] = ()

    @classmethod
    def of(cls, entry: LoreEntry) -> "_PreparedEntry":
        return cls(
            entry, *_sort_keys(entry, entry.keys), *_sort_keys(entry, entry.secondary_keys if entry.selective else ())
        )

    def wanted(self, standing: Container[LoreKey], text: ScannedText) -> bool:
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
        self, keys: Sequence[LoreKey], patterns: Sequence[str], standing: Container[LoreKey], text: ScannedText
    ) -> Iterator[bool]:
        yield from (key in standing for key in keys)
        for pattern in patterns:
            yield pattern_of(pattern, self.entry.case_sensitive).search(text.plain) is not None


def _sort_keys(entry: LoreEntry, words: Sequence[str]) -> tuple[tuple[LoreKey, ...], tuple[str, ...]]:
    """The keys of an entry that are plain words, and those that are patterns."""
    patterns = [word for word in words if entry.regex and pattern_of(word, entry.case_sensitive) is not None]
    plain = [word for word in words if word not in patterns] if patterns else words
    return tuple(LoreKey.of(word, entry.case_sensitive, entry.whole_words) for word in plain), tuple(patterns)


def is_pattern(key: str) -> bool:
    """Whether a key of an entry with patterns is one: `/…/`, or with a sign that means something in a pattern."""
    return bool(_SLASHED.fullmatch(key) or _META.search(key))


def pattern_of(key: str, case_sensitive: bool) -> Any:
    """A key as an RE2 pattern; None if it is a plain word, too long, or not a pattern RE2 takes."""
    return _compile_pattern(key, case_sensitive) if len(key) <= MAX_PATTERN and is_pattern(key) else None


@lru_cache(maxsize=MAX_PATTERNS)
def _compile_pattern(key: str, case_sensitive: bool) -> Any:
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
