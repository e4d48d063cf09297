"""The operations that acts are made of. They use the caller's own keys and only touch what is really there."""

from collections.abc import Iterable, Iterator

from hakoniwa.stage.patch import pointer
from hakoniwa.stage.world import ON_THINGS, PLACES, UnplacedProp, WorldState, carried_with, thing
from hakoniwa.turn import PatchOp


def note(text: str) -> PatchOp:
    return PatchOp(op="add", path="/events/-", value=text)


def set_field(world: WorldState, name: str, field: str, value: str | list[str]) -> PatchOp:
    """Write one field of a prop: `replace` where the caller's world has it, `add` where it may not.

    A field that was removed is not there any more, and the location of a nested thing may have been worked out here."""
    prop = world.props[name]
    there = field != "location" and field in prop.model_fields_set and getattr(prop, field) is not None
    return PatchOp(op="replace" if there else "add", path=pointer("props", name, field), value=value)


def clear_fields(world: WorldState, name: str, *fields: str) -> Iterator[PatchOp]:
    for field in fields:
        if getattr(world.props[name], field) is not None:
            yield PatchOp(op="remove", path=pointer("props", name, field))


def let_go(world: WorldState, who: str, name: str) -> PatchOp:
    place = world.characters[who].holding.index(name)
    return PatchOp(op="remove", path=f"{pointer('characters', who, 'holding')}/{place}")


def take_hold(world: WorldState, who: str, name: str) -> Iterator[PatchOp]:
    """Into the hand: out of whatever it was in or on, `holding` and `held_by` alike."""
    if "holding" in world.characters[who].model_fields_set:
        yield PatchOp(op="add", path=f"{pointer('characters', who, 'holding')}/-", value=name)
    else:
        yield PatchOp(op="add", path=pointer("characters", who, "holding"), value=[name])
    if name in world.props:
        yield from clear_fields(world, name, *ON_THINGS, "carried_by", "worn_by")
        yield set_field(world, name, "held_by", who)


def set_down(world: WorldState, who: str, name: str, place: dict[str, str]) -> Iterator[PatchOp]:
    """Out of the hand, into the room or (`place`) in or on another thing."""
    if name in world.characters[who].holding:
        yield let_go(world, who, name)
    if name not in world.props:
        yield PatchOp(
            op="add", path=pointer("props", name), value={"location": world.characters[who].location, **place}
        )
        return
    yield from clear_fields(world, name, "held_by")
    for field, value in place.items():
        yield set_field(world, name, field, value)


def keep_on(world: WorldState, who: str, name: str, field: str) -> Iterator[PatchOp]:
    """Into the pocket (`carried_by`) or onto the body (`worn_by`), out of the hand or from where it lies."""
    if name in world.props:
        yield from clear_fields(world, name, *(one for one in PLACES if one not in (field, "held_by")))
    yield from set_down(world, who, name, {field: who})


def relocate(world: WorldState, names: Iterable[str], room: str) -> Iterator[PatchOp]:
    """Everything named, and all that is in or on it, is now in `room`."""
    for name in names:
        for one in (name, *carried_with(world, name)):
            if one in world.props and world.props[one].location != room:
                yield set_field(world, one, "location", room)


def set_state(world: WorldState, name: str, state: Iterable[str]) -> Iterator[PatchOp]:
    new = list(state)
    if list(world.props[name].state) != new:
        yield set_field(world, name, "state", new)


def vanish(world: WorldState, name: str) -> Iterator[PatchOp]:
    """Out of the world; what was in or on it stays behind, and a way it barred as a door is open."""
    for room in world.index.doors.get(name, ()):
        for target, way in world.locations[room].exits.items() if room in world.locations else ():
            if way.via == name:
                yield PatchOp(op="remove", path=pointer("locations", room, "exits", target, "via"))
    for child in world.index.contents.get(name, ()):
        yield from clear_fields(world, child, "inside", "on")
    prop = thing(world, name)
    if prop is not None and prop.held_by and name in world.characters[prop.held_by].holding:
        yield let_go(world, prop.held_by, name)
    elif who := world.index.holder.get(name):
        yield let_go(world, who, name)
    if name in world.props:
        yield PatchOp(op="remove", path=pointer("props", name))


def appear(world: WorldState, name: str, made: UnplacedProp, room: str) -> Iterator[PatchOp]:
    """A new thing comes into being where it was made."""
    value = made.model_dump(mode="json", exclude_unset=True)
    parent = made.inside or made.on
    if parent is not None and (parent not in world.props or world.props[parent].location != room):
        value.pop("inside", None)
        value.pop("on", None)
    yield PatchOp(op="add", path=pointer("props", name), value={"location": room, **value})
