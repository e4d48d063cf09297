"""The user's own voice in a garden: what is said to everyone who can hear it, or whispered to one of them."""

from typing import Any

from hakoniwa.actor.request import requested
from hakoniwa.journal import Row
from hakoniwa.play.session import Session
from hakoniwa.stage.world import present
from hakoniwa.turn import Event


async def speak(session: Session, text: str, to: str | None = None) -> list[Row]:
    """Say something. What it asks for is an urge in whoever is to do it; a whisper is heard by nobody else."""
    wishes = requested(text, session.world)
    if to is None:
        return await session.say(text, [shared_out(session, one) for one in wishes])
    urges = [{**one, "who": [to]} for one in wishes]
    payload: dict[str, Any] = {"speaker": "user", "text": text, "to": to, **({"urges": urges} if urges else {})}
    turn = session.world.time.turn
    return await session.commit([Event(kind="user", turn=turn, origin="user", witnesses=(to,), payload=payload)])


def shared_out(session: Session, urge: dict[str, Any]) -> dict[str, Any]:
    """A deed that nobody in particular is asked for falls to whoever is next of those who hear; not to all at once."""
    if urge["who"] or "did" not in urge["goal"]:
        return urge
    hearers = present(session.world, session.world.location.current) or list(session.world.characters)
    following = session.speaker()
    return {**urge, "who": [following if following in hearers else hearers[0]]}
