"""Five axes by formula, and what a reply uses that is not here, by its words alone."""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from rapidfuzz.fuzz import ratio

from hakoniwa.director.check import CheckInput
from hakoniwa.memory.words import tokenizer, words
from hakoniwa.messages import read_yaml
from hakoniwa.stage.names import nfkc
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import FiveAxes, IntentKind

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
    return frozenset(map(nfkc, read_yaml("hakoniwa.lab", "always.yaml")[language]))


def tokens(text: str) -> list[tuple[str, str, str]]:
    """The words of a Japanese text: surface, part of speech, and its sort (of nouns: 一般, サ変可能, …)."""
    found = [(one.surface(), one.part_of_speech()) for one in tokenizer().tokenize(text[:LONGEST])]
    return [(surface, tags[0], tags[2] if tags[1] == "普通名詞" else tags[1]) for surface, tags in found]


LINES = 6  # turns in which a word still is an old one
RULES = frozenset({"tone", "addressing", "language", "format"})
SHORT, LONG = {"ja": 8, "en": 16}, {"ja": 80, "en": 160}
TALKING = frozenset({IntentKind.ASK, IntentKind.ANSWER})


class LineContext(NamedTuple):
    """What a reply meets: the world, and the latest lines of everybody, oldest first."""

    world: WorldState
    lines: Sequence[str]


def five_axes(line: CheckInput, failed: Collection[str], before: LineContext) -> FiveAxes:
    """A reply on the five axes; `failed` are the checks it did not pass."""
    return FiveAxes(
        character_consistency=_round_score(1 - len(RULES & set(failed)) / len(RULES)),
        topic_novelty=_round_score(_novelty(line, before)),
        relationship_quality=_round_score(_relation(line, failed, before)),
        naturalness=_round_score(_naturalness(line)),
        concreteness=_round_score(_concreteness(line, before.world)),
    )


def content_words(text: str, language: str) -> set[str]:
    """The words that carry what is said, as memory would file them."""
    return set(words(text, language))


def _novelty(line: CheckInput, before: LineContext) -> float:
    words = content_words(line.speech, line.language)
    old = {word for one in before.lines for word in content_words(one, line.language)}
    return len(words - old) / len(words) if words else 0.0


def _relation(line: CheckInput, failed: Collection[str], before: LineContext) -> float:
    if "addressing" in failed:
        return 0.0
    turned = _names_somebody(line)
    talking = any(one.intent in TALKING for one in line.parsed.action_intents)
    last = content_words(before.lines[-1], line.language) if before.lines else set()
    taken_up = bool(last & content_words(line.speech, line.language))
    return (turned + talking + taken_up) / 3


def _names_somebody(line: CheckInput) -> bool:
    """Whether somebody present is spoken to by what this character calls them."""
    return any(line.character.speech.address.get(other, other) in line.speech for other in line.company)


def _naturalness(line: CheckInput) -> float:
    length = len(line.speech)
    if not length:
        return 0.0
    fits = min(1.0, length / SHORT[line.language], LONG[line.language] / length)
    return fits * (1 - max((ratio(line.speech, one) / 100 for one in line.said), default=0.0))


def _concreteness(line: CheckInput, world: WorldState) -> float:
    """The share of nouns that name something here."""
    nouns = _nouns(line)
    here = set(names_here(world, line.who))
    return sum(any(noun in name or name in noun for name in here) for noun in nouns) / len(nouns) if nouns else 0.0


def _nouns(line: CheckInput) -> list[str]:
    text = nfkc(line.text)
    if line.language != "ja":
        return sorted(content_words(text, line.language))
    return sorted({surface for surface, kind, sort in tokens(text) if kind == NOUN and sort == "一般"})


def _round_score(number: float) -> float:
    return round(number, 4)
