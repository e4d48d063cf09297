"""Lorebooks: the entries of a card as lore of a sheet, and back without losing what a sheet does not know."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from hakoniwa.actor.cards.text import clean
from hakoniwa.actor.lore import (
    DEPTH,
    MAX_ENTRIES,
    MAX_PATTERN,
    MAX_PATTERNS,
    Logic,
    LoreEntry,
    LoreScan,
    is_pattern,
    pattern_of,
)
from hakoniwa.turn import Value

MAX_KEYS, MAX_KEY, MAX_NUMBER = 32, 200, 10**9
LOGICS: tuple[Logic, ...] = ("any", "not_all", "not_any", "all")  # in the order of SillyTavern's selectiveLogic
Resolve = Callable[[str], str]


class Note(Value):
    """Something the user should know about an import: a message of the catalogue and what it speaks of."""

    key: str
    details: dict[str, str | int] = {}


def entries_in(book: Any) -> list[Any]:
    """The entries of a lorebook as they came: a list, or as SillyTavern's own files have them, by number."""
    entries = book.get("entries") if isinstance(book, dict) else None
    if isinstance(entries, dict):
        return list(entries.values())
    return entries if isinstance(entries, list) else []


def lore_in(book: Any, resolve: Resolve) -> tuple[tuple[LoreEntry, ...], list[Note]]:
    """The lore of a lorebook; what is no entry is left out, with a note."""
    raws = entries_in(book)
    read, plain = _read(raws, resolve)
    notes = [Note(key="lore-many", details={"count": len(raws), "limit": MAX_ENTRIES})] if len(raws) > len(read) else []
    if odd := sum(one is None for one in read):
        notes.append(Note(key="lore-odd", details={"count": odd}))
    if plain:
        notes.append(Note(key="lore-patterns", details={"count": plain}))
    return tuple(one for one in read if one is not None), notes


def _read(raws: list[Any], resolve: Resolve) -> tuple[list[LoreEntry | None], int]:
    """The entries, and how many of their patterns are taken as plain words: RE2 refuses them, or they are too many."""
    read: list[LoreEntry | None] = []
    tried, plain = 0, 0
    for raw in raws[:MAX_ENTRIES]:
        entry = entry_in(raw, resolve)
        if entry and entry.regex:
            keys = [key for key in (*entry.keys, *entry.secondary_keys) if is_pattern(key)]
            tried += len(keys)
            if keys and tried > MAX_PATTERNS:
                entry = entry.model_copy(update={"regex": False})
            plain += sum(not entry.regex or pattern_of(key, entry.case_sensitive) is None for key in keys)
        read.append(entry)
    return read, plain


def scan_in(book: Any) -> LoreScan:
    known: dict[str, Any] = book if isinstance(book, dict) else {}
    depth, budget = _whole(known.get("scan_depth"), DEPTH), _whole(known.get("token_budget"), None)
    return LoreScan(
        depth=DEPTH if depth is None or depth < 0 else depth,
        budget=None if budget is None or budget <= 0 else budget,
        recursive=known.get("recursive_scanning") is True,
    )


def entry_in(raw: Any, resolve: Resolve) -> LoreEntry | None:
    """One entry of a lorebook, in the words of the cards or of SillyTavern's own files; None if it says nothing."""
    if not isinstance(raw, dict) or not isinstance(raw.get("content"), str):
        return None
    decorators, content = _decorated(raw["content"])
    marks = {line.split()[0] for line in decorators if line.strip()}
    extensions = raw["extensions"] if isinstance(raw.get("extensions"), dict) else {}
    logic = _whole(extensions.get("selectiveLogic", raw.get("selectiveLogic")), 0)
    depth = _whole(extensions.get("scan_depth", raw.get("scanDepth")), None)
    cases = (raw.get("case_sensitive"), extensions.get("case_sensitive"), raw.get("caseSensitive"))
    keys = _words(raw.get("keys", raw.get("key")), resolve)
    regex = raw.get("use_regex") is True or any(key.startswith("/") and is_pattern(key) for key in keys)
    return LoreEntry(
        keys=keys,
        content=resolve(content),
        name=_text(raw.get("name")) or _text(raw.get("comment")),
        secondary_keys=_words(raw.get("secondary_keys", raw.get("keysecondary")), resolve),
        selective=raw.get("selective") is True,
        logic=LOGICS[logic] if logic in range(len(LOGICS)) else "any",
        enabled=raw.get("enabled") is not False and raw.get("disable") is not True and "@@dont_activate" not in marks,
        constant=raw.get("constant") is True or "@@activate" in marks,
        case_sensitive=next((one for one in cases if isinstance(one, bool)), False),
        whole_words=extensions.get("match_whole_words", raw.get("matchWholeWords")) is not False,
        regex=regex,
        order=_whole(raw.get("insertion_order", raw.get("order")), 100),
        priority=_whole(raw.get("priority"), 0),
        depth=None if depth is None or depth < 0 else depth,
    )


def _decorated(content: str) -> tuple[list[str], str]:
    """The lines before an entry's text that begin with @@ and tell an application what to do, and the text."""
    if not content.lstrip().startswith("@@"):
        return [], content
    lines = content.lstrip().splitlines()
    count = next((place for place, line in enumerate(lines) if line.strip() and not line.startswith("@@")), len(lines))
    return lines[:count], "\n".join(lines[count:])


def _words(value: Any, resolve: Resolve) -> tuple[str, ...]:
    words = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    given = dict.fromkeys(word for word in words if isinstance(word, str) and len(word) <= MAX_PATTERN)
    texts = [resolve(word) for word in islice(given, 2 * MAX_KEYS)]
    kept = [word for word in texts if 0 < len(word) <= (MAX_PATTERN if is_pattern(word) else MAX_KEY)]
    return tuple(dict.fromkeys(kept))[:MAX_KEYS]


def _text(value: Any) -> str:
    return clean(value)[:MAX_KEY] if isinstance(value, str) else ""


def _whole(value: Any, default: Any) -> Any:
    """A number as a whole one of a size that makes sense; what is none counts as not given."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return default
    return int(max(-MAX_NUMBER, min(MAX_NUMBER, value)))


# --- and back ------------------------------------------------------------------------------------------------------


def book_of(lore: Sequence[LoreEntry], scan: LoreScan, book: Any, resolve: Resolve) -> dict[str, Any]:
    """The lorebook of a card with the lore of a sheet; entries that did not change stay as they came."""
    known: dict[str, Any] = dict(book) if isinstance(book, dict) else {"extensions": {}}
    old = _Old(entries_in(book), resolve)
    entries = [old.taken(entry) for entry in lore]
    before = scan_in(book)
    if scan.depth != before.depth:
        known["scan_depth"] = scan.depth
    if scan.budget != before.budget:
        known["token_budget"] = scan.budget or 0
    if scan.recursive != before.recursive:
        known["recursive_scanning"] = scan.recursive
    return {**known, "entries": [*entries, *old.never_read()]}


class _Old:
    """The entries of the card before, each to be taken once: by the entry it still is, or by the one it became."""

    def __init__(self, raws: list[Any], resolve: Resolve) -> None:
        self.raws = raws
        self.read, _ = _read(raws, resolve)
        self.left = {place: entry for place, entry in enumerate(self.read) if entry is not None}
        self.places: dict[object, list[int]] = {}
        for place, entry in reversed(self.left.items()):
            for sign in _signs(entry):
                self.places.setdefault(sign, []).append(place)

    def taken(self, entry: LoreEntry) -> dict[str, Any]:
        """An entry of a sheet as a card has it."""
        for sign in _signs(entry):
            places = self.places.get(sign, [])
            while places:
                if before := self.left.pop(place := places.pop(), None):
                    raw: dict[str, Any] = self.raws[place]
                    return raw if before == entry else _changed(raw, before, entry)
        return _rendered(entry)

    def never_read(self) -> Iterator[Any]:
        """What no sheet has ever shown, and so nobody can have meant to delete."""
        yield from (raw for place, raw in enumerate(self.raws) if place >= len(self.read) or self.read[place] is None)


def _signs(entry: LoreEntry) -> tuple[object, ...]:
    """What tells that two entries are the same, the surest first."""
    named = [(entry.name, entry.keys)] if entry.name or entry.keys else []
    return entry, entry.content, *named


def _changed(raw: dict[str, Any], before: LoreEntry, entry: LoreEntry) -> dict[str, Any]:
    """An entry of a card with what is different in the sheet's."""
    fresh = _rendered(entry)
    different = {name for name in LoreEntry.model_fields if getattr(entry, name) != getattr(before, name)}
    changed = {**raw, **{key: fresh[key] for field, key in _FIELDS.items() if field in different}}
    more = {key: fresh["extensions"].get(key) for field, key in _EXTENSIONS.items() if field in different}
    if "disable" in raw and "enabled" in different:
        changed["disable"] = not entry.enabled
    if more:
        changed["extensions"] = {**(raw["extensions"] if isinstance(raw.get("extensions"), dict) else {}), **more}
    decorators, text = _decorated(raw["content"])
    if decorators and different & {"content", "enabled", "constant"}:
        text = fresh["content"] if "content" in different else text
        kept = [line for line in decorators if not different & {"enabled", "constant"}]  # else they say otherwise
        changed["content"] = "\n".join([*kept, text])
    return changed


_FIELDS = {
    "keys": "keys", "content": "content", "name": "name", "secondary_keys": "secondary_keys", "selective": "selective",
    "enabled": "enabled", "constant": "constant", "case_sensitive": "case_sensitive", "regex": "use_regex",
    "order": "insertion_order", "priority": "priority",
}  # fmt: skip
_EXTENSIONS = {"logic": "selectiveLogic", "whole_words": "match_whole_words", "depth": "scan_depth"}


def _rendered(entry: LoreEntry) -> dict[str, Any]:
    """An entry as both versions of the specification have it."""
    data = entry.model_dump(mode="json")
    extensions = {"selectiveLogic": LOGICS.index(entry.logic), "match_whole_words": entry.whole_words}
    if entry.depth is not None:
        extensions["scan_depth"] = entry.depth
    return {**{key: data[field] for field, key in _FIELDS.items()}, "position": "before_char", "extensions": extensions}
