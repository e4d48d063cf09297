"""Whether a hit of the dictionary is the thing itself or a piece of another word, told by the letters around it."""

import re
from dataclasses import dataclass
from functools import cache

_SCRIPTS = {"katakana": "ァ-ヺー・", "kanji": "㐀-鿿々", "hiragana": "ぁ-ゖ", "latin": "a-z", "digit": "0-9"}
_KINDS = [(name, re.compile(f"[{letters}]")) for name, letters in _SCRIPTS.items()]
_NEXT_WORD = re.compile(r"\s+([a-z']+)")
_HYPHENED = re.compile(r"[-‐−][a-z]")
_DERIVED = re.compile("[いきぎしじちにひびみりえけげせぜてねへべめれ](?:[をがはのへ]|$)")
_LONGEST_WORD = 24


@dataclass(frozen=True)
class Around:
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


def stands_alone(text: str, start: int, end: int, pieces: re.Pattern[str], around: Around) -> bool:
    """Whether a hit is the thing itself; `pieces` are what may join it in front and leave it what it is."""
    left, right = _left(text, start), _right(text, end)
    return (
        pieces.fullmatch(text, left, start) is not None
        and not _counted(text, left)
        and not text.startswith(around.likened, end)
        and not _goes_on(text, start, end, right, around)
        and not _is_no_noun(text, left, right, around)
    )


@cache
def script(letter: str) -> str:
    """What kind of letter this is; "" for a sign, a blank or nothing."""
    return next((name for name, letters in _KINDS if letters.match(letter)), "")


def _left(text: str, start: int) -> int:
    """Where the stretch of one script begins that a hit lies in; between hiragana there is no telling."""
    own, left = script(text[start]), start
    while left > max(0, start - _LONGEST_WORD) and own != "hiragana" and script(text[left - 1]) == own:
        left -= 1
    return left


def _right(text: str, end: int) -> int:
    own, right = script(text[end - 1]), end
    while right < min(len(text), end + _LONGEST_WORD) and own != "hiragana" and script(text[right]) == own:
        right += 1
    return right


def _counted(text: str, left: int) -> bool:
    """A counter (2本), or the end of a name (鍬ノ本, 三ツ本)."""
    before, further = text[left - 1 : left], text[max(0, left - 2) : max(0, left - 1)]
    named = before in ("ノ", "ケ", "ヶ", "ツ") and script(further) == "kanji" == script(text[left])
    return script(before) == "digit" or named


def _goes_on(text: str, start: int, end: int, right: int, around: Around) -> bool:
    """Whether the word goes on behind the thing: コーヒー豆を, 本マグロ, PC98; not コーヒー飲んで, グラス片手に."""
    own, joined, following = script(text[end - 1]), text[end:right], script(text[right : right + 1])
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


def _names_another(text: str, at: int, around: Around) -> bool:
    """Whether the kanji here make a name of something else (新聞屋を, 新聞受けの), not a verb (新聞読んで)."""
    end = _right(text, at + 1)
    after = text[end : end + _LONGEST_WORD]
    if text.startswith(around.adverbs, at):
        return False
    if text.startswith(around.suffixes, at) or script(after[:1]) != "hiragana":
        return True
    return after.startswith(around.after_a_name) or _DERIVED.match(after) is not None


def _is_no_noun(text: str, left: int, right: int, around: Around) -> bool:
    """Whether an English word stands before a thing (wine glass) or is a verb (to watch, watch the rain)."""
    found = _NEXT_WORD.match(text, right)
    follows = found[1] if found else ""
    if follows in around.things:
        return True
    if text[left:right].removesuffix("s") not in around.verbs:
        return False
    before = text[max(0, left - _LONGEST_WORD) : left].split()[-1:]
    return not around.subjects.isdisjoint(before) or (follows in around.objects and around.articles.isdisjoint(before))
