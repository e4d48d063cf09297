"""What an intent means for somebody's own pockets and clothes, for the water of a well, and for leaving the world."""

from dataclasses import replace

from hakoniwa.gm.act import Act, Denial
from hakoniwa.gm.resolve import Meant, find, instrument, source
from hakoniwa.pack import verb_of, word_in
from hakoniwa.stage.kinds import held_in
from hakoniwa.stage.names import nfkc
from hakoniwa.stage.world import WorldState, sight, worn_by_status
from hakoniwa.turn import ActionIntent, DeniedReason, Resolution


def as_it_is(world: WorldState, who: str, intent: ActionIntent, meant: Meant) -> Meant:
    """What goes into a pocket is put away, not down; what is hung on a hook is put there; and what is there without
    being a thing is there, as a gesture."""
    act, denial = meant.act, meant.denial
    if act is not None and act.verb.id == "PUT" and act.destination is None and _is_pocket(intent.destination):
        return replace(meant, act=Act(verb_of("STOW"), act.target))
    if act is not None and act.verb.id == "HANG" and (hook := _hook(world, who, intent.destination)):
        return replace(meant, act=Act(verb_of("PUT"), act.target, hook))
    if denial is None or denial.reason != DeniedReason.MISSING_OBJECT or denial.what not in _no_things(world, who):
        return meant
    lacks = instrument(world, who, intent) or source(world, who, intent)
    return Meant(None, lacks, (Resolution(written=intent.target or "", how="ambient"),))


def _no_things(world: WorldState, who: str) -> set[str]:
    """What somebody's status says they wear, and what the things in sight hold: the water of the well."""
    spelled = {form for name in sight(world, who) for form in (name, *world.props[name].aliases)}
    return {*worn_by_status(world, who), *(word for form in spelled for word in held_in(nfkc(form).casefold()))}


def _hook(world: WorldState, who: str, written: str | None) -> str | None:
    """What things are hung on, by a written name."""
    name = find(world, who, written, ("prop",)).name if written else None
    return name if name in world.props and world.props[name].hangs else None


def _is_pocket(written: str | None) -> bool:
    return written is not None and word_in("pockets", written)


def going_out(world: WorldState, who: str, intent: ActionIntent) -> Meant:
    """Out of the house: through the exit to where it is said to go, or to what is outside; else out of this world."""
    room = world.characters[who].location
    ways = list(world.locations[room].exits) if room in world.locations else []
    found = find(world, who, intent.target, ("location",)) if intent.target else None
    open_air = [way for way in ways if any(word_in("outside", form) for form in (way, *world.locations[way].aliases))]
    if found is not None and found.name is not None:
        return Meant(Act(verb_of("MOVE"), found.name), None, (found.resolution,))
    if len(open_air) == 1 and (intent.target is None or word_in("outside", intent.target)):
        return Meant(Act(verb_of("MOVE"), open_air[0]))
    return Meant(None, Denial("scope.outside", DeniedReason.OUT_OF_SCOPE, intent.target))
