"""PUT: lay down what is in the hand, in or on something, give it to someone, or put it into one's own pocket."""

from collections.abc import Sequence

from hakoniwa.gm.act import Act, Denial, DenialCheck, Effect, HoldCheck, Intent, Question, intents, narrate_act
from hakoniwa.gm.change import clear_fields, keep_on, let_go, note, set_down, take_hold
from hakoniwa.gm.checks import (
    EXISTS,
    HERE,
    IN_HAND,
    NAMED,
    drunk_or_eaten,
    into_itself,
    missing_prop,
    not_a_place,
    not_here,
    not_in_hand,
    others_claim,
    out_of_reach,
)
from hakoniwa.pack import Verb
from hakoniwa.stage.world import WorldState, thing
from hakoniwa.turn import DeniedReason, PatchOp


@intents.add("PUT")
class Put(Intent):
    def hold(self, verb: Verb) -> HoldCheck:
        return not_in_hand

    def unfit(self, world: WorldState, who: str, name: str, verb: str) -> Denial | None:
        return _unpocketable(world, name) if verb == "STOW" else None

    def questions(self, world: WorldState, act: Act) -> Sequence[Question]:
        return QUESTIONS

    def effect(self, world: WorldState, who: str, act: Act) -> Effect:
        told = narrate_act(world, who, act)
        return Effect((*_move_delta(world, who, act), note(told)), told)


def _not_received(world: WorldState, who: str, act: Act) -> Denial | None:
    name, place = act.target or "", act.destination or ""
    if place in world.characters:
        return _not_given(world, who, place)
    return (
        _private_place(world, who, place)
        or out_of_reach(world, place)
        or into_itself(world, name, place)
        or not_a_place(world, who, name, place, act.on_top)
    )


def _has_place(act: Act) -> bool:
    return bool(act.destination)


def _place_question(name: str, ask: DenialCheck) -> Question:
    """A question about where a thing is to go; what is only laid down goes nowhere in particular."""
    return Question(name, lambda world, who, act: ask(world, who, act) if act.destination else None, _has_place)


QUESTIONS = (
    NAMED,
    EXISTS,
    _place_question("place-exists", lambda world, _, act: missing_prop(world, act.destination or "")),
    HERE,
    _place_question("place-here", lambda world, who, act: not_here(world, who, act.destination or "")),
    IN_HAND,
    _place_question("place-takes", _not_received),
    Question("pocket", lambda world, _, act: _not_pocketed(world, act), lambda act: act.verb.id == "STOW"),
)


def _not_pocketed(world: WorldState, act: Act) -> Denial | None:
    return _unpocketable(world, act.target or "") if act.verb.id == "STOW" and not act.destination else None


def _unpocketable(world: WorldState, name: str) -> Denial | None:
    """What lives, what is drunk and what holds other things goes into no pocket."""
    prop = thing(world, name)
    fits = prop is None or not (prop.alive or prop.fixed or prop.container or drunk_or_eaten(prop) == "drink")
    return None if fits else Denial("state.no-pocket", DeniedReason.INVALID_STATE, name)


def takes(world: WorldState, who: str, place: str) -> bool:
    """Whether a place in reach would take anything from these hands, but for what is carried with the thing itself."""
    return (_private_place(world, who, place) or not_a_place(world, who, "", place)) is None


def receives(world: WorldState, who: str, receiver: str) -> bool:
    """Whether somebody who is here would take anything from these hands."""
    return _not_given(world, who, receiver) is None


def _private_place(world: WorldState, who: str, place: str) -> Denial | None:
    spot = thing(world, place)
    return others_claim(world, who, place) if spot is not None and spot.container else None


def _not_given(world: WorldState, who: str, receiver: str) -> Denial | None:
    figure = world.characters[receiver]
    if receiver == who:
        return Denial("state.self", DeniedReason.INVALID_STATE, other=receiver)
    if len(figure.holding) >= figure.hands:
        return Denial("state.their-hands-full", DeniedReason.INVALID_STATE, other=receiver)
    return None


def _move_delta(world: WorldState, who: str, act: Act) -> tuple[PatchOp, ...]:
    name, place = act.target or "", act.destination
    if place in world.characters:
        return (let_go(world, who, name), *take_hold(world, place, name))
    spot = thing(world, place) if place else None
    if act.verb.id == "STOW" and place is None and world.version != "0.1":
        return tuple(keep_on(world, who, name, "carried_by"))
    if place is None or spot is None:
        return tuple(set_down(world, who, name, {}))
    field = "inside" if spot.container and not act.on_top else "on"
    cleared = clear_fields(world, name, "on" if field == "inside" else "inside") if name in world.props else ()
    return (*cleared, *set_down(world, who, name, {field: place}))
