"""Calls to a model, kept beside the events: taken apart for the tables, put together again, found for a branch."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, exists, select

from hakoniwa.errors import JournalError
from hakoniwa.journal import CallRow
from hakoniwa.journal.database import run
from hakoniwa.journal.faults import SpoiltRecord
from hakoniwa.journal.queries import require_branch
from hakoniwa.journal.rows import UNREADABLE, hash_text, key_of, make_storable, pieces, plain, plain_json, read_json
from hakoniwa.journal.tables import COUNTER, calls, events, texts

Columns = Mapping[str, Any]
Texts = Mapping[str, str]


class StorableCall(NamedTuple):
    """A call ready to be written: how it lies in the columns, and the texts of its messages by their hashes."""

    columns: dict[str, Any]
    texts: dict[str, str]


class RowStep(NamedTuple):
    """As much of an event's row as tells where a line of play went."""

    seq: int
    parent: int | None
    branch: str
    turn: int


def split_call(call: Mapping[str, Any]) -> StorableCall:
    """A call taken apart, or JournalError where JSON cannot hold it."""
    try:
        kept = make_storable(dict(call))
        texts: dict[str, str] = {}
        prompt = [{**one, "content": _hash_pieces(one["content"], texts)} for one in kept.pop("messages", [])]
        return StorableCall({"call": plain_json(kept), "prompt": plain_json(prompt)}, texts)
    except (*UNREADABLE, LookupError, AttributeError) as error:
        raise JournalError("journal.not-json", what="call", problem=str(error)) from error


def _hash_pieces(content: str, texts: dict[str, str]) -> list[str]:
    """The hashes of a text's pieces, which join the other `texts`."""
    found = _in_pieces(content)
    texts.update(found)
    return [hash for hash, _ in found]


@lru_cache(maxsize=16)
def _in_pieces(content: str) -> tuple[tuple[str, str], ...]:
    """A text's pieces with their hashes; the second call of a turn begins with all that the first one asked."""
    return tuple((hash_text(piece), piece) for piece in pieces(content))


def place_columns(
    garden: str, branch: str, after: int | None, turn: int, key: str, speaker: str | None, now: datetime
) -> dict[str, Any]:
    """Where in a garden a call was asked, and when."""
    return {
        "garden": garden,
        "branch": branch,
        "after": after,
        "turn": turn,
        "speaker": None if speaker is None else plain(speaker),
        "key": key_of(key),
        "recorded_at": now.astimezone(UTC).isoformat(timespec="microseconds"),
    }


def call_of(found: Columns, texts: Texts | None) -> dict[str, Any]:
    """A call put together again; its messages only where there are texts to make them of."""
    try:
        call: dict[str, Any] = read_json(found["call"])
        messages = [] if texts is None else [_join_message(one, texts) for one in read_json(found["prompt"])]
        return {**call, "messages": messages}
    except (*UNREADABLE, LookupError) as error:
        raise SpoiltRecord(f"call {found['id']} cannot be read") from error


def _join_message(message: dict[str, Any], texts: Texts) -> dict[str, Any]:
    return {**message, "content": "".join(texts[hash] for hash in message["content"])}


def is_readable(found: Columns, texts: Texts) -> bool:
    try:
        call_of(found, texts)
    except SpoiltRecord:
        return False
    return True


def text_hashes(found: Columns) -> list[str]:
    """The texts that a call's messages are made of, as far as they can be told."""
    try:
        return [str(hash) for one in read_json(found["prompt"]) for hash in one["content"]]
    except (*UNREADABLE, LookupError):
        return []


def usable_call(found: Iterable[Columns], texts: Texts) -> dict[str, Any] | None:
    """The first call that had no fault; one that cannot be read any more is asked again instead."""
    whole = (call_of(one, texts) for one in found if is_readable(one, texts))
    return next((call for call in whole if call.get("fault") is None), None)


class BranchRows:
    """The rows that lead to a branch's head, among all that were written in its garden."""

    def __init__(self, steps: Sequence[RowStep], branch: str, head: int | None) -> None:
        parents = {step.seq: step.parent for step in steps}
        self.branch = branch
        self.rows: set[int] = set()
        while head is not None and head not in self.rows:
            self.rows.add(head)
            head = parents.get(head)
        self.written: dict[str, list[RowStep]] = defaultdict(list)
        for step in steps:
            self.written[step.branch].append(step)

    def became(self, call: Columns) -> int | None:
        """The row a call led to: the first of its turn, or of a later one, that its branch was given since."""
        steps = self.written[call["branch"]]
        start = bisect_right(steps, call["seen"], key=lambda step: step.seq)
        return next((step.seq for step in steps[start:] if step.turn >= call["turn"]), None)

    def behind(self, call: Columns) -> bool:
        """Whether the call led to this line, or else was asked on its own branch."""
        return call["branch"] == self.branch or self.became(call) in self.rows

    def row(self, found: Columns, texts: Texts | None) -> CallRow:
        became = self.became(found)
        return CallRow(
            id=found["id"],
            garden=found["garden"],
            branch=found["branch"],
            after=found["after"],
            turn=found["turn"],
            speaker=found["speaker"],
            call=call_of(found, texts),
            undone=became is not None and became not in self.rows,
            recorded_at=found["recorded_at"],
        )


BATCH = 1000

KEEP = "INSERT INTO texts (hash, text) VALUES (:hash, :text) ON CONFLICT DO NOTHING"
GIVEN = [column.name for column in calls.c if column.name not in ("id", "seen")]
NEWEST = f"(SELECT value FROM counters WHERE name = '{COUNTER}')"
WRITE = f"INSERT INTO calls ({', '.join(GIVEN)}, seen) VALUES (:{', :'.join(GIVEN)}, {NEWEST})"
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


def write_call(connection: Connection, place: Mapping[str, Any], call: StorableCall, new: Iterable[str]) -> None:
    """Write a call and those of its texts that may be new; in order, so that two writers cannot wait for each other."""
    require_branch(connection, place["garden"], place["branch"])
    for hash in sorted(new):
        run(connection, KEEP, {"hash": hash, "text": plain_json(call.texts[hash])})
    run(connection, WRITE, {**place, **call.columns})


def waiting_calls(
    connection: Connection, garden: str, branch: str, after: int | None, key: str
) -> list[dict[str, Any]]:
    """The calls asked at a head that nothing has been written after since, newest first."""
    where = {"of_garden": garden, "of_branch": branch, "at": after, "of_key": key}
    return [dict(one) for one in connection.execute(WAITING, where).mappings()]


def all_calls(connection: Connection, garden: str, turn: int | None = None) -> list[dict[str, Any]]:
    of_garden = select(calls).where(calls.c.garden == garden).order_by(calls.c.id)
    chosen = of_garden if turn is None else of_garden.where(calls.c.turn == turn)
    return [dict(one) for one in connection.execute(chosen).mappings()]


def branch_rows(connection: Connection, garden: str, branch: str, head: int | None) -> BranchRows:
    found = connection.execute(STEPS.where(events.c.garden == garden))
    return BranchRows([RowStep(*one) for one in found], branch, head)


def texts_of(connection: Connection, found: Iterable[Columns]) -> dict[str, str]:
    """The texts of calls by their hashes; one that is not what was written is left out."""
    wanted = sorted({hash for one in found for hash in text_hashes(one)})
    whole: dict[str, str] = {}
    for start in range(0, len(wanted), BATCH):
        for hash, kept in connection.execute(READ, {"hashes": wanted[start : start + BATCH]}):
            if (piece := _sound_text(hash, kept)) is not None:
                whole[hash] = piece
    return whole


def _sound_text(hash: str, kept: str) -> str | None:
    try:
        piece: str = read_json(kept)
        return piece if hash_text(piece) == hash else None
    except (*UNREADABLE, AttributeError):
        return None


def lost_calls(connection: Connection, garden: str) -> list[str]:
    """The calls that were spoilt, or whose texts have gone."""
    found = all_calls(connection, garden)
    whole = texts_of(connection, found)
    return [f"call {one['id']}: it cannot be read" for one in found if not is_readable(one, whole)]
