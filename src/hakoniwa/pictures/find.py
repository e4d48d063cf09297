"""The picture of a thing, found by its names: word for word first, then by the noun at the end of a name."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from hakoniwa.messages import LANGUAGES
from hakoniwa.pictures.catalogue import Picture, keywords, known_words, pictures, taken_over
from hakoniwa.stage.kinds import kinds_of
from hakoniwa.stage.names import nfkc

ENDINGS = frozenset({"nature", "food", "objects"})  # a power station is no station, but a carving knife is a knife
_OF = re.compile(r"\s+(?:of|with|for)\s+")
_PLURALS = (("ies", "y"), ("ves", "f"), ("es", ""), ("s", ""))


@dataclass(frozen=True)
class Words:
    """What each word looks like: as a whole name, and at the end of one; None is what nobody would draw."""

    whole: dict[str, str]
    ending: dict[str, str | None]
    measures: frozenset[str]


def picture_of(name: str, aliases: Sequence[str] = (), wanted: str | None = None) -> Picture | None:
    """What a thing of these names looks like, or the picture its author wanted; None where nothing fits."""
    found = wanted if wanted in pictures() else _find_name((name, *aliases))
    return pictures()[found] if found else None


@lru_cache(maxsize=4096)
def _find_name(names: tuple[str, ...]) -> str | None:
    plain = [nfkc(name).casefold().strip() for name in names]
    return next((one for one in (*_by_whole(plain), *_by_ending(plain), *_by_kind(plain)) if one), None)


def _by_whole(names: Iterable[str]) -> Iterator[str | None]:
    return (words(language).whole.get(form) for name in names for language in LANGUAGES for form in _singular(name))


def _by_ending(names: Sequence[str]) -> Iterator[str | None]:
    """By the noun at the end of the first name that has one that is known, even as nothing to be drawn."""
    for name in names:
        language = "en" if name.isascii() else "ja"
        known = words(language)
        for end in _ends(_without_measure(name, known), language):
            if end in known.ending:
                yield known.ending[end]
                return


def _by_kind(names: Sequence[str]) -> Iterator[str | None]:
    """By what the referee knows the thing to be."""
    known = sorted(kinds_of(names[0]), key=lambda word: (-len(word), word))
    return (words(language).ending.get(word) for word in known for language in LANGUAGES)


def _without_measure(name: str, known: Words) -> str:
    """What a heap is a heap of; any other name as it is."""
    head, *of = _OF.split(name, maxsplit=1)
    if of:
        return of[0] if head.rpartition(" ")[2] in known.measures else head
    whole, _, measure = name.rpartition("の")
    return whole if whole and measure in known.measures else name


def _ends(name: str, language: str) -> Iterator[str]:
    """Every way a name may be said to end, the longest first."""
    if language == "ja":
        return (name[at:] for at in range(len(name)))
    parts = name.split()
    return (form for at in range(len(parts)) for form in _singular(" ".join(parts[at:])))


def _singular(name: str) -> Iterator[str]:
    yield name
    yield from (name[: -len(end)] + one for end, one in _PLURALS if name.isascii() and name.endswith(end))


@cache
def words(language: str) -> Words:
    """The words of one language: our own table before what a picture is called, and that before its keywords."""
    table = known_words()
    own = _own_words(language)
    alone = set(table["alone"][language])
    called = {labels[0].casefold(): name for name, labels in keywords(language)}
    ends = {word: name for word, name in called.items() if len(word) > 1 and taken_over()[name]["group"] in ENDINGS}
    nothing: dict[str, str | None] = dict.fromkeys(table["nothing"][language])
    return Words(
        whole={**_telling_keywords(language), **called, **own},
        ending={**ends, **nothing, **{word: name for word, name in own.items() if word not in alone}},
        measures=frozenset(table["measures"][language]),
    )


def _own_words(language: str) -> dict[str, str]:
    entries = known_words()["pictures"].items()
    return {word.casefold(): name for name, entry in entries if name in pictures() for word in entry[language]}


def _telling_keywords(language: str) -> dict[str, str]:
    """Keywords that only one picture has, and only among those a thing in a room may look like."""
    tags = [(tag.casefold(), name) for name, (_, *rest) in keywords(language) for tag in rest]
    uses = Counter(tag for tag, _ in tags)
    return {tag: name for tag, name in tags if uses[tag] == 1 and taken_over()[name]["group"] in ENDINGS}
