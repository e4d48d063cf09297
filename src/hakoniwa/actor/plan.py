"""Planning: from a goal to the next acts, by search over the possible acts of the world as it is believed to be."""

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from hakoniwa.gm.act import Act
from hakoniwa.gm.checks import affordances_for, holds
from hakoniwa.gm.intents.use import SWITCHES, keys_of
from hakoniwa.gm.judge import after_act, denial_of
from hakoniwa.gm.options import possible_acts
from hakoniwa.pack import Verb, verb_of
from hakoniwa.stage.goal import Deed, Goal
from hakoniwa.stage.world import (
    Affordance,
    Condition,
    Prop,
    WorldState,
    holder,
    in_sight,
    is_at,
    is_door,
    rooms,
    thing,
)

MAX_NODES, MAX_DEPTH = 160, 12
ENABLING = frozenset({"MOVE", "GET", "OPEN", "UNLOCK", "PUT"})


@dataclass(frozen=True)
class Aim:
    """One act to be brought about: a verb on a thing, perhaps to a place, perhaps in a certain room."""

    verb: Verb
    target: str
    destination: str | None = None
    room: str | None = None


def holds_true(goal: Goal, world: WorldState, who: str) -> bool:
    """Whether everything the goal says of the world is so. Goals about deeds are never already true."""
    if goal.did or goal.talked:
        return False
    return (
        all(name in world.props and word in world.props[name].state for name, word in goal.state.items())
        and (goal.holding is None or holder(world, goal.holding) == who)
        and (goal.at is None or world.characters[who].location == goal.at)
        and (goal.seen is None or in_sight(world, who, goal.seen))
        and all(_is_placed(world, name, place) for name, place in goal.placed.items())
        and not (goal.away and _is_with(world, who, goal.away))
    )


def _is_with(world: WorldState, who: str, other: str) -> bool:
    return other in world.characters and world.characters[other].location == world.characters[who].location


def _is_placed(world: WorldState, name: str, place: str) -> bool:
    prop = world.props.get(name)
    return prop is not None and (prop.parent == place or (prop.location == place and not (prop.held_by or prop.bearer)))


def deed_done(deed: Deed, acts: Iterable[Act]) -> bool:
    return any(
        act.verb.id == verb_of(deed.verb).id
        and (not deed.target or act.target in deed.target)
        and (not deed.destination or act.destination in deed.destination)
        for act in acts
    )


def aims(goal: Goal, world: WorldState, who: str) -> list[Aim]:
    """The acts any of which would bring the goal about (or its first open part), in the order of the goal."""
    if goal.did:
        return _deed_aims(goal.did, world)
    for name, word in goal.state.items():
        if name not in world.props or word not in world.props[name].state:
            return [Aim(verb, name) for verb in _verbs_towards(world, name, word)]
    if goal.holding and holder(world, goal.holding) != who:
        return [Aim(verb_of("GET"), goal.holding)]
    if goal.seen and not in_sight(world, who, goal.seen):
        return [Aim(verb_of("INSPECT"), goal.seen)]
    for name, place in goal.placed.items():
        if not _is_placed(world, name, place):
            is_room = place in rooms(world)
            return [Aim(verb_of("PUT"), name, None if is_room else place, place if is_room else None)]
    if goal.at and world.characters[who].location != goal.at:
        return [Aim(verb_of("MOVE"), goal.at)]
    if goal.away and _is_with(world, who, goal.away):
        return [Aim(verb_of("MOVE"), room) for room in world.locations[world.characters[who].location].exits]
    return []


def _deed_aims(deed: Deed, world: WorldState) -> list[Aim]:
    verb = verb_of(deed.verb)
    targets = deed.target or tuple(name for name in world.props if affordances_for(world, name, verb.id))
    places: tuple[str | None, ...] = deed.destination or (None,)
    return [Aim(verb, name, place) for name in targets for place in places]


def _verbs_towards(world: WorldState, name: str, word: str) -> Iterator[Verb]:
    """The verbs that can leave a thing in a state, now or after a while."""
    prop = world.props.get(name)
    for one in prop.affordances if prop else ():
        if word in one.becomes or (one.after and word in one.after.becomes):
            yield verb_of(one.verb)
    for verb, (words, _, _) in SWITCHES.items():
        if word in words:
            yield verb_of(verb)


def plan(aim: Aim, world: WorldState, who: str, depth: int = 0) -> list[Act] | None:
    """The shortest way to an aim; where the thing must first be made or made ready, the way to that."""
    if depth > 4:
        return None
    if thing(world, aim.target) is None and aim.verb.id != "MOVE":
        return _first_plan(_makers(world, aim.target), world, who, depth)
    if waiting := _preparation_aims(world, aim):
        return _first_plan(waiting, world, who, depth)
    return _search(aim, world, who)


def _first_plan(options: Iterable[Aim], world: WorldState, who: str, depth: int) -> list[Act] | None:
    for option in options:
        if found := plan(option, world, who, depth + 1):
            return found
    return None


def _makers(world: WorldState, name: str) -> list[Aim]:
    """The acts that bring a thing into being."""
    return [
        Aim(verb_of(one.verb), maker)
        for maker, prop in world.props.items()
        for one in prop.affordances
        if name in one.makes or (one.after and name in one.after.makes)
    ]


def sources(aim: Aim, world: WorldState) -> list[str]:
    """The thing an aim is about, or where it does not exist the things that make it."""
    return [aim.target] if thing(world, aim.target) else [maker.target for maker in _makers(world, aim.target)]


def lacks_tool(aim: Aim, world: WorldState) -> bool:
    """Whether something the act requires is nowhere to be found, as far as is known."""
    required = [key for one in affordances_for(world, aim.target, aim.verb.id) for key in one.requires]
    return any(not _is_known(world, key) for key in required)


def missing_things(aim: Aim, world: WorldState) -> list[str]:
    """What an aim needs and nobody here knows the place of: the thing itself, or what its affordance requires."""
    if aim.verb.id == "MOVE":
        return []
    if thing(world, aim.target) is None:
        return [] if _makers(world, aim.target) else [aim.target]
    required = [key for one in affordances_for(world, aim.target, aim.verb.id) for key in one.requires]
    return [key for key in dict.fromkeys(required) if not _is_known(world, key)]


def _preparation_aims(world: WorldState, aim: Aim) -> list[Aim]:
    """What must happen to a thing, or come into being, before its affordance can be used."""
    prop = world.props.get(aim.target)
    options = affordances_for(world, aim.target, aim.verb.id)
    if prop is None or not options or any(set(one.needs) <= set(prop.state) for one in options):
        missing = [key for one in options for key in one.requires if not _is_known(world, key)]
        return [*_needed_elsewhere(world, prop, options), *(made for key in missing for made in _makers(world, key))]
    need = next(word for word in options[0].needs if word not in prop.state)
    return [Aim(verb, aim.target) for verb in _verbs_towards(world, aim.target, need) if verb != aim.verb]


def _needed_elsewhere(world: WorldState, prop: Prop | None, options: Iterable[Affordance]) -> Iterator[Aim]:
    """The acts that bring other things into the states that a thing, which is ready itself, needs of them."""
    for one in options:
        for other, word in (one.needs_elsewhere or {}).items():
            unmet = other in world.props and word not in world.props[other].state
            if unmet and prop is not None and set(one.needs) <= set(prop.state):
                yield from (Aim(verb, other) for verb in _verbs_towards(world, other, word))


def _is_known(world: WorldState, name: str) -> bool:
    return thing(world, name) is not None or any(
        kind == "prop" and thing(world, found) is not None for _, (kind, found) in world.index.names.find(name)
    )


StateMark = tuple[str, tuple[str, ...], tuple[object, ...]]


def _search(aim: Aim, world: WorldState, who: str) -> list[Act] | None:
    """Breadth first over possible acts on the things that matter. Each state is tried as soon as it is found."""
    about = frozenset(_relevant_names(world, who, aim))
    goal = Act(aim.verb, aim.target, aim.destination)
    if _within_reach(goal, aim.room, world, who):
        return [goal]
    first = _state_mark(world, who, names := sorted(about))
    start: tuple[WorldState, StateMark, tuple[Act, ...]] = (world, first, ())
    queue, seen = deque([start]), {first}
    while queue:
        state, here, path = queue.popleft()
        for act in _enabling_acts(state, who, about, aim):
            if _foresee(act, here) in seen:
                continue
            after = after_act(state, who, act)
            if (mark := _state_mark(after, who, names)) in seen:
                continue
            if len(seen) >= MAX_NODES:
                return None
            if _within_reach(goal, aim.room, after, who):
                return [*path, act, goal]
            seen.add(mark)
            if len(path) + 1 < MAX_DEPTH:
                queue.append((after, mark, (*path, act)))
    return None


def _within_reach(goal: Act, room: str | None, world: WorldState, who: str) -> bool:
    """Whether the act can be done now, and where it is to be done."""
    return (room is None or world.characters[who].location == room) and denial_of(world, who, goal) is None


def _enabling_acts(world: WorldState, who: str, about: Collection[str], aim: Aim) -> Iterator[Act]:
    """The acts that may bring something else within reach; putting things down does where it frees a hand."""
    figure = world.characters[who]
    full = len(figure.holding) >= figure.hands
    for act in possible_acts(world, who, about):
        if act.verb.id not in ENABLING or act.destination is not None:
            continue
        if act.verb.id != "PUT" or full or act.target == aim.target:
            yield act


def _state_mark(world: WorldState, who: str, names: Sequence[str]) -> StateMark:
    """What tells one state of the world from another, as far as it matters."""
    figure = world.characters[who]
    states = tuple(world.props[name].state for name in names if name in world.props)
    return (figure.location, figure.holding, states)


def _foresee(act: Act, here: StateMark) -> StateMark | None:
    """The mark that going, taking or putting down leads to, without doing it."""
    location, holding, states = here
    match act.verb.id, act.target:
        case "MOVE", str(room):
            return room, holding, states
        case "GET", str(name):
            return location, (*holding, name), states
        case "PUT", str(name):
            return location, tuple(one for one in holding if one != name), states
    return None


def _relevant_names(world: WorldState, who: str, aim: Aim) -> Iterator[str]:
    """The things, keys, doors and rooms that can matter for an aim."""
    yield from rooms(world)
    queue = [name for name in (aim.target, aim.destination) if name]
    queue += world.index.doors
    queue += _tools(affordances_for(world, aim.target, aim.verb.id), world)
    if len(world.characters[who].holding) >= world.characters[who].hands:
        yield from world.characters[who].holding
    seen: set[str] = set()
    while queue:
        name = queue.pop()
        prop = thing(world, name)
        if name in seen or prop is None:
            continue
        seen.add(name)
        yield name
        queue += [parent for parent in (prop.inside, prop.on) if parent]
        if prop.is_(Condition.LOCKED):
            queue += _tools([Affordance(verb="OPEN", requires=tuple(keys_of(prop)))], world)


def _tools(affordances: Iterable[Affordance], world: WorldState) -> list[str]:
    return [
        found
        for one in affordances
        for key in one.requires
        for _, (kind, found) in world.index.names.find(key)
        if kind == "prop"
    ]


@dataclass(frozen=True)
class Obstacle:
    """A locked thing in the way, and whether a key for it is known."""

    name: str
    key_known: bool


def obstacle(aim: Aim, world: WorldState, who: str) -> Obstacle | None:
    """The lock that bars an aim: its own, its container's, or a door's on the way."""
    prop = thing(world, aim.target)
    if aim.verb.id == "MOVE" or (prop is not None and not is_at(world, aim.target, world.characters[who].location)):
        doors = [door for door in world.index.doors if _is_locked(world, door)]
        if doors:
            return Obstacle(doors[0], _key_known(world, who, doors[0]))
    name: str | None = aim.target
    while name is not None and (prop := world.props.get(name)) is not None:
        if _is_locked(world, name):
            return Obstacle(name, _key_known(world, who, name))
        name = prop.parent
    return None


def _is_locked(world: WorldState, name: str) -> bool:
    return name in world.props and world.props[name].is_(Condition.LOCKED)


def _key_known(world: WorldState, who: str, name: str) -> bool:
    return any(holds(world, who, key) or _is_known(world, key) for key in keys_of(world.props[name]))


def unexplored_aims(
    world: WorldState, who: str, inspected: Iterable[str], visited: Iterable[str]
) -> Iterator[tuple[int, Aim]]:
    """Where something unknown might still be, with how reluctantly one looks there: shut containers before rooms
    never entered, rooms before things never looked at closely."""
    looked, been = set(inspected), set(visited)
    for name, prop in world.props.items():
        if prop.container and prop.is_(Condition.CLOSED) and prop.owner in (None, who) and name not in looked:
            yield 0, Aim(verb_of("OPEN"), name)
        elif (prop.fixed or prop.container) and name not in looked and not is_door(world, name):
            yield 3, Aim(verb_of("INSPECT"), name)
    yield from ((1, Aim(verb_of("MOVE"), room)) for room in rooms(world) if room not in been)
