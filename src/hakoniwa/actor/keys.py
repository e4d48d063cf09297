"""Keys: which of many words stand in a text. To look costs time by the text and what is in it, not by the keys."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from hakoniwa.stage.names import nfkc

MAX_SCANNED, MAX_TEXT = 8000, 1000
_WIDEST = 32

# Scripts that put spaces between words; in all others a key may stand anywhere.
_SPACED = r"0-9A-Za-z\u00aa-\u024f\u0370-\u052f"
_WORD = re.compile(rf"[{_SPACED}]+")
_EDGE = "\0"  # around every word, so that to look for whole words is to look for a text


@dataclass(frozen=True)
class Scanned:
    """A text to look for keys in: as it stands, without case, and either with the edges of its words."""

    plain: str
    folded: str
    edged: str
    folded_edged: str

    @classmethod
    def of(cls, texts: Sequence[str]) -> "Scanned":
        plain = nfkc("\n".join(text[:MAX_TEXT] for text in texts)[-MAX_SCANNED:])
        folded = plain.casefold()
        return cls(plain, folded, _edged(plain), _edged(folded))


class Key(NamedTuple):
    """A word as it is looked for, and how."""

    needle: str
    case_sensitive: bool
    whole_words: bool

    @classmethod
    def of(cls, word: str, case_sensitive: bool, whole_words: bool) -> "Key":
        plain = nfkc(word)
        return cls(plain if case_sensitive else plain.casefold(), case_sensitive, whole_words)

    def stands(self, text: Scanned) -> bool:
        """Whether this key is in a text."""
        within, edged = (text.plain, text.edged) if self.case_sensitive else (text.folded, text.folded_edged)
        if not self.needle or self.needle not in within:
            return False
        return not self.whole_words or any(form in edged for form in _whole_words(self.needle))


def _edged(text: str) -> str:
    return _WORD.sub(rf"{_EDGE}\g<0>{_EDGE}", text)


def _whole_words(needle: str) -> Iterator[str]:
    """A key with the edges of its words, where its script knows words, for one thing and for many."""
    yield _edged(needle)
    if _WORD.match(needle[-1]):
        yield from (_edged(needle + plural) for plural in ("s", "es"))


_Filed = dict[int, dict[str, list[Key]]]  # by the width of a beginning, and the beginning


class Keys:
    """Many keys, filed by how they begin: only those of which a text has the beginning are looked for in it."""

    def __init__(self, keys: Iterable[Key]) -> None:
        self._with_case: _Filed = {}
        self._without: _Filed = {}
        for key in dict.fromkeys(keys):
            beginning = _beginning(key.needle)
            if beginning:
                filed = self._with_case if key.case_sensitive else self._without
                filed.setdefault(len(beginning), {}).setdefault(beginning, []).append(key)

    def standing(self, text: Scanned) -> set[Key]:
        """Those that are in a text."""
        likely = (*_begun(self._with_case, text.plain), *_begun(self._without, text.folded))
        return {key for key in likely if key.stands(text)}


def _beginning(needle: str) -> str:
    """The start of a key, as many characters as a power of two allows: a text is gone through once for each width."""
    return needle[: min(1 << len(needle).bit_length() >> 1, _WIDEST)]


def _begun(filed: _Filed, text: str) -> Iterator[Key]:
    """The keys of which a text has at least the beginning."""
    for width, keys in filed.items():
        pieces = {text[at : at + width] for at in range(len(text) - width + 1)}
        for piece in pieces & keys.keys():
            yield from keys[piece]
