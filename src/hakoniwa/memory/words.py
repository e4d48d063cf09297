"""The words of a text as memory files them: content words only, in one spelling, whatever language they are in.

Filing and asking go through the same function, so that 猫, ねこ and ネコ meet, as do 飲んだ and 飲む, cats and cat."""

import re
import unicodedata
from collections.abc import Iterator, Set
from functools import cache
from threading import local

from sudachipy import Dictionary, Morpheme, SplitMode, Tokenizer

CONTENT = frozenset({"名詞", "動詞", "形容詞", "形状詞", "副詞", "感動詞", "接尾辞"})
# Words that stand in every other sentence say nothing about any of them; as Sudachi normalises them.
EMPTY = frozenset({
    "為る", "居る", "有る", "成る", "事", "物", "様", "方", "訳", "筈", "所", "御座る", "下さる", "言う", "そう",
    "こう", "どう", "さん", "君", "達", "的",
})  # fmt: skip
EMPTY_ENGLISH = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "did", "do", "does", "for", "from", "had", "has",
    "have", "he", "her", "him", "his", "i", "in", "is", "it", "its", "me", "my", "no", "not", "of", "on", "or", "our",
    "she", "so", "that", "the", "their", "them", "then", "there", "they", "this", "to", "us", "was", "we", "were",
    "what", "when", "where", "which", "who", "will", "with", "you", "your",
})  # fmt: skip
POLITE = "御"
MAX_PIECE = 2_000  # characters; Sudachi takes at most 49,149 bytes at a time
_SPACED = re.compile(r"[^\W\d_][^\W_]*(?:['’][^\W\d_]+)?|\d+(?:\.\d+)?")
_CJK = re.compile(r"[\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_tokenizers = local()  # one a thread: a tokenizer works on one text at a time


def index_words(text: str) -> list[str]:
    """The words under which memory files a text: by those of either language where both may stand in it."""
    return words(text, "ja" if _CJK.search(text) else "en")


def words(text: str, language: str) -> list[str]:
    """The content words of a text, each once, in the order in which they first come.

    Among Japanese, IT or A is a name and no little word of English."""
    plain = unicodedata.normalize("NFKC", text)
    found: dict[str, None] = {}
    if _CJK.search(plain):
        for at in range(0, len(plain), MAX_PIECE):
            found.update(dict.fromkeys(_japanese(plain[at : at + MAX_PIECE])))
    little = EMPTY_ENGLISH if language == "en" else frozenset()
    found.update(dict.fromkeys(_spaced_words(plain, little)))
    return list(found)


def _japanese(text: str) -> Iterator[str]:
    """Words as the dictionary has them, whole and in their shortest units; those in Latin letters are not its own."""
    for morpheme in tokenizer().tokenize(text):
        if morpheme.part_of_speech()[0] in CONTENT:
            yield from _forms(morpheme)
            for part in morpheme.split(SplitMode.A, add_single=False):
                yield from _forms(part)


def _forms(morpheme: Morpheme) -> Iterator[str]:
    """The normal form of a word, and what a polite one is without its お or ご."""
    form: str = morpheme.normalized_form().casefold()
    if form in EMPTY or not _CJK.search(form):
        return
    yield form
    if form.startswith(POLITE) and len(form) > 1:
        yield form.removeprefix(POLITE)


def _spaced_words(text: str, little: Set[str]) -> Iterator[str]:
    """Words of languages that put spaces between them, and numbers."""
    for match in _SPACED.finditer(_CJK.sub(" ", text.casefold())):
        if match.group() not in little:
            yield _stem(match.group())


def _stem(word: str) -> str:
    """An English word without its commonest endings: rough, but the same for every form that is asked for."""
    word = re.sub(r"['’]\w*$", "", word)
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return _undouble(word.removesuffix(ending)).removesuffix("e")
    return word.removesuffix("e") if len(word) > 3 else word


def _undouble(stem: str) -> str:
    """stop of stopp-ing."""
    doubled = len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "aeiouls"
    return stem[:-1] if doubled else stem


def tokenizer() -> Tokenizer:
    """This thread's own; words as whole as they come, which can be split into their shortest units."""
    found: Tokenizer | None = getattr(_tokenizers, "own", None)
    if found is None:
        found = _tokenizers.own = _dictionary().tokenizer(
            mode=SplitMode.C, fields={"pos", "normalized_form", "split_a"}
        )
    return found


@cache
def _dictionary() -> Dictionary:
    return Dictionary()
