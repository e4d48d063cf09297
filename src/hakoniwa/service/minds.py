"""What is on somebody's mind at a turn: what they believe against what is so, what they want, and how they feel."""

from collections.abc import Iterator, Sequence

from hakoniwa.actor.appraisal import promised_desires
from hakoniwa.actor.mind import weight
from hakoniwa.errors import UnknownName
from hakoniwa.messages import say
from hakoniwa.play.standing import GardenState, turn_of
from hakoniwa.play.timeline import RowIndex, Timeline
from hakoniwa.service.views import MoodView, feeling
from hakoniwa.stage.belief import Belief
from hakoniwa.stage.claims import Claim, fact_in_words
from hakoniwa.stage.goal import Desire
from hakoniwa.stage.relations import Bond, RelationChange
from hakoniwa.stage.world import PLACES, Figure, Prop, WorldState
from hakoniwa.turn import Fact, RankedDesire, Value

MOST_MOODS = 1_000


class ThingState(Value):
    """Where and how a thing is, or is taken to be."""

    location: str
    inside: str | None
    on: str | None
    held_by: str | None
    carried_by: str | None
    worn_by: str | None
    state: tuple[str, ...]


class PersonState(Value):
    """Where and how somebody is, or is taken to be."""

    location: str
    posture: str | None
    holding: tuple[str, ...]


class BelievedThing(Value):
    """A thing as somebody last perceived it, at `turn`, against the truth; one that is gone is nowhere."""

    name: str
    turn: int
    believed: ThingState
    so: ThingState | None
    right: bool


class BelievedPerson(Value):
    who: str
    believed: PersonState
    so: PersonState
    right: bool


class ClaimView(Value):
    """What somebody was told: by whom, at which turn, through how many mouths, and how far they believe it."""

    text: str
    fact: Fact
    source: str
    turn: int
    hops: int
    confidence: float
    false: bool


class RelationView(Value):
    """What somebody (`of`) feels for another (`who`), with the latest of what moved it."""

    of: str
    who: str
    bond: Bond
    causes: tuple[RelationChange, ...]


class KnownRelation(RelationView):
    """A relation, with what the one thinks the other knows of."""

    knows_of: tuple[str, ...]


class DesireView(Value):
    """A desire as it stands: what it counts for is strength times urgency times weight, unless it rests."""

    name: str
    kind: str
    strength: float
    urgency: float
    weight: float
    score: float
    resting_until: int | None


class MoodPoint(Value):
    turn: int
    valence: float
    arousal: float
    dominance: float


class MindView(Value):
    """A mind at the end of a turn; `thought`, `means` and `ranked` are of its last turn, at `thought_at`."""

    who: str
    turn: int
    things: tuple[BelievedThing, ...]
    unknown: tuple[str, ...]
    people: tuple[BelievedPerson, ...]
    claims: tuple[ClaimView, ...]
    relations: tuple[KnownRelation, ...]
    desires: tuple[DesireView, ...]
    intention: str | None
    chosen_because: str | None
    means: str | None
    tries_left: dict[str, int]
    thought: str
    thought_at: int | None
    ranked: tuple[RankedDesire, ...]
    mood: MoodView
    moods: tuple[MoodPoint, ...]


def mind_view(reel: Timeline, who: str, turn: int | None, language: str) -> MindView:
    """All that is to be seen of a mind."""
    if who not in reel.cast:
        raise UnknownName("unknown.character", name=who, known=", ".join(reel.cast))
    with reel.lock:
        standing = reel.at(turn)
        own = reel.turns_of(who, standing.world.time.turn)
        last = turn_of(reel.rows[own[-1]].event) if own else None
        moods = tuple(_mood(reel.index, place) for place in own[-MOST_MOODS:])
    belief, mind, world = standing.beliefs[who], standing.minds[who], standing.world
    desires = tuple(sorted(_desires(reel, standing, who), key=lambda one: -one.score))
    return MindView(
        who=who,
        turn=world.time.turn,
        things=tuple(_things(belief, world)),
        unknown=tuple(name for name in world.props if name not in belief.props),
        people=tuple(_people(belief, world)),
        claims=tuple(_claims(belief, world)),
        relations=tuple(_known_relations(standing, who)),
        desires=desires,
        intention=mind.intention,
        chosen_because=_chosen_because(desires, mind.intention, language),
        means=last.thought.means if last else None,
        tries_left={name: one.tries_left for name, one in mind.struggles.items()},
        thought=last.thought.text if last else "",
        thought_at=last.number if last else None,
        ranked=last.thought.desires if last else (),
        mood=feeling(standing, who),
        moods=moods,
    )


def _things(belief: Belief, world: WorldState) -> Iterator[BelievedThing]:
    for name, memory in belief.props.items():
        believed = _thing_state(memory.prop)
        so = _thing_state(world.props[name]) if name in world.props else None
        yield BelievedThing(name=name, turn=memory.turn, believed=believed, so=so, right=believed == so)


def _thing_state(prop: Prop) -> ThingState:
    return ThingState(location=prop.location, state=prop.state, **{field: getattr(prop, field) for field in PLACES})


def _people(belief: Belief, world: WorldState) -> Iterator[BelievedPerson]:
    for name, figure in belief.people.items():
        if name in world.characters and name != belief.who:
            believed, so = _person_state(figure), _person_state(world.characters[name])
            yield BelievedPerson(who=name, believed=believed, so=so, right=believed == so)


def _claims(belief: Belief, world: WorldState) -> Iterator[ClaimView]:
    for one in belief.claims:
        fields = {name: getattr(one, name) for name in Claim.model_fields}
        yield ClaimView(text=fact_in_words(one.fact, world), **fields)


def relation_views(reel: Timeline, turn: int | None) -> list[RelationView]:
    """What everybody feels for everybody else, now or at the end of a turn."""
    with reel.lock:
        standing = reel.at(turn)
    return [one for who in standing.cast for one in _relations(standing, who)]


def _relations(standing: GardenState, who: str) -> Iterator[RelationView]:
    for other in standing.cast:
        if other != who:
            feeling = standing.hearsay.feeling(who, other)
            yield RelationView(of=who, who=other, bond=feeling.bond, causes=feeling.causes)


def _known_relations(standing: GardenState, who: str) -> Iterator[KnownRelation]:
    for one in _relations(standing, who):
        known = standing.hearsay.knows_of(who, one.who)
        yield KnownRelation(of=who, who=one.who, bond=one.bond, causes=one.causes, knows_of=known)


def _person_state(figure: Figure) -> PersonState:
    return PersonState(location=figure.location, posture=figure.posture, holding=figure.holding)


def _desires(reel: Timeline, standing: GardenState, who: str) -> Iterator[DesireView]:
    character, mind = reel.cast[who], standing.minds[who]
    promises = [one for one in standing.hearsay.promises if one.who == who]
    bonds = {one.to: standing.hearsay.feeling(who, one.to).bond for one in promises}
    promised = promised_desires(promises, bonds, reel.scenario.language)
    known: dict[str, Desire] = {}
    for one in (*character.desires, *reel.scenario.cast[who].desires, *mind.urges, *standing.urges[who], *promised):
        known.setdefault(one.name, one)
    for one in known.values():
        urgency = mind.urgency.get(one.name, one.urgency)
        share = weight(one.kind, character)
        yield DesireView(
            name=one.name,
            kind=one.kind,
            strength=one.strength,
            urgency=urgency,
            weight=round(share, 4),
            score=round(one.strength * urgency * share, 4),
            resting_until=mind.resting.get(one.name),
        )


def _chosen_because(desires: Sequence[DesireView], intention: str | None, language: str) -> str | None:
    """Why something is intended that does not count for most; None where it does."""
    own = next((one.score for one in desires if one.name == intention), None)
    stronger = [one for one in desires if own is not None and one.score > own]
    if not stronger:
        return None
    names = say("play.comma", language).join(say("plain.quoted", language, name=one.name) for one in stronger)
    resting = all(one.resting_until is not None for one in stronger)
    return say("plain.rests" if resting else "plain.unfinished", language, names=names)


def _mood(known: RowIndex, place: int) -> MoodPoint:
    valence, arousal, dominance = known.mood(place)
    return MoodPoint(turn=known.turns[place], valence=valence, arousal=arousal, dominance=dominance)
