"""Caps on lorebooks: what is read of one, what its patterns may be, and what of it comes to mind."""

from collections.abc import Callable, Sequence
from typing import Any

from hakoniwa.actor import lore
from hakoniwa.actor.cards.book import MAX_KEY, MAX_KEYS, lore_in
from hakoniwa.actor.lore import MAX_SCANNED, MAX_TEXT
from tests.trust.cap import CUT, Cap, whole_or_cut

BACKWARDS = r"(?=(月))\1"  # looks ahead and back: RE2 does neither
AT_ONCE = 16  # patterns of an entry


def _read(entries: Sequence[dict[str, Any]]) -> tuple[tuple[lore.LoreEntry, ...], str]:
    """The entries of a book, and what whoever imports it is told first."""
    found, notes = lore_in({"entries": [{"content": "x", **entry} for entry in entries]}, str.strip)
    return found, notes[0].key if notes else ""


# --- what is read -----------------------------------------------------------------------------------------------------


def lorebook(size: int) -> Callable[[], str]:
    book = [{"keys": [f"k{place}"]} for place in range(size)]

    def read() -> str:
        entries, note = _read(book)
        assert len(entries) == min(size, lore.MAX_ENTRIES)
        return note

    return read


def patterns(size: int) -> Callable[[], str]:
    keys = [f"/k{place}+/" for place in range(size)]
    book = [{"keys": keys[start : start + AT_ONCE]} for start in range(0, size, AT_ONCE)]
    return lambda: _read(book)[1]


def patterns_of_others(size: int) -> Callable[[], str]:
    """Patterns that only engines read which may take for ever over them, beside one that RE2 takes."""
    return lambda: _read([{"keys": ["/月+/", *(f"/{BACKWARDS}{place}/" for place in range(size))]}])[1]


def keys(size: int) -> Callable[[], str]:
    book = [{"keys": [f"k{place}" for place in range(size)]}]
    return lambda: "" if len(_read(book)[0][0].keys) == size else CUT


def key(size: int) -> Callable[[], str]:
    return lambda: "" if _read([{"keys": ["k" * size]}])[0][0].keys else CUT


# --- what comes to mind -----------------------------------------------------------------------------------------------


def _recalls(entry: lore.LoreEntry, texts: Sequence[str]) -> Callable[[], str]:
    scan = lore.LoreScan(depth=len(texts))
    return lambda: "" if lore.recall_lore(lore.Lorebook([entry]), texts, scan) else CUT


def entries_at_hand(size: int) -> Callable[[], str]:
    """A sheet that somebody wrote by hand: only the last of its lore is called for."""
    book = [lore.LoreEntry(keys=(f"k{place}",), content="x") for place in range(size)]
    return lambda: "" if lore.recall_lore(lore.Lorebook(book), [f"k{size - 1}"]) else CUT


def pattern(size: int) -> Callable[[], str]:
    """A pattern of so many characters; one that is not taken for a pattern finds nothing."""
    return _recalls(lore.LoreEntry(keys=("月+|".ljust(size, "x"),), content="x", regex=True), ["月月"])


def text_scanned(size: int) -> Callable[[], str]:
    return _recalls(lore.LoreEntry(keys=("月",), content="x"), ["月".rjust(size, "あ")])


def texts_scanned(size: int) -> Callable[[], str]:
    """So many characters in lines that are not too long, and the key is the first of them."""
    line = "あ" * (MAX_TEXT - 1) + "\n"
    said = ("月" + line * (size // len(line) + 1))[:size]
    return _recalls(lore.LoreEntry(keys=("月",), content="x"), said.split("\n"))


def lore_of_lore(size: int) -> Callable[[], str]:
    """A chain of lore that each calls for the next: the first by what is said, so many more by the one before."""
    chain = lore.Lorebook([lore.LoreEntry(keys=(f"w{place}",), content=f"w{place + 1}") for place in range(size + 1)])
    scan = lore.LoreScan(recursive=True)
    return lambda: "" if len(lore.recall_lore(chain, ["w0"], scan, most=99, tokens=999)) == size + 1 else CUT


def facts(size: int) -> Callable[[], str]:
    book = [lore.LoreEntry(keys=("a",), content=f"事実{place}") for place in range(size)]
    return lambda: "" if len(lore.recall_lore(lore.Lorebook(book), ["a"])) == size else CUT


def tokens(size: int) -> Callable[[], str]:
    """Pieces of lore of one token each, where there may be any number of them."""
    book = [lore.LoreEntry(keys=("a",), content=chr(0x4E00 + place)) for place in range(size)]
    return lambda: "" if len(lore.recall_lore(lore.Lorebook(book), ["a"], most=size)) == size else CUT


CAPS: dict[str, Cap] = {
    "entries of a lorebook": Cap(lore.MAX_ENTRIES, lorebook),
    "entries of lore in a sheet": Cap(lore.MAX_ENTRIES, entries_at_hand),
    "patterns of a lorebook": Cap(lore.MAX_PATTERNS, patterns),
    "patterns that RE2 does not take": Cap(0, patterns_of_others),
    "characters of a pattern": Cap(lore.MAX_PATTERN, pattern),
    "keys of an entry": Cap(MAX_KEYS, keys),
    "characters of a key": Cap(MAX_KEY, key),
    "characters of a text that is searched for keys": Cap(MAX_TEXT, text_scanned),
    "characters that are searched for keys": Cap(MAX_SCANNED, texts_scanned),
    "lore that calls for lore": Cap(lore.MAX_RECURSION, lore_of_lore),
    "facts of lore": Cap(lore.MAX_FACTS, facts),
    "tokens of lore": Cap(lore.MAX_TOKENS, tokens),
    "characters of a fact": Cap(
        lore.MAX_FACT, lambda size: lambda: whole_or_cut(lore.fact_line("あ" * size), size, lore.MAX_FACT)
    ),
}
