"""GET: take a thing into the hand."""

from hakoniwa.gm.act import Act, Denial, Effect, Hold, Intent, intents, narrated
from hakoniwa.gm.change import note, take_hold
from hakoniwa.gm.checks import elsewhere, hands_full, missing, no_object, others, out_of_reach
from hakoniwa.pack import Verb
from hakoniwa.stage.world import WorldState, holder, is_door, thing
from hakoniwa.turn import DeniedReason


@intents.add("GET")
class Get(Intent):
    def hold(self, verb: Verb) -> Hold:
        return others

    def unfit(self, world: WorldState, who: str, name: str, verb: str) -> Denial | None:
        return _unmovable(world, who, name) or hands_full(world, who)

    def deny(self, world: WorldState, who: str, act: Act) -> Denial | None:
        name = act.target or ""
        return (
            no_object(act.target)
            or missing(world, name)
            or elsewhere(world, who, name)
            or others(world, who, name)
            or out_of_reach(world, name)
            or self.unfit(world, who, name, act.verb.id)
        )

    def effect(self, world: WorldState, who: str, act: Act) -> Effect:
        told = narrated(world, who, act)
        return Effect((*take_hold(world, who, act.target or ""), note(told)), told)


def _unmovable(world: WorldState, who: str, name: str) -> Denial | None:
    if holder(world, name) == who:
        return Denial("state.already-held", DeniedReason.INVALID_STATE, name)
    prop = thing(world, name)
    if prop is None or prop.fixed or is_door(world, name):
        return Denial("state.fixed", DeniedReason.INVALID_STATE, name)
    return None
