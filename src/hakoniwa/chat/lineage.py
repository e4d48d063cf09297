"""The line of a chat in the journal: where its head is, and its rows as memory takes them in."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

from hakoniwa.chat.autonomy_rows import DecisionRow, ResultRow, parse_row
from hakoniwa.journal import Journal, Row
from hakoniwa.journal.follow import branch_head, row_at, rows_back
from hakoniwa.memory.store import Memories
from hakoniwa.persona.generated import Generated, unseal
from hakoniwa.persona.records import MemorySource, NewMemory

CHAT = "chat"  # the kind of garden, and of its exchanges
ME = "me"  # where a chat keeps who the user is in it: name and description
MESSAGES = "messages"  # where an exchange that another program began keeps the messages it was made of
STOPPED = "model.stopped"  # the user had heard enough
LONGEST_FACTS = 800
AT_ONCE = 8  # rows of which it is asked at once whether they are remembered


class ChatLine(NamedTuple):
    """Whom one talks with, and on which line of the journal. `private`: it is a garden's, where others live as well."""

    garden: str
    branch: str
    who: str
    private: bool = False

    @property
    def takes(self) -> str:
        """What takes of an exchange are named after."""
        return f"{self.branch}-words" if self.private else self.branch

    def has(self, row: Row) -> bool:
        """Whether a row is an exchange of these two, or a message."""
        return row.event.kind == CHAT and self.concerns(row)

    def concerns(self, row: Row) -> bool:
        """Whether a row is of this conversation, and not of somebody else in the garden."""
        return not self.private or self.who in row.event.witnesses


def head_of(journal: Journal, garden: str, branch: str) -> Row | None:
    """The newest row of a line, None before the first."""
    return row_at(journal, garden, branch_head(journal, garden, branch))


def newest_exchange(journal: Journal, line: ChatLine, head: Row | None) -> Row | None:
    """The exchange, or message, that was the last at some head."""
    return next((row for row in rows_back(journal, line.garden, head.seq if head else None) if line.has(row)), None)


def rows_to_remember(memories: Memories, journal: Journal, garden: str, head: int | None) -> list[Row]:
    """The end of a line that memory has not taken in, oldest row first; it takes in no row before its parent."""
    line, found = rows_back(journal, garden, head), list[Row]()
    while some := list(islice(line, AT_ONCE)):
        new = memories.untaken(garden, some)
        found += new
        if len(new) < len(some):
            break
    return found[::-1]


def catch_up(memories: Memories, journal: Journal, garden: str, branch: str) -> int | None:
    """Take in what was written and not yet remembered; the head of the line, which is remembered now."""
    head = branch_head(journal, garden, branch)
    if new := rows_to_remember(memories, journal, garden, head):
        memories.take_in(garden, [(row, witness_memories(row)) for row in new])
    return head


def witness_memories(row: Row) -> Mapping[str, NewMemory]:
    """A row as its witnesses remember it: an exchange with words, what they decided to do, or what came of it."""
    memory = _exchange_memory(row) if row.event.kind == CHAT else _autonomy_memory(row)
    return dict.fromkeys(row.event.witnesses, memory) if memory else {}


def _exchange_memory(row: Row) -> NewMemory | None:
    payload = row.event.payload
    if payload.get("forgotten"):
        return None
    heard, said = payload.get("user_text"), _spoken_text(payload)
    lines = [one for one in (heard, said) if one]
    if not lines:
        return None
    return NewMemory(
        source=MemorySource(payload["source"]),
        text=Generated("\n".join(lines)),
        user_text=heard,
        assistant_text=None if said is None else Generated(said),
        at=datetime.fromisoformat(payload.get("at") or row.recorded_at),
        reply_to=payload.get("reply_to"),
    )


def _spoken_text(payload: Mapping[str, Any]) -> str | None:
    """What the persona said. What came before a fault is on record beside it, and was never said."""
    whole = payload.get("fault") in (None, STOPPED)
    said: str | None = payload.get("assistant_text") if whole else None
    return said


def _autonomy_memory(row: Row) -> NewMemory | None:
    """Decisions never come to mind by themselves, results only where they are worth it."""
    match parse_row(row.event.kind, row.event.payload):
        case DecisionRow() as one if one.acting and one.decision:
            return NewMemory(
                source=MemorySource.DELIBERATION_DECISION, text=one.decision.reason, at=one.at, searchable=False
            )
        case ResultRow() as one:
            told = "\n".join([unseal(one.result.summary_text), *_facts(one.result.result_payload)])
            return NewMemory(
                source=MemorySource.ACTION_RESULT, text=Generated(told[:LONGEST_FACTS]), at=one.at,
                searchable=one.result.recall_decision == 1,
            )  # fmt: skip
    return None


def _facts(payload: Any) -> Iterator[str]:
    """Every text in a result, in its order."""
    if isinstance(payload, str):
        yield payload
    for one in payload.values() if isinstance(payload, dict) else payload if isinstance(payload, list) else ():
        yield from _facts(one)
