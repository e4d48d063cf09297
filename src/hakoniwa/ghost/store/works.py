"""Work that waits: claimed for a while by whoever does it, and gone once it is done."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Select, bindparam, delete, or_, select, update

from hakoniwa.ghost.store.columns import instant
from hakoniwa.ghost.store.values import Outcome, Work, WorkKind
from hakoniwa.journal.ghost_tables import works
from hakoniwa.journal.texts import plain

LEASE = timedelta(minutes=5)
OPEN = or_(works.c.status == "queued", (works.c.status == "claimed") & (works.c.claimed_until < bindparam("now")))
WAITING = select(works).where(OPEN).order_by(works.c.id)
DONE = delete(works).where(works.c.id == bindparam("work"))


def claim(connection: Connection, ghost: int | None, kind: WorkKind | None, limit: int, now: datetime) -> list[Work]:
    """The oldest work nobody holds, held from now on until the lease is up."""
    waiting = WAITING.limit(limit).with_for_update(skip_locked=True)
    if ghost is not None:
        waiting = waiting.where(works.c.ghost == ghost)
    if kind is not None:
        waiting = waiting.where(works.c.kind == kind)
    found = _found(connection, waiting, now)
    held = {"status": "claimed", "tries": works.c.tries + 1, "claimed_until": instant(now + LEASE)}
    connection.execute(update(works).where(works.c.id.in_([one.id for one in found])).values(held))
    return found


def queued(
    connection: Connection, ghosts: Collection[int], kind: WorkKind, limit: int, now: datetime
) -> list[Work]:
    """The oldest work nobody holds, for some ghosts."""
    waiting = WAITING.where(works.c.ghost.in_(list(ghosts)), works.c.kind == kind).limit(limit)
    return _found(connection, waiting, now)


def _found(connection: Connection, waiting: Select[Any], now: datetime) -> list[Work]:
    rows = connection.execute(waiting, {"now": instant(now)}).mappings()
    return [Work(**{name: one[name] for name in Work.model_fields}) for one in rows]


def settle(connection: Connection, work: int, outcome: Outcome, problem: str | None) -> bool:
    """What became of a piece of work; whether it was still there to be settled."""
    if outcome == "done":
        return bool(connection.execute(DONE, {"work": work}).rowcount)
    kept = {"status": outcome, "claimed_until": 0, "problem": None if problem is None else plain(problem)}
    return bool(connection.execute(update(works).where(works.c.id == work).values(kept)).rowcount)
