"""Where on the tree of play something came to be, and whether a line can see it.

A span is a run of rows, each the child of the one before. The first child that memory takes in goes on with its
parent's span; every other (after a fork, or when play was taken back) begins one of its own."""

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

from sqlalchemy import Connection, TextClause, bindparam, insert, select, text, update

from hakoniwa.errors import JournalError
from hakoniwa.journal import Row
from hakoniwa.journal.database import rows
from hakoniwa.journal.tables import SEQ_BITS, spans, taken
from hakoniwa.memory.store.values import MemoryScope, VisibleRows

BATCH = 500
ROUND = 8
Older = tuple[tuple[int, int], ...]


class Visibility(NamedTuple):
    """A condition that holds for what a line can see, and the values bound in it."""

    sql: str
    values: dict[str, Any]


@lru_cache(maxsize=512)
def statement(sql: str, *lists: str) -> TextClause:
    """A statement in the words that both databases know; `lists` names the values that are lists."""
    return text(sql).bindparams(*(bindparam(name, expanding=True) for name in lists))


def key_list(keys: Sequence[int]) -> Visibility:
    """A list of keys to look for, of a round length, so that few statements serve lists of every length."""
    full = [*keys, *list(keys[-1:]) * (-len(keys) % ROUND)]
    return Visibility(_places(len(full)), {f"key{place}": one for place, one in enumerate(full)})


@cache
def _places(count: int) -> str:
    return f"({', '.join(f':key{place}' for place in range(count))})"


def key(ghost: int, seq: int) -> int:
    """A memory's key: what one ghost remembers lies together, in the order of the rows."""
    return (ghost << SEQ_BITS) | seq


def seq_of(key: int) -> int:
    return key & ((1 << SEQ_BITS) - 1)


def row_visibility(scope: MemoryScope, at: str = "anchor", span: str = "span") -> Visibility:
    """What is visible by the row it is anchored at."""
    return _visibility(scope.line, at, span, 0)


def key_visibility(scope: MemoryScope, at: str, span: str = "span") -> Visibility:
    """What is visible by the key of a memory; no other ghost's is."""
    low = key(scope.ghost, 0)
    seen = _visibility(scope.line, at, span, low)
    return Visibility(
        f"{at} > :low AND {at} <= :high AND {seen.sql}", {**seen.values, "low": low, "high": _high(scope)}
    )


def _high(scope: MemoryScope) -> int:
    return key(scope.ghost, max((upto for _, upto in scope.line.spans), default=0))


def _visibility(line: VisibleRows, at: str, span: str, base: int) -> Visibility:
    """The newest span goes on growing and is bound as a value; the others stay as they are, so the text is reused."""
    if not line.spans:
        return Visibility("1 = 0", {})
    (start, upto), *older_spans = line.spans
    newest, values = f"({span} = :span AND {at} <= :upto)", {"span": start, "upto": base + upto}
    if not older_spans:
        return Visibility(newest, values)
    ends = " ".join(f"WHEN {start} THEN {base + upto}" for start, upto in older_spans)
    return Visibility(f"({newest} OR {at} <= CASE {span} {ends} END)", values)


# --- finding lines ---------------------------------------------------------------------------------------------------

SPAN = "SELECT span, garden FROM taken JOIN spans ON start = span WHERE seq = :seq"
ABOVE = text(
    "WITH RECURSIVE up (start, parent, parent_span) AS ("
    " SELECT start, parent, parent_span FROM spans WHERE start = :start"
    " UNION ALL SELECT spans.start, spans.parent, spans.parent_span FROM up JOIN spans ON spans.start = up.parent_span"
    ") SELECT parent_span, parent FROM up WHERE parent_span IS NOT NULL ORDER BY start DESC"
)


def span_of(connection: Connection, seq: int, garden: str | None = None) -> int:
    """The span of a row, which memory must have taken in and, if one is named, be of that garden."""
    found = rows(connection, SPAN, {"seq": seq})
    if not found or garden not in (None, found[0][1]):
        raise JournalError("journal.no-row", garden=garden, seq=seq)
    return int(found[0][0])


def older_spans(connection: Connection, start: int) -> Older:
    """The spans that lead to this one, each with the row it was left at, newest first."""
    return tuple((span, upto) for span, upto in connection.execute(ABOVE, {"start": start}))


# --- growing lines ---------------------------------------------------------------------------------------------------


def missing_rows(connection: Connection, seqs: Iterable[int]) -> set[int]:
    """Those of the rows that memory has not taken in."""
    left = sorted(set(seqs))
    known = statement("SELECT seq FROM taken WHERE seq IN :seqs", "seqs")
    found: set[int] = set()
    for start in range(0, len(left), BATCH):
        found.update(connection.execute(known, {"seqs": left[start : start + BATCH]}).scalars())
    return set(left) - found


def extend_spans(connection: Connection, garden: str, new: Iterable[Row]) -> dict[int, int]:
    """Put rows in their spans, parents first; the span of each."""
    placed: dict[int, int] = {}
    newest: dict[int, int] = {}
    begun: list[dict[str, Any]] = []
    for row in new:
        above = None if row.parent is None else placed.get(row.parent) or span_of(connection, row.parent, garden)
        if above is not None and above not in newest:
            newest[above] = connection.execute(select(spans.c.newest).where(spans.c.start == above)).scalar_one()
        if above is None or newest[above] != row.parent:
            begun.append({"start": row.seq, "garden": garden, "parent": row.parent, "parent_span": above})
            above = row.seq
        placed[row.seq], newest[above] = above, row.seq
    if begun:
        connection.execute(insert(spans), [{**one, "newest": newest[one["start"]]} for one in begun])
    for start, seq in newest.items():
        connection.execute(update(spans).where(spans.c.start == start).values(newest=seq))
    if placed:
        connection.execute(insert(taken), [{"seq": seq, "span": span} for seq, span in placed.items()])
    return placed
