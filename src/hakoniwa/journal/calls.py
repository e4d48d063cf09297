"""Calls to a model, kept beside the events: taken apart for the tables, put together again, found for a branch.

They are part of no hash and of no export. What is in a call is not looked at here, but for its `messages`, which share
their texts with other calls, and its `fault`, because of which it is not to be used again.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple

from hakoniwa.errors import JournalError
from hakoniwa.journal import CallRow
from hakoniwa.journal.faults import Spoilt
from hakoniwa.journal.rows import UNREADABLE, plain_json, read_json
from hakoniwa.journal.texts import hash_text, keepable, key_of, pieces, plain

Columns = Mapping[str, Any]
Texts = Mapping[str, str]


class Asked(NamedTuple):
    """A call ready to be written: how it lies in the columns, and the texts of its messages by their hashes."""

    columns: dict[str, Any]
    texts: dict[str, str]


class Step(NamedTuple):
    """As much of an event's row as tells where a line of play went."""

    seq: int
    parent: int | None
    branch: str
    turn: int


def asked(call: Mapping[str, Any]) -> Asked:
    """A call taken apart, or JournalError where JSON cannot hold it."""
    try:
        kept = keepable(dict(call))
        texts: dict[str, str] = {}
        prompt = [{**one, "content": _hashed(one["content"], texts)} for one in kept.pop("messages", [])]
        return Asked({"call": plain_json(kept), "prompt": plain_json(prompt)}, texts)
    except (*UNREADABLE, LookupError, AttributeError) as error:
        raise JournalError("journal.not-json", what="call", problem=str(error)) from error


def _hashed(content: str, texts: dict[str, str]) -> list[str]:
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
        messages = [] if texts is None else [_joined(one, texts) for one in read_json(found["prompt"])]
        return {**call, "messages": messages}
    except (*UNREADABLE, LookupError) as error:
        raise Spoilt(f"call {found['id']} cannot be read") from error


def _joined(message: dict[str, Any], texts: Texts) -> dict[str, Any]:
    return {**message, "content": "".join(texts[hash] for hash in message["content"])}


def readable(found: Columns, texts: Texts) -> bool:
    try:
        call_of(found, texts)
    except Spoilt:
        return False
    return True


def text_hashes(found: Columns) -> list[str]:
    """The texts that a call's messages are made of, as far as they can be told."""
    try:
        return [str(hash) for one in read_json(found["prompt"]) for hash in one["content"]]
    except (*UNREADABLE, LookupError):
        return []


def usable(found: Iterable[Columns], texts: Texts) -> dict[str, Any] | None:
    """The first call that had no fault; one that cannot be read any more is asked again instead."""
    whole = (call_of(one, texts) for one in found if readable(one, texts))
    return next((call for call in whole if call.get("fault") is None), None)


class Line:
    """The rows that lead to a branch's head, among all that were written in its garden."""

    def __init__(self, steps: Sequence[Step], branch: str, head: int | None) -> None:
        parents = {step.seq: step.parent for step in steps}
        self.branch = branch
        self.rows: set[int] = set()
        while head is not None and head not in self.rows:
            self.rows.add(head)
            head = parents.get(head)
        self.written: dict[str, list[Step]] = defaultdict(list)
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
