"""Turns of a garden that are played anew."""

from hakoniwa.errors import UnknownName, UsageError
from hakoniwa.journal.takes import keep_take
from hakoniwa.play.session import Session
from hakoniwa.turn import Event, Turn

CHOICE = "choice"


async def take_back(session: Session, turn: int | None = None) -> None:
    """Take the last turn back, or all from one on, and keep the line as it is as a take of it."""
    index = session.timeline.index
    played = len(index.turn_places)
    if not played:
        raise UsageError("play.cannot-undo", wanted=1, played=0)
    number = index.turns[index.turn_places[-1]] if turn is None else turn
    await session.in_journal(keep_take, session.journal, session.garden.id, session.branch, number)
    await session.undo(played - index.turns_before(number))


def turn_at(session: Session, number: int | None) -> Turn:
    """A turn of this line by its number, or the last one."""
    newest = session.standing.turns[-1] if session.standing.turns else None
    turn = newest if number is None else session.turn(number)
    if turn is None:
        raise UnknownName("garden.no-turn", wanted=number or 1, last=newest.number if newest else 0)
    return turn


def choice_event(session: Session, take: str) -> Event:
    """That the line goes on from here, for everybody who follows it."""
    return Event(kind=CHOICE, turn=session.world.time.turn, origin="user", payload={"take": take})
