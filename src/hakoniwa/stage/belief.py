"""Belief: what a character thinks is where. The fold of what they witnessed; it may be wrong."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal

from hakoniwa.stage.claims import (
    BELIEVED,
    MAX_DEEDS,
    WHERE,
    Claim,
    Proof,
    live_claims,
    proofs,
    settle_claims,
    told_prop,
    with_claim,
)
from hakoniwa.stage.patch import touched_names
from hakoniwa.stage.world import (
    ON_THINGS,
    PLACES,
    WITH_PEOPLE,
    Condition,
    Exit,
    Figure,
    Location,
    Prop,
    WorldState,
    enclosing_container,
    holder,
    in_sight,
    is_at,
    is_pocketed,
    sight,
)
from hakoniwa.turn import Fact, PatchOp, Value


class RememberedProp(Value):
    """A prop as it was when last perceived."""

    prop: Prop
    turn: int


class Belief(Value):
    """Things, people and rooms as one character last perceived them, what they saw done, and what they were told."""

    who: str
    props: dict[str, RememberedProp] = {}
    people: dict[str, Figure] = {}
    rooms: tuple[str, ...] = ()
    deeds: tuple[Fact, ...] = ()
    claims: tuple[Claim, ...] = ()


def first_belief(opening: WorldState, who: str, knows: Literal["all", "here"] | Sequence[str] = "here") -> Belief:
    """What a character knows when the curtain rises: what they see, and what the scenario says they know."""
    belief = perceive(Belief(who=who), opening, who)
    if knows == "here":
        return belief
    named = set(opening.props) | set(opening.locations) if knows == "all" else set(knows)
    told_of = named - set(opening.locations) if knows != "all" else set()
    known = {
        name: RememberedProp(prop=prop, turn=opening.time.turn)
        for name, prop in opening.props.items()
        if (name in named or prop.location in named)
        and not prop.is_(Condition.HIDDEN)
        and (name in told_of or (enclosing_container(opening, name) is None and not is_pocketed(opening, name)))
    }
    people = {name: figure for name, figure in opening.characters.items() if figure.location in named}
    rooms = tuple(room for room in opening.locations if room in named or room in belief.rooms)
    return belief.model_copy(
        update={"props": {**known, **belief.props}, "people": {**people, **belief.people}, "rooms": rooms}
    )


def perceive(belief: Belief, world: WorldState, who: str) -> Belief:
    """Belief after looking around: what is in sight is as it is, and what should be in sight but is not has gone."""
    room, turn = world.characters[who].location, world.time.turn
    seen = set(sight(world, who))
    kept = {
        name: memory
        for name, memory in belief.props.items()
        if name not in seen and not would_show(memory, world, room)
    }
    fresh = {name: _fresh_memory(belief, name, world, turn) for name in sorted(seen)}
    here = {name: figure for name, figure in world.characters.items() if figure.location == room}
    people = {name: figure for name, figure in belief.people.items() if figure.location != room or name in here}
    return belief.model_copy(
        update={
            "props": {**kept, **fresh},
            "people": {**people, **here},
            "rooms": belief.rooms if room in belief.rooms else (*belief.rooms, room),
        }
    )


def _fresh_memory(belief: Belief, name: str, world: WorldState, turn: int) -> RememberedProp:
    prop, old = world.props[name], belief.props.get(name)
    return old if old is not None and old.prop is prop else RememberedProp(prop=prop, turn=turn)


def would_show(memory: RememberedProp, world: WorldState, room: str) -> bool:
    """Whether a remembered thing, were it still there, would be in plain sight in this room."""
    if memory.prop.location != room:
        return False
    if carrier := world.characters.get(memory.prop.carried_by or ""):  # it went where they went
        return carrier.location != room
    name = memory.prop.parent
    parent = world.props.get(name) if name else None
    if name is None or parent is None:
        return True
    shut = memory.prop.inside == name and parent.is_(Condition.BARRED)
    return not shut and enclosing_container(world, name) is None and not is_pocketed(world, name)


def witness(belief: Belief, delta: Iterable[PatchOp], before: WorldState, world: WorldState) -> Belief:
    """Belief after an event its owner witnessed; `world` is how it left things."""
    who, props_touched, people_touched = belief.who, touched_names(delta, "props"), touched_names(delta, "characters")
    if not props_touched and not people_touched:
        return belief
    room = world.characters[who].location
    if room != before.characters[who].location:
        return perceive(belief, world, who)
    looked = any(name in world.index.contents for name in props_touched)
    seen = perceive(belief, world, who) if looked else belief
    props = dict(seen.props)
    for name in props_touched:
        if in_sight(world, who, name):
            props[name] = RememberedProp(prop=world.props[name], turn=world.time.turn)
        elif name not in world.props:
            props.pop(name, None)
        elif looked and not is_at(world, name, room):
            continue  # gone from here with what it is in, or with whose it is
        elif _was_known(belief, before, world, name) and not world.props[name].is_(Condition.HIDDEN):
            props[name] = RememberedProp(prop=_as_it_left(name, before, world, room), turn=world.time.turn)
    people = {
        name: _as_they_left(name, before, world, room, props) for name in people_touched if name in world.characters
    }
    return seen.model_copy(update={"props": props, "people": {**seen.people, **people}})


def _as_it_left(name: str, before: WorldState, world: WorldState, room: str) -> Prop:
    """A thing as it was last in sight: what became of it where somebody took it, nobody saw who stayed."""
    prop = world.props[name]
    if prop.location == room or holder(world, name) or prop.bearer:
        return prop
    gone = [who for who, figure in world.characters.items() if figure.location != before.characters[who].location]
    with_it = [who for who in gone if world.characters[who].location == prop.location] or gone
    loose = {"inside": None, "on": None, "held_by": with_it[0]} if with_it else {}
    return before.props[name].with_fields({"location": prop.location, **loose}) if with_it else prop


def _as_they_left(
    name: str, before: WorldState, world: WorldState, room: str, props: Mapping[str, RememberedProp]
) -> Figure:
    """Somebody as they were last in sight, with what they were seen to take along."""
    now, then = world.characters[name], before.characters.get(name)
    if then is None or now.location == room or now.location == then.location:
        return now
    held = [
        one for one in dict.fromkeys((*then.holding, *now.holding)) if one in props and props[one].prop.held_by == name
    ]
    return then.with_fields({"location": now.location, "holding": tuple(held), "posture": None})


def _was_known(belief: Belief, before: WorldState, world: WorldState, name: str) -> bool:
    """Whether what becomes of a thing that is out of sight now can be told: it was here, and not unseen all along."""
    seen = name in belief.props or in_sight(before, belief.who, name)
    return is_at(before, name, world.characters[belief.who].location) and (seen or _was_handled(before, world, name))


def _was_handled(before: WorldState, world: WorldState, name: str) -> bool:
    """Whether a thing went from one shut place to another, through hands that could be seen."""
    return any(getattr(before.props[name], field) != getattr(world.props[name], field) for field in ON_THINGS)


def with_deeds(belief: Belief, seen: Sequence[Fact]) -> Belief:
    """Belief after its owner saw these deeds."""
    return belief.with_field("deeds", (*belief.deeds, *seen)[-MAX_DEEDS:]) if seen else belief


def hear(belief: Belief, claim: Claim) -> Belief:
    """Belief after its owner was told something; what they have seen since, or see now, is known better."""
    return belief.with_field("claims", with_claim(belief.claims, claim))


def check_claims(belief: Belief, world: WorldState) -> tuple[Belief, list[Proof]]:
    """Belief once its owner has looked whether it is as they were told, and what came of that."""
    found = proofs(belief.claims, world, belief.who) if belief.claims else []
    return (belief.with_field("claims", settle_claims(belief.claims, found)) if found else belief), found


def counts(belief: Belief, claim: Claim) -> bool:
    """Whether a claim says more than what its owner has seen: something unseen, or of a later time and well founded."""
    memory = belief.props.get(claim.fact.subject)
    since = claim.turn if claim.fact.turn is None else claim.fact.turn
    return memory is None or (since > memory.turn and claim.confidence >= 2 * BELIEVED)


def told_things(belief: Belief) -> list[Claim]:
    """The claims about where things are that their hearer goes by."""
    return [one for one in live_claims(belief.claims) if one.fact.relation in WHERE and counts(belief, one)]


def believed_world(belief: Belief, world: WorldState) -> WorldState:
    """The world as this character takes it to be: their own senses and rooms, their memory of everything else."""
    who = belief.who
    own = world.characters[who]
    people = {name: figure for name, figure in belief.people.items() if name in world.characters and name != who}
    figures = {name: own if name == who else people[name] for name in world.characters if name == who or name in people}
    props = {name: _settle_prop(memory.prop, belief, figures) for name, memory in belief.props.items()}
    if belief.claims:
        props, figures = _with_told(belief, world, props, figures)
    for name in own.holding:
        if name in world.props and holder(world, name) == who:
            props[name] = world.props[name]
    held = {name: tuple(one for one in figure.holding if one in props) for name, figure in figures.items()}
    figures = {name: figure.model_copy(update={"holding": held[name]}) for name, figure in figures.items()}
    told = {"locations": _ways(world, props), "characters": figures, "props": dict(sorted(props.items())), "events": ()}
    taken = world.model_copy(update=told)
    taken._index = None
    return taken


def _with_told(
    belief: Belief, world: WorldState, props: dict[str, Prop], figures: dict[str, Figure]
) -> tuple[dict[str, Prop], dict[str, Figure]]:
    """Things and people with those whose place somebody knows by hearsay."""
    props, figures = dict(props), dict(figures)
    for claim in told_things(belief):
        name, where = claim.fact.subject, claim.fact.object
        if name in figures and where and name != belief.who:
            figures[name] = figures[name].with_field("location", where)
        elif name in world.props and (prop := told_prop(claim.fact, world, props)):
            places = {field: getattr(prop, field) for field in ("location", *PLACES)}
            props[name] = props[name].with_fields(places) if name in props else prop
    return props, figures


def _ways(world: WorldState, known: Mapping[str, Prop]) -> dict[str, Location]:
    """The rooms with their ways; through a door one has never seen, the way is simply there."""
    unseen = {door for door in world.index.doors if door not in known}
    if not unseen:
        return world.locations
    return {room: _without(unseen, location) for room, location in world.locations.items()}


def _without(doors: Collection[str], location: Location) -> Location:
    exits = {room: Exit() if way.via in doors else way for room, way in location.exits.items()}
    return location.with_field("exits", exits)


def _settle_prop(prop: Prop, belief: Belief, figures: dict[str, Figure]) -> Prop:
    """A remembered prop whose container or holder is itself unknown lies loose where it was seen."""
    if prop.parent is prop.held_by is prop.bearer is None:
        return prop
    known: dict[str, Mapping[str, Any]] = {
        **dict.fromkeys(ON_THINGS, belief.props),
        **dict.fromkeys(WITH_PEOPLE, figures),
    }
    lost = [field for field, names in known.items() if (name := getattr(prop, field)) and name not in names]
    return prop.with_fields(dict.fromkeys(lost)) if lost else prop
