"""MOVE: go into another room, with everything in the hands."""

from hakoniwa.gm.act import Act, Denial, Effect, Hold, Intent, intents, narrated
from hakoniwa.gm.change import note, relocate
from hakoniwa.gm.checks import free, no_object
from hakoniwa.pack import Verb
from hakoniwa.stage.patch import pointer
from hakoniwa.stage.world import Condition, WorldState, rooms
from hakoniwa.turn import DeniedReason, PatchOp


@intents.add("MOVE")
class Move(Intent):
    def hold(self, verb: Verb) -> Hold:
        return free

    def unfit(self, world: WorldState, who: str, name: str, verb: str) -> Denial | None:
        return _barred(world, who, name)

    def deny(self, world: WorldState, who: str, act: Act) -> Denial | None:
        room = act.target or ""
        return no_object(act.target) or _unknown(world, room) or self.unfit(world, who, room, act.verb.id)

    def effect(self, world: WorldState, who: str, act: Act) -> Effect:
        room, figure, told = act.target or "", world.characters[who], narrated(world, who, act)
        step = PatchOp(op="replace", path=pointer("characters", who, "location"), value=room)
        rise = [PatchOp(op="remove", path=pointer("characters", who, "posture"))] if figure.posture else []
        return Effect((step, *rise, *relocate(world, figure.holding, room), note(told)), told)


def _unknown(world: WorldState, room: str) -> Denial | None:
    if room in world.locations or (not world.locations and room in rooms(world)):
        return None
    return Denial("scope.unknown-place", DeniedReason.OUT_OF_SCOPE, room)


def _barred(world: WorldState, who: str, room: str) -> Denial | None:
    here = world.characters[who].location
    if room == here:
        return Denial("state.already-there", DeniedReason.INVALID_STATE, room)
    if not world.locations:
        return None
    way = world.locations[here].exits.get(room) if here in world.locations else None
    if way is None:
        return Denial("state.no-exit", DeniedReason.INVALID_STATE, room)
    door = world.props.get(way.via) if way.via else None
    if door is not None and door.is_(Condition.LOCKED):
        return Denial("state.door-locked", DeniedReason.INVALID_STATE, room, way.via)
    if door is not None and door.is_(Condition.BARRED | Condition.UNLOCKED) and not door.is_(Condition.OPEN):
        return Denial("state.door-closed", DeniedReason.INVALID_STATE, room, way.via)
    return None
