"""GET: take a thing into the hand, also out of one's own pocket or off one's own body."""

from collections.abc import Sequence

from hakoniwa.gm.act import Act, Denial, Effect, HoldCheck, Intent, Question, intents, narrate_act
from hakoniwa.gm.change import note, take_hold
from hakoniwa.gm.checks import EXISTS, HERE, IN_REACH, NAMED, UNCLAIMED, hands_full, others_claim
from hakoniwa.pack import Verb
from hakoniwa.stage.world import WorldState, holder, is_door, thing
from hakoniwa.turn import DeniedReason


@intents.add("GET")
class Get(Intent):
    def hold(self, verb: Verb) -> HoldCheck:
        return others_claim

    def unfit(self, world: WorldState, who: str, name: str, verb: str) -> Denial | None:
        return _not_movable(world, who, name, verb) or _no_hand(world, who, name)

    def questions(self, world: WorldState, act: Act) -> Sequence[Question]:
        return QUESTIONS

    def effect(self, world: WorldState, who: str, act: Act) -> Effect:
        told = narrate_act(world, who, act)
        if holder(world, act.target or "") == who:
            return Effect((note(told),), told)
        return Effect((*take_hold(world, who, act.target or ""), note(told)), told)


QUESTIONS = (
    NAMED,
    EXISTS,
    HERE,
    UNCLAIMED,
    IN_REACH,
    Question("movable", lambda world, who, act: _not_movable(world, who, act.target or "", act.verb.id)),
    Question("hand-free", lambda world, who, act: _no_hand(world, who, act.target or "")),
)


def _no_hand(world: WorldState, who: str, name: str) -> Denial | None:
    return None if holder(world, name) == who else hands_full(world, who)


def _not_movable(world: WorldState, who: str, name: str, verb: str) -> Denial | None:
    """What is in the hand may be shown once more (PRODUCE), not taken once more."""
    if holder(world, name) == who:
        return None if verb == "PRODUCE" else Denial("state.already-held", DeniedReason.INVALID_STATE, name)
    prop = thing(world, name)
    if prop is None or prop.fixed or is_door(world, name):
        return Denial("state.fixed", DeniedReason.INVALID_STATE, name)
    return None
