"""What a user does in a garden: words and whispers, things, incidents, and who speaks next."""

from typing import Any

from pydantic import TypeAdapter, ValidationError

from hakoniwa.actor.request import requested_urges
from hakoniwa.errors import UnknownName, UsageError, WorldError
from hakoniwa.gm.change import note
from hakoniwa.gm.typed import TypedLine, read_typed
from hakoniwa.journal import Row
from hakoniwa.pack import pack
from hakoniwa.play.between import ring
from hakoniwa.play.session import Session
from hakoniwa.stage.names import nfkc
from hakoniwa.stage.patch import apply, pointer
from hakoniwa.stage.world import (
    Name,
    WorldState,
    bearer,
    holder,
    in_sight,
    is_door,
    people_in,
    rooms,
    story_name,
    thing,
)
from hakoniwa.turn import Event, PatchOp


async def speak(session: Session, text: str, to: str | None = None) -> list[Row]:
    """Say something. What it asks for is an urge in whoever is to do it; a whisper is heard by nobody else."""
    wishes = requested_urges(text, session.world)
    if to is None:
        return await session.say(text, [assign_urge(session, one) for one in wishes])
    urges = [{**one, "who": [to]} for one in wishes]
    payload: dict[str, Any] = {"speaker": "user", "text": text, "to": to, **({"urges": urges} if urges else {})}
    turn = session.world.time.turn
    return await session.commit([Event(kind="user", turn=turn, origin="user", witnesses=(to,), payload=payload)])


def read_line(session: Session, who: str, text: str) -> TypedLine:
    """What is said and what is done in a line that the user typed as somebody."""
    return read_typed(text, session.world, who, session.standing.history)


def assign_urge(session: Session, urge: dict[str, Any]) -> dict[str, Any]:
    """A deed that nobody in particular is asked for falls to whoever is next of those who hear; not to all at once."""
    if urge["who"] or "did" not in urge["goal"]:
        return urge
    hearers = people_in(session.world, session.world.location.current) or list(session.world.characters)
    following = session.speaker()
    return {**urge, "who": [following if following in hearers else hearers[0]]}


_NAME: TypeAdapter[str] = TypeAdapter(Name)
CURIOSITY, URGENCY = 0.5, 0.8


def drop_prop(world: WorldState, name: str, place: str | None = None) -> Event:
    """A new thing comes into the world: where the camera is, in another room, or in or on another thing."""
    known = _new_name(world, name)
    spot = _spot(world, place)
    text = pack(world.language).phrases["dropped"].format(what=known)
    delta = (PatchOp(op="add", path=pointer("props", known), value=spot), note(text))
    after = apply(world, delta)
    seen = tuple(who for who in people_in(after, spot["location"]) if in_sight(after, who, known))
    payload = {"name": known, "text": text, "urges": [_curiosity(world, known)]}
    return Event(kind="prop", turn=world.time.turn, origin="user", witnesses=seen, payload=payload, world_delta=delta)


def ring_incident(session: Session, name: str) -> Event:
    """An incident of the scenario, brought about by the user."""
    incident = session.standing.incident(name)
    if incident is None:
        known = ", ".join(one.title or one.id for one in session.scenario.happenings)
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
    if is_door(world, name) or holder(world, name) or bearer(world, name):
        raise UsageError("play.not-a-place", name=place)
    return {"location": prop.location, "inside" if prop.container else "on": name}


def _curiosity(world: WorldState, name: str) -> dict[str, Any]:
    """A thing that was not there before is worth a look."""
    asked = pack(world.language).phrases["urge.new-thing"].format(what=name)
    return {
        "name": asked, "kind": "curiosity", "strength": CURIOSITY, "urgency": URGENCY, "grows": 0.0, "once": True,
        "goal": {"did": {"verb": "INSPECT", "target": [name]}},
    }  # fmt: skip


def nominate(session: Session, who: str, goes_on: bool = False) -> Event:
    """Somebody speaks next: like a nomination by the speaker, it must name someone who is there."""
    world, turns, pin = session.world, session.standing.turns, session.standing.pinned
    room = world.characters[turns[-1].speaker].location if turns else world.location.current
    here = people_in(world, room)
    _check_not_muted(session, who)
    if who not in here:
        names = ", ".join(story_name(world, one) for one in here)
        raise UsageError("play.not-here", who=story_name(world, who), room=room, known=names)
    if pin not in (None, who):
        raise UsageError("play.pinned", who=story_name(world, pin))
    return _cue(session, next=who, **({"goes_on": True} if goes_on else {}))


def goes_on(session: Session) -> Event:
    """Whoever had the last turn has the next one too, and goes on from what they said."""
    if not session.standing.turns:
        raise UsageError("play.nobody-spoke")
    last = session.standing.turns[-1].speaker
    return nominate(session, last, goes_on=True)


def mute(session: Session, who: str) -> Event:
    """Somebody has no more turns; the last one who has any cannot be silenced."""
    silent = [*session.standing.muted, *([] if who in session.standing.muted else [who])]
    if set(silent) >= set(session.cast):
        raise UsageError("play.all-muted", who=story_name(session.world, who))
    held = {"next": session.standing.cued, "pin": session.standing.pinned}
    return _cue(session, muted=silent, **{key: None for key, one in held.items() if one == who})


def unmute(session: Session, who: str) -> Event:
    return _cue(session, muted=[one for one in session.standing.muted if one != who])


def pin(session: Session, who: str | None) -> Event:
    """Somebody has every turn until they are let go of."""
    if who is not None:
        _check_not_muted(session, who)
    return _cue(session, pin=who)


def _check_not_muted(session: Session, who: str) -> None:
    if who in session.standing.muted:
        raise UsageError("play.muted", who=story_name(session.world, who))


def _cue(session: Session, **payload: Any) -> Event:
    return Event(kind="cue", turn=session.world.time.turn, origin="user", payload=payload)
