"""The texts of a card and its lorebook: what may stand in them, macros, sample lines; there and back without loss."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from hakoniwa.actor.cards.macros import USER, MacroRoles, without_macros
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
from hakoniwa.stage.names import nfkc
from hakoniwa.stage.world import MAX_NAME
from hakoniwa.turn import Value

# Signs that move a cursor, turn the writing round or hide words from the eye but not from a model.
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
_LINE_END = re.compile(r"\r\n?|[\u2028\u2029\x85]")
_NOT_IN_NAMES = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_KANA, _LATIN = re.compile(r"[ぁ-ヺー]"), re.compile(r"[A-Za-z]")
_WIDE = re.compile(r"[\u3000-\u9fff\uf900-\ufaff\uff00-\uffef]")
_START = re.compile(r"<\s*start\s*>", re.IGNORECASE)
_COLON = re.compile(r"[:：]")
_ACTION = re.compile(r"\*{1,3}([^*\n]{1,400})\*{1,3}")
_GAP = re.compile(r"(?<=[）」』]) (?=[（「『])")
_QUOTED = re.compile(r"「([^「」]{1,80})」|“([^“”]{1,160})”|\"([^\"]{1,160})\"")
MAX_SAMPLES, MAX_SPEAKER = 200_000, 80
_USER = {"user", "you", USER, "<user>"}


def visible_text(text: str) -> str:
    """A text without control, bidi and zero-width characters, its lines ended in one way."""
    return _UNSEEN.sub("", _LINE_END.sub("\n", text))


def clean(text: str) -> str:
    return visible_text(text).strip()


def clean_name(text: str) -> str:
    """A name as names are everywhere: NFKC, on one line, at most 64 characters, nothing unseen."""
    seen = (" " if char.isspace() else char for char in nfkc(text[: 16 * MAX_NAME]))
    kept = "".join(char for char in seen if unicodedata.category(char) not in _NOT_IN_NAMES)
    return " ".join(kept.split())[:MAX_NAME].strip()


def card_text(text: str, roles: MacroRoles) -> str:
    """A text of a card as it stands in a sheet."""
    return clean(roles.fill(text))


def is_japanese(text: str) -> bool:
    """Whether a text is rather Japanese than English: a word of the other here and there decides nothing."""
    plain = without_macros(text[:MAX_SAMPLES])
    return len(_KANA.findall(plain)) * 3 > len(_LATIN.findall(plain))


def sample_lines(text: str, roles: MacroRoles, names: Sequence[str]) -> list[str]:
    """What the character says and does in the sample talk of a card, a line each."""
    found: list[str] = []
    for scene in _START.split(text[:MAX_SAMPLES]):
        lines = _own_lines(scene, roles, names)
        found += [card_text(scene, roles)] if lines is None else lines
    return list(dict.fromkeys(line for line in map(_on_one_line, found) if line))


def _own_lines(scene: str, roles: MacroRoles, names: Sequence[str]) -> list[str] | None:
    """The character's lines of a scene; None if nobody is named in it at all."""
    own = {name.casefold() for name in (*names, roles.char) if name}
    others = {*_USER, roles.user.casefold()} - own
    lines: list[list[str]] = []
    mine: bool | None = None
    for line in scene.splitlines():
        who, words = _speaker(line, roles)
        if who in own:
            lines.append([words])
            mine = True
        elif who in others:
            mine = False
        elif mine:
            lines[-1].append(card_text(line, roles))
    return None if mine is None else [" ".join(filter(None, parts)) for parts in lines]


def _speaker(line: str, roles: MacroRoles) -> tuple[str, str]:
    """Who speaks a line, and what."""
    who, *words = _COLON.split(line, maxsplit=1)
    if not words or len(who) > MAX_SPEAKER:
        return "", ""
    return card_text(who, roles).casefold(), card_text(words[0], roles)


def _on_one_line(line: str) -> str:
    """A sample as a reply is written here: acts in brackets, not between asterisks."""
    brackets = r"（\1）" if _WIDE.search(line) else r"(\1)"
    return _GAP.sub("", " ".join(_ACTION.sub(brackets, line).split()))


def spoken_words(lines: Sequence[str], longest: int = 80) -> Iterator[str]:
    """Words that can be said by themselves: what is quoted in the samples, or a short one without any act."""
    for line in lines:
        quoted = [next(filter(None, found)) for found in _QUOTED.findall(line)]
        whole = [line] if not quoted and not re.search(r"[(（*]", line) else []
        for words in (*quoted, *whole):
            if 0 < len(words.strip()) <= longest and "{" not in words and "}" not in words:
                yield words.strip()


MAX_KEYS, MAX_KEY, MAX_NUMBER = 32, 200, 10**9
LOGICS: tuple[Logic, ...] = ("any", "not_all", "not_any", "all")  # in the order of SillyTavern's selectiveLogic
Resolve = Callable[[str], str]


class ImportNote(Value):
    """Something the user should know about an import: a message of the catalogue and what it speaks of."""

    key: str
    details: dict[str, str | int] = {}


def entries_in(book: Any) -> list[Any]:
    """The entries of a lorebook as they came: a list, or as SillyTavern's own files have them, by number."""
    entries = book.get("entries") if isinstance(book, dict) else None
    if isinstance(entries, dict):
        return list(entries.values())
    return entries if isinstance(entries, list) else []


def lore_in(book: Any, resolve: Resolve) -> tuple[tuple[LoreEntry, ...], list[ImportNote]]:
    """The lore of a lorebook; what is no entry is left out, with a note."""
    raws = entries_in(book)
    read, plain = _read_entries(raws, resolve)
    notes = (
        [ImportNote(key="lore-many", details={"count": len(raws), "limit": MAX_ENTRIES})]
        if len(raws) > len(read)
        else []
    )
    if odd := sum(one is None for one in read):
        notes.append(ImportNote(key="lore-odd", details={"count": odd}))
    if plain:
        notes.append(ImportNote(key="lore-patterns", details={"count": plain}))
    return tuple(one for one in read if one is not None), notes


def _read_entries(raws: list[Any], resolve: Resolve) -> tuple[list[LoreEntry | None], int]:
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
    depth, budget = _whole_number(known.get("scan_depth"), DEPTH), _whole_number(known.get("token_budget"), None)
    return LoreScan(
        depth=DEPTH if depth is None or depth < 0 else depth,
        budget=None if budget is None or budget <= 0 else budget,
        recursive=known.get("recursive_scanning") is True,
    )


def entry_in(raw: Any, resolve: Resolve) -> LoreEntry | None:
    """One entry of a lorebook, in the words of the cards or of SillyTavern's own files; None if it says nothing."""
    if not isinstance(raw, dict) or not isinstance(raw.get("content"), str):
        return None
    decorators, content = _split_decorators(raw["content"])
    marks = {line.split()[0] for line in decorators if line.strip()}
    extensions = raw["extensions"] if isinstance(raw.get("extensions"), dict) else {}
    logic = _whole_number(extensions.get("selectiveLogic", raw.get("selectiveLogic")), 0)
    depth = _whole_number(extensions.get("scan_depth", raw.get("scanDepth")), None)
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
        order=_whole_number(raw.get("insertion_order", raw.get("order")), 100),
        priority=_whole_number(raw.get("priority"), 0),
        depth=None if depth is None or depth < 0 else depth,
    )


def _split_decorators(content: str) -> tuple[list[str], str]:
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


def _whole_number(value: Any, default: Any) -> Any:
    """A number as a whole one of a size that makes sense; what is none counts as not given."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return default
    return int(max(-MAX_NUMBER, min(MAX_NUMBER, value)))


# --- and back ------------------------------------------------------------------------------------------------------


def book_of(lore: Sequence[LoreEntry], scan: LoreScan, book: Any, resolve: Resolve) -> dict[str, Any]:
    """The lorebook of a card with the lore of a sheet; entries that did not change stay as they came."""
    known: dict[str, Any] = dict(book) if isinstance(book, dict) else {"extensions": {}}
    old = _OldEntries(entries_in(book), resolve)
    entries = [old.taken(entry) for entry in lore]
    before = scan_in(book)
    if scan.depth != before.depth:
        known["scan_depth"] = scan.depth
    if scan.budget != before.budget:
        known["token_budget"] = scan.budget or 0
    if scan.recursive != before.recursive:
        known["recursive_scanning"] = scan.recursive
    return {**known, "entries": [*entries, *old.never_read()]}


class _OldEntries:
    """The entries of the card before, each to be taken once: by the entry it still is, or by the one it became."""

    def __init__(self, raws: list[Any], resolve: Resolve) -> None:
        self.raws = raws
        self.read, _ = _read_entries(raws, resolve)
        self.left = {place: entry for place, entry in enumerate(self.read) if entry is not None}
        self.places: dict[object, list[int]] = {}
        for place, entry in reversed(self.left.items()):
            for sign in _match_keys(entry):
                self.places.setdefault(sign, []).append(place)

    def taken(self, entry: LoreEntry) -> dict[str, Any]:
        """An entry of a sheet as a card has it."""
        for sign in _match_keys(entry):
            places = self.places.get(sign, [])
            while places:
                if before := self.left.pop(place := places.pop(), None):
                    raw: dict[str, Any] = self.raws[place]
                    return raw if before == entry else _update_entry(raw, before, entry)
        return _entry_fields(entry)

    def never_read(self) -> Iterator[Any]:
        """What no sheet has ever shown, and so nobody can have meant to delete."""
        yield from (raw for place, raw in enumerate(self.raws) if place >= len(self.read) or self.read[place] is None)


def _match_keys(entry: LoreEntry) -> tuple[object, ...]:
    """What tells that two entries are the same, the surest first."""
    named = [(entry.name, entry.keys)] if entry.name or entry.keys else []
    return entry, entry.content, *named


def _update_entry(raw: dict[str, Any], before: LoreEntry, entry: LoreEntry) -> dict[str, Any]:
    """An entry of a card with what is different in the sheet's."""
    fresh = _entry_fields(entry)
    different = {name for name in LoreEntry.model_fields if getattr(entry, name) != getattr(before, name)}
    changed = {**raw, **{key: fresh[key] for field, key in _FIELDS.items() if field in different}}
    more = {key: fresh["extensions"].get(key) for field, key in _EXTENSIONS.items() if field in different}
    if "disable" in raw and "enabled" in different:
        changed["disable"] = not entry.enabled
    if more:
        changed["extensions"] = {**(raw["extensions"] if isinstance(raw.get("extensions"), dict) else {}), **more}
    decorators, text = _split_decorators(raw["content"])
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


def _entry_fields(entry: LoreEntry) -> dict[str, Any]:
    """An entry as both versions of the specification have it."""
    data = entry.model_dump(mode="json")
    extensions = {"selectiveLogic": LOGICS.index(entry.logic), "match_whole_words": entry.whole_words}
    if entry.depth is not None:
        extensions["scan_depth"] = entry.depth
    return {**{key: data[field] for field, key in _FIELDS.items()}, "position": "before_char", "extensions": extensions}


def world_entry(place: int, entry: LoreEntry) -> dict[str, Any]:
    """An entry as SillyTavern's own lorebook files have it."""
    return {
        "uid": place, "displayIndex": place, "key": list(entry.keys), "keysecondary": list(entry.secondary_keys),
        "comment": entry.name, "content": entry.content, "constant": entry.constant, "selective": entry.selective,
        "selectiveLogic": LOGICS.index(entry.logic), "order": entry.order, "priority": entry.priority, "position": 0,
        "disable": not entry.enabled, "caseSensitive": entry.case_sensitive, "matchWholeWords": entry.whole_words,
        "use_regex": entry.regex, "scanDepth": entry.depth, "probability": 100, "useProbability": True,
    }  # fmt: skip
