"""What is asked of the tables of calls inside one transaction."""

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, bindparam, exists, insert, select, text

from hakoniwa.journal.calls import Asked, Columns, Line, Step, readable, text_hashes
from hakoniwa.journal.queries import OF_BRANCH, unknown_branch
from hakoniwa.journal.rows import UNREADABLE, plain_json, read_json
from hakoniwa.journal.tables import COUNTER, branches, calls, counters, events, texts
from hakoniwa.journal.texts import hash_text

BATCH = 1000

# In both databases' own words: SQLAlchemy has this only in dialects, of which PostgreSQL's takes a tenth of a second.
KEEP = text("INSERT INTO texts (hash, text) VALUES (:hash, :text) ON CONFLICT DO NOTHING")
NEWEST = select(counters.c.value).where(counters.c.name == COUNTER).scalar_subquery()
GIVEN = [column for column in calls.c if column.name not in ("id", "seen")]
WRITE = (
    insert(calls)
    .from_select(
        [*GIVEN, calls.c.seen],
        select(*(bindparam(one.name, type_=one.type) for one in GIVEN), NEWEST).select_from(branches).where(OF_BRANCH),
    )
    .execution_options(preserve_rowcount=True)
)
READ = select(texts).where(texts.c.hash.in_(bindparam("hashes", expanding=True)))
STEPS = select(events.c.seq, events.c.parent, events.c.branch, events.c.turn).order_by(events.c.seq)
WRITTEN_SINCE = exists().where(
    events.c.garden == calls.c.garden, events.c.branch == calls.c.branch, events.c.seq > calls.c.seen
)
WAITING = (
    select(calls)
    .where(
        calls.c.garden == bindparam("of_garden"),
        calls.c.key == bindparam("of_key"),
        calls.c.branch == bindparam("of_branch"),
        calls.c.after.is_not_distinct_from(bindparam("at")),
        ~WRITTEN_SINCE,
    )
    .order_by(calls.c.id.desc())
)


def write(connection: Connection, place: Mapping[str, Any], call: Asked, new: Iterable[str]) -> None:
    """Write a call and those of its texts that may be new; in order, so that two writers cannot wait for each other."""
    if kept := [{"hash": hash, "text": plain_json(call.texts[hash])} for hash in sorted(new)]:
        connection.execute(KEEP, kept)
    garden, branch = place["garden"], place["branch"]
    written = connection.execute(WRITE, {**place, **call.columns, "of_garden": garden, "of_branch": branch})
    if not written.rowcount:
        raise unknown_branch(connection, garden, branch)


def waiting(connection: Connection, garden: str, branch: str, after: int | None, key: str) -> list[dict[str, Any]]:
    """The calls asked at a head that nothing has been written after since, newest first."""
    where = {"of_garden": garden, "of_branch": branch, "at": after, "of_key": key}
    return [dict(one) for one in connection.execute(WAITING, where).mappings()]


def all_calls(connection: Connection, garden: str, turn: int | None = None) -> list[dict[str, Any]]:
    of_garden = select(calls).where(calls.c.garden == garden).order_by(calls.c.id)
    chosen = of_garden if turn is None else of_garden.where(calls.c.turn == turn)
    return [dict(one) for one in connection.execute(chosen).mappings()]


def line(connection: Connection, garden: str, branch: str, head: int | None) -> Line:
    found = connection.execute(STEPS.where(events.c.garden == garden))
    return Line([Step(*one) for one in found], branch, head)


def texts_of(connection: Connection, found: Iterable[Columns]) -> dict[str, str]:
    """The texts of calls by their hashes; one that is not what was written is left out."""
    wanted = sorted({hash for one in found for hash in text_hashes(one)})
    whole: dict[str, str] = {}
    for start in range(0, len(wanted), BATCH):
        for hash, kept in connection.execute(READ, {"hashes": wanted[start : start + BATCH]}):
            if (piece := _sound(hash, kept)) is not None:
                whole[hash] = piece
    return whole


def _sound(hash: str, kept: str) -> str | None:
    try:
        piece: str = read_json(kept)
        return piece if hash_text(piece) == hash else None
    except (*UNREADABLE, AttributeError):
        return None


def lost(connection: Connection, garden: str) -> list[str]:
    """The calls that were spoilt, or whose texts have gone."""
    found = all_calls(connection, garden)
    whole = texts_of(connection, found)
    return [f"call {one['id']}: it cannot be read" for one in found if not readable(one, whole)]
