"""The loop: turn after turn until a named reason ends it."""

from collections.abc import AsyncIterator

from hakoniwa.play.session import Session
from hakoniwa.play.turn import play_turn
from hakoniwa.turn import Event, Turn


async def play(session: Session, turns: int | None = None) -> AsyncIterator[Turn]:
    """Play turns as they come; ends by the garden's goal or after `turns`."""
    await session.open()
    played = 0
    while session.standing.ended is None and (turns is None or played < turns):
        yield await play_turn(session, session.speaker())
        played += 1


async def resume(session: Session) -> None:
    """Go on in a garden that had ended."""
    if session.standing.ended is not None:
        await session.commit([Event(kind="resume", turn=session.world.time.turn, origin="user")])
