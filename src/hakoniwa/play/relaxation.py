"""What can ever come to be: a scenario in which nothing is ever lost. What is impossible there is so in play."""

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

from hakoniwa.gm.intents.use import SWITCHES, keys_of
from hakoniwa.gm.options import CORE
from hakoniwa.pack import fold_surface, verb_of
from hakoniwa.stage.goal import Deed, Goal
from hakoniwa.stage.names import NameTable
from hakoniwa.stage.scenario import Ending, Incident, Scenario, When
from hakoniwa.stage.world import Affordance, Condition, Prop, UnplacedProp, WorldState, rooms
from hakoniwa.turn import PatchOp, Process

Possibility = tuple[str, ...]  # ("is", thing, word), ("hold", who, thing), ("room", who, room) …
Needs = tuple[tuple[Possibility, ...], ...]  # of each group, one must be possible
NAMEABLE = frozenset({"is", "hold", "room", "did", "came", "weather", "time"})
WILD = ("wild",)  # something whose effect is not followed: then nothing can be proved
_OPENING = Condition.OPEN | Condition.UNLOCKED | {"default"}
_LOCKISH = _OPENING | Condition.BARRED
TOUCHED = frozenset({"location", "inside", "on", "held_by", "carried_by", "worn_by"})
HARMLESS = frozenset({"description", "aliases", "parts"})


@dataclass(frozen=True)
class Operator:
    """Something that makes other things possible: what it needs, and what it adds to what can be."""

    needs: Needs
    adds: tuple[Possibility, ...]


class Relaxation:
    """Everything that can ever be, from a world on; `possible` holds it all, and more than the referee allows."""

    def __init__(
        self,
        scenario: Scenario,
        world: WorldState,
        goals: Sequence[Goal],
        came: Collection[str] = (),
        processes: Sequence[Process] = (),
    ) -> None:
        self.scenario, self.world, self.came, self.processes = scenario, world, frozenset(came), processes
        self.places = [pair for one in (*goals, *_goals_of(scenario)) for pair in one.placed.items()]
        self.things: dict[str, UnplacedProp] = dict(_possible_things(scenario, world, processes))
        self.people = tuple(world.characters)
        self.rooms = tuple(rooms(world))
        self.weathers = _weathers(scenario, world)
        self.operators = list(self._operators())
        self.possible = _closure(self.operators, set(self._first()))

    def allows(self, goal: Goal, people: Sequence[str]) -> bool:
        """Whether a goal can be reached by one of these, as far as can be told without trying."""
        return any(self._meets(self.goal_needs(goal, who)) for who in people) or WILD in self.possible

    def missing(self, goal: Goal, people: Sequence[str]) -> Possibility | None:
        """The first thing in the way that can never be, for the first of these."""
        groups = self.goal_needs(goal, people[0])
        return self._missing(groups, set())

    def names_for(self, goal: Goal, people: Sequence[str]) -> tuple[frozenset[str], frozenset[str]]:
        """The things and rooms, and the incidents, that can have to do with a goal."""
        found = self._relevant([one for who in people for group in self.goal_needs(goal, who) for one in group])
        names = {name for one in found if one[0] in ABOUT for name in ABOUT[one[0]](one)}
        doors = {way.via for place in self.world.locations.values() for way in place.exits.values() if way.via}
        keys = {key for name in doors for key in self._relevant_to_door(name)}
        made = {new for name in names if name in self.things for new in _made_names(self.things[name])}
        return frozenset(names | doors | keys | made), frozenset(one[1] for one in found if one[0] == "came")

    def _relevant_to_door(self, door: str) -> Iterator[str]:
        prop = self.things.get(door)
        for key in keys_of(_as_prop(prop)) if prop else ():
            yield from self._goes_by(key)

    def _relevant(self, wanted: Iterable[Possibility]) -> set[Possibility]:
        """Everything that what is wanted can depend on, and what may have to be undone for it."""
        adding: dict[Possibility, list[Operator]] = {}
        for one in self.operators:
            for fact in one.adds:
                adding.setdefault(fact, []).append(one)
        queue, seen = deque(wanted), set[Possibility]()
        while queue:
            fact = queue.popleft()
            if fact in seen or fact not in self.possible:
                continue
            seen.add(fact)
            for one in adding.get(fact, ()):
                queue += [*chain.from_iterable(one.needs), *(add for add in one.adds if add[0] == "came")]
        return seen

    def _meets(self, needs: Needs) -> bool:
        return all(any(one in self.possible for one in group) for group in needs)

    def _missing(self, needs: Needs, seen: set[Possibility]) -> Possibility | None:
        """The deepest thing on the first chain of unmet needs that people have a word for."""
        for group in needs:
            for fact in group if not any(one in self.possible for one in group) else ():
                if fact in seen:
                    continue
                seen.add(fact)
                adding = (one for one in self.operators if fact in one.adds)
                deeper = next(filter(None, (self._missing(one.needs, seen) for one in adding)), None)
                if deeper or fact[0] in NAMEABLE:
                    return deeper or fact
        return None

    # --- goals -------------------------------------------------------------------------------------------------------

    def goal_needs(self, goal: Goal, who: str) -> Needs:
        """What must be possible for a goal of somebody's, in its time."""
        return (
            *((("is", name, word),) for name, word in goal.state.items()),
            *([(("hold", who, goal.holding),)] if goal.holding else []),
            *([(("room", who, goal.at),)] if goal.at else []),
            *([(("near", who, goal.seen),)] if goal.seen else []),
            *((("placed", name, place),) for name, place in goal.placed.items()),
            *([tuple(("met", who, other) for other in self._others(who, goal.talked))] if goal.talked else []),
            *([self._deeds(goal.did, who)] if goal.did else []),
            *(self._when(goal.when) if isinstance(goal, Ending) else ()),
        )

    def _when(self, when: When) -> Iterator[tuple[Possibility, ...]]:
        time = self.world.time
        if when.label and time.label not in when.label and not (time.clock and self.scenario.minutes_per_turn):
            yield (("time", *when.label),)
        yield from ((("is", name, word),) for name, word in when.state.items())
        if when.weather:
            yield tuple(("weather", word) for word in when.weather)
        if when.at:
            yield tuple(("room", who, when.at) for who in self.people)
        yield from ((("came", id),) for id in when.after)

    def _others(self, who: str, wanted: str) -> list[str]:
        return [one for one in self.people if one != who and wanted in ("*", one)]

    def _deeds(self, deed: Deed, who: str) -> tuple[Possibility, ...]:
        verb = verb_of(deed.verb).id
        names = deed.target or (*self.things, *self.people, *self.rooms)
        return tuple(("did", who, verb, name) for name in names)

    # --- what is so at first ------------------------------------------------------------------------------------------

    def _first(self) -> Iterator[Possibility]:
        world = self.world
        yield from (("room", who, figure.location) for who, figure in world.characters.items())
        yield from (("hold", who, name) for who, figure in world.characters.items() for name in figure.holding)
        yield from (("came", one) for one in self.came)
        yield ("weather", world.meta.weather)
        if world.version == "0.1" or not world.locations:
            yield WILD
        for name, prop in world.props.items():
            yield ("there", name)
            yield ("at", name, prop.location)
            yield from (("at", name, room) for room in world.index.doors.get(name, ()))
            yield from _condition(name, prop.state)
            yield from ((("placed", name, place)) for place in (prop.parent, prop.location) if place)

    # --- what makes what possible -------------------------------------------------------------------------------------

    def _operators(self) -> Iterator[Operator]:
        yield from self._ways()
        for name, prop in self.things.items():
            yield from self._places(name, prop)
            for who in self.people:
                yield from self._handling_acts(who, name, prop)
                yield from self._uses(who, name, prop)
        yield from self._company()
        for one in self.scenario.happenings:
            yield self._incident(one)
        for process in self.processes:
            yield from self._process_end(process)

    def _ways(self) -> Iterator[Operator]:
        for who in self.people:
            for room, place in self.world.locations.items():
                for target, way in place.exits.items():
                    door: Needs = ((("unbarred", way.via),),) if way.via else ()
                    moved = (("room", who, target), ("did", who, "MOVE", target))
                    yield Operator(((("room", who, room),), *door), moved)

    def _company(self) -> Iterator[Operator]:
        for who in self.people:
            for other in self.people:
                for room in self.rooms if who != other else ():
                    both: Needs = ((("room", who, room),), (("room", other, room),))
                    done: list[Possibility] = [("met", who, other)]
                    done += [
                        ("did", who, verb, other)
                        for verb in ("INSPECT", "CALL", "HUG", "TOUCH", "POINT", "KICK", "ATTACK")
                    ]
                    yield Operator(both, tuple(done))
                yield Operator((), (("did", who, "CALL", other),))

    def _places(self, name: str, prop: UnplacedProp) -> Iterator[Operator]:
        """Where a thing can come to be, and how it comes out of what it is in."""
        parent = prop.inside or prop.on
        there: Needs = ((("there", name),),)
        if parent is None or parent not in self.things:
            yield Operator(there, (("out", name),))
        else:
            shut: Needs = ((("unbarred", parent),),) if prop.inside else ()
            yield Operator((*there, *shut, (("out", parent),), (("seen", parent),)), (("out", name),))
            reached = tuple(("near", who, parent) for who in self.people)
            yield Operator((*there, *shut, reached), (("seen", name),))
        for who in self.people:
            for room in self.rooms:
                yield Operator(((("hold", who, name),), (("room", who, room),)), (("at", name, room),))
                near: Needs = ((("room", who, room),), (("at", name, room),), (("out", name),), (("seen", name),))
                yield Operator(near, (("near", who, name),))

    def _handling_acts(self, who: str, name: str, prop: UnplacedProp) -> Iterator[Operator]:
        """Taking, giving, putting, looking."""
        near: Needs = ((("near", who, name),),)
        seen = [("did", who, verb, name) for verb in ("INSPECT", "POINT", "TOUCH", "KNOCK", "CALL", "LEAN")]
        if prop.fixed:
            seen += [("did", who, verb, name) for verb in ("SIT", "LIE", "STAND")]
        yield Operator(near, tuple(seen))
        owner = prop.owner or (prop.bearer if isinstance(prop, Prop) else None)
        if not prop.fixed and owner in (None, who):
            taken = (("did", who, verb, name) for verb in ("GET", "PRODUCE", "REMOVE"))
            yield Operator(near, (("hold", who, name), *taken))
        held: Needs = ((("hold", who, name),),)
        done = tuple(("did", who, verb, name) for verb in ("PUT", "STOW", "WEAR", "GIVE", "GET", "PRODUCE"))
        yield Operator(held, (("out", name), ("seen", name), *done))
        for other in self._others(who, "*") if owner == who else ():
            yield Operator((*held, (("met", who, other),)), (("hold", other, name),))
        for place in dict.fromkeys(place for one, place in self.places if one == name):
            yield Operator((*held, (("near", who, place), ("met", who, place))), (("placed", name, place),))
        yield from (Operator(((("at", name, room),),), (("placed", name, room),)) for room in self.rooms)

    def _uses(self, who: str, name: str, prop: UnplacedProp) -> Iterator[Operator]:
        """What its affordances, locks and switches let somebody do."""
        use = self._use_needs(who, name, prop)
        for one in prop.affordances:
            yield self._use(who, name, one, use)
            yield from self._made_things(name, one)
        if keys := self._keys(who, keys_of(_as_prop(prop))):
            yield Operator(
                (*use, keys), (*_condition(name, ("closed",)), ("unlocked", name), ("did", who, "UNLOCK", name))
            )
            yield Operator((*use, keys), (("is", name, "locked"), ("is", name, "施錠"), ("did", who, "LOCK", name)))
        if not prop.affordances:
            for verb in CORE:
                words = [word for word in SWITCHES[verb][1:] if isinstance(word, str)] if verb in SWITCHES else []
                if verb not in ("LOCK", "UNLOCK"):
                    free: Needs = ((("unlocked", name),),) if verb == "OPEN" else ()
                    yield Operator((*use, *free), (*_conditions(name, words), ("did", who, verb, name)))
            yield Operator(use, (("did", who, "*", name),))

    def _use_needs(self, who: str, name: str, prop: UnplacedProp) -> Needs:
        """The thing within reach, and in the hand unless it is used where it stands."""
        near = ("near", who, name)
        stands = prop.fixed or prop.container or name in self.world.index.doors or Condition.IN_PLACE & set(prop.state)
        if stands:
            return ((near,),)
        switched = tuple(("is", name, word) for word in sorted(Condition.IN_PLACE))
        worn = [near] if isinstance(prop, Prop) and prop.worn_by == who else [("did", who, "WEAR", name)]
        return ((near,), (("hold", who, name), *switched, *worn))

    def _use(self, who: str, name: str, one: Affordance, use: Needs) -> Operator:
        verb = verb_of(one.verb)
        needs: list[tuple[Possibility, ...]] = [*use] if verb.manner in ("hand", "go") else [(("near", who, name),)]
        needs += [(("is", name, word),) for word in one.needs]
        for other, word in (one.needs_elsewhere or {}).items():
            needs.append(self._weather_like(word) if other == "weather" else (("is", other, word),))
        needs += [self._keys(who, [word]) for word in one.requires]
        if verb.id == "OPEN" and not one.requires:
            needs.append((("unlocked", name), *self._keys(who, keys_of(_as_prop(self.things[name])))))
        later: list[Possibility] = [("used", name, one.verb)] if one.makes or one.after else []
        left = self._left_behind(name) if one.consumes or verb.intent == "EAT_DRINK" else ()
        return Operator(tuple(needs), (("did", who, verb.id, name), *_outcome(name, verb.id, one), *left, *later))

    def _keys(self, who: str, words: Iterable[str]) -> tuple[Possibility, ...]:
        return tuple(("hold", who, key) for word in words for key in self._goes_by(word))

    def _left_behind(self, name: str) -> Iterator[Possibility]:
        """What a thing that is gone leaves behind: what was in it, and the way it barred."""
        yield ("unbarred", name)
        for child, prop in self.things.items():
            if name in (prop.inside, prop.on):
                yield from (("out", child), ("seen", child))

    def _made_things(self, name: str, one: Affordance) -> Iterator[Operator]:
        """What it makes comes into being where it is."""
        made = {**one.makes, **(one.after.makes if one.after else {})}
        for new in made:
            for room in self.rooms:
                yield Operator(((("used", name, one.verb),), (("at", name, room),)), (("at", new, room), ("out", new)))
            yield Operator(((("used", name, one.verb),),), (("there", new), *_condition(new, made[new].state)))

    def _weather_like(self, word: str) -> tuple[Possibility, ...]:
        return tuple(("weather", one) for one in self.weathers if fold_surface(word) in fold_surface(one))

    def _goes_by(self, word: str) -> list[str]:
        """The things that go by a name, whether or not they are there yet."""
        found = [name for how, (kind, name) in self._names.find(word) if kind == "prop" and how != "part"]
        return list(dict.fromkeys([*([word] if word in self.things else []), *found]))

    @cached_property
    def _names(self) -> NameTable:
        aliases = {name: prop.aliases for name, prop in self.things.items()}
        return NameTable.of(aliases, {}, {}, {}, [])

    # --- what the GM brings about -------------------------------------------------------------------------------------

    def _incident(self, one: Incident) -> Operator:
        when, opens = one.when, getattr(one, "opens", Goal())
        needs = [*self._when(when)]
        if opens != Goal():
            options = [self.goal_needs(opens, who) for who in self.people]
            needs += [tuple(dict.fromkeys(chain.from_iterable(groups))) for groups in zip(*options, strict=True)]
        acts = [act.id for act in self.scenario.acts]
        if one.id in acts and (place := acts.index(one.id)) > 0:
            needs.append((("came", acts[place - 1]),))
        return Operator(tuple(needs), (("came", one.id), *self._delta(one.delta)))

    def _delta(self, delta: Iterable[PatchOp]) -> Iterator[Possibility]:
        for operation in delta:
            branch, *steps = operation.path.strip("/").replace("~1", "/").split("/")
            match branch, steps:
                case ("props", [name]) if operation.op == "add" and isinstance(operation.value, dict):
                    yield from self._new_prop(name, operation.value)
                case ("props", [name, "state", *_]) if operation.op != "remove":
                    words = operation.value if isinstance(operation.value, list | tuple) else [operation.value]
                    yield from _conditions(name, [str(word) for word in words])
                    yield from _condition(name, [str(word) for word in words])
                case ("props", [name, field, *_]) if field in TOUCHED:
                    yield from (("out", name), ("seen", name), *((("at", name, room)) for room in self.rooms))
                    yield from ((("hold", who, name)) for who in self.people)
                case ("props", [name]):
                    yield from (("out", child) for child, prop in self.things.items() if name in (prop.inside, prop.on))
                    yield ("unbarred", name)
                case ("characters", [who, "location"]):
                    yield ("room", who, str(operation.value))
                case ("meta", ["weather"]):
                    yield ("weather", str(operation.value))
                case ("characters", [_, ("status" | "posture" | "aliases"), *_]) | (
                    "meta" | "time" | "events" | "location" | "rules",
                    _,
                ):
                    continue
                case ("props", [_, field, *_]) if field in HARMLESS:
                    continue
                case _:
                    yield WILD

    def _process_end(self, process: Process) -> Iterator[Operator]:
        """What is under way comes to its end."""
        yield Operator((), tuple(_later(process.prop, process.becomes, process.clears)))
        for new in process.makes:
            yield Operator((), (("there", new), ("out", new), *_condition(new, self.things[new].state)))
            yield from (Operator(((("at", process.prop, room),),), (("at", new, room),)) for room in self.rooms)

    def _new_prop(self, name: str, value: Mapping[str, Any]) -> Iterator[Possibility]:
        yield ("there", name)
        yield from _condition(name, value.get("state", ()))
        place = value.get("location")
        yield from (("at", name, room) for room in ([place] if place else self.rooms))
        yield from (("hold", who, name) for who in [value.get("held_by")] if who)


ABOUT: dict[str, Any] = {
    "is": lambda one: (one[1],), "there": lambda one: (one[1],), "at": lambda one: (one[1], one[2]),
    "out": lambda one: (one[1],), "seen": lambda one: (one[1],), "near": lambda one: (one[2],),
    "hold": lambda one: (one[2],), "room": lambda one: (one[2],), "unbarred": lambda one: (one[1],),
    "unlocked": lambda one: (one[1],), "placed": lambda one: (one[1], one[2]), "used": lambda one: (one[1],),
    "did": lambda one: (one[3],),
}  # fmt: skip


def _as_prop(prop: UnplacedProp) -> Prop:
    return prop if isinstance(prop, Prop) else Prop(location="-", **dict(prop))


def _goals_of(scenario: Scenario) -> Iterator[Goal]:
    yield from scenario.all_endings
    yield from (act.opens for act in scenario.acts)


def _made_names(prop: UnplacedProp) -> Iterator[str]:
    """What must not be there yet for a thing's affordances to make it."""
    for one in prop.affordances:
        yield from (*one.makes, *(one.after.makes if one.after else ()))


def _closure(operators: Sequence[Operator], first: set[Possibility]) -> frozenset[Possibility]:
    """Everything that follows, each operator looked at again only when something it needs has become possible."""
    waiting: dict[Possibility, list[tuple[int, int]]] = {}
    open_groups = [len(one.needs) for one in operators]
    met: set[tuple[int, int]] = set()
    for number, one in enumerate(operators):
        for place, group in enumerate(one.needs):
            for fact in group:
                waiting.setdefault(fact, []).append((number, place))
    queue, found = deque(first), set(first)

    def add(facts: Iterable[Possibility]) -> None:
        for fact in facts:
            if fact not in found:
                found.add(fact)
                queue.append(fact)

    for one in operators:
        if not one.needs:
            add(one.adds)
    while queue:
        for key in waiting.get(queue.popleft(), ()):
            if key not in met:
                met.add(key)
                open_groups[key[0]] -= 1
                if open_groups[key[0]] == 0:
                    add(operators[key[0]].adds)
    return frozenset(found)


def _condition(name: str, state: Sequence[str]) -> Iterator[Possibility]:
    """What a thing in exactly this state is."""
    yield from (("is", name, word) for word in state)
    if not Condition.BARRED & set(state):
        yield ("unbarred", name)
    if not Condition.LOCKED & set(state):
        yield ("unlocked", name)
    if not Condition.HIDDEN & set(state):
        yield ("seen", name)


def _conditions(name: str, words: Sequence[str]) -> Iterator[Possibility]:
    """What a thing can be once these words have been added to its state."""
    yield from (("is", name, word) for word in words)
    if not Condition.BARRED & set(words) and _OPENING & set(words):
        yield ("unbarred", name)
    if _LOCKISH & set(words) and not Condition.LOCKED & set(words):
        yield ("unlocked", name)


def _outcome(name: str, verb: str, one: Affordance) -> Iterator[Possibility]:
    """The states an affordance can leave its thing in."""
    words = one.becomes or (SWITCHES[verb][1:] if verb in SWITCHES else ("on", "brewing") if verb == "BREW" else ())
    yield from _later(name, [str(word) for word in words], one.needs)
    if one.after:
        yield from _later(name, one.after.becomes, one.becomes)


def _later(name: str, words: Sequence[str], cleared: Collection[str]) -> Iterator[Possibility]:
    """The states of a thing once it has become something, and is no longer what is cleared."""
    yield from _conditions(name, words)
    if words and Condition.BARRED & set(cleared) and not Condition.BARRED & set(words):
        yield ("unbarred", name)
    if words and Condition.LOCKED & set(cleared) and not Condition.LOCKED & set(words):
        yield ("unlocked", name)
    if Condition.HIDDEN & set(cleared):
        yield ("seen", name)


def _possible_things(
    scenario: Scenario, world: WorldState, processes: Iterable[Process]
) -> Iterator[tuple[str, UnplacedProp]]:
    """Every thing that is there or can come into being, at any remove."""
    queue: deque[tuple[str, UnplacedProp]] = deque(world.props.items())
    queue += [(name, UnplacedProp.model_validate(made)) for one in processes for name, made in one.makes.items()]
    for one in scenario.happenings:
        for operation in one.delta:
            steps = operation.path.split("/")
            if operation.op == "add" and steps[1] == "props" and len(steps) == 3 and isinstance(operation.value, dict):
                known = {key: value for key, value in operation.value.items() if key in UnplacedProp.model_fields}
                queue.append((steps[2], UnplacedProp.model_validate(known)))
    seen = set[str]()
    while queue:
        name, prop = queue.popleft()
        if name in seen:
            continue
        seen.add(name)
        yield name, prop
        for affordance in prop.affordances:
            queue += [*affordance.makes.items(), *(affordance.after.makes.items() if affordance.after else ())]


def _weathers(scenario: Scenario, world: WorldState) -> list[str]:
    """Every weather there can be."""
    told = [one.value for act in scenario.happenings for one in act.delta if one.path == "/meta/weather"]
    return list(dict.fromkeys([world.meta.weather, *map(str, told)]))
