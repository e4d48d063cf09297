"""possible_acts: every legal physical act in canonical form, lazily and in a stable order."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import islice

from hakoniwa.gm.act import Act, Hold, intents
from hakoniwa.gm.intents.put import spots
from hakoniwa.gm.judge import denial_of
from hakoniwa.pack import Verb, verb_of
from hakoniwa.stage.world import Prop, WorldState, carried_with, in_place, in_sight, present, rooms, thing, things_here

CORE = ("OPEN", "CLOSE", "LOCK", "UNLOCK", "TURN_ON", "TURN_OFF", "USE", "EAT", "DRINK")
FEW = 12


def possible_acts(
    world: WorldState, who: str, about: Collection[str] | None = None, limit: int | None = None
) -> Iterator[Act]:
    """The acts the judge would allow now; with `about`, only those on these things and into these rooms.

    What is at hand comes first, then the ways out, then people and what can be given or laid where.
    """
    return islice(_allowed(world, who, about), limit)


def _allowed(world: WorldState, who: str, about: Collection[str] | None) -> Iterator[Act]:
    room, held = world.characters[who].location, world.characters[who].holding
    seen = []
    for name in _things(world, who, about):
        seen.append(name)
        yield from _acts_on(world, who, name)
    people = [other for other in present(world, room) if other != who and (about is None or other in about)]
    ways = [way for way in _ways(world, room) if about is None or way in about]
    acts = [Act(verb_of("MOVE"), way) for way in ways] + [Act(verb_of("INSPECT"), other) for other in people]
    yield from [act for act in acts if denial_of(world, who, act) is None]
    if wanted := [name for name in held if about is None or name in about]:
        places = spots(world, who, [name for name in seen if name not in held or in_sight(world, who, name)])
        for name in wanted:
            yield from _handed_on(world, who, name, people, places)


def _handed_on(world: WorldState, who: str, name: str, people: Iterable[str], places: Iterable[str]) -> list[Act]:
    """What can be done with something in the hand and somebody, or some place in reach, besides."""
    put, give = verb_of("PUT"), verb_of("GIVE")
    if denial_of(world, who, Act(put, name)) is not None:
        return []
    given = [act for other in people if denial_of(world, who, act := Act(give, name, other)) is None]
    itself = {name, *carried_with(world, name)}
    return given + [Act(put, name, place) for place in places if place not in itself]


def _things(world: WorldState, who: str, about: Collection[str] | None) -> Iterator[str]:
    """What is in the hands, then what else is in sight."""
    figure = world.characters[who]
    yield from (name for name in figure.holding if about is None or name in about)
    for name in things_here(world, figure.location) if about is None else sorted(about):
        if name not in figure.holding and in_sight(world, who, name):
            yield name


def _acts_on(world: WorldState, who: str, name: str) -> list[Act]:
    """What can be done to one thing. Where it is in reach, each hold is tried once for all the verbs that need it."""
    is_held, prop = name in world.characters[who].holding, thing(world, name)
    if prop is None:
        return []
    verbs = _tried(prop, is_held=is_held, at_hand=is_held or in_place(world, name, prop))
    if is_held and not in_sight(world, who, name):
        return [act for verb in verbs if denial_of(world, who, act := Act(verb, name)) is None]
    had: dict[Hold, bool] = {}
    acts = []
    for verb in verbs:
        intent = intents[verb.intent]
        hold = intent.hold(verb)
        if hold not in had:
            had[hold] = hold(world, who, name) is None
        if had[hold] and intent.unfit(world, who, name, verb.id) is None:
            acts.append(Act(verb, name))
    return acts


def _tried(prop: Prop, *, is_held: bool, at_hand: bool) -> tuple[Verb, ...]:
    listed = tuple([one.verb for one in prop.affordances])
    edible = prop.edible or (prop.edible is None and not listed)
    verbs = _verbs if len(listed) <= FEW else _verbs.__wrapped__  # nobody's long lists are kept
    return verbs(listed, is_held, at_hand, edible, any(one.requires for one in prop.affordances))


@lru_cache(maxsize=1024)
def _verbs(listed: tuple[str, ...], is_held: bool, at_hand: bool, edible: bool, lock: bool) -> tuple[Verb, ...]:
    """The verbs that could be allowed on a thing: its own, those its nature allows, and those that always are."""
    own = [verb for verb in map(verb_of, listed) if at_hand or verb.manner != "hand" or verb.intent != "USE"]
    core = [name for name in CORE if not listed or name in ("UNLOCK", "EAT", "DRINK")] if at_hand else []
    barred = {*(() if lock else ("LOCK", "UNLOCK")), *(() if edible else ("EAT", "DRINK"))}
    names = [*(name for name in core if name not in barred), "INSPECT", "PUT" if is_held else "GET"]
    return tuple(dict.fromkeys([*own, *map(verb_of, names)]))


def various(acts: Iterable[Act]) -> list[Act]:
    """The acts in an order that takes up one thing after the other before it comes back to the first."""
    ranked: list[tuple[int, Act]] = []
    met: Counter[str | None] = Counter()
    for act in acts:
        ranked.append((met[act.target], act))
        met[act.target] += 1
    return [act for _, act in sorted(ranked, key=lambda pair: pair[0])]


def _ways(world: WorldState, room: str) -> list[str]:
    if world.locations:
        return list(world.locations[room].exits) if room in world.locations else []
    return [name for name in rooms(world) if name != room]
