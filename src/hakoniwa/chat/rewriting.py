"""Rewriting: a chat goes on differently from one of its exchanges. As it was, it stays in the journal as a take."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from hakoniwa.chat.lineage import CHAT, ChatLine, head_of, newest_exchange
from hakoniwa.errors import UnknownName, UsageError
from hakoniwa.journal import MAIN, Journal, Row
from hakoniwa.journal.follow import branch_head, row_at, rows_after, rows_back
from hakoniwa.journal.takes import begin_take, go_back, keep_take, takes_of
from hakoniwa.persona.generated import Generated
from hakoniwa.persona.records import MemorySource
from hakoniwa.turn import Event, Value

REPEATS = "repeats"  # where an exchange names the first one whose words it has
MOST_GREETINGS = 20
SINCE = "since"  # where an exchange in a garden names the row after which it began: an act of it comes in between


class ExchangeTake(Value):
    """One way in which the newest exchange went, by its number from 1 on; `branch` is where it is kept."""

    number: int
    text: Generated | None
    current: bool
    branch: str | None = None


def open_with(journal: Journal, garden: str, who: str, greetings: Sequence[str]) -> None:
    """Have a chat begin with the first of some greetings; all of them are takes to choose from."""
    said = [
        {"source": MemorySource.CHAT.value, "user_text": None, "assistant_text": one}
        for one in greetings[:MOST_GREETINGS]
    ]
    if said:
        event = Event(kind=CHAT, turn=1, origin="card", witnesses=(who,), payload=said[0])
        add_takes(journal, journal.append(garden, MAIN, [event], None)[-1], said)


def add_takes(journal: Journal, newest: Row, payloads: Sequence[dict[str, Any]]) -> None:
    """Keep every way in which the newest exchange of a chat went, itself among them, as takes to choose from."""
    for payload in payloads:
        own = payload["assistant_text"] == newest.event.payload["assistant_text"]
        at = newest.seq if own else newest.parent
        take = begin_take(journal, newest.garden, newest.branch, newest.event.turn, at)
        if not own:
            event = newest.event.with_field("payload", {**payload, REPEATS: newest.seq})
            journal.append(newest.garden, take.name, [event], at)


def first_of(row: Row) -> int:
    """The exchange whose words these first were."""
    return int(row.event.payload.get(REPEATS, row.seq))


def beginning_of(row: Row) -> int | None:
    """The row after which an exchange began."""
    began: int | None = row.event.payload.get(SINCE, row.parent)
    return began


def exchange_at(journal: Journal, line: ChatLine, seq: int) -> Row:
    """An exchange of a line by its number, or UnknownName."""
    rows = rows_back(journal, line.garden, branch_head(journal, line.garden, line.branch), seq - 1)
    row = next((one for one in rows if one.seq == seq), None)
    if row is None or not line.has(row) or row.event.payload.get("forgotten"):
        raise UnknownName("ghost.no-event", id=seq)
    return row


def take_back(journal: Journal, line: ChatLine, row: Row) -> None:
    """Have a line end before an exchange, and keep it as it is as a take."""
    keep_take(journal, line.garden, line.branch, row.event.turn, line.takes)
    journal.move_head(line.garden, line.branch, beginning_of(row))


def kept_takes(journal: Journal, line: ChatLine) -> list[ExchangeTake]:
    """Every way in which the newest exchange of a line went, in the order in which they came about."""
    newest = newest_exchange(journal, line, head_of(journal, line.garden, line.branch))
    if newest is None:
        return []
    found = [(name, row) for name, row in _takes(journal, line, newest) if first_of(row) == first_of(newest)]
    if newest.seq not in [row.seq for _, row in found]:
        found.append((None, newest))
    return [
        ExchangeTake(number=place, text=_text(row), current=row.seq == newest.seq, branch=name)
        for place, (name, row) in enumerate(found, start=1)
    ]


def _takes(journal: Journal, line: ChatLine, newest: Row) -> Iterator[tuple[str | None, Row]]:
    """The takes of an exchange that go on from where it does, with the exchange each has there."""
    for of, one in takes_of(journal, line.garden, line.takes):
        if line.private or of.turn == newest.event.turn:
            row = newest_exchange(journal, line, row_at(journal, line.garden, one.head))
            if row is not None and beginning_of(row) == beginning_of(newest):
                yield one.name, row


def _text(row: Row) -> Generated | None:
    said = row.event.payload.get("assistant_text")
    return None if said is None else Generated(said)


def choose_take(journal: Journal, line: ChatLine, number: int) -> None:
    """Have a line go on from another take of its newest exchange."""
    takes = {one.number: one for one in kept_takes(journal, line)}
    if number not in takes:
        raise UsageError("chat.no-take", number=number, count=len(takes))
    if name := takes[number].branch:
        kept = takes_of(journal, line.garden, line.takes)
        turn = next(of.turn for of, one in kept if one.name == name)
        go_back(journal, line.garden, line.branch, name, turn, line.takes)


def replace_exchange(journal: Journal, line: ChatLine, row: Row, payload: dict[str, Any] | None) -> None:
    """Have a line go on as it does, but with other words in one exchange, or (None) without it."""
    garden, branch = line.garden, line.branch
    rows = list(rows_back(journal, garden, branch_head(journal, garden, branch), row.seq))[::-1]
    keep_take(journal, garden, branch, row.event.turn, line.takes)
    written: dict[int | None, int | None] = {row.seq: row.parent}
    head = row.parent
    if rows or payload is not None:
        name = begin_take(journal, garden, branch, row.event.turn, row.parent, line.takes).name
        fewer = int(payload is None and not line.private)  # exchanges are the turns of a chat, and none of a garden's
        for one in [row] * (payload is not None) + rows:
            event = _repetition(one, payload if one is row else one.event.payload, written, fewer)
            head = journal.append(garden, name, [event], head)[-1].seq
            written[one.seq] = head
    journal.move_head(garden, branch, head)


def _repetition(row: Row, payload: Any, written: dict[int | None, int | None], fewer: int) -> Any:
    """An event of a line as another one has it, where some rows have other numbers."""
    said = {**payload, REPEATS: first_of(row)} if row.event.kind == CHAT else payload
    moved = {name: written.get(said[name], said[name]) for name in ("reply_to", SINCE) if name in said}
    return row.event.with_fields({"payload": {**said, **moved}, "turn": row.event.turn - fewer})


def repetitions(journal: Journal, garden: str, seqs: Collection[int]) -> set[int]:
    """These rows of a chat and all that have the same words: their takes, and what was written again after them."""
    chosen, rows = set(seqs), list(rows_after(journal, garden, 0))
    first = {first_of(row) for row in rows if row.seq in chosen}
    return chosen | {row.seq for row in rows if row.event.kind == CHAT and first_of(row) in first}
