"""The dictionary of props: what a stage direction uses that is not in the scene. Letters only, no tokenizer."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain
from typing import Any

import yaml

from hakoniwa.director.boundary import Around, script, stands_alone
from hakoniwa.stage.names import nfkc

_SYMBOLS = re.compile(r"[^\w\s]|_")
_PLAIN = re.compile(r"[^\W\d_a-z]+")
_BRACKETED = re.compile(r"\(([^()]*)\)")
_NUMBERED = re.compile(r"(?<=[^\W\d_])[\s-]*(?:\d+[個本冊杯枚台]?|(?<![a-z])[a-z])$")
_NOTHING = re.compile("")
_DASHES = re.compile(r"(?<=[ァ-ヺ])[-‐‑–—―−─]")
_OF = re.compile(r"(?<=\S)\s+(?:of|with|and|for)\s+")


@dataclass(frozen=True, eq=False)
class Dictionary:
    """The props of one language, what tells them from other words, and the gestures in their place."""

    entries: tuple[str, ...]
    any_entry: re.Pattern[str]
    pieces: dict[str, re.Pattern[str]]
    is_a: dict[str, frozenset[str]]
    head: re.Pattern[str]
    only_before: dict[str, tuple[str, ...]]
    innocent: tuple[str, ...]
    around: Around
    safe: dict[str, tuple[str, ...]]
    by_prop: dict[str, str]
    by_verb: dict[str, tuple[str, ...]]
    default: str


@cache
def dictionary(language: str) -> Dictionary:
    path = files("hakoniwa").joinpath("lexicon", f"sanitizer.{language}.yaml")
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    groups = [tuple(group) for group in data["props"]]
    written = _longest_first(word for group in groups for word in group)
    is_a = _is_a(groups, data["kinds"])
    return Dictionary(
        entries=written,
        any_entry=re.compile(_either(word.casefold() for word in written)),
        pieces=_pieces(groups, data["modifiers"]),
        is_a=is_a,
        head=re.compile(f"({_either(is_a)})(?:{data['plural']})?$"),
        only_before={word: tuple(particles) for word, particles in data["only_before"].items()},
        innocent=tuple(data["innocent"]),
        around=_around(data, written),
        safe={gesture: tuple(forms) for gesture, forms in data["safe"].items()},
        by_prop={word: data["by_prop"][group[0]] for group in groups if group[0] in data["by_prop"] for word in group},
        by_verb={gesture: tuple(forms) for gesture, forms in data["by_verb"].items()},
        default=data["default"],
    )


def _longest_first(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(words), key=lambda word: (-len(word), word)))


def _either(words: Iterable[str]) -> str:
    return f"(?:{'|'.join(map(re.escape, _longest_first(words)))})"


def _pieces(groups: Sequence[Sequence[str]], modifiers: dict[str, list[str]]) -> dict[str, re.Pattern[str]]:
    """What may join each prop in front: the things listed before it, and words that leave it what it is."""
    things = _either(word.casefold() for group in groups for word in group)
    return {
        word.casefold(): re.compile(f"(?:{things}・)*{_either(modifiers.get(group[0], ()))}*")
        for group in groups
        for word in group
    }


def _is_a(groups: Sequence[Sequence[str]], kinds: dict[str, list[str]]) -> dict[str, frozenset[str]]:
    """For every name that a scene item may end with: the props that are there with it."""
    found: dict[str, set[str]] = {}
    for group in groups:
        for name in (*group, *kinds.get(group[0], ())):
            found.setdefault(name.casefold(), set()).update(word.casefold() for word in group)
    return {name: frozenset(props) for name, props in found.items()}


def _around(data: dict[str, Any], written: Sequence[str]) -> Around:
    forms = [word.casefold() for word in written]
    return Around(
        plural=data["plural"],
        listed=re.compile(f"(?:・{_either(forms)})+"),
        things=frozenset(form for word in forms for form in (word, word + data["plural"])),
        after_one_letter=(*data["particles"], *data["more_particles"], *data["handled"]),
        handled=tuple(data["handled"]),
        after_a_name=(*data["particles"], *data["copulas"]),
        suffixes=tuple(data["suffixes"]),
        adverbs=tuple(data["adverbs"]),
        likened=tuple(data["likened"]),
        verbs=frozenset(data["verbs"]),
        subjects=frozenset(data["subjects"]),
        objects=frozenset(data["objects"]),
        articles=frozenset(data["articles"]),
    )


# --- what is in the scene ------------------------------------------------------------------------------------------


def scene_of(items: Iterable[str]) -> frozenset[str]:
    """Scene items as they are compared: one width, lower case, no symbols, also without a remark or a number."""
    return frozenset(chain.from_iterable(map(_forms, items)))


@lru_cache(maxsize=4096)
def _forms(item: str) -> tuple[str, ...]:
    text = nfkc(item).casefold()
    if _PLAIN.fullmatch(text):
        return (text,)
    text = _DASHES.sub("ー", text)
    parts = (text, _BRACKETED.sub("", text), *_BRACKETED.findall(text))
    plain = [_SYMBOLS.sub("", part).strip() for part in parts]
    return tuple(form for one in plain for form in (one, _NUMBERED.sub("", one)) if form)


@lru_cache(maxsize=64)
def _present(scene: frozenset[str], words: Dictionary) -> frozenset[str]:
    """The props of a whole scene: every action of a line asks for them."""
    return frozenset(prop for item in scene for prop in _there(item, words))


def _there(item: str, words: Dictionary) -> Iterator[str]:
    """The props that a scene item is, is a kind of, or has in it: マグカップ, 図鑑, コーヒーの入った瓶."""
    for part in _OF.split(item):
        yield from _head(part, words)
    for _, entry in _found(item, (), words):
        yield from words.is_a[entry.casefold()]


def _head(item: str, words: Dictionary) -> frozenset[str]:
    """The props that come with the longest name an item ends with; an English one is a whole word (string, no ring)."""
    found = words.head.search(item)
    if found is None or all(_taken(item, words.innocent)[slice(*found.span(1))]):
        return frozenset()
    before = item[: found.start()].rpartition(" ")[2]
    pieces = words.pieces.get(found[1], _NOTHING)
    whole = script(found[1][0]) != "latin" or pieces.fullmatch(before)
    return words.is_a[found[1]] if whole else frozenset()


# --- what is used --------------------------------------------------------------------------------------------------


def absent_props(action: str, scene: frozenset[str], words: Dictionary) -> list[str]:
    """The dictionary's props that an action uses and the scene does not have, in the order of the text."""
    found = _found(nfkc(action).casefold(), scene, words)
    there = _present(scene, words) if found else frozenset()
    return list(dict.fromkeys(entry for _, entry in sorted(found) if entry.casefold() not in there))


def _found(text: str, known: Iterable[str], words: Dictionary) -> list[tuple[int, str]]:
    """Where props stand, the longest name first, outside of what is known to be something else."""
    folded = _DASHES.sub("ー", text)
    if not words.any_entry.search(folded):
        return []
    taken = _taken(folded, [*known, *words.innocent])
    return [
        (start, entry)
        for entry in words.entries
        for start, end in _spans(folded, [entry.casefold()])
        if not all(taken[start:end])
        and text.startswith(words.only_before.get(entry, ""), end)
        and stands_alone(text, start, end, words.pieces[entry.casefold()], words.around)
        and _take(taken, start, end)
    ]


def _taken(text: str, needles: Iterable[str]) -> bytearray:
    """Which letters of a text belong to one of the needles."""
    taken = bytearray(len(text))
    for start, end in _spans(text, needles):
        _take(taken, start, end)
    return taken


def _take(taken: bytearray, start: int, end: int) -> bool:
    taken[start:end] = bytes([1]) * (end - start)
    return True


def _spans(text: str, needles: Iterable[str]) -> Iterator[tuple[int, int]]:
    for needle in needles:
        at = text.find(needle)
        while at >= 0:
            yield at, at + len(needle)
            at = text.find(needle, at + 1)
