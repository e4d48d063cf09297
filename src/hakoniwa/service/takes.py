"""Takes: turns that were played anew. The one before is kept as a branch of its own, and can be gone back to."""

import re

from hakoniwa.errors import UnknownName, UsageError
from hakoniwa.journal import Branch, Journal
from hakoniwa.play.session import Session
from hakoniwa.turn import Event, Turn, Value

TAKE = re.compile(r"(?P<of>.+)-take-(?P<turn>\d{1,9})-(?P<number>\d{1,9})")
CHOICE = "choice"


class TakeOf(Value):
    """Which turn of which branch a branch is an earlier take of."""

    branch: str
    turn: int
    number: int


def take_of(name: str) -> TakeOf | None:
    """What a branch is a take of, by its name; None for one that is none."""
    found = TAKE.fullmatch(name)
    return TakeOf(branch=found["of"], turn=int(found["turn"]), number=int(found["number"])) if found else None


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


def keep_take(journal: Journal, garden: str, branch: str, turn: int) -> Branch:
    """Keep the line as it is as a take of a turn; the take it is already, if it is one."""
    branches = journal.branches(garden)
    head = next(one.head for one in branches if one.name == branch)
    own = [(found, one) for one in branches if (found := take_of(one.name)) and found.branch == branch]
    for _, one in own:
        if one.head == head:
            return one
    number = max((found.number for found, _ in own if found.turn == turn), default=0) + 1
    return journal.fork(garden, branch, f"{branch}-take-{turn}-{number}", head)


def go_back(journal: Journal, garden: str, branch: str, take: str, turn: int) -> None:
    """Have a branch go on from a take of it; where it stands now is kept as another."""
    branches = {one.name: one for one in journal.branches(garden)}
    found = take_of(take)
    if found is None or found.branch != branch or take not in branches:
        own = [name for name in branches if (one := take_of(name)) and one.branch == branch]
        raise UnknownName("unknown.branch", name=take, known=", ".join(own))
    keep_take(journal, garden, branch, turn)
    journal.move_head(garden, branch, branches[take].head)


def choice_event(session: Session, take: str) -> Event:
    """That the line goes on from here, for everybody who follows it."""
    return Event(kind=CHOICE, turn=session.world.time.turn, origin="user", payload={"take": take})
