"""EAT_DRINK: what is eaten or drunk leaves the world, unless its affordance says what it becomes."""

from collections.abc import Sequence

from hakoniwa.gm.act import Act, Denial, Effect, HoldCheck, Intent, Question, intents, narrate_act
from hakoniwa.gm.change import note, vanish
from hakoniwa.gm.checks import (
    AT_HAND,
    EXISTS,
    HERE,
    IN_REACH,
    NAMED,
    affordance_denial,
    affordance_for,
    affordances_for,
    drunk_or_eaten,
    not_at_hand,
)
from hakoniwa.gm.intents.use import affordance_effect
from hakoniwa.pack import Verb
from hakoniwa.stage.world import WorldState, in_place, story_name, thing
from hakoniwa.turn import DeniedReason


@intents.add("EAT_DRINK")
class EatDrink(Intent):
    def hold(self, verb: Verb) -> HoldCheck:
        return not_at_hand

    def unfit(self, world: WorldState, who: str, name: str, verb: str) -> Denial | None:
        return _not_edible(world, who, name, verb)

    def questions(self, world: WorldState, act: Act) -> Sequence[Question]:
        return QUESTIONS

    def effect(self, world: WorldState, who: str, act: Act) -> Effect:
        name = act.target or ""
        affordance = affordance_for(world, who, name, act.verb.id)
        if affordance is not None and (affordance.becomes or affordance.makes or affordance.after):
            return affordance_effect(world, who, act, affordance)
        told = affordance.told.format(who=story_name(world, who), what=name) if affordance and affordance.told else ""
        told = told or narrate_act(world, who, act)
        return Effect((*vanish(world, name), note(told)), told)


def _not_edible(world: WorldState, who: str, name: str, verb: str) -> Denial | None:
    if affordances_for(world, name, verb):
        return affordance_denial(world, who, name, verb)
    prop = thing(world, name)
    if prop is None or not (prop.edible or (prop.edible is None and _unknown_is_edible(world, name))):
        return Denial("state.not-edible", DeniedReason.INVALID_STATE, name)
    if (kind := drunk_or_eaten(prop)) and (kind == "drink") != (verb == "DRINK"):
        return Denial(f"state.not-{'food' if kind == 'drink' else 'drink'}", DeniedReason.INVALID_STATE, name)
    return None


QUESTIONS = (
    NAMED,
    EXISTS,
    HERE,
    AT_HAND,
    IN_REACH,
    Question("edible", lambda world, who, act: _not_edible(world, who, act.target or "", act.verb.id)),
)


def _unknown_is_edible(world: WorldState, name: str) -> bool:
    """A 0.1 world does not say what is food; only what is plainly furniture or machinery is none."""
    prop = thing(world, name)
    plain = prop is not None and not prop.affordances and not prop.alive and not in_place(world, name, prop)
    return world.version == "0.1" and plain
