"""What stands beside the memories: retrieval runs, snapshots, waiting work, and the state of a line of play."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Select, bindparam, delete, insert, or_, select, update

from hakoniwa.journal.database import rows
from hakoniwa.journal.queries import take
from hakoniwa.journal.rows import plain, read_json
from hakoniwa.journal.tables import IDS, moments, runs, snapshots, works
from hakoniwa.memory.store.columns import MICROSECOND, instant, run_columns, run_of, storable_json
from hakoniwa.memory.store.columns import moment as read
from hakoniwa.memory.store.lines import row_visibility, span_of, statement
from hakoniwa.memory.store.values import (
    LineStatus,
    MemoryScope,
    MemoryWork,
    RetrievalRun,
    SnapshotKind,
    WorkKind,
    WorkOutcome,
)

COLUMNS = tuple(column.name for column in runs.c)
KEEP = (
    f"INSERT INTO retrieval_runs ({', '.join(COLUMNS)})"
    f" VALUES ({', '.join(f':{name}' for name in COLUMNS)}) RETURNING id"
)


def record(connection: Connection, scope: MemoryScope, seq: int, run: RetrievalRun) -> int:
    """Keep a run that was made when `seq` was the newest event; its number."""
    id = take(connection, 1, IDS)
    place = {"id": id, "ghost": scope.ghost, "span": span_of(connection, seq), "anchor": seq}
    rows(connection, KEEP, {**place, **run_columns(run)})
    return id


def newest(connection: Connection, scope: MemoryScope, limit: int) -> list[RetrievalRun]:
    """The newest runs along the line, newest first."""
    seen = row_visibility(scope)
    chosen = statement(
        f"SELECT * FROM retrieval_runs WHERE ghost = :ghost AND {seen.sql} ORDER BY id DESC LIMIT :limit"
    )
    found = connection.execute(chosen, {**seen.values, "ghost": scope.ghost, "limit": limit}).mappings()
    return [run_of(row) for row in found]


def snapshot(
    connection: Connection, scope: MemoryScope, seq: int, kind: SnapshotKind, board: dict[str, Any], at: datetime
) -> None:
    """Keep the board as it stands; of those made on time between two events, the last is enough."""
    place = {"ghost": scope.ghost, "span": span_of(connection, seq), "anchor": seq}
    columns = snapshots.c
    same = (columns.ghost == scope.ghost) & (columns.anchor == seq) & (columns.kind == kind)
    connection.execute(delete(snapshots).where(same))
    made = {"id": take(connection, 1, IDS), **place, "kind": kind, "board": storable_json(board), "at": instant(at)}
    connection.execute(insert(snapshots), made)


def last_snapshot(connection: Connection, scope: MemoryScope) -> dict[str, Any] | None:
    """The board as it was last kept along the line."""
    seen = row_visibility(scope)
    chosen = statement(
        f"SELECT board FROM runtime_snapshots WHERE ghost = :ghost AND {seen.sql} ORDER BY id DESC LIMIT 1"
    )
    found: str | None = connection.execute(chosen, {**seen.values, "ghost": scope.ghost}).scalar()
    return None if found is None else read_json(found)


LEASE = timedelta(minutes=5)
OPEN = or_(works.c.status == "queued", (works.c.status == "claimed") & (works.c.claimed_until < bindparam("now")))
WAITING = select(works).where(OPEN).order_by(works.c.id)
DONE = delete(works).where(works.c.id == bindparam("work"))


def claim(
    connection: Connection, ghost: int | None, limit: int, now: datetime, kind: WorkKind | None = None
) -> list[MemoryWork]:
    """The oldest work nobody holds, held from now on until the lease is up."""
    waiting = WAITING.limit(limit).with_for_update(skip_locked=True)
    if ghost is not None:
        waiting = waiting.where(works.c.ghost == ghost)
    if kind is not None:
        waiting = waiting.where(works.c.kind == kind)
    found = _load_work(connection, waiting, now)
    held = {"status": "claimed", "tries": works.c.tries + 1, "claimed_until": instant(now + LEASE)}
    connection.execute(update(works).where(works.c.id.in_([one.id for one in found])).values(held))
    return found


def queued_work(
    connection: Connection, ghosts: Collection[int], limit: int, now: datetime, kind: WorkKind
) -> list[MemoryWork]:
    """The oldest work nobody holds, for some ghosts; looking keeps nobody from it."""
    waiting = WAITING.where(works.c.ghost.in_(list(ghosts)), works.c.kind == kind).limit(limit)
    return _load_work(connection, waiting, now)


def _load_work(connection: Connection, waiting: Select[Any], now: datetime) -> list[MemoryWork]:
    rows = connection.execute(waiting, {"now": instant(now)}).mappings()
    return [MemoryWork(**{name: one[name] for name in MemoryWork.model_fields}) for one in rows]


def settle(connection: Connection, work: int, outcome: WorkOutcome, problem: str | None = None) -> bool:
    """What became of a piece of work; whether it was still there to be settled."""
    if outcome == "done":
        return bool(connection.execute(DONE, {"work": work}).rowcount)
    kept = {"status": outcome, "claimed_until": 0, "problem": None if problem is None else plain(problem)}
    return bool(connection.execute(update(works).where(works.c.id == work).values(kept)).rowcount)


def line_status(connection: Connection, garden: str, branch: str) -> LineStatus:
    """How a line stands; one that nobody has said anything of stands at the world's own time."""
    here = select(moments).where(moments.c.garden == garden, moments.c.branch == branch)
    found = connection.execute(here).mappings().first()
    if found is None:
        return LineStatus()
    until = read(found["talking_until"]) if found["talking_until"] else None
    return LineStatus(talking_until=until, clock_ahead=MICROSECOND * found["clock_ahead"])


def set_talking(connection: Connection, garden: str, branch: str, until: datetime | None) -> None:
    """Somebody talks here, at the latest until then; or (None) no longer."""
    _set(connection, garden, branch, talking_until=instant(until) if until else 0)


def move_clock(connection: Connection, garden: str, branch: str, ahead: timedelta) -> None:
    """Let the clock of a line be so far ahead of the world's."""
    _set(connection, garden, branch, clock_ahead=ahead // MICROSECOND)


def set_living(connection: Connection, garden: str, branch: str, living: bool) -> None:
    """Let the persona of a line live by itself, or no longer."""
    _set(connection, garden, branch, living=living)


def living_lines(connection: Connection) -> list[tuple[str, str]]:
    """Every line whose persona lives by itself."""
    found = select(moments.c.garden, moments.c.branch).where(moments.c.living).order_by(moments.c.garden)
    return [(garden, branch) for garden, branch in connection.execute(found)]


def _set(connection: Connection, garden: str, branch: str, **value: int) -> None:
    here = update(moments).where(moments.c.garden == garden, moments.c.branch == branch)
    if not connection.execute(here.values(value)).rowcount:
        new = {"garden": garden, "branch": branch, "living": False, "talking_until": 0, "clock_ahead": 0}
        connection.execute(insert(moments), {**new, **value})
