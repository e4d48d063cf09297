"""Cues: the user says who speaks next, who keeps silent, and who goes on speaking."""

from typing import Any

from hakoniwa.errors import UsageError
from hakoniwa.play.session import Session
from hakoniwa.stage.world import called, present
from hakoniwa.turn import Event


def nominated(session: Session, who: str, goes_on: bool = False) -> Event:
    """Somebody speaks next: like a nomination by the speaker, it must name someone who is there."""
    world, turns, pinned = session.world, session.standing.turns, session.standing.pinned
    room = world.characters[turns[-1].speaker].location if turns else world.location.current
    here = present(world, room)
    _heard(session, who)
    if who not in here:
        names = ", ".join(called(world, one) for one in here)
        raise UsageError("play.not-here", who=called(world, who), room=room, known=names)
    if pinned not in (None, who):
        raise UsageError("play.pinned", who=called(world, pinned))
    return _cue(session, next=who, **({"goes_on": True} if goes_on else {}))


def goes_on(session: Session) -> Event:
    """Whoever had the last turn has the next one too, and goes on from what they said."""
    if not session.standing.turns:
        raise UsageError("play.nobody-spoke")
    last = session.standing.turns[-1].speaker
    return nominated(session, last, goes_on=True)


def muted(session: Session, who: str) -> Event:
    """Somebody has no more turns; the last one who has any cannot be silenced."""
    silent = [*session.standing.muted, *([] if who in session.standing.muted else [who])]
    if set(silent) >= set(session.cast):
        raise UsageError("play.all-muted", who=called(session.world, who))
    held = {"next": session.standing.cued, "pin": session.standing.pinned}
    return _cue(session, muted=silent, **{key: None for key, one in held.items() if one == who})


def unmuted(session: Session, who: str) -> Event:
    return _cue(session, muted=[one for one in session.standing.muted if one != who])


def pinned(session: Session, who: str | None) -> Event:
    """Somebody has every turn until they are let go of."""
    if who is not None:
        _heard(session, who)
    return _cue(session, pin=who)


def _heard(session: Session, who: str) -> None:
    if who in session.standing.muted:
        raise UsageError("play.muted", who=called(session.world, who))


def _cue(session: Session, **payload: Any) -> Event:
    return Event(kind="cue", turn=session.world.time.turn, origin="user", payload=payload)
