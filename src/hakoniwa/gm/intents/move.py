"""MOVE: go into another room, with everything in the hands and about one's person."""

from collections.abc import Sequence

from hakoniwa.gm.act import Act, Denial, Effect, HoldCheck, Intent, Question, intents, narrate_act
from hakoniwa.gm.change import note, relocate
from hakoniwa.gm.checks import NAMED, no_hold_needed
from hakoniwa.pack import Verb
from hakoniwa.stage.patch import pointer
from hakoniwa.stage.world import Condition, Exit, WorldState, about_person, rooms
from hakoniwa.turn import DeniedReason, PatchOp


@intents.add("MOVE")
class Move(Intent):
    def hold(self, verb: Verb) -> HoldCheck:
        return no_hold_needed

    def unfit(self, world: WorldState, who: str, name: str, verb: str) -> Denial | None:
        return _already_there(world, who, name) or _no_way(world, who, name) or _door_shut(world, who, name)

    def questions(self, world: WorldState, act: Act) -> Sequence[Question]:
        return QUESTIONS

    def effect(self, world: WorldState, who: str, act: Act) -> Effect:
        room, figure, told = act.target or "", world.characters[who], narrate_act(world, who, act)
        step = PatchOp(op="replace", path=pointer("characters", who, "location"), value=room)
        rise = [PatchOp(op="remove", path=pointer("characters", who, "posture"))] if figure.posture else []
        return Effect(
            (step, *rise, *relocate(world, [*figure.holding, *about_person(world, who)], room), note(told)), told
        )


def _unknown_place(world: WorldState, room: str) -> Denial | None:
    if room in world.locations or (not world.locations and room in rooms(world)):
        return None
    return Denial("scope.unknown-place", DeniedReason.OUT_OF_SCOPE, room)


def _already_there(world: WorldState, who: str, room: str) -> Denial | None:
    there = room == world.characters[who].location
    return Denial("state.already-there", DeniedReason.INVALID_STATE, room) if there else None


def _no_way(world: WorldState, who: str, room: str) -> Denial | None:
    if not world.locations or _way(world, who, room) is not None:
        return None
    return Denial("state.no-exit", DeniedReason.INVALID_STATE, room)


def _door_shut(world: WorldState, who: str, room: str) -> Denial | None:
    way = _way(world, who, room)
    door = world.props.get(way.via) if way is not None and way.via else None
    if way is None or door is None:
        return None
    if door.is_(Condition.LOCKED):
        return Denial("state.door-locked", DeniedReason.INVALID_STATE, room, way.via)
    if door.is_(Condition.BARRED | Condition.UNLOCKED) and not door.is_(Condition.OPEN):
        return Denial("state.door-closed", DeniedReason.INVALID_STATE, room, way.via)
    return None


def _way(world: WorldState, who: str, room: str) -> Exit | None:
    here = world.characters[who].location
    return world.locations[here].exits.get(room) if here in world.locations else None


QUESTIONS = (
    NAMED,
    Question("known-place", lambda world, _, act: _unknown_place(world, act.target or "")),
    Question("not-there-yet", lambda world, who, act: _already_there(world, who, act.target or "")),
    Question("way", lambda world, who, act: _no_way(world, who, act.target or "")),
    Question("door", lambda world, who, act: _door_shut(world, who, act.target or "")),
)
