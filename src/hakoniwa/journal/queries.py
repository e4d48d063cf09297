"""What is asked of the tables inside one transaction."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from sqlalchemy import CTE, Connection, RowMapping, Select, Table, bindparam, func, select

from hakoniwa.errors import JournalError, UnknownName
from hakoniwa.gc_pause import pause_collector
from hakoniwa.journal import IN_SCENARIO, Branch, GardenRecord, GardenSummary, Row
from hakoniwa.journal.database import rows, run
from hakoniwa.journal.faults import SpoiltRecord
from hakoniwa.journal.rows import (
    TEXTS,
    BranchTip,
    RowLink,
    Texts,
    branch_of,
    garden_of,
    json_spelling,
    link_of,
    row_of,
    summary_from,
)
from hakoniwa.journal.tables import COUNTER, DELETED, branches, events, forgotten, gardens

T = TypeVar("T")
BATCH = 200
IN_TEXTS = set(TEXTS)

BRANCH = "SELECT name FROM branches WHERE garden = :garden AND name = :branch"
VALUE = "SELECT value FROM counters WHERE name = :counter"
TAKE = "UPDATE counters SET value = value + :count WHERE name = :counter RETURNING value"
TIP = """
    SELECT branches.head, events.row_hash
    FROM branches LEFT JOIN events ON events.garden = branches.garden AND events.seq = branches.head
    WHERE branches.garden = :garden AND branches.name = :branch
"""
IN_HEADS = ("name", "head", "parent", "turn")
OWN = "(gardens.scenario <> '{}' OR gardens.settings <> '{}')"
NAMES = f"SELECT id FROM gardens WHERE {OWN}"
HEADS = f"SELECT garden, {', '.join(IN_HEADS)} FROM branches WHERE garden IN ({NAMES})"
SUMMARIES = {
    name: f"SELECT id, seed, settings, {', '.join(inside.format(key) for key in IN_SCENARIO)} FROM gardens WHERE {OWN}"
    for name, inside in {
        "sqlite": "json_extract(scenario, '$.{}')",
        "postgresql": "CAST(scenario AS json) ->> '{}'",
    }.items()
}
WRITE = f"INSERT INTO events ({', '.join(events.c.keys())}) VALUES (:{', :'.join(events.c.keys())})"
MOVE = "UPDATE branches SET head = :head WHERE garden = :garden AND name = :branch"
TURN = select(events.c.turn).where(events.c.garden == bindparam("of_garden"), events.c.seq == bindparam("at"))


def walk_up() -> CTE:
    """The way up from a head; a parent comes before its child, so that it ends even where someone tied a loop."""
    step = select(events.c.seq, events.c.parent).where(events.c.garden == bindparam("of_garden"))
    walk = step.where(events.c.seq == bindparam("head")).cte("walk", recursive=True)
    return walk.union_all(step.where(events.c.seq == walk.c.parent, events.c.seq < walk.c.seq))


WALK = walk_up()
LINE = select(WALK.c.seq, WALK.c.parent)
LINEAGE = select(events).join(WALK, events.c.seq == WALK.c.seq)


def take(connection: Connection, count: int, counter: str = COUNTER) -> int:
    """The last of `count` new numbers; every other who wants one waits here until this writer has committed."""
    taken = rows(connection, TAKE, {"count": count, "counter": counter})
    if not taken:
        raise SpoiltRecord(f"the counter of {counter} is missing")
    return int(taken[0][0])


def counter_value(connection: Connection, counter: str) -> int:
    """How far a counter has come."""
    found = rows(connection, VALUE, {"counter": counter})
    return int(found[0][0]) if found else 0


def find_garden(connection: Connection, id: str) -> GardenRecord:
    found = connection.execute(select(gardens).where(gardens.c.id == id)).mappings().first()
    if found is None:
        known = ", ".join(sorted(name for (name,) in rows(connection, NAMES, {})))
        raise UnknownName("unknown.garden", name=id, known=known)
    return garden_of(found)


def garden_exists(connection: Connection, id: str) -> bool:
    return connection.execute(select(gardens.c.id).where(gardens.c.id == id)).first() is not None


def rows_with_text(connection: Connection, text: str, limit: int) -> list[Row]:
    """The newest rows whose payload has a text in it, as JSON spells it."""
    chosen = select(events).where(events.c.payload.icontains(json_spelling(text), autoescape=True))
    return [row_of(one) for one in connection.execute(chosen.order_by(events.c.seq.desc()).limit(limit)).mappings()]


def all_gardens(connection: Connection) -> list[GardenRecord]:
    found = [garden_of(row) for row in connection.execute(select(gardens)).mappings()]
    return sorted(found, key=lambda garden: garden.id)


def all_summaries(connection: Connection) -> list[GardenSummary]:
    heads: dict[str, list[Branch]] = {}
    for garden, *columns in rows(connection, HEADS, {}):
        heads.setdefault(garden, []).append(Branch(**dict(zip(IN_HEADS, columns, strict=True))))
    plates = rows(connection, SUMMARIES[connection.dialect.name], {})
    return sorted((summary_from(one, heads.get(one[0], [])) for one in plates), key=lambda plate: plate.id)


def all_branches(connection: Connection, garden: str) -> list[Branch]:
    found = connection.execute(select(branches).where(branches.c.garden == garden)).mappings()
    return sorted((branch_of(row) for row in found), key=lambda branch: branch.name)


def tip(connection: Connection, garden: str, branch: str) -> BranchTip:
    """The row a branch's head is at."""
    found = rows(connection, TIP, {"garden": garden, "branch": branch})
    if not found:
        raise unknown_branch(connection, garden, branch)
    head, row_hash = found[0]
    if head is not None and row_hash is None:
        raise SpoiltRecord(f"the head of branch {branch!r} is at row {head}, which is missing")
    return BranchTip(seq=head, row_hash=row_hash)


def branch_exists(connection: Connection, garden: str, name: str) -> bool:
    return bool(rows(connection, BRANCH, {"garden": garden, "branch": name}))


def require_branch(connection: Connection, garden: str, name: str) -> None:
    if not branch_exists(connection, garden, name):
        raise unknown_branch(connection, garden, name)


def unknown_branch(connection: Connection, garden: str, name: str) -> UnknownName:
    find_garden(connection, garden)
    known = ", ".join(branch.name for branch in all_branches(connection, garden))
    return UnknownName("unknown.branch", name=name, known=known)


def turn_at(connection: Connection, garden: str, seq: int | None) -> int:
    """The turn of a row of this garden; 0 before the first."""
    if seq is None:
        return 0
    turn = connection.execute(TURN, {"of_garden": garden, "at": seq}).scalar()
    if turn is None:
        raise JournalError("journal.no-row", garden=garden, seq=seq)
    return int(turn)


def write(connection: Connection, new: Sequence[Row], texts: Sequence[Texts]) -> None:
    """Write rows, for whose events JSON has been written already."""
    for row, text in zip(new, texts, strict=True):
        event = row.event.model_dump(exclude=IN_TEXTS)
        run(connection, WRITE, row.model_dump(exclude={"event"}) | event | {name: text[name] for name in TEXTS})


def move(connection: Connection, garden: str, branch: str, to: int | None) -> None:
    run(connection, MOVE, {"garden": garden, "branch": branch, "head": to})


def line(connection: Connection, garden: str, head: int | None) -> list[int]:
    found = sorted(map(tuple, connection.execute(LINE, {"of_garden": garden, "head": head})))
    _from_the_first(found)
    return [seq for seq, _ in found]


def lineage(connection: Connection, garden: str, head: int | None) -> list[Row]:
    found = _each(connection, row_of, LINEAGE, {"of_garden": garden, "head": head})
    found.sort(key=lambda row: row.seq)
    _from_the_first([(row.seq, row.parent) for row in found[:1]])
    return found


def _from_the_first(line: Sequence[tuple[int, int | None]]) -> None:
    """A line begins with a row that follows none."""
    for seq, parent in line[:1]:
        if parent is not None:
            raise SpoiltRecord(f"row {seq} follows row {parent}, which is not before it")


def tail(connection: Connection, seq: int, limit: int, garden: str | None) -> list[Row]:
    newer = select(events).where(events.c.seq > seq).order_by(events.c.seq).limit(limit)
    return _each(connection, row_of, newer if garden is None else newer.where(events.c.garden == garden))


def all_links(connection: Connection, garden: str) -> list[RowLink]:
    return _each(connection, link_of, select(events).where(events.c.garden == garden).order_by(events.c.seq))


def _each(
    connection: Connection, made_of: Callable[[RowMapping], T], query: Select[Any], values: dict[str, Any] | None = None
) -> list[T]:
    """The answer as values, a few hundred at a time so that its text need not all be held at once."""
    with pause_collector():
        found = connection.execute(query, values).mappings()
        return [made_of(row) for part in found.partitions(BATCH) for row in part]


def missing_rows(connection: Connection) -> list[str]:
    """Sequence numbers have no gaps, so a missing row shows in the count; one of a deleted garden left a tombstone."""
    taken = counter_value(connection, COUNTER)
    deleted = select(func.count()).select_from(forgotten).where(forgotten.c.row_hash == DELETED)
    kept = connection.execute(select(func.count()).select_from(events)).scalar_one()
    there = kept + connection.execute(deleted).scalar_one()
    return [] if taken == there else [f"journal: {taken} rows were written, {there} are there"]


def stored_rows(connection: Connection, table: Table) -> Iterator[dict[str, Any]]:
    """The columns of every row of a table, in the order of its key."""
    everything = select(table).order_by(*table.primary_key).execution_options(yield_per=1000)
    for row in connection.execute(everything).mappings():
        yield dict(row)
