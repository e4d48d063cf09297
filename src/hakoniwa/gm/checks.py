"""The checks that intents chain with `or`, in the order of the reasons: the first denial is the answer."""

from hakoniwa.gm.act import Denial, Question
from hakoniwa.pack import fold_surface, verb_of
from hakoniwa.stage.world import (
    Affordance,
    Condition,
    Prop,
    WorldState,
    bearer,
    carried_with,
    enclosing_container,
    holder,
    in_place,
    is_at,
    is_concealed,
    is_door,
    is_pocketed,
    thing,
)
from hakoniwa.turn import DeniedReason as Why


def no_object(name: str | None) -> Denial | None:
    return None if name else Denial("ambiguous.no-object", Why.AMBIGUOUS_ACTION)


def missing_prop(world: WorldState, name: str) -> Denial | None:
    known = name in world.characters or thing(world, name) is not None
    return None if known else Denial("missing.thing", Why.MISSING_OBJECT, name)


def not_here(world: WorldState, who: str, name: str) -> Denial | None:
    room = world.characters[who].location
    if figure := world.characters.get(name):
        return (
            None
            if figure.location == room
            else Denial("elsewhere.person", Why.WRONG_LOCATION, name, where=figure.location)
        )
    prop = thing(world, name)
    if prop is None or is_at(world, name, room):
        return None
    return Denial("elsewhere.thing", Why.WRONG_LOCATION, name, where=prop.location, holder=holder(world, name))


def others_claim(world: WorldState, who: str, name: str) -> Denial | None:
    """It is in someone else's hand or pocket, on their body, or their own."""
    held = holder(world, name)
    if held not in (None, who):
        return Denial("owned.held", Why.NOT_OWNED, name, holder=held)
    prop = thing(world, name)
    if (borne := bearer(world, name)) not in (None, who):
        return Denial("owned.worn" if prop and prop.worn_by else "owned.carried", Why.NOT_OWNED, name, holder=borne)
    if held is None and prop is not None and prop.owner not in (None, who):
        return Denial("owned.owner", Why.NOT_OWNED, name, holder=prop.owner)
    return None


def not_in_hand(world: WorldState, who: str, name: str) -> Denial | None:
    return others_claim(world, who, name) or (None if holder(world, name) == who else _not_taken(world, who, name))


def _not_taken(world: WorldState, who: str, name: str) -> Denial:
    """It would have to be taken first: out of the pocket, off the body, or from where it is."""
    prop = thing(world, name)
    if prop is None or prop.bearer != who:
        return Denial("owned.in-hand", Why.NOT_OWNED, name)
    return Denial("owned.put-away" if prop.carried_by else "owned.put-on", Why.NOT_OWNED, name)


NOT_TAKEN = frozenset({"owned.in-hand", "owned.put-away", "owned.put-on"})


def not_at_hand(world: WorldState, who: str, name: str) -> Denial | None:
    """Handheld things are used in the hand or as they are worn, the rest where they stand."""
    prop = thing(world, name)
    if prop is not None and (prop.worn_by == who or in_place(world, name, prop)):
        return others_claim(world, who, name)
    return not_in_hand(world, who, name)


def unseen(world: WorldState, who: str, name: str) -> Denial | None:
    """It is in someone else's pocket, where no eye comes."""
    borne = bearer(world, name) if is_pocketed(world, name) else None
    return Denial("owned.carried", Why.NOT_OWNED, name, holder=borne) if borne not in (None, who) else None


def out_of_reach(world: WorldState, name: str) -> Denial | None:
    if is_concealed(world, name):
        return Denial("state.hidden", Why.INVALID_STATE, name)
    if container := enclosing_container(world, name):
        return Denial("state.enclosed", Why.INVALID_STATE, name, container)
    return None


def no_hold_needed(*_: object) -> Denial | None:
    """Eyes and voice need nothing of a thing."""
    return None


def hands_full(world: WorldState, who: str) -> Denial | None:
    figure = world.characters[who]
    return Denial("state.hands-full", Why.INVALID_STATE) if len(figure.holding) >= figure.hands else None


def into_itself(world: WorldState, what: str, place: str) -> Denial | None:
    inside = what == place or place in carried_with(world, what)
    return Denial("state.into-itself", Why.INVALID_STATE, what, place) if inside else None


def not_a_place(world: WorldState, who: str, what: str, place: str, on_top: bool = False) -> Denial | None:
    """Whether something from these hands can be laid in or on `place`; what is merely listed in a hand is no place."""
    spot = world.props.get(place)
    theirs = holder(world, place) not in (None, who) or bearer(world, place) not in (None, who)
    if spot is None or is_door(world, place) or theirs or (spot.carried_by and not spot.container):
        return Denial("state.not-a-place", Why.INVALID_STATE, what, place)
    if spot.container and spot.is_(Condition.BARRED) and not on_top:
        return Denial("state.container-closed", Why.INVALID_STATE, what, place)
    return None


# --- the same as questions about the thing of an act ------------------------------------------------------------------

NAMED = Question("named", lambda _, __, act: no_object(act.target))
EXISTS = Question("exists", lambda world, _, act: missing_prop(world, act.target or ""))
HERE = Question("here", lambda world, who, act: not_here(world, who, act.target or ""))
UNCLAIMED = Question("unclaimed", lambda world, who, act: others_claim(world, who, act.target or ""))
IN_HAND = Question("in-hand", lambda world, who, act: not_in_hand(world, who, act.target or ""))
AT_HAND = Question("at-hand", lambda world, who, act: not_at_hand(world, who, act.target or ""))
IN_REACH = Question(
    "in-reach",
    lambda world, who, act: unseen(world, who, act.target or "") or out_of_reach(world, act.target or ""),
)


def drunk_or_eaten(prop: Prop) -> str | None:
    """Whether a thing is `food` or a `drink`, where it says so or lists what is done with it; else None."""
    if isinstance(prop.edible, str):
        return prop.edible
    listed = {verb for one in prop.affordances if (verb := verb_of(one.verb).id) in ("EAT", "DRINK")}
    return {"EAT": "food", "DRINK": "drink"}[listed.pop()] if len(listed) == 1 else None


def affordances_for(world: WorldState, name: str, verb: str) -> list[Affordance]:
    prop = world.props.get(name)
    return [] if prop is None else [one for one in prop.affordances if verb_of(one.verb).id == verb]


def affordance_for(world: WorldState, who: str, name: str, verb: str) -> Affordance | None:
    """The affordance that answers a verb: the first whose conditions hold, else the first."""
    options = affordances_for(world, name, verb)
    for option in options:
        if missing_requirement(world, who, name, option) is None:
            return option
    return options[0] if options else None


def affordance_denial(world: WorldState, who: str, name: str, verb: str) -> Denial | None:
    """Why no affordance of a thing answers a verb now: what the first of them asks for, or that there is none."""
    first = None
    for option in affordances_for(world, name, verb):
        denial = missing_requirement(world, who, name, option)
        if denial is None:
            return None
        first = first or denial
    return first or Denial("state.no-affordance", Why.INVALID_STATE, name)


def missing_requirement(world: WorldState, who: str, name: str, affordance: Affordance) -> Denial | None:
    """What an affordance asks for and is not so."""
    if affordance.needs and not set(affordance.needs) <= set(world.props[name].state):
        return Denial("state.needs", Why.INVALID_STATE, name)
    for other, word in (affordance.needs_elsewhere or {}).items():
        if not so_elsewhere(world, who, (other, word)):
            rule = "state.needs-weather" if other == "weather" else "state.needs-other"
            return Denial(rule, Why.INVALID_STATE, name, other, state=word)
    for needed in affordance.requires:
        if not holds(world, who, needed):
            return Denial("state.requires", Why.INVALID_STATE, name, needed)
    for made in affordance.makes:
        if thing(world, made) is not None:
            return Denial("state.exists", Why.INVALID_STATE, name, made)
    if affordance.after:
        for made in affordance.after.makes:
            if thing(world, made) is not None:
                return Denial("state.exists", Why.INVALID_STATE, name, made)
    return None


def so_elsewhere(world: WorldState, _: str, need: tuple[str, str]) -> bool:
    """Whether another thing is in a state, or the weather is of a kind."""
    other, word = need
    if other == "weather":
        return fold_surface(word) in fold_surface(world.meta.weather)
    return other in world.props and word in world.props[other].state


def holds(world: WorldState, who: str, needed: str) -> bool:
    """Whether something that goes by this name is in the hand."""
    if holder(world, needed) == who:
        return True
    return any(
        kind == "prop" and how != "part" and holder(world, name) == who
        for how, (kind, name) in world.index.names.find(needed)
    )
