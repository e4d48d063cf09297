"""Highlights: the story moments of a garden that are worth showing."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from hakoniwa.gm.pattern import shipped
from hakoniwa.gm.sift import Match, sift
from hakoniwa.journal import Row
from hakoniwa.play.moments import moments
from hakoniwa.play.session import Session
from hakoniwa.stage.scenario import Scenario
from hakoniwa.stage.world import called
from hakoniwa.turn import Value

PER_TURN, MOST, FEWEST, FLOOR = 0.08, 40, 3, 0.4


class Highlight(Value):
    """A story moment, told in the garden's own language: the pattern it is, and the turns that make it up."""

    name: str
    turns: tuple[int, ...]
    title: str
    told: str


def highlights(session: Session) -> list[Highlight]:
    """What is worth showing of a garden."""
    return highlights_of(session.scenario, session.rows, session.world.time.turn)


def highlights_of(scenario: Scenario, rows: Iterable[Row], reached: int) -> list[Highlight]:
    """What is worth showing of some rows, in the order of the story: at most about eight in a hundred turns."""
    found = sift(shipped(), moments(scenario, rows), reached)
    limit = min(MOST, max(FEWEST, math.ceil(PER_TURN * reached)))
    return [told(match, scenario) for match in best(found, limit)]


def told(match: Match, scenario: Scenario) -> Highlight:
    """A match in words."""
    pattern, language = match.pattern, scenario.language
    names = {name: called(scenario.world, value) for name, value in match.names.items()}
    sentence: str = getattr(pattern.told, language).format(**names, turns=match.span, times=match.times)
    title: str = getattr(pattern.title, language)
    return Highlight(name=pattern.name, turns=tuple(dict.fromkeys(match.turns)), title=title, told=sentence)


def best(matches: Sequence[Match], limit: int) -> list[Match]:
    """The most telling matches, in the order of the story: what is rare and long first, and not all of one kind."""
    common = Counter(match.pattern.name for match in matches)
    left = sorted(matches, key=lambda match: -weight(match, common[match.pattern.name]))
    chosen: list[Match] = []
    while left and len(chosen) < limit:
        shown = Counter(match.pattern.name for match in chosen)
        value = [weight(match, common[match.pattern.name]) / (1 + shown[match.pattern.name]) ** 2 for match in left]
        if max(value) < FLOOR:
            break
        pick = left[value.index(max(value))]
        chosen.append(pick)
        left = [match for match in left if not _same_story(match, pick)]
    return sorted(chosen, key=lambda match: (match.turns[0], match.turns[-1]))


def weight(match: Match, found: int) -> float:
    """What a match is worth: more if its pattern was rarely found here, and if it took long to come about."""
    return match.pattern.worth * (1 + math.log10(1 + match.span)) / math.sqrt(found)


def _same_story(one: Match, other: Match) -> bool:
    """Whether two matches tell the same: one pattern with the same names, or one end with a name in common."""
    if one.pattern.name == other.pattern.name and one.names == other.names:
        return True
    return one.turns[-1] == other.turns[-1] and not set(one.names.values()).isdisjoint(other.names.values())
