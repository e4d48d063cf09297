"""possible_acts: every legal physical act in canonical form, lazily and in a stable order."""

from collections.abc import Collection, Iterator
from itertools import islice

from hakoniwa.gm.act import Act
from hakoniwa.gm.judge import denial_of
from hakoniwa.pack import Verb, verb_of
from hakoniwa.stage.world import WorldState, in_place, in_sight, present, rooms, thing, things_here

CORE = ("OPEN", "CLOSE", "LOCK", "UNLOCK", "TURN_ON", "TURN_OFF", "USE", "EAT", "DRINK")


def possible_acts(
    world: WorldState, who: str, about: Collection[str] | None = None, limit: int | None = None
) -> Iterator[Act]:
    """The acts the judge would allow now; with `about`, only those on these things and into these rooms."""
    allowed = (act for act in canonical_acts(world, who, about) if denial_of(world, who, act) is None)
    return islice(allowed, limit)


def canonical_acts(world: WorldState, who: str, about: Collection[str] | None = None) -> Iterator[Act]:
    """Every act that could be legal from here, whether or not it is: what is at hand first, then the ways out."""
    room, held = world.characters[who].location, world.characters[who].holding
    for name in _things(world, who, about):
        yield from _acts_on(world, name, is_held=name in held)
    yield from (Act(verb_of("MOVE"), way) for way in _ways(world, room) if about is None or way in about)
    people = [other for other in present(world, room) if other != who]
    yield from (Act(verb_of("INSPECT"), other) for other in people if about is None or other in about)
    for name in held:
        if about is None or name in about:
            yield from (Act(verb_of("GIVE"), name, other) for other in people if about is None or other in about)
            yield from (Act(verb_of("PUT"), name, place) for place in _things(world, who, about) if place != name)


def _things(world: WorldState, who: str, about: Collection[str] | None) -> Iterator[str]:
    """What is in the hands, then what else is in sight."""
    figure = world.characters[who]
    yield from (name for name in figure.holding if about is None or name in about)
    for name in things_here(world, figure.location) if about is None else sorted(about):
        if name not in figure.holding and in_sight(world, who, name):
            yield name


def _acts_on(world: WorldState, name: str, *, is_held: bool) -> Iterator[Act]:
    """What can be done to one thing; verbs that need it in the hand are not even tried on what is not."""
    listed, prop = verbs_listed(world, name), thing(world, name)
    at_hand = is_held or (prop is not None and in_place(world, name, prop))
    core = CORE if prop is not None and not prop.affordances else ("UNLOCK", "EAT", "DRINK")
    tried = [verb for verb in listed if at_hand or verb.manner != "hand" or verb.intent != "USE"]
    tried += [verb_of(verb) for verb in core] if at_hand else []
    tried += [verb_of("INSPECT"), verb_of("PUT" if is_held else "GET")]
    yield from (Act(verb, name) for verb in dict.fromkeys(tried))


def verbs_listed(world: WorldState, name: str) -> list[Verb]:
    """The verbs of a thing's own affordances, each once."""
    prop = world.props.get(name)
    return list(dict.fromkeys(verb_of(one.verb) for one in prop.affordances)) if prop else []


def _ways(world: WorldState, room: str) -> list[str]:
    if world.locations:
        return list(world.locations[room].exits) if room in world.locations else []
    return [name for name in rooms(world) if name != room]
