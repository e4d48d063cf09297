"""From written names to the world's own: which thing, person or place an act means."""

from dataclasses import dataclass, replace

from hakoniwa.gm.act import Act, Denial, intents
from hakoniwa.gm.checks import affordances_for, missing_requirement, not_at_hand, not_here, out_of_reach
from hakoniwa.pack import LANGUAGES, Verb, pack, verb_of, word_in
from hakoniwa.stage.names import Candidate, Kind, nfkc
from hakoniwa.stage.world import (
    Condition,
    WorldState,
    holder,
    in_place,
    in_sight,
    is_at,
    is_door,
    people_in,
    rooms,
    thing,
    things_here,
)
from hakoniwa.turn import REASON_ORDER, ActionIntent, IntentKind, Resolution
from hakoniwa.turn import DeniedReason as Why

MAKING = frozenset({"MAKE", "BREW", "COOK"})


@dataclass(frozen=True, slots=True)
class Meant:
    """What an intent turned out to mean: an act, a mere gesture (no act), or something undecidable."""

    act: Act | None = None
    denial: Denial | None = None
    resolution: tuple[Resolution, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    name: str | None
    kind: Kind | None
    resolution: Resolution
    denial: Denial | None = None


def meaning(world: WorldState, who: str, intent: ActionIntent, before: Act | None) -> Meant:
    """The canonical act behind what was read; `before` is the act just done, for (DRINK) after (GET: …)."""
    meant = _meaning(world, who, intent, before)
    lacks = [one for one in (instrument(world, who, intent), source(world, who, intent)) if one]
    if not lacks:
        return meant
    own = meant.denial or (intents[meant.act.verb.intent].deny(world, who, meant.act) if meant.act else None)
    first = min([*lacks, *([own] if own else [])], key=lambda one: REASON_ORDER[one.reason])
    return Meant(None, first, meant.resolution)


def instrument(world: WorldState, who: str, intent: ActionIntent) -> Denial | None:
    """Why something cannot be done with this thing: it must be in the hand, or stand here if it is not handheld."""
    if intent.instrument is None:
        return None
    found = find(world, who, intent.instrument, ("prop",))
    if found.name is None:
        return found.denial
    return not_here(world, who, found.name) or not_at_hand(world, who, found.name) or out_of_reach(world, found.name)


def source(world: WorldState, who: str, intent: ActionIntent) -> Denial | None:
    """Why nothing can be taken out of this: it is not here."""
    if intent.source is None:
        return None
    found = find(world, who, intent.source, ("prop",))
    return not_here(world, who, found.name) if found.name else found.denial


def _meaning(world: WorldState, who: str, intent: ActionIntent, before: Act | None) -> Meant:
    verb = verb_of(intent.verb or intent.intent)
    if intent.intent == IntentKind.MOVE:
        return _move(world, who, intent)
    if intent.target and (maker := _maker(world, who, verb, intent.target)):
        return Meant(maker, None, (Resolution(written=intent.target, resolved=maker.target, how="derived"),))
    found = _target(world, who, verb, intent.target, before)
    if found.denial or found.resolution.how == "ambient":
        return Meant(None, found.denial, (found.resolution,))
    if found.kind == "character" and verb.intent in (IntentKind.GET, IntentKind.PUT):
        return Meant(Act(verb_of("TOUCH"), found.name), None, (found.resolution,))
    if verb.id == "HOLD":
        return _hold(world, who, found)
    if intent.destination is None:
        notes = (found.resolution,) if intent.target else ()
        if verb.id == "GIVE":
            return _offer(world, who, found.name, notes)
        return Meant(Act(_specific(world, who, verb, found.name), found.name), resolution=notes)
    return _with_destination(world, who, verb, found, intent.destination, intent.on_top)


def _hold(world: WorldState, who: str, found: Found) -> Meant:
    """Holding what is in the hand is no act; holding what is not means taking it."""
    act = None if found.name is None or holder(world, found.name) == who else Act(verb_of("GET"), found.name)
    return Meant(act, None, (found.resolution,))


def _offer(world: WorldState, who: str, name: str | None, notes: tuple[Resolution, ...]) -> Meant:
    """Handing over without saying to whom: the only other person here."""
    others = [one for one in people_in(world, _here(world, who)) if one != who]
    if len(others) == 1:
        return Meant(Act(verb_of("GIVE"), name, others[0]), None, notes)
    return Meant(None, Denial("ambiguous.no-object", Why.AMBIGUOUS_ACTION), notes)


def _maker(world: WorldState, who: str, verb: Verb, product: str) -> Act | None:
    """Making a thing means using what makes it: an affordance that says so, or a device that bears its name."""
    if verb.id not in MAKING:
        return None
    here = [name for name in things_here(world, _here(world, who)) if in_sight(world, who, name)]
    for name in here:
        for one in world.props[name].affordances:
            if product in one.makes or (one.after and product in one.after.makes):
                return Act(verb_of(one.verb), name)
    if any(kind == "prop" and _exists(world, (kind, name)) for _, (kind, name) in world.index.names.find(product)):
        return None
    devices = [name for name in here if name.startswith(nfkc(product)) and in_place(world, name, world.props[name])]
    return Act(verb, devices[0]) if devices else None


def _with_destination(
    world: WorldState, who: str, verb: Verb, found: Found, written: str, on_top: bool = False
) -> Meant:
    if word_in("vague", written):
        return Meant(None, Denial("ambiguous.vague", Why.AMBIGUOUS_ACTION, written), (found.resolution,))
    place = find(world, who, written, ("prop", "character", "location"))
    notes = (found.resolution, place.resolution)
    if place.denial:
        return Meant(None, _nobody(place.denial) if verb.id == "GIVE" else place.denial, notes)
    body = place.kind == "character" and place.resolution.how == "part"
    here = place.kind == "location" and place.name == _here(world, who)
    if body or here or place.resolution.how == "ambient":
        return Meant(Act(verb, found.name), None, notes)
    if place.kind == "location":
        return Meant(None, Denial("elsewhere.thing", Why.WRONG_LOCATION, written, where=place.name), notes)
    if verb.intent == IntentKind.PUT:
        verb = verb_of("GIVE" if place.kind == "character" else "PUT")
        # What lies on a shelf or a tray is in it; a lid that is shut bears it.
        return Meant(Act(verb, found.name, place.name, on_top and _is_shut(world, place.name or "")), None, notes)
    # Where the object of any other verb goes need only be here.
    return Meant(Act(verb, found.name), not_here(world, who, place.name or ""), notes)


def _is_shut(world: WorldState, name: str) -> bool:
    return name in world.props and world.props[name].container and world.props[name].is_(Condition.BARRED)


def _nobody(denial: Denial) -> Denial:
    """What is looked for among people and found nowhere is somebody who is not there."""
    return replace(denial, rule="missing.person") if denial.rule == "missing.thing" else denial


def _here(world: WorldState, who: str) -> str:
    return world.characters[who].location


def _target(world: WorldState, who: str, verb: Verb, written: str | None, before: Act | None) -> Found:
    if written is None:
        return _unspoken(world, who, verb, before)
    if word_in("vague", written):
        return Found(None, None, Resolution(written=written), Denial("ambiguous.vague", Why.AMBIGUOUS_ACTION, written))
    if word_in("pronouns", written):
        return _pronoun(world, who, verb, written, before)
    found = find(world, who, written, ("prop", "character"))
    if found.denial and world.index.names.means(written, "location"):
        return Found(None, "location", Resolution(written=written, how="ambient"))
    if found.denial and verb.manner == "voice":
        return replace(found, denial=_nobody(found.denial))
    return found


def _unspoken(world: WorldState, who: str, verb: Verb, before: Act | None) -> Found:
    """A verb without an object: what was just handled, or the one thing in the hand."""
    if verb.intent == IntentKind.USE and verb.manner != "hand":
        return Found(None, None, Resolution(written="", how="none"))
    held = world.characters[who].holding
    name = before.target if before and before.target else held[0] if len(held) == 1 else None
    if name is None or thing(world, name) is None:
        return Found(None, None, Resolution(written=""), Denial("ambiguous.no-object", Why.AMBIGUOUS_ACTION))
    return Found(name, "prop", Resolution(written="", resolved=name, how="pronoun"))


def _pronoun(world: WorldState, who: str, verb: Verb, written: str, before: Act | None) -> Found:
    """それ: what was just handled, or the only thing it can be; what is taken, or over there, is not in the hand."""
    if before and before.target and thing(world, before.target) is not None:
        return Found(before.target, "prop", Resolution(written=written, resolved=before.target, how="pronoun"))
    apart = verb.intent == IntentKind.GET or word_in("distant", written)
    held = [] if apart else list(world.characters[who].holding)
    here = (name for name in things_here(world, _here(world, who)) if in_sight(world, who, name))
    options = held or [name for name in here if holder(world, name) is None]
    if len(options) == 1:
        return Found(options[0], "prop", Resolution(written=written, resolved=options[0], how="pronoun"))
    denial = Denial("ambiguous.vague", Why.AMBIGUOUS_ACTION, written)
    return Found(None, None, Resolution(written=written), denial)


def find(world: WorldState, who: str, written: str, kinds: tuple[Kind, ...]) -> Found:
    """The thing, person or place a written name means for this character."""
    hits = [(how, one) for how, one in world.index.names.find(written) if one[0] in kinds and _exists(world, one)]
    if hits:
        best = hits[0][0]
        names = list(dict.fromkeys(one for how, one in hits if how == best))
        return _chosen(world, who, written, best, names)
    if owner := _whole_of(world, who, written, kinds):
        return owner
    if word_in("ambient", written):
        return Found(None, None, Resolution(written=written, how="ambient"))
    return Found(None, None, Resolution(written=written), Denial("missing.thing", Why.MISSING_OBJECT, nfkc(written)))


def _exists(world: WorldState, one: Candidate) -> bool:
    kind, name = one
    return kind != "prop" or thing(world, name) is not None


def _chosen(world: WorldState, who: str, written: str, how: str, names: list[Candidate]) -> Found:
    """One of several things of that name: the one in sight, then the one here, then any."""
    near = [one for one in names if _near(world, who, one)] or [one for one in names if _at(world, who, one)]
    if len(near) > 1 and {kind for kind, _ in near} == {"prop"}:
        mine = [one for one in near if holder(world, one[1]) == who]
        if len(mine) != 1:
            others = "・".join(name for _, name in near[:3])
            denial = Denial("ambiguous.many", Why.AMBIGUOUS_ACTION, written, others)
            return Found(None, None, Resolution(written=written), denial)
        near = mine
    kind, name = (near or names)[0]
    return Found(name, kind, Resolution.model_validate({"written": written, "resolved": name, "how": how}))


def _near(world: WorldState, who: str, one: Candidate) -> bool:
    kind, name = one
    return in_sight(world, who, name) if kind == "prop" else _at(world, who, one)


def _at(world: WorldState, who: str, one: Candidate) -> bool:
    kind, name = one
    if kind == "character":
        return world.characters[name].location == _here(world, who)
    return kind == "location" or is_at(world, name, _here(world, who))


def _whole_of(world: WorldState, who: str, written: str, kinds: tuple[Kind, ...]) -> Found | None:
    """`XのY`: Y if that is a name, else the X it is a part of; a part of a person is always there. A 湯のみ is none."""
    head, tail = _possessive(nfkc(written))
    if not head or not tail or _is_common_thing(nfkc(written)):
        return None
    # The remote of an air conditioner that is not there is not the remote of the television.
    own = None if _is_common_thing(head) and not world.index.names.find(head) else _named(world, who, tail, kinds)
    known = world.index.names.means(head, *kinds) or not word_in("ambient", head)
    owner = find(world, who, head, kinds) if known else None
    if own is not None and not _is_lid(world, own, owner):
        return _as_written(own, written)
    if owner is None or owner.name is None:
        return None
    if owner.kind == "character" and not word_in("ambient", tail):
        return _as_written(find(world, who, tail, kinds), written)
    return Found(owner.name, owner.kind, Resolution(written=written, resolved=owner.name, how="part"))


def _is_lid(world: WorldState, own: Found, owner: Found | None) -> bool:
    """Whether what bears the name of a door is only that of a container: 冷蔵庫の扉."""
    holds = owner is not None and owner.name in world.props and world.props[owner.name].container
    return holds and own.name is not None and is_door(world, own.name)


def _as_written(found: Found, written: str) -> Found:
    """The same thing, noted under all the words it was called by."""
    return replace(found, resolution=found.resolution.model_copy(update={"written": written}))


def _possessive(written: str) -> tuple[str, str]:
    """Whose, and what: split at the first の that is no part of a name, or at 's."""
    for joint in ("の", "'s ", "’s "):
        head, found, tail = written.partition(joint)
        if found:
            return head, tail
    return "", ""


def _named(world: WorldState, who: str, tail: str, kinds: tuple[Kind, ...]) -> Found | None:
    """The thing that the last words of a phrase name: the 花瓶 of テーブルの上の花瓶."""
    while tail:
        if any(kind in kinds and how != "part" for how, (kind, _) in world.index.names.find(tail)):
            return find(world, who, tail, kinds)
        tail = _possessive(tail)[1]
    return None


def _specific(world: WorldState, who: str, verb: Verb, name: str | None) -> Verb:
    """Lighting what is on or off switches it on; plain "use" of a thing that lists what it is for means the first of
    those that can be done now."""
    prop = world.props.get(name) if name else None
    if prop is not None and name and verb.id == "LIGHT" and prop.is_(Condition.ON | Condition.OFF):
        return verb if affordances_for(world, name, verb.id) else verb_of("TURN_ON")
    if verb.id != "USE" or prop is None or not prop.affordances:
        return verb
    listed = [one for one in prop.affordances if verb_of(one.verb).intent == IntentKind.USE]
    if any(verb_of(one.verb).id == "USE" for one in listed) or not listed:
        return verb
    ready = [one for one in listed if missing_requirement(world, who, name or "", one) is None]
    return verb_of((ready or listed)[0].verb)


def _move(world: WorldState, who: str, intent: ActionIntent) -> Meant:
    """Where to: a room, through a door, or to wherever a person is; towards something near is a mere gesture."""
    written, verb = intent.target, verb_of("MOVE")
    if written is None:
        return Meant(None, Denial("ambiguous.no-object", Why.AMBIGUOUS_ACTION))
    if intent.verb == "ARRIVE":
        return Meant(None, Denial("scope.new-character", Why.OUT_OF_SCOPE, written))
    if intent.verb == "LEAVE":
        return _leave(world, who, written)
    found = find(world, who, written, ("location", "prop", "character"))
    notes = (found.resolution,)
    if found.resolution.how == "ambient" and not word_in("outside", written):
        return Meant(None, None, notes)
    if found.name is None and _is_common_thing(written):
        return Meant(None, found.denial, notes)
    if found.name is None:
        return Meant(None, Denial("scope.unknown-place", Why.OUT_OF_SCOPE, nfkc(written)), notes)
    if found.kind == "location":
        return Meant(Act(verb, found.name), None, notes)
    if found.kind == "prop" and is_door(world, found.name) and is_at(world, found.name, _here(world, who)):
        beyond = [room for room in world.index.doors[found.name] if room != _here(world, who)]
        return Meant(Act(verb, beyond[0]), None, notes)
    room = _room_of(world, found.name)
    return Meant(None if room == _here(world, who) else Act(verb, room), None, notes)


def _is_common_thing(written: str) -> bool:
    """Whether one would go up to it rather than into it."""
    lists = [pack(language).grammar[name] for language in LANGUAGES for name in ("things", "nouns")]
    return word_in("furniture", written) or any(written in listed for listed in lists)


def _leave(world: WorldState, who: str, written: str) -> Meant:
    """Leaving a room leads through its only exit; with several it is not said where to."""
    here = _here(world, who)
    found = find(world, who, written, ("location", "prop"))
    if found.name != here and not any(written in pack(language).grammar["rooms"] for language in LANGUAGES):
        return Meant(None, None, (found.resolution,))
    ways = world.locations[here].exits if here in world.locations else [one for one in rooms(world) if one != here]
    if len(ways) == 1:
        return Meant(Act(verb_of("MOVE"), next(iter(ways))), None, (found.resolution,))
    return Meant(None, Denial("ambiguous.vague", Why.AMBIGUOUS_ACTION, written), (found.resolution,))


def _room_of(world: WorldState, name: str) -> str:
    if figure := world.characters.get(name):
        return figure.location
    prop = thing(world, name)
    return prop.location if prop else rooms(world)[0]
