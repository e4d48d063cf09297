"""Purging: the words of chosen rows are gone for good, and what stays still adds up.

A forgotten row keeps its place, its hash and everything but its payload. Beside it lies a tombstone, the hash of what
was left, so that a row is excused only as it was when it was forgotten on purpose."""

from collections.abc import Collection, Iterable

from sqlalchemy import ColumnElement, Connection, bindparam, delete, insert, select, update

from hakoniwa.journal import PurgeResult
from hakoniwa.journal.calls import Columns, text_hashes
from hakoniwa.journal.queries import take
from hakoniwa.journal.rows import FORGOTTEN, hash_remains, plain_json, row_of
from hakoniwa.journal.tables import DELETED, PURGES, branches, calls, events, forgotten, gardens, texts

BATCH = 500
ROW = select(events).where(events.c.garden == bindparam("of_garden"), events.c.seq == bindparam("of_seq"))
HASH = select(events.c.row_hash).where(events.c.seq == bindparam("of_seq"))
BLANK = update(events).where(events.c.seq == bindparam("of_seq")).values(payload=plain_json(FORGOTTEN))


def forget_rows(connection: Connection, garden: str, seqs: Collection[int]) -> int:
    """Take the words out of rows of this garden; how many still had any."""
    return sum(_forget_row(connection, garden, seq) for seq in sorted(set(seqs) - tombstones(connection).keys()))


def _forget_row(connection: Connection, garden: str, seq: int) -> bool:
    found = connection.execute(ROW, {"of_garden": garden, "of_seq": seq}).mappings().first()
    if found is None:
        return False
    parent_hash: str | None = connection.execute(HASH, {"of_seq": found["parent"]}).scalar()
    connection.execute(BLANK, {"of_seq": seq})
    connection.execute(insert(forgotten), {"seq": seq, "row_hash": hash_remains(parent_hash, row_of(found))})
    return True


def tombstones(connection: Connection) -> dict[int, str]:
    """What is left of forgotten rows, as a hash, by their seq."""
    return dict(connection.execute(select(forgotten.c.seq, forgotten.c.row_hash)).all())


def forget_calls(connection: Connection, garden: str, seqs: Collection[int]) -> int:
    """Remove the calls that may have had these rows in their prompts, or led to them, and the texts nobody else has."""
    first = select(events.c.parent).where(events.c.garden == garden, events.c.seq == min(seqs))
    since = connection.execute(first).scalar() or 0
    return _remove_calls(connection, (calls.c.garden == garden) & (calls.c.seen >= since))


def _remove_calls(connection: Connection, chosen: ColumnElement[bool]) -> int:
    """Remove calls, and the texts that only they are made of; how many there were."""
    gone = [dict(one) for one in connection.execute(select(calls).where(chosen)).mappings()]
    connection.execute(delete(calls).where(chosen))
    left = connection.execute(select(calls.c.prompt)).mappings()
    hashes = sorted(unshared_texts(gone, (dict(one) for one in left)))
    for start in range(0, len(hashes), BATCH):
        connection.execute(delete(texts).where(texts.c.hash.in_(hashes[start : start + BATCH])))
    take(connection, 1, PURGES)
    return len(gone)


def delete_garden(connection: Connection, garden: str) -> PurgeResult:
    """Remove a garden with everything that was written there."""
    found = [seq for (seq,) in connection.execute(select(events.c.seq).where(events.c.garden == garden))]
    asked = _remove_calls(connection, calls.c.garden == garden)
    connection.execute(delete(branches).where(branches.c.garden == garden))
    for start in range(0, len(found), BATCH):
        gone = found[start : start + BATCH]
        connection.execute(delete(forgotten).where(forgotten.c.seq.in_(gone)))
        connection.execute(insert(forgotten), [{"seq": seq, "row_hash": DELETED} for seq in gone])
    connection.execute(delete(events).where(events.c.garden == garden))
    connection.execute(delete(gardens).where(gardens.c.id == garden))
    return PurgeResult(rows=len(found), calls=asked)


def unshared_texts(gone: Iterable[Columns], left: Iterable[Columns]) -> set[str]:
    """The texts of calls that are gone which no call that is left is made of."""
    return {hash for one in gone for hash in text_hashes(one)} - {hash for one in left for hash in text_hashes(one)}
