"""Meddling: what the user brings about in a garden without being one of its people."""

from typing import Any

from pydantic import TypeAdapter, ValidationError

from hakoniwa.errors import UnknownName, UsageError, WorldError
from hakoniwa.gm.change import note
from hakoniwa.pack import pack
from hakoniwa.play.between import ring
from hakoniwa.play.session import Session
from hakoniwa.stage.names import nfkc
from hakoniwa.stage.patch import apply, pointer
from hakoniwa.stage.world import Name, WorldState, holder, in_sight, is_door, present, rooms, thing
from hakoniwa.turn import Event, PatchOp

_NAME: TypeAdapter[str] = TypeAdapter(Name)
CURIOSITY, URGENCY = 0.5, 0.8


def dropped(world: WorldState, name: str, place: str | None = None) -> Event:
    """A new thing comes into the world: where the camera is, in another room, or in or on another thing."""
    known = _new_name(world, name)
    spot = _spot(world, place)
    text = pack(world.language).phrases["dropped"].format(what=known)
    delta = (PatchOp(op="add", path=pointer("props", known), value=spot), note(text))
    after = apply(world, delta)
    seen = tuple(who for who in present(after, spot["location"]) if in_sight(after, who, known))
    payload = {"name": known, "text": text, "urges": [_curiosity(world, known)]}
    return Event(
        kind="prop", turn=world.time.turn, origin="user", witnesses=seen, payload=payload, world_delta=delta
    )


def rung(session: Session, name: str) -> Event:
    """An incident of the scenario, brought about by the user."""
    incident = session.standing.incident(name)
    if incident is None:
        known = ", ".join(one.title or one.id for one in session.scenario.incidents)
        raise UnknownName("unknown.incident", name=name, known=known)
    event = ring(incident, session.world, session.world.time.turn)
    try:
        apply(session.world, event.world_delta)
    except WorldError as error:
        raise UsageError("play.cannot-ring", name=name, problem=str(error)) from None
    return event.model_copy(update={"origin": "user"})


def _new_name(world: WorldState, name: str) -> str:
    try:
        known = _NAME.validate_python(nfkc(name))
    except ValidationError as error:
        raise UsageError("play.bad-name", name=name, problem=error.errors()[0]["msg"]) from None
    taken = [found for how, found in world.index.names.find(known) if how in ("exact", "alias")]
    if any(kind != "prop" or thing(world, one) is not None for kind, one in taken):
        raise UsageError("play.prop-exists", name=known)
    return known


def _spot(world: WorldState, place: str | None) -> dict[str, Any]:
    """The place of a new thing, as fields of a prop."""
    if place is None:
        return {"location": world.location.current}
    meant = [one for _, one in world.index.names.find(place)]
    found = [(kind, name) for kind, name in meant if kind == "location" or thing(world, name) is not None]
    if not found:
        raise UnknownName("unknown.place", name=place, known=", ".join(rooms(world)))
    kind, name = found[0]
    prop = None if kind == "location" else thing(world, name)
    if prop is None:
        return {"location": name}
    if is_door(world, name) or holder(world, name):
        raise UsageError("play.not-a-place", name=place)
    return {"location": prop.location, "inside" if prop.container else "on": name}


def _curiosity(world: WorldState, name: str) -> dict[str, Any]:
    """A thing that was not there before is worth a look."""
    asked = pack(world.language).phrases["urge.new-thing"].format(what=name)
    return {
        "name": asked, "kind": "curiosity", "strength": CURIOSITY, "urgency": URGENCY, "grows": 0.0, "once": True,
        "goal": {"did": {"verb": "INSPECT", "target": [name]}},
    }  # fmt: skip
