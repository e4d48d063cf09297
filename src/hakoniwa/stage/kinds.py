"""Kinds of things: what a thing may be called besides its names (a 詩集 is a 本), for referee and sanitizer alike."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

import yaml

LANGUAGES = ("ja", "en")
_NOTHING = re.compile("")
_LAST_NOUN = re.compile(
    r"の([㐀-鿿]+|[ァ-ヺー]+)$|(?<=[㐀-鿿]{2})([㐀-鿿]{2})$|(?<=[^ァ-ヺー㐀-鿿])([㐀-鿿]{2,})$|(?<=[^ァ-ヺー])([ァ-ヺー]{2,})$"
)
_OF = re.compile(r"(?<=\S)\s+(?:of|with|and|for)\s+")


@dataclass(frozen=True, eq=False)
class Kinds:
    """The common names of one language: which are one thing, which a thing may end with, and which only look so."""

    same: tuple[tuple[str, ...], ...]
    is_a: dict[str, frozenset[str]]
    holds: frozenset[tuple[str, str]]
    called: tuple[tuple[str, tuple[str, ...]], ...]
    head: re.Pattern[str]
    pieces: dict[str, re.Pattern[str]]
    innocent: tuple[str, ...]
    plural: str

    def group_of(self, word: str) -> tuple[str, ...]:
        """Every name of what the word stands first for."""
        return next((group for group in self.same if group[0] == word), ())


@cache
def kinds(language: str) -> Kinds:
    path = files("hakoniwa").joinpath("lexicon", f"kinds.{language}.yaml")
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    groups = tuple(tuple(group) for group in data["same"])
    is_a = _is_a(groups, data["kinds"], data["holds"])
    return Kinds(
        same=groups,
        is_a=is_a,
        holds=frozenset((one, word) for word, names in data["holds"].items() for one in names),
        called=tuple((word, tuple(ends)) for word, ends in data["called"].items()),
        head=re.compile(f"({either(is_a)})(?:{data['plural']})?$"),
        pieces=_pieces(groups, data["modifiers"]),
        innocent=tuple(data["innocent"]),
        plural=data["plural"],
    )


@lru_cache(maxsize=4096)
def kinds_of(name: str) -> frozenset[str]:
    """The common names, in any language, of a thing of this name in small letters."""
    found = {word for language in LANGUAGES for word in kinds_in(name, kinds(language))}
    return frozenset((found - held_in(name)) | _last_noun(name) | _short_names(name))


def _short_names(name: str) -> set[str]:
    """What one may call a thing in short, by the end of its name: 本棚 is 棚, and 電話 has a 受話器."""
    listed = [one for language in LANGUAGES for one in kinds(language).called]
    return {word for word, ends in listed if name.endswith(ends) and name != word}


def _last_noun(name: str) -> set[str]:
    """The noun at the end of a Japanese name, by which one may call the thing: 蔵の鍵, 腰高障子, 古いランプ."""
    found = _LAST_NOUN.search(name)
    noun = next(filter(None, found.groups())) if found else ""
    return {noun} if noun and noun != name else set()


@lru_cache(maxsize=4096)
def held_in(name: str) -> frozenset[str]:
    """The common names of what a thing of this name has in it: the 水 of a 井戸."""
    held = ((end, word) for language in LANGUAGES for end, word in kinds(language).holds)
    return frozenset(word for end, word in held if name.endswith(end))


def kinds_in(name: str, known: Kinds) -> Iterator[str]:
    """The same in one language; a mug of tea is a mug, and tea."""
    for part in _OF.split(name):
        yield from _head(part, known)


def _head(name: str, known: Kinds) -> frozenset[str]:
    """The kinds of the longest name that a name ends with; an English one is a whole word (string is no ring)."""
    found = known.head.search(name)
    if found is None or all(letters_of(name, known.innocent)[slice(*found.span(1))]):
        return frozenset()
    before = name[: found.start()].rpartition(" ")[2]
    whole = not found[1].isascii() or known.pieces.get(found[1], _NOTHING).fullmatch(before)
    return known.is_a[found[1]] if whole else frozenset()


def longest_first(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(words), key=lambda word: (-len(word), word)))


def either(words: Iterable[str]) -> str:
    return f"(?:{'|'.join(map(re.escape, longest_first(words)))})"


def letters_of(text: str, needles: Iterable[str]) -> bytearray:
    """Which letters of a text belong to one of the needles."""
    letters = bytearray(len(text))
    for start, end in spans(text, needles):
        take(letters, start, end)
    return letters


def take(letters: bytearray, start: int, end: int) -> bool:
    letters[start:end] = bytes([1]) * (end - start)
    return True


def spans(text: str, needles: Iterable[str]) -> Iterator[tuple[int, int]]:
    for needle in needles:
        at = text.find(needle)
        while at >= 0:
            yield at, at + len(needle)
            at = text.find(needle, at + 1)


def _pieces(groups: Sequence[Sequence[str]], modifiers: dict[str, list[str]]) -> dict[str, re.Pattern[str]]:
    """What may join each thing in front: the things listed before it, and words that leave it what it is."""
    things = either(word.casefold() for group in groups for word in group)
    return {
        word.casefold(): re.compile(f"(?:{things}・)*{either(modifiers.get(group[0], ()))}*")
        for group in groups
        for word in group
    }


def _is_a(groups: Sequence[Sequence[str]], *more: dict[str, list[str]]) -> dict[str, frozenset[str]]:
    """For every name that a thing may end with: the common names that it, or what it holds, goes by."""
    found: dict[str, set[str]] = {}
    for group in groups:
        for name in (*group, *(name for kinds in more for name in kinds.get(group[0], ()))):
            found.setdefault(name.casefold(), set()).update(word.casefold() for word in group)
    return {name: frozenset(words) for name, words in found.items()}
