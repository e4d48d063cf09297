"""The dictionary of props: what a stage direction uses that is not in the scene, told by its letters alone."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import yaml

from hakoniwa.stage.names import nfkc

_SCRIPTS = {"katakana": "ァ-ヺー・", "kanji": "㐀-鿿々", "hiragana": "ぁ-ゖ", "latin": "a-z", "digit": "0-9"}
_KINDS = [(name, re.compile(f"[{letters}]")) for name, letters in _SCRIPTS.items()]
_SYMBOLS = re.compile(r"[^\w\s]|_")
_NEXT_WORD = re.compile(r"\s+([a-z']+)")
_LONGEST_WORD = 24


@dataclass(frozen=True)
class Dictionary:
    """The props of one language, the words around them that decide what a hit is, and the gestures in their place."""

    same: dict[str, frozenset[str]]
    entries: tuple[str, ...]
    pieces: re.Pattern[str]
    innocent: tuple[str, ...]
    particles: tuple[str, ...]
    more_particles: tuple[str, ...]
    adverbs: frozenset[str]
    verbs: frozenset[str]
    objects: frozenset[str]
    articles: frozenset[str]
    safe: dict[str, tuple[str, ...]]
    by_prop: dict[str, str]
    by_verb: dict[str, tuple[str, ...]]
    default: str


@cache
def dictionary(language: str) -> Dictionary:
    path = files("hakoniwa").joinpath("lexicon", f"sanitizer.{language}.yaml")
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    same = {word.casefold(): frozenset(one.casefold() for one in group) for group in data["props"] for word in group}
    written = {word for group in data["props"] for word in group}
    return Dictionary(
        same=same,
        entries=_longest_first(written),
        pieces=re.compile(f"(?:{'|'.join(map(re.escape, _longest_first([*data['modifiers'], *same, '・'])))})*"),
        innocent=tuple(data["innocent"]),
        particles=tuple(data["particles"]),
        more_particles=tuple(data["more_particles"]),
        adverbs=frozenset(data["adverbs"]),
        verbs=frozenset(data["verbs"]),
        objects=frozenset(data["objects"]),
        articles=frozenset(data["articles"]),
        safe={gesture: tuple(forms) for gesture, forms in data["safe"].items()},
        by_prop=data["by_prop"],
        by_verb={gesture: tuple(forms) for gesture, forms in data["by_verb"].items()},
        default=data["default"],
    )


def _longest_first(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(words), key=lambda word: (-len(word), word)))


def scene_of(items: Iterable[str]) -> frozenset[str]:
    """Scene items as they are compared: one width, lower case, no symbols."""
    return frozenset(plain for item in items if (plain := _SYMBOLS.sub("", nfkc(item).casefold()).strip()))


def absent_props(action: str, scene: frozenset[str], words: Dictionary) -> list[str]:
    """The dictionary's props that an action uses and the scene does not have, in the order of the text."""
    text = nfkc(action).casefold()
    taken = bytearray(len(text))
    for start, end in [*_spans(text, scene), *_spans(text, words.innocent)]:
        taken[start:end] = bytes([1]) * (end - start)
    found = [
        (start, entry)
        for entry in words.entries
        for start, end in _spans(text, [entry.casefold()])
        if not all(taken[start:end]) and _stands_alone(text, start, end, words) and _take(taken, start, end)
    ]
    here = _heads(scene, words) if found else frozenset()
    return list(dict.fromkeys(entry for _, entry in sorted(found) if here.isdisjoint(words.same[entry.casefold()])))


def _spans(text: str, needles: Iterable[str]) -> Iterator[tuple[int, int]]:
    for needle in needles:
        at = text.find(needle)
        while at >= 0:
            yield at, at + len(needle)
            at = text.find(needle, at + 1)


def _take(taken: bytearray, start: int, end: int) -> bool:
    taken[start:end] = bytes([1]) * (end - start)
    return True


def _heads(scene: Iterable[str], words: Dictionary) -> frozenset[str]:
    """The entries that scene items are, or are a kind of: the longest each ends with (マグカップ is a カップ)."""
    return frozenset(head for item in scene if (head := _head(item, words)))


def _head(item: str, words: Dictionary) -> str | None:
    for entry in words.entries:
        form = entry.casefold()
        for name in (item, item.removesuffix("s")):
            if name.endswith(form) and not (_script(form) == "latin" and _script(name[-len(form) - 1 : -len(form)])):
                return form
    return None


# --- whether a hit is the thing, or a piece of another word --------------------------------------------------------


def _stands_alone(text: str, start: int, end: int, words: Dictionary) -> bool:
    """Whether a hit is the thing itself, judged by the letters that join it on both sides."""
    left, right = _left(text, start), _right(text, end)
    return (
        _ends_with_it(text[end:right], words)
        and _made_of(text[left:start], words)
        and not _counted(text, left)
        and not _goes_on(text, start, right, words)
        and not _is_verb(text, left, right, words)
    )


@cache
def _script(letter: str) -> str:
    """What kind of letter this is; "" for a sign, a blank or nothing."""
    return next((name for name, letters in _KINDS if letters.match(letter)), "")


def _left(text: str, start: int) -> int:
    """Where the stretch of one script begins that a hit lies in; between hiragana there is no telling."""
    script, left = _script(text[start]), start
    while left > max(0, start - _LONGEST_WORD) and script != "hiragana" and _script(text[left - 1]) == script:
        left -= 1
    return left


def _right(text: str, end: int) -> int:
    script, right = _script(text[end - 1]), end
    while right < min(len(text), end + _LONGEST_WORD) and script != "hiragana" and _script(text[right]) == script:
        right += 1
    return right


def _made_of(joined: str, words: Dictionary) -> bool:
    """Whether what joins a thing in front leaves it what it is: the mug of a mug cup, the paperback of a book."""
    return words.pieces.fullmatch(joined) is not None


def _ends_with_it(joined: str, words: Dictionary) -> bool:
    """Whether the word ends with the thing: nothing joins it but a plural or the next of a list (ペン・ノート)."""
    return joined in ("", "s") or (joined.startswith("・") and _made_of(joined, words))


def _counted(text: str, left: int) -> bool:
    """A counter (2本), or the end of a place name (鍬ノ本)."""
    before, further = text[left - 1 : left], text[max(0, left - 2) : max(0, left - 1)]
    named = before in ("ノ", "ケ", "ヶ") and _script(further) == "kanji" == _script(text[left])
    return _script(before) == "digit" or named


def _goes_on(text: str, start: int, end: int, words: Dictionary) -> bool:
    """Whether the word goes on in another script: コーヒー豆を, 本マグロ, PC98; not コーヒー飲んで, グラス片手に."""
    rest, own = text[end : end + 2 * _LONGEST_WORD], _script(text[end - 1])
    following = _script(rest[:1])
    if following == "hiragana":
        return end - start == 1 and not rest.startswith((*words.particles, *words.more_particles))
    if following == "digit":
        return own == "latin"
    if following != "kanji":
        return following != ""
    tail = rest[: _right(rest, 1)]
    after = rest[len(tail) :]
    return tail not in words.adverbs and (_script(after[:1]) == "" or after.startswith(words.particles))


def _is_verb(text: str, left: int, right: int, words: Dictionary) -> bool:
    """An English word that is also a verb is one where an object follows and no article goes before: watch the rain."""
    if text[left:right].removesuffix("s") not in words.verbs:
        return False
    follows = _NEXT_WORD.match(text, right)
    before = text[max(0, left - _LONGEST_WORD) : left].split()[-1:]
    return follows is not None and follows[1] in words.objects and words.articles.isdisjoint(before)
