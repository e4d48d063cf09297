"""possible_acts: every legal physical act in canonical form, lazily and in a stable order."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice
from operator import itemgetter
from typing import Any, NamedTuple

from hakoniwa.gm.act import Act, HoldCheck, intents
from hakoniwa.gm.checks import hands_full, holds, so_elsewhere
from hakoniwa.gm.intents.put import receives, takes
from hakoniwa.gm.judge import denial_of
from hakoniwa.pack import Verb, pack, verb_of
from hakoniwa.stage.world import (
    Affordance,
    Condition,
    Prop,
    WorldState,
    bearer,
    carried_with,
    in_place,
    in_sight,
    people_in,
    rooms,
    thing,
    things_here,
)

CORE = ("OPEN", "CLOSE", "LOCK", "UNLOCK", "TURN_ON", "TURN_OFF", "USE", "EAT", "DRINK")
FEW, LONG, KEPT = 12, 1000, 4096


def possible_acts(
    world: WorldState, who: str, about: Collection[str] | None = None, limit: int | None = None
) -> Iterator[Act]:
    """The acts the judge would allow now; with `about`, only those on these things and into these rooms.

    What is at hand comes first, then the ways out, then people and what can be given or laid where.
    """
    lots = _all_acts(world, who) if about is None else _allowed_acts(world, who, about)
    return islice(chain.from_iterable(lots), limit)


def _all_acts(world: WorldState, who: str) -> Iterator[Sequence[Act]]:
    """Everything possible. Listed to the end, it is noted in the index, which lasts until things or people change."""
    notes, key = world.index.notes, ("possible_acts", who, world.location.current, world.meta.weather)
    if key in notes:
        yield notes[key]
        return
    lots = []
    for lot in _allowed_acts(world, who, None):
        lots.append(lot)
        yield lot
    acts = tuple(chain.from_iterable(lots))
    if len(acts) <= LONG:
        notes[key] = acts


def _allowed_acts(world: WorldState, who: str, about: Collection[str] | None) -> Iterator[Sequence[Act]]:
    """What is allowed, one lot after the other: thing by thing, the ways and the people, hand by hand."""
    room, held = world.characters[who].location, frozenset(world.characters[who].holding)
    body = ActorHands(who, hands_full(world, who) is not None)
    places, loose = list[str](), list[str]()
    for name in _things(world, who, about):
        offer = _cached_options(world, body, name, name in held)
        yield offer.acts
        if offer.is_place:
            places.append(name)
        if offer.is_loose:
            loose.append(name)
    people = [other for other in people_in(world, room) if other != who and (about is None or other in about)]
    ways = [way for way in _ways(world, room) if about is None or way in about]
    acts = [Act(verb_of("MOVE"), way) for way in ways] + [Act(verb_of("INSPECT"), other) for other in people]
    yield [act for act in acts if denial_of(world, who, act) is None]
    receivers = [other for other in people if receives(world, who, other)] if loose else []
    for name in loose:
        yield _handing_acts(world, name, receivers, places)


def _handing_acts(world: WorldState, name: str, people: Iterable[str], places: Iterable[str]) -> list[Act]:
    """What can be done with something that may leave the hand and somebody, or some place in reach, besides."""
    give, put, itself = verb_of("GIVE"), verb_of("PUT"), {name, *carried_with(world, name)}
    given = [Act(give, name, other) for other in people]
    return given + [Act(put, name, place) for place in places if place not in itself]


def _things(world: WorldState, who: str, about: Collection[str] | None) -> Iterator[str]:
    """What is in the hands, then what else is in sight."""
    figure = world.characters[who]
    yield from (name for name in figure.holding if about is None or name in about)
    for name in things_here(world, figure.location) if about is None else sorted(about):
        if name not in figure.holding and in_sight(world, who, name):
            yield name


class ActorHands(NamedTuple):
    """What somebody who reaches for things is to all of them alike."""

    who: str
    hands_full: bool


class ThingOptions(NamedTuple):
    """What can be done to one thing, whether it is a place for others, and whether it may leave the hand it is in."""

    acts: tuple[Act, ...]
    is_place: bool
    is_loose: bool


WorldQuestion = Callable[[WorldState, str, Any], bool]


class CachedOptions(NamedTuple):
    """An offer as it was worked out: from which affordances, and with which answers from the rest of the world."""

    affordances: tuple[Affordance, ...]
    asked: tuple[tuple[WorldQuestion, Any], ...]
    answers: tuple[bool, ...]
    offer: ThingOptions

    def holds_for(self, world: WorldState, who: str, prop: Prop) -> bool:
        same = self.affordances is prop.affordances  # to compare them would take longer than to work it out anew
        return same and (not self.asked or self.answers == _answers(world, who, self.asked))


def _cached_options(world: WorldState, body: ActorHands, name: str, is_held: bool) -> ThingOptions:
    """What a thing offers somebody; worked out anew only if something that it depends on is different."""
    prop, who, index = world.props.get(name), body.who, world.index
    if prop is None or (is_held and not in_sight(world, who, name)):
        return _work_out_options(world, who, name, is_held)
    about = (prop.carried_by, prop.worn_by, bearer(world, name))
    nature = (prop.state, prop.fixed, prop.container, prop.edible, prop.alive, prop.surface, prop.hangs, prop.wearable)
    key = (name, nature, prop.owner, is_held, index.holder.get(name), about, body, type(prop.edible))
    known: CachedOptions | None = index.lore.get(key)
    if known is None or not known.holds_for(world, who, prop):
        asked = tuple(dict.fromkeys(_questions(prop)))
        known = CachedOptions(
            prop.affordances, asked, _answers(world, who, asked), _work_out_options(world, who, name, is_held)
        )
        if len(index.lore) >= KEPT:
            index.lore.clear()
        index.lore[key] = known
    return known.offer


def _answers(world: WorldState, who: str, asked: Iterable[tuple[WorldQuestion, Any]]) -> tuple[bool, ...]:
    return tuple([ask(world, who, other) for ask, other in asked])


def _questions(prop: Prop) -> Iterator[tuple[WorldQuestion, Any]]:
    """What the acts on a thing depend on besides itself: keys in the hand, other things and the weather, and whether
    what it makes is there."""
    for one in prop.affordances:
        yield from ((so_elsewhere, need) for need in (one.needs_elsewhere or {}).items())
        yield from ((holds, key) for key in one.requires)
        yield from ((_exists, new) for new in (*one.makes, *(one.after.makes if one.after else ())))


def _exists(world: WorldState, _: str, name: str) -> bool:
    return thing(world, name) is not None


def _work_out_options(world: WorldState, who: str, name: str, is_held: bool) -> ThingOptions:
    seen = not is_held or in_sight(world, who, name)
    acts = _acts_on(world, who, name, is_held) if seen else _acts_unseen(world, who, name)
    is_place = seen and _bears(world, name) and takes(world, who, name)
    return ThingOptions(acts, is_place, is_held and Act(verb_of("PUT"), name) in acts)


def _bears(world: WorldState, name: str) -> bool:
    """Whether a thing is there to lay, put or hang others on: where it says nothing itself, furniture is."""
    prop = thing(world, name)
    if prop is None:
        return False
    if prop.container or prop.surface or prop.hangs:
        return True
    return prop.surface is None and (prop.fixed or (world.version == "0.1" and _is_furniture(world, name, prop)))


def _is_furniture(world: WorldState, name: str, prop: Prop) -> bool:
    """Whether a thing goes by the name of a piece of furniture: 食卓, the kitchen table."""
    words = pack(world.language).words["furniture"]
    ends = (form if world.language == "ja" else form.rpartition(" ")[2] for form in (name, *prop.aliases))
    return any(end.endswith(tuple(words)) if world.language == "ja" else end.casefold() in words for end in ends)


def _acts_unseen(world: WorldState, who: str, name: str) -> tuple[Act, ...]:
    """What can be done to something that is held and yet out of sight."""
    prop = thing(world, name)
    verbs = _verbs_to_try(world, prop, is_held=True, at_hand=True) if prop else ()
    return tuple([act for verb in verbs if denial_of(world, who, act := Act(verb, name)) is None])


def _acts_on(world: WorldState, who: str, name: str, is_held: bool) -> tuple[Act, ...]:
    """What can be done to one thing in reach, where each hold is tried once for all the verbs that need it."""
    prop = thing(world, name)
    if prop is None:
        return ()
    had: dict[HoldCheck, bool] = {}
    acts = []
    at_hand = is_held or prop.worn_by == who or in_place(world, name, prop)
    for verb in _verbs_to_try(world, prop, is_held=is_held, at_hand=at_hand):
        intent = intents[verb.intent]
        hold = intent.hold(verb)
        if hold not in had:
            had[hold] = hold(world, who, name) is None
        if had[hold] and intent.unfit(world, who, name, verb.id) is None:
            acts.append(Act(verb, name))
    return tuple(acts)


def _verbs_to_try(world: WorldState, prop: Prop, *, is_held: bool, at_hand: bool) -> tuple[Verb, ...]:
    listed = tuple([one.verb for one in prop.affordances])
    edible = bool(prop.edible or (prop.edible is None and not listed))
    verbs = _verbs if len(listed) <= FEW else _verbs.__wrapped__  # nobody's long lists are kept
    on_body = prop.worn_by is not None
    known = verbs(listed, is_held, at_hand, on_body, edible, any(one.requires for one in prop.affordances))
    if not is_held and not prop.wearable:
        return known
    stowed = [verb_of("STOW")] if is_held and world.version != "0.1" else []
    worn = [verb_of("WEAR")] if prop.wearable and at_hand and not on_body else []
    return (*known, *(verb for verb in (*worn, *stowed) if verb not in known))


@lru_cache(maxsize=1024)
def _verbs(
    listed: tuple[str, ...], is_held: bool, at_hand: bool, on_body: bool, edible: bool, lock: bool
) -> tuple[Verb, ...]:
    """The verbs that could be allowed on a thing: its own, those its nature allows, and those that always are."""
    own = [verb for verb in map(verb_of, listed) if at_hand or verb.manner != "hand" or verb.intent != "USE"]
    core = [name for name in CORE if not listed or name in ("UNLOCK", "EAT", "DRINK")] if at_hand else []
    barred = {*(() if lock else ("LOCK", "UNLOCK")), *(() if edible else ("EAT", "DRINK"))}
    taken = "PUT" if is_held else "REMOVE" if on_body else "GET"
    names = [*(name for name in core if name not in barred), "INSPECT", taken]
    return tuple(dict.fromkeys([*own, *map(verb_of, names)]))


def likely(world: WorldState, acts: Iterable[Act]) -> Iterator[Act]:
    """The acts that somebody might want: no switching of cups, no opening of pebbles, no mere "using"."""
    return (act for act in acts if _likely(world, act))


def _likely(world: WorldState, act: Act) -> bool:
    prop, verb = thing(world, act.target) if act.target else None, act.verb.id
    if prop is None or verb not in CORE or any(verb_of(one.verb) == act.verb for one in prop.affordances):
        return True
    if verb in ("EAT", "DRINK"):
        return bool(prop.edible)
    spoken_of = Condition.ON | Condition.OFF if verb.startswith("TURN_") else Condition.BARRED | Condition.OPEN
    return verb != "USE" and (prop.is_(spoken_of) or (prop.container and not verb.startswith("TURN_")))


def vary_order(acts: Iterable[Act]) -> list[Act]:
    """The acts in an order that takes up one thing after the other before it comes back to the first."""
    ranked: list[tuple[int, Act]] = []
    met: Counter[str | None] = Counter()
    for act in acts:
        ranked.append((met[act.target], act))
        met[act.target] += 1
    return [act for _, act in sorted(ranked, key=itemgetter(0))]


def _ways(world: WorldState, room: str) -> list[str]:
    if world.locations:
        return list(world.locations[room].exits) if room in world.locations else []
    return [name for name in rooms(world) if name != room]
