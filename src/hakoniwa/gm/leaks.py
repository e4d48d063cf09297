"""The leak meter: what a line says that is true, or that others take for true, and that its speaker cannot know.

A pure function of the line and of everybody's beliefs. What is asked or wished, or common knowledge, is none."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product

from hakoniwa.gm.telling import (
    NameMention,
    TellingLexicon,
    facts_in,
    language_of_telling,
    names_in,
    sentences_of,
    speaks_of_verb,
    telling_lexicon,
)
from hakoniwa.stage.belief import Belief, believed_world
from hakoniwa.stage.claims import matter, same_fact, stands
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import Fact, Relation, Value

MAX_LEAKS = 8
_JOINED: dict[tuple[str, str], Relation] = {
    ("prop", "prop"): "in",
    ("prop", "location"): "at",
    ("character", "location"): "at",
    ("prop", "character"): "held by",
}


class Leak(Value):
    """A fact in a line that its speaker neither witnessed nor was told; `known_by` are those who do know it."""

    fact: Fact
    sentence: str
    known_by: tuple[str, ...] = ()


class _Minds:
    """Who knows what, worked out when it is asked for."""

    def __init__(self, world: WorldState, beliefs: Mapping[str, Belief]) -> None:
        self.world, self.beliefs = world, beliefs
        self._worlds: dict[str, WorldState] = {}

    def knows(self, who: str, fact: Fact) -> bool:
        """Whether somebody witnessed a fact or was told it, whatever they think of that."""
        belief = self.beliefs.get(who) or Belief(who=who)
        if any(same_fact(one.fact, fact) for one in belief.claims) or any(same_fact(one, fact) for one in belief.deeds):
            return True
        if who not in self._worlds:
            self._worlds[who] = believed_world(belief, self.world)
        return stands(fact, self._worlds[who]) is True

    @cached_property
    def deeds(self) -> list[Fact]:
        """Every deed that somebody has seen."""
        return list({(one.subject, one.object): one for mind in self.beliefs.values() for one in mind.deeds}.values())


def leaks(
    line: str, who: str, world: WorldState, beliefs: Mapping[str, Belief], common: Sequence[str] = ()
) -> tuple[Leak, ...]:
    """Everything in a line that its speaker cannot know; `common` are texts that everybody may know."""
    minds = _Minds(world, beliefs)
    found = {matter_of(fact): (fact, said) for fact, said in _candidates(line, world, minds.deeds)}
    if not found:
        return ()
    public = {matter_of(fact) for text in common for fact, _ in _candidates(text, world, minds.deeds)}
    return tuple(_leaks(found, public, who, minds))[:MAX_LEAKS]


def _leaks(
    found: Mapping[tuple[str, ...], tuple[Fact, str]], public: Collection[tuple[str, ...]], who: str, minds: _Minds
) -> Iterator[Leak]:
    for key, (fact, sentence) in found.items():
        if key in public or fact.subject == who or minds.knows(who, fact) or _shows(fact, who, minds):
            continue
        others = tuple(one for one in minds.beliefs if one != who and minds.knows(one, fact))
        if others or stands(fact, minds.world):
            yield Leak(fact=fact, sentence=sentence, known_by=others)


def _shows(fact: Fact, who: str, minds: _Minds) -> bool:
    """Whether a deed shows in what somebody knows: who sees a thing in a hand knows that it was taken."""
    thing = (fact.object or "").partition(" ")[2]
    return fact.relation == "did" and minds.knows(who, Fact(subject=thing, relation="held by", object=fact.subject))


def matter_of(fact: Fact) -> tuple[str, ...]:
    """What makes two facts one for the meter: in and on are both somewhere about a thing."""
    return (*matter(fact), fact.object or "")


def _candidates(line: str, world: WorldState, deeds: Sequence[Fact]) -> Iterator[tuple[Fact, str]]:
    """The facts that a line may speak of: pairs of names side by side, states and deeds, where anything is claimed."""
    before: list[NameMention] = []
    for sentence in sentences_of(line):
        known, named = telling_lexicon(language_of_telling(sentence)), names_in(sentence, world)
        if not known.claims_nothing(sentence):
            for fact in (*_pairs(named, before, sentence, known), *_states(named or before, sentence, known)):
                yield fact, sentence
            yield from ((one, sentence) for one in deeds if _speaks_of(one, named, sentence))
            yield from ((one.fact, sentence) for one in facts_in(sentence, world, ""))
        before = named


def _pairs(
    named: Sequence[NameMention], before: Sequence[NameMention], sentence: str, known: TellingLexicon
) -> Iterator[Fact]:
    """Every two names of which a fact may be made; one of them may stand in the sentence before."""
    held = known.holding.search(sentence)
    around = [*named, *before]
    for one, other in ((x, y) for x in around for y in around if x is not y and (x in named or y in named)):
        for (kind, name), (sort, place) in product(one.means, other.means):
            relation = _JOINED.get((kind, sort))
            if relation and name != place and (relation != "held by" or held):
                yield Fact(subject=name, relation=relation, object=place)


def _states(named: Sequence[NameMention], sentence: str, known: TellingLexicon) -> Iterator[Fact]:
    """The state of the only thing that a sentence names."""
    for state, form in known.states.items():
        if match := form.search(sentence):
            apart = [one for one in named if one.means[0][0] == "prop" and not match.start() <= one.start < match.end()]
            for name in apart[0].names if len({one.means for one in apart}) == 1 else ():
                yield Fact(subject=name, relation="state", object=state)


def _speaks_of(deed: Fact, named: Sequence[NameMention], sentence: str) -> bool:
    verb, _, thing = (deed.object or "").partition(" ")
    names = {name for one in named for name in one.names}
    return {deed.subject, thing} <= names and speaks_of_verb(sentence, verb)
