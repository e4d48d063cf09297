"""Five axes by formula, for experiments in which no model scores. Each is 0 to 1; `metrics.yaml` defines them."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from rapidfuzz.fuzz import ratio

from hakoniwa.director.check import CheckInput
from hakoniwa.lab.absent_words import NOUN, names_here, tokens
from hakoniwa.memory.words import words
from hakoniwa.stage.names import nfkc
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import FiveAxes, IntentKind

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
