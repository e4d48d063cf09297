"""Claims: what somebody was told, by whom, and how much they think of it. Words change nothing in the world."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from hakoniwa.pack import pack
from hakoniwa.stage.world import (
    Condition,
    Prop,
    WorldState,
    bearer,
    holder,
    in_sight,
    is_at,
    story_name,
)
from hakoniwa.turn import Fact, Value

MAX_CLAIMS, MAX_DEEDS = 48, 48
BELIEVED, FADES, UNSURE = 0.2, 0.95, 0.5
WHERE = ("at", "in", "on", "held by")
_STATES = (Condition.OPEN, Condition.CLOSED, Condition.LOCKED, Condition.ON, Condition.OFF)


class Claim(Value):
    """A fact as somebody heard it; `hops` is through how many mouths it came, `false` that it was seen to be so."""

    fact: Fact
    source: str
    turn: int
    hops: int = 1
    confidence: float = 0.5
    false: bool = False


class Proof(NamedTuple):
    """A claim that was seen to be true or false."""

    claim: Claim
    holds: bool


def matter(fact: Fact) -> tuple[str, str]:
    """What a fact settles: where something is, in what state it is, or one deed."""
    if fact.relation in WHERE:
        return fact.subject, "where"
    return fact.subject, fact.relation if fact.relation == "state" else f"{fact.relation} {fact.object}"


def same_fact(one: Fact, other: Fact) -> bool:
    """Whether two facts say the same of one matter; in and on are not told apart."""
    loose = {"on": "in"}
    relations = [loose.get(fact.relation, fact.relation) for fact in (one, other)]
    return (one.subject, one.object) == (other.subject, other.object) and relations[0] == relations[1]


def with_claim(claims: Sequence[Claim], new: Claim) -> tuple[Claim, ...]:
    """The claims with one more: the newer beats the older, unless whoever told the older is trusted far more."""
    rivals = [one for one in claims if matter(one.fact) == matter(new.fact) and not one.false]
    if any(new.confidence < one.confidence * FADES ** (new.turn - one.turn) for one in rivals):
        return tuple(claims)
    return (*(one for one in claims if one not in rivals), new)[-MAX_CLAIMS:]


def live_claims(claims: Iterable[Claim]) -> Iterator[Claim]:
    """The claims that are taken for true."""
    return (one for one in claims if not one.false and one.confidence >= BELIEVED)


def proofs(claims: Iterable[Claim], world: WorldState, who: str) -> list[Proof]:
    """The claims that can be seen to be true or false from where somebody is."""
    open_claims = (one for one in claims if not one.false)
    return [Proof(one, found) for one in open_claims if (found := _looks_true(one.fact, world, who)) is not None]


def settle_claims(claims: Sequence[Claim], found: Iterable[Proof]) -> tuple[Claim, ...]:
    """The claims without those that were seen to be true; what was seen to be false stays as such."""
    shown = {id(proof.claim): proof.holds for proof in found}
    kept = (one for one in claims if not shown.get(id(one), False))
    return tuple(one.with_field("false", True) if id(one) in shown else one for one in kept)


def _looks_true(fact: Fact, world: WorldState, who: str) -> bool | None:
    """Whether a fact is seen to hold, or not to; None where it cannot be seen from here."""
    here = world.characters[who].location
    if (person := world.characters.get(fact.subject)) and fact.relation == "at":
        return fact.object == here if person.location == here else False if fact.object == here else None
    if in_sight(world, who, fact.subject):
        return stands(fact, world)
    if fact.relation in ("in", "on") and fact.object in world.props and in_sight(world, who, fact.object):
        return None if world.props[fact.object].is_(Condition.BARRED) else False
    return None


def stands(fact: Fact, world: WorldState) -> bool | None:
    """Whether a fact holds in a world; None where the world cannot say so (deeds, words, things it has not)."""
    if fact.relation == "at" and fact.subject in world.characters:
        return world.characters[fact.subject].location == fact.object
    prop = world.props.get(fact.subject)
    if prop is None or fact.object is None:
        return None
    match fact.relation:
        case "at":
            return is_at(world, fact.subject, fact.object)
        case "in" | "on":
            return fact.object in _around(world, prop)
        case "held by":
            return fact.object in (holder(world, fact.subject), bearer(world, fact.subject))
        case "state":
            return any(word in prop.state for word in same_state(fact.object))
    return None


def _around(world: WorldState, prop: Prop) -> Iterator[str]:
    """What a thing is in or on, at any depth."""
    steps = 0
    while prop.parent and steps <= len(world.props):
        yield prop.parent
        if prop.parent not in world.props:
            return
        prop, steps = world.props[prop.parent], steps + 1


def same_state(word: str) -> frozenset[str]:
    """The words of worlds for one state."""
    return next((group for group in _STATES if word in group), frozenset({word}))


def place_of(world: WorldState, name: str) -> Fact | None:
    """Where a thing or a person is, in the nearest words."""
    if name in world.characters:
        return Fact(subject=name, relation="at", object=world.characters[name].location)
    prop = world.props.get(name)
    if prop is None:
        return None
    if who := holder(world, name) or prop.bearer:
        return Fact(subject=name, relation="held by", object=who)
    if prop.parent:
        return Fact(subject=name, relation="in" if prop.inside else "on", object=prop.parent)
    return Fact(subject=name, relation="at", object=prop.location)


def told_prop(fact: Fact, world: WorldState, known: dict[str, Prop]) -> Prop | None:
    """A thing as one who never saw it pictures it: where it is said to be, and nothing else of it."""
    aliases = world.props[fact.subject].aliases if fact.subject in world.props else ()
    match fact.relation, fact.object:
        case "at", str(room):
            return Prop(location=room, aliases=aliases)
        case "held by", str(who) if who in world.characters:
            return Prop(location=world.characters[who].location, aliases=aliases)
        case ("in" | "on") as relation, str(place) if place in known:
            field = "inside" if relation == "in" else "on"
            return Prop(location=known[place].location, aliases=aliases).with_field(field, place)
    return None


def deed_facts(who: str, deeds: Iterable[tuple[str, str | None]], turn: int) -> list[Fact]:
    """What somebody did, as facts; going somewhere is seen by where they are."""
    done = ((verb, target) for verb, target in deeds if target and verb != "MOVE")
    return [Fact(subject=who, relation="did", object=f"{verb} {target}", turn=turn) for verb, target in done]


def fact_in_words(fact: Fact, world: WorldState) -> str:
    """A fact as somebody says it."""
    known, people = pack(world.language), [blank for blank, name in _blanks(fact) if name in world.characters]
    names = {blank: story_name(world, name) for blank, name in _blanks(fact)}
    if fact.relation == "did":
        verb, _, target = (fact.object or "").partition(" ")
        return known.narrate(verb, who=names["x"], what=story_name(world, target), other="").rstrip("。.")
    if fact.relation == "state":
        names["y"] = known.phrases.get(f"fact.{_in_english(fact.object or '')}", names["y"])
    return known.explained(known.phrases[f"fact.{fact.relation}"], people, **names)


def _blanks(fact: Fact) -> tuple[tuple[str, str], ...]:
    return ("x", fact.subject), ("y", fact.object or "")


def _in_english(state: str) -> str:
    """The English word of a state, whichever spelling a world uses; that something is on is no place."""
    word = min((one for one in same_state(state) if one.isascii()), default=state)
    return "on-state" if word == "on" else word
