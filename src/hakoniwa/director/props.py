"""The dictionary of props: what a stage direction uses that is not in the scene. Letters only, no tokenizer."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain
from typing import Any

import yaml

from hakoniwa.stage.kinds import Kinds, either, kinds, kinds_in, letters_of, longest_first, spans, take
from hakoniwa.stage.names import nfkc

_SCRIPTS = {"katakana": "ァ-ヺー・", "kanji": "㐀-鿿々", "hiragana": "ぁ-ゖ", "latin": "a-z", "digit": "0-9"}
_KINDS = [(name, re.compile(f"[{letters}]")) for name, letters in _SCRIPTS.items()]
_NEXT_WORD = re.compile(r"\s+([a-z']+)")
_HYPHENED = re.compile(r"[-‐−][a-z]")
_DERIVED = re.compile("[いきぎしじちにひびみりえけげせぜてねへべめれ](?:[をがはのへ]|$)")
_LONGEST_WORD = 24


@dataclass(frozen=True)
class BoundaryWords:
    """The words of one language that tell what stands before and after a thing."""

    plural: str
    listed: re.Pattern[str]
    things: frozenset[str]
    after_one_letter: tuple[str, ...]
    handled: tuple[str, ...]
    after_a_name: tuple[str, ...]
    suffixes: tuple[str, ...]
    adverbs: tuple[str, ...]
    likened: tuple[str, ...]
    verbs: frozenset[str]
    subjects: frozenset[str]
    objects: frozenset[str]
    articles: frozenset[str]


def stands_alone(text: str, start: int, end: int, pieces: re.Pattern[str], around: BoundaryWords) -> bool:
    """Whether a hit is the thing itself; `pieces` are what may join it in front and leave it what it is."""
    left, right = _left_edge(text, start), _right_edge(text, end)
    return (
        pieces.fullmatch(text, left, start) is not None
        and not _is_counted(text, left)
        and not text.startswith(around.likened, end)
        and not _goes_on(text, start, end, right, around)
        and not _is_no_noun(text, left, right, around)
    )


@cache
def script_of(letter: str) -> str:
    """What kind of letter this is; "" for a sign, a blank or nothing."""
    return next((name for name, letters in _KINDS if letters.match(letter)), "")


def _left_edge(text: str, start: int) -> int:
    """Where the stretch of one script begins that a hit lies in; between hiragana there is no telling."""
    own, left = script_of(text[start]), start
    while left > max(0, start - _LONGEST_WORD) and own != "hiragana" and script_of(text[left - 1]) == own:
        left -= 1
    return left


def _right_edge(text: str, end: int) -> int:
    own, right = script_of(text[end - 1]), end
    while right < min(len(text), end + _LONGEST_WORD) and own != "hiragana" and script_of(text[right]) == own:
        right += 1
    return right


def _is_counted(text: str, left: int) -> bool:
    """A counter (2本), or the end of a name (鍬ノ本, 三ツ本)."""
    before, further = text[left - 1 : left], text[max(0, left - 2) : max(0, left - 1)]
    named = before in ("ノ", "ケ", "ヶ", "ツ") and script_of(further) == "kanji" == script_of(text[left])
    return script_of(before) == "digit" or named


def _goes_on(text: str, start: int, end: int, right: int, around: BoundaryWords) -> bool:
    """Whether the word goes on behind the thing: コーヒー豆を, 本マグロ, PC98; not コーヒー飲んで, グラス片手に."""
    own, joined, following = script_of(text[end - 1]), text[end:right], script_of(text[right : right + 1])
    if own == "kanji" and end - start == 1 and following == "hiragana":
        return not text.startswith(around.handled if joined else around.after_one_letter, end)
    if own == "kanji" and joined:
        return _names_another(text, end, around)
    if joined not in ("", around.plural) and not around.listed.fullmatch(joined):
        return True
    if following == "kanji":
        return _names_another(text, right, around)
    if own == "latin" and (following == "digit" or _HYPHENED.match(text, right)):
        return True
    return following in ("katakana", "latin")


def _names_another(text: str, at: int, around: BoundaryWords) -> bool:
    """Whether the kanji here make a name of something else (新聞屋を, 新聞受けの), not a verb (新聞読んで)."""
    end = _right_edge(text, at + 1)
    after = text[end : end + _LONGEST_WORD]
    if text.startswith(around.adverbs, at):
        return False
    if text.startswith(around.suffixes, at) or script_of(after[:1]) != "hiragana":
        return True
    return after.startswith(around.after_a_name) or _DERIVED.match(after) is not None


def _is_no_noun(text: str, left: int, right: int, around: BoundaryWords) -> bool:
    """Whether an English word stands before a thing (wine glass) or is a verb (to watch, watch the rain)."""
    found = _NEXT_WORD.match(text, right)
    follows = found[1] if found else ""
    if follows in around.things:
        return True
    if text[left:right].removesuffix("s") not in around.verbs:
        return False
    before = text[max(0, left - _LONGEST_WORD) : left].split()[-1:]
    return not around.subjects.isdisjoint(before) or (follows in around.objects and around.articles.isdisjoint(before))


_SYMBOLS = re.compile(r"[^\w\s]|_")
_PLAIN = re.compile(r"[^\W\d_a-z]+")
_BRACKETED = re.compile(r"\(([^()]*)\)")
_NUMBERED = re.compile(r"(?<=[^\W\d_])[\s-]*(?:\d+[個本冊杯枚台]?|(?<![a-z])[a-z])$")
_DASHES = re.compile(r"(?<=[ァ-ヺ])[-‐‑–—―−─]")


@dataclass(frozen=True, eq=False)
class PropDictionary:
    """The props of one language, what tells them from other words, and the gestures in their place."""

    entries: tuple[str, ...]
    any_entry: re.Pattern[str]
    kinds: Kinds
    only_before: dict[str, tuple[str, ...]]
    around: BoundaryWords
    safe: dict[str, tuple[str, ...]]
    by_prop: dict[str, str]
    by_verb: dict[str, tuple[str, ...]]
    making: re.Pattern[str]
    default: str
    brackets: str
    inflected: dict[str, dict[str, str]]
    past: frozenset[str]
    plain: frozenset[str]


@cache
def prop_dictionary(language: str) -> PropDictionary:
    path = files("hakoniwa").joinpath("lexicon", f"sanitizer.{language}.yaml")
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    known = kinds(language)
    written = longest_first(word for group in known.same for word in group)
    return PropDictionary(
        entries=written,
        any_entry=re.compile(either(word.casefold() for word in written)),
        kinds=known,
        only_before={word: tuple(particles) for word, particles in data["only_before"].items()},
        around=_boundary_words(data, written, known.plural),
        safe={gesture: tuple(forms) for gesture, forms in data["safe"].items()},
        by_prop={word: told for one, told in data["by_prop"].items() for word in known.group_of(one)},
        by_verb={gesture: tuple(forms) for gesture, forms in data["by_verb"].items()},
        making=re.compile(data["making"]),
        default=data["default"],
        brackets=data["brackets"],
        inflected=data["inflected"],
        past=frozenset(data["past"]),
        plain=frozenset(data["subjects_of_plain_verbs"]),
    )


def _boundary_words(data: dict[str, Any], written: Sequence[str], plural: str) -> BoundaryWords:
    forms = [word.casefold() for word in written]
    return BoundaryWords(
        plural=plural,
        listed=re.compile(f"(?:・{either(forms)})+"),
        things=frozenset(form for word in forms for form in (word, word + plural)),
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


def scene_forms(items: Iterable[str]) -> frozenset[str]:
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
def _present_props(scene: frozenset[str], words: PropDictionary) -> frozenset[str]:
    """The props of a whole scene: every action of a line asks for them."""
    return frozenset(prop for item in scene for prop in _props_of_item(item, words))


def _props_of_item(item: str, words: PropDictionary) -> Iterator[str]:
    """The props that a scene item is, is a kind of, or has in it: マグカップ, 図鑑, コーヒーの入った瓶."""
    yield from kinds_in(item, words.kinds)
    for _, entry in _find_props(item, (), words):
        yield from words.kinds.is_a[entry.casefold()]


# --- what is used --------------------------------------------------------------------------------------------------


def absent_props(action: str, scene: frozenset[str], words: PropDictionary) -> list[str]:
    """The dictionary's props that an action uses and the scene does not have, in the order of the text."""
    found = _find_props(nfkc(action).casefold(), scene, words)
    there = _present_props(scene, words) if found else frozenset()
    return list(dict.fromkeys(entry for _, entry in sorted(found) if entry.casefold() not in there))


def _find_props(text: str, known: Iterable[str], words: PropDictionary) -> list[tuple[int, str]]:
    """Where props stand, the longest name first, outside of what is known to be something else."""
    folded = _DASHES.sub("ー", text)
    if not words.any_entry.search(folded):
        return []
    letters = letters_of(folded, [*known, *words.kinds.innocent])
    return [
        (start, entry)
        for entry in words.entries
        for start, end in spans(folded, [entry.casefold()])
        if not all(letters[start:end])
        and text.startswith(words.only_before.get(entry, ""), end)
        and stands_alone(text, start, end, words.kinds.pieces[entry.casefold()], words.around)
        and take(letters, start, end)
    ]
