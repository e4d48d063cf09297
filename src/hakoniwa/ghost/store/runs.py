"""Retrieval runs, and what stood on the blackboard from time to time."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, insert

from hakoniwa.ghost.store.columns import instant, kept, run_columns, run_of
from hakoniwa.ghost.store.lines import sight, span_of, statement
from hakoniwa.ghost.store.values import Run, Scope, SnapshotKind
from hakoniwa.journal.driver import rows
from hakoniwa.journal.ghost_tables import IDS, runs, snapshots
from hakoniwa.journal.queries import take
from hakoniwa.journal.rows import read_json

COLUMNS = tuple(column.name for column in runs.c)
KEEP = (
    f"INSERT INTO retrieval_runs ({', '.join(COLUMNS)})"
    f" VALUES ({', '.join(f':{name}' for name in COLUMNS)}) RETURNING id"
)


def record(connection: Connection, scope: Scope, seq: int, run: Run) -> int:
    """Keep a run that was made when `seq` was the newest event; its number."""
    id = take(connection, 1, IDS)
    place = {"id": id, "ghost": scope.ghost, "span": span_of(connection, seq), "anchor": seq}
    rows(connection, KEEP, {**place, **run_columns(run)})
    return id


def newest(connection: Connection, scope: Scope, limit: int) -> list[Run]:
    """The newest runs along the line, newest first."""
    seen = sight(scope)
    chosen = statement(
        f"SELECT * FROM retrieval_runs WHERE ghost = :ghost AND {seen.sql} ORDER BY id DESC LIMIT :limit"
    )
    found = connection.execute(chosen, {**seen.values, "ghost": scope.ghost, "limit": limit}).mappings()
    return [run_of(row) for row in found]


def snapshot(
    connection: Connection, scope: Scope, seq: int, kind: SnapshotKind, board: dict[str, Any], at: datetime
) -> None:
    """Keep the board as it stands; of those made on time between two events, the last is enough."""
    place = {"ghost": scope.ghost, "span": span_of(connection, seq), "anchor": seq}
    columns = snapshots.c
    same = (columns.ghost == scope.ghost) & (columns.anchor == seq) & (columns.kind == kind)
    connection.execute(delete(snapshots).where(same))
    made = {"id": take(connection, 1, IDS), **place, "kind": kind, "board": kept(board), "at": instant(at)}
    connection.execute(insert(snapshots), made)


def last_snapshot(connection: Connection, scope: Scope) -> dict[str, Any] | None:
    """The board as it was last kept along the line."""
    seen = sight(scope)
    chosen = statement(
        f"SELECT board FROM runtime_snapshots WHERE ghost = :ghost AND {seen.sql} ORDER BY id DESC LIMIT 1"
    )
    found: str | None = connection.execute(chosen, {**seen.values, "ghost": scope.ghost}).scalar()
    return None if found is None else read_json(found)
