"""What a persona never says. Only the form of the words is looked at, never their meaning; nothing is mended."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

LONGEST = 1_200
MOST_READ = 65_536  # characters of what stands behind it; no model was shown as many
WIDE, NARROW, MOST_SHARED = 3, 2, 36  # twelve kana or kanji in a row, or eighteen Latin letters, may be chance
WORTH_TELLING = 12  # what is shorter is a word like any other
MARK = "\n"
SHORTEST_IDENTIFIER = 6
UNFINISHED = frozenset({"length", "content_filter"})

EMPTY, TOO_LONG, CUT_OFF = "ghost.voice-empty", "ghost.voice-too-long", "ghost.voice-cut-off"
MARKUP, ECHO, INTERNAL = "ghost.voice-markup", "ghost.voice-echo", "ghost.voice-internal"

ADDRESS = re.compile(r"\w{2,12}://\S*|\bwww\.\w\S*|\b[\w-]{1,60}\.[a-z]{2,12}/\S*|\bmailto:\S*", re.IGNORECASE)
_MARKUP = re.compile(
    r"```|~~~|`[\w./$-][^`\n]*`"  # code
    r"|\*\*[^\s*]|\b__\w"  # emphasis; a face may hold single signs
    r"|\][(\[]|\[\d+\]"  # a link, a note
    r"|</?[a-z!][^<>\n]*>|<\|"  # a tag, or what a chat template is made of
    r"|^[ \t]*(?:\#{1,6}\s|[\[【|]|>\s|[-=_*]{3,}\s*$)"  # a heading, a table, a quotation, a rule
    r"|^[ \t]*(?:[-*+•●○■□◆◇▪▶]\s|・(?!・)|\d{1,2}[.)](?!\d)|[①-⑳])",  # a list
    re.IGNORECASE | re.MULTILINE | re.ASCII,
)
_JSON = re.compile(r'\A\s*\{|\}\s*\Z|[{,]\s*"[^"\n]{0,80}"\s*:|\\(?:[nrt"]|u[0-9a-f]{4})', re.IGNORECASE)
_TOKEN = re.compile(r"[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?")
_JOINERS = "\u200c\u200d"  # they hold some emoji together
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co"})
_WIDTHLESS = re.compile("[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]")


@dataclass(frozen=True)
class HiddenDetails:
    """What stands behind a message: texts and their stretches that nobody repeats, names that nobody outside knows.

    `facts` are what may be told; where another text quotes one of them, that is no part of what the two share."""

    summary: str
    stretches: frozenset[str]
    source: str
    identifiers: frozenset[str]
    names: frozenset[str]
    told: tuple[str, ...]
    facts: tuple[str, ...]


def hidden_details(summary: str, printed: Iterable[str], openly: Iterable[str], names: Iterable[str]) -> HiddenDetails:
    """What a summary says and what was printed, but for the facts that may be told; an address is no such fact."""
    found = list(openly)
    told = [ADDRESS.sub(" ", one) for one in found]
    addresses = [address for one in found for address in ADDRESS.findall(one)]
    behind = [summary[:MOST_READ], "\n".join(printed)[:MOST_READ], *addresses]
    facts = {letters for letters in map(_letters, told) if _widths(letters) >= WORTH_TELLING}
    quoted = tuple(sorted(facts, key=lambda one: (-len(one), one)))
    return HiddenDetails(
        summary=_mark_facts(behind[0], quoted),
        stretches=_stretches(behind, told, quoted),
        source=_fold_text("\n".join(behind)),
        identifiers=_unknown_identifiers(behind, told),
        names=_unknown_identifiers(names, told),
        told=tuple(told),
        facts=quoted,
    )


def find_fault(said: str, finish: str | None, behind: HiddenDetails) -> str | None:
    """The key of the message that says why this is not said; None if it may be."""
    if finish in UNFINISHED:
        return CUT_OFF
    if not any(letter.isalnum() for letter in said[:LONGEST]):
        return EMPTY
    if len(said) > LONGEST:
        return TOO_LONG
    if has_markup(said):
        return MARKUP
    if mentions_any(said, behind.names):
        return INTERNAL
    return (
        ECHO
        if mentions_any(said, behind.identifiers) or leaks_part(said, behind) or repeats_hidden(said, behind)
        else None
    )


# --- form -------------------------------------------------------------------------------------------------------------


def has_markup(said: str) -> bool:
    """Whether it is anything but plain words: Markdown, an address, JSON, or signs that cannot be seen."""
    spellings = (said, _fold_text(said))
    return any(map(_is_invisible, said)) or any(
        form.search(text) for form in (_MARKUP, ADDRESS, _JSON) for text in spellings
    )


def _is_invisible(letter: str) -> bool:
    return letter != "\n" and letter not in _JOINERS and unicodedata.category(letter) in _UNSEEN


# --- words of others --------------------------------------------------------------------------------------------------


def mentions_any(said: str, identifiers: frozenset[str]) -> bool:
    """Whether one of these occurs, even broken into pieces."""
    text = _fold_text(said)
    return any(one in spelling for one in identifiers for spelling in (text, "".join(text.split())))


def leaks_part(said: str, behind: HiddenDetails) -> bool:
    """Whether part of an identifier occurs."""
    return any(one in behind.source for one in _unknown_identifiers([said], behind.told))


def repeats_hidden(said: str, behind: HiddenDetails) -> bool:
    """Whether it is the summary with or without more, or shares a stretch of anything that is too long for chance."""
    text = _mark_facts(said, behind.facts)
    read_out = _widths(behind.summary) >= WORTH_TELLING and behind.summary in text
    return read_out or not behind.stretches.isdisjoint(_windows(text))


def _stretches(behind: Iterable[str], told: Iterable[str], quoted: Iterable[str]) -> frozenset[str]:
    windows = {window for one in behind for window in _windows(_mark_facts(one, quoted))}
    return frozenset(windows.difference(window for fact in told for window in _windows(_letters(fact))))


def _mark_facts(text: str, facts: Iterable[str]) -> str:
    """The letters of a text, with a mark in the place of every fact it quotes."""
    letters = _letters(text)
    for one in facts:
        letters = letters.replace(one, MARK)
    return letters


def _windows(text: str) -> Iterator[str]:
    """From every letter on, the shortest stretch that is longer than two texts share by chance."""
    start = width = 0
    for end, letter in enumerate(text, start=1):
        width += _width(letter)
        while width > MOST_SHARED:
            yield text[start:end]
            width -= _width(text[start])
            start += 1


def _width(letter: str) -> int:
    return WIDE if letter >= "\u2e80" else NARROW if letter != MARK else 0


def _widths(text: str) -> int:
    return sum(map(_width, text))


def _unknown_identifiers(texts: Iterable[str], told: Iterable[str]) -> frozenset[str]:
    """The identifiers in some texts that do not occur among the facts."""
    known = _fold_text("\n".join(told))
    return frozenset(one for one in _identifiers("\n".join(texts)) if one not in known)


def _identifiers(text: str) -> set[str]:
    """What looks like a name that a machine gave: letters together with digits, underscores or hyphens."""
    tokens = {one for one in _TOKEN.findall(_fold_text(text)) if len(one) >= SHORTEST_IDENTIFIER}
    return {one for one in tokens if not one.isalpha() and any(letter.isalpha() for letter in one)}


def _letters(text: str) -> str:
    """Letters and digits alone, so that no other wrapping hides what is the same."""
    return "".join(filter(str.isalnum, _fold_text(text)))


def _fold_text(text: str) -> str:
    return unicodedata.normalize("NFKC", _WIDTHLESS.sub("", text)).casefold()
