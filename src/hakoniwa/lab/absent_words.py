"""absent_words: what a reply uses that is not here, by its words alone. It shares no code with the judge."""

import re
from collections.abc import Collection, Iterator
from functools import cache
from importlib.resources import files

import yaml

from hakoniwa.memory.words import tokenizer
from hakoniwa.messages import LOADER
from hakoniwa.stage.names import nfkc
from hakoniwa.stage.world import WorldState

_SPEECH = re.compile(r"「[^」]*」|『[^』]*』|\"[^\"]*\"|“[^”]*”")
_DIRECTION = re.compile(r"\(([^()]*)\)|\*+([^*]+)\*+")
_TAG = re.compile(r"^\s*[A-Z_]+\s*:\s*(.+?)\s*$")
_ENGLISH = re.compile(r"\b(?:the|a|an|my|your|his|her|their|some|another)\s+((?:[a-z]+[- ]?){1,3})", re.IGNORECASE)
_ENDS = frozenset(
    ("to", "on", "in", "into", "onto", "at", "from", "with", "and", "of", "for", "by", "as", "over", "under", "toward")
)
LONGEST = 2_000  # characters of a text that are looked at
PUT_TO = ("を", "で", "に")
PARTICLE, NOUN, SUFFIX = "助詞", "名詞", "接尾辞"


def absent_words(text: str, world: WorldState, who: str) -> tuple[str, ...]:
    """The things that stage directions use and that are neither here nor in anybody's hands nor always there."""
    here = set(names_here(world, who))
    used = dict.fromkeys(noun for one in directions(text) for noun in _used_nouns(one, world.language))
    return tuple(noun for noun in used if not _is_known(noun, here, world.language))


def directions(text: str) -> list[str]:
    """What stands in brackets or stars, outside what is said."""
    plain = _SPEECH.sub(" ", nfkc(text[:LONGEST]))
    return [one[1] or one[2] or "" for one in _DIRECTION.finditer(plain)]


def names_here(world: WorldState, who: str) -> Iterator[str]:
    """Every name of what is in the room, with its parts; of people and of ways out."""
    room = world.characters[who].location
    for name, prop in world.props.items():
        if prop.location == room or prop.held_by == who:
            yield from (nfkc(form) for form in (name, *prop.aliases, *prop.parts))
            made = [way.after or way for way in prop.affordances]
            yield from (nfkc(form) for way in (*prop.affordances, *made) for form in way.makes)
    for name, figure in world.characters.items():
        yield from (nfkc(form) for form in (name, *figure.aliases, *figure.holding))
    for name, location in world.locations.items():
        yield from (nfkc(form) for form in (name, *location.aliases))


def _used_nouns(direction: str, language: str) -> Iterator[str]:
    if tag := _TAG.match(direction):
        yield from (part.strip() for part in tag[1].split("->"))
    elif language == "ja":
        yield from _japanese(direction)
    else:
        yield from (" ".join(_head(one[1])) for one in _ENGLISH.finditer(direction) if _head(one[1]))


def _head(phrase: str) -> list[str]:
    """The words of an English noun phrase up to its first preposition."""
    words = phrase.casefold().split()
    cut = next((place for place, word in enumerate(words) if word in _ENDS or word.endswith("ly")), len(words))
    return words[:cut]


def _japanese(direction: str) -> Iterator[str]:
    """Nouns before を, で or に, with what they are a part of: コーヒーメーカーのスイッチ."""
    run: list[str] = []
    concrete = False
    for surface, kind, sort in tokens(direction):
        if kind in (NOUN, SUFFIX):
            run.append(surface)
            concrete = sort == "一般" or (concrete and kind == SUFFIX)
        elif surface == "の" and run:
            run.append(surface)
        else:
            if run and kind == PARTICLE and surface in PUT_TO and concrete:
                yield "".join(run)
            run, concrete = [], False


def _is_known(noun: str, here: Collection[str], language: str) -> bool:
    if noun in here or any(len(name) > 1 and (name in noun or (len(noun) > 1 and noun in name)) for name in here):
        return True
    always = _always(language)
    last = noun.rpartition("の")[2] if language == "ja" else noun.rpartition(" ")[2]
    return noun in always or last in always or any(noun.endswith(word) for word in always if len(word) > 1)


@cache
def _always(language: str) -> frozenset[str]:
    """Words for bodies, clothes, looks, air and the like."""
    text = files("hakoniwa.lab").joinpath("always.yaml").read_text(encoding="utf-8")
    known: dict[str, list[str]] = yaml.load(text, Loader=LOADER)
    return frozenset(map(nfkc, known[language]))


def tokens(text: str) -> list[tuple[str, str, str]]:
    """The words of a Japanese text: surface, part of speech, and its sort (of nouns: 一般, サ変可能, …)."""
    found = [(one.surface(), one.part_of_speech()) for one in tokenizer().tokenize(text[:LONGEST])]
    return [(surface, tags[0], tags[2] if tags[1] == "普通名詞" else tags[1]) for surface, tags in found]
