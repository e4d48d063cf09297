"""How a line of play stands just now. It is no part of its history: nothing of it is kept once it has passed."""

from datetime import datetime, timedelta

from sqlalchemy import Connection, insert, select, update

from hakoniwa.ghost.store.columns import MICROSECOND, instant
from hakoniwa.ghost.store.columns import moment as read
from hakoniwa.ghost.store.values import Moment
from hakoniwa.journal.ghost_tables import moments


def moment(connection: Connection, garden: str, branch: str) -> Moment:
    """How a line stands; one that nobody has said anything of stands at the world's own time."""
    here = select(moments).where(moments.c.garden == garden, moments.c.branch == branch)
    found = connection.execute(here).mappings().first()
    if found is None:
        return Moment()
    until = read(found["talking_until"]) if found["talking_until"] else None
    return Moment(talking_until=until, clock_ahead=MICROSECOND * found["clock_ahead"])


def talking(connection: Connection, garden: str, branch: str, until: datetime | None) -> None:
    _set(connection, garden, branch, talking_until=instant(until) if until else 0)


def move_clock(connection: Connection, garden: str, branch: str, ahead: timedelta) -> None:
    _set(connection, garden, branch, clock_ahead=ahead // MICROSECOND)


def live(connection: Connection, garden: str, branch: str, living: bool) -> None:
    _set(connection, garden, branch, living=living)


def living(connection: Connection) -> list[tuple[str, str]]:
    """Every line whose persona lives by itself."""
    found = select(moments.c.garden, moments.c.branch).where(moments.c.living).order_by(moments.c.garden)
    return [(garden, branch) for garden, branch in connection.execute(found)]


def _set(connection: Connection, garden: str, branch: str, **value: int) -> None:
    here = update(moments).where(moments.c.garden == garden, moments.c.branch == branch)
    if not connection.execute(here.values(value)).rowcount:
        new = {"garden": garden, "branch": branch, "living": False, "talking_until": 0, "clock_ahead": 0}
        connection.execute(insert(moments), {**new, **value})
