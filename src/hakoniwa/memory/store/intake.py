"""Taking in: rows of the journal become memories of those who witnessed them, and work for each is queued."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, insert, select

from hakoniwa.journal import Row
from hakoniwa.journal.queries import take
from hakoniwa.journal.tables import IDS, ghosts, marks, memories, words, works
from hakoniwa.memory.store.columns import fold_name, memory_columns
from hakoniwa.memory.store.lines import extend_spans, key, missing_rows
from hakoniwa.memory.store.values import WorkKind
from hakoniwa.memory.words import index_words
from hakoniwa.persona.generated import unseal
from hakoniwa.persona.records import NewMemory

LONGEST_WORD = 100  # characters; longer ones are no words, and PostgreSQL could not index some
KINDS: tuple[WorkKind, ...] = ("write_plan",)  # what has no vector yet is known without a queue
ROOM = 4  # for the kinds of work there may be for one event
ENTITY, THREAD = "entity", "thread"


class IndexedRow(NamedTuple):
    """A row, what each witness remembers of it, and the words each of these texts is filed under."""

    row: Row
    by: Mapping[str, NewMemory]
    words: Mapping[str, Sequence[str]]


def index_row(row: Row, by: Mapping[str, NewMemory]) -> IndexedRow:
    """Find the words of a row, once for those who remember it alike."""
    texts = {who: unseal(one.text) for who, one in by.items() if one.searchable}
    found = {text: index_words(text) for text in dict.fromkeys(texts.values())}
    return IndexedRow(row, by, {who: found[text] for who, text in texts.items()})


def ghost_number(connection: Connection, garden: str, who: str) -> int | None:
    """The number of a character's ghost, None before it has one."""
    own = select(ghosts.c.no).where(ghosts.c.garden == garden, ghosts.c.who == who)
    found: int | None = connection.execute(own).scalar()
    return found


def number_ghost(connection: Connection, garden: str, who: str) -> int:
    """Give a character's ghost the next number."""
    no: int = connection.execute(select(func.coalesce(func.max(ghosts.c.no), 0))).scalar_one() + 1
    connection.execute(insert(ghosts), {"no": no, "garden": garden, "who": who})
    return no


def take_in(connection: Connection, garden: str, all: Sequence[IndexedRow], numbers: Mapping[str, int]) -> None:
    """Write what is new among the rows, whoever else may be at it."""
    take(connection, 0, IDS)
    new = missing_rows(connection, (one.row.seq for one in all))
    fresh = [one for one in all if one.row.seq in new]
    spans = extend_spans(connection, garden, [one.row for one in fresh])
    each = [(numbers[who], spans[one.row.seq], one, who) for one in fresh for who in one.by]
    _write(connection, memories, [memory_columns(no, one.row.seq, span, one.by[who]) for no, span, one, who in each])
    _write(connection, words, sorted_words(each))
    _write(connection, marks, [mark for no, span, one, who in each for mark in _marks(no, span, one, who)])
    _write(connection, works, [work for no, _, one, who in each for work in _works(no, one, who)])


def _write(connection: Connection, table: Any, rows: list[dict[str, Any]]) -> None:
    if rows:
        connection.execute(insert(table), rows)


def sorted_words(each: Sequence[tuple[int, int, IndexedRow, str]]) -> list[dict[str, Any]]:
    """The words of memories in the order in which they are kept, so that neighbours are written together."""
    found = {
        (no, word[:LONGEST_WORD], key(no, one.row.seq)): span
        for no, span, one, who in each
        for word in one.words.get(who, ())
    }
    return [
        {"ghost": no, "word": word, "memory": memory, "span": found[no, word, memory]}
        for no, word, memory in sorted(found)
    ]


def _marks(no: int, span: int, one: IndexedRow, who: str) -> list[dict[str, Any]]:
    names = dict.fromkeys(fold_name(entity.name) for entity in one.by[who].entities)
    place = {"ghost": no, "memory": key(no, one.row.seq), "span": span, "anchor": one.row.seq}
    return [{**place, "kind": ENTITY, "name": name} for name in names]


def _works(no: int, one: IndexedRow, who: str) -> list[dict[str, Any]]:
    """One of each kind for what can be searched; numbered by what they are for, so that none is ever queued twice."""
    if not one.by[who].searchable:
        return []
    waiting = {"ghost": no, "seq": one.row.seq, "status": "queued", "tries": 0, "claimed_until": 0, "problem": None}
    first = key(no, one.row.seq) * ROOM
    return [{**waiting, "id": first + place, "kind": kind} for place, kind in enumerate(KINDS)]
