"""What is left after a kill, held against what was seen before it; and the garden, taken up again."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import pairwise
from typing import Any, NamedTuple

from sqlalchemy import func, select

from hakoniwa.errors import UnknownName
from hakoniwa.journal import MAIN, CallRow, Journal, Row, canonical
from hakoniwa.journal.open import open_journal
from hakoniwa.journal.tables import annotations, ghosts, memories, works
from hakoniwa.memory.store import Memories
from hakoniwa.memory.store.intake import ROOM
from hakoniwa.play.state_hash import verify
from tests.trust.lives import PLAIN, Place, asked, left_alone, played

TOLD = ("parent", "turn", "kind", "origin")  # what an event of the stream says of a row as the journal has it
ROWS = 1_000_000


class Heard(NamedTuple):
    """What a play let the world know before it ended."""

    rows: Sequence[dict[str, Any]] = ()
    deed: str | None = None
    asked: Sequence[str] = ()  # during that deed
    asked_before: Sequence[str] = ()
    branches: Mapping[str, int | None] = {}
    crash: str | None = None

    @property
    def last(self) -> int:
        return max((one["seq"] for one in self.rows), default=0)


class Taken(NamedTuple):
    """A garden that was taken up again: what somebody saw who came back, and somebody who had never been there; and
    what the model was asked."""

    back: Sequence[dict[str, Any]]
    new: Sequence[dict[str, Any]]
    asked: Sequence[str]


def heard(notes: Sequence[Sequence[Any]]) -> Heard:
    begun = max((place for place, note in enumerate(notes) if note[0] == "deed"), default=0)
    return Heard(
        [note[1] for note in notes if note[0] == "row"],
        next((note[1] for note in notes[begun:] if note[0] == "deed"), None),
        [note[1] for note in notes[begun:] if note[0] == "asked"],
        [note[1] for note in notes[:begun] if note[0] == "asked"],
        {name: head for note in reversed(notes) if note[0] == "branches" for name, head in note[1].items()},
        next((note[1] for note in notes if note[0] == "crash"), None),
    )


def aftermath(place: Place, before: Heard, undisturbed: Sequence[str] | None) -> Iterator[str]:
    """Everything that is not as it was promised; `undisturbed` is the garden as it would be without the kill."""
    if before.crash:
        yield f"a play crashed: {before.crash[-300:]}"
    with closing(open_journal(place.url)) as journal:
        yield from left_behind(journal, place.garden, before.rows)
        waiting = _waiting(journal, place.garden) if before.deed == "turn" else []
        branches = {**left_alone(journal, place.garden), **before.branches}
    taken = _taken_up(place, before.last)
    again = set(taken.asked) & {*waiting, *before.asked[:-1]}
    yield from (f"what had been answered was asked again: {one}" for one in sorted(again))
    with closing(open_journal(place.url)) as journal:
        yield from left_behind(journal, place.garden, taken.back)
        yield from _moved(branches, left_alone(journal, place.garden))
        yield from _on_record(journal.calls(place.garden, MAIN, prompts=True), before, taken)
        line = journal.lineage(place.garden, MAIN)
        yield from _not_remembered(journal, place.garden, line)
        yield from worked_in(journal, place.garden)
    yield from _seen_again(before, taken, [row.seq for row in line])
    turns = [row.event.turn for row in line if row.event.kind == "turn"]
    if any(one + 1 != other for one, other in pairwise(turns)):
        yield f"turns that do not follow each other: {turns}"
    if undisturbed is not None and any(one != canonical(row) for one, row in zip(undisturbed, line, strict=False)):
        yield "another garden than it would have been without the kill"


def left_behind(journal: Journal, garden: str, seen: Sequence[dict[str, Any]]) -> Iterator[str]:
    """What is wrong with a garden after something was seen of it, or nothing."""
    try:
        branches = journal.branches(garden)
    except UnknownName:
        yield from (f"row {one['seq']} was seen of a garden that is not there" for one in seen)
        return
    kept = {row.seq: row for row in journal.since(0, ROWS, garden)}
    for one in seen:
        row = kept.get(one["seq"])
        if row is None:
            yield f"row {one['seq']} was seen, and is not there"
        elif any(one[name] != getattr(row, name, getattr(row.event, name, None)) for name in TOLD):
            yield f"row {one['seq']} is not what was seen"
    yield from verify(journal, garden)
    for branch in branches:
        if branch.head and kept[branch.head].event.state_hash is None:
            yield f"half of what belongs together at the head of {branch.name!r}"


def _waiting(journal: Journal, garden: str) -> list[str]:
    """The questions whose answers are on record and wait at the head to be used."""
    head = next(one.head for one in journal.branches(garden) if one.name == MAIN)
    calls = [row for row in journal.calls(garden, MAIN, prompts=True) if row.after == head and not row.undone]
    return [_question(one) for one in calls if not one.call["fault"]]


def _question(row: CallRow) -> str:
    return asked(row.call["purpose"], [(one["role"], one["content"]) for one in row.call["messages"]])


def _moved(seen: Mapping[str, int | None], found: Mapping[str, int | None]) -> Iterator[str]:
    """Whether the branches that nobody plays on are where they were seen."""
    for name, head in seen.items():
        if name not in found:
            yield f"branch {name!r} was seen, and is not there"
        elif found[name] != head:
            yield f"branch {name!r} was seen at {head}, and is at {found[name]}"


def _on_record(calls: Sequence[CallRow], before: Heard, taken: Taken) -> Iterator[str]:
    """Whether every question is on record once; the one that was being answered when the kill came may not be."""
    kept = Counter(map(_question, calls))
    all_asked = Counter([*before.asked_before, *before.asked, *taken.asked])
    missing, doubled = all_asked - kept, kept - all_asked
    missing -= Counter(before.asked[-1:])
    yield from (f"a question is not on record: {one}" for one in missing)
    yield from (f"a question is on record too often: {one}" for one in doubled)


# --- memory -----------------------------------------------------------------------------------------------------------


def _not_remembered(journal: Journal, garden: str, line: Sequence[Row]) -> Iterator[str]:
    """What should have been taken in before the last turn was played, and is in nobody's memory."""
    last = max((row.seq for row in line if row.event.kind == "turn"), default=0)
    untaken = Memories(journal).untaken(garden, line)
    yield from (f"row {row.seq} was not taken into memory" for row in untaken if row.seq < last)


def worked_in(journal: Journal, garden: str) -> list[str]:
    """What memory has worked on more than once, or never will."""
    own = memories.c.searchable & memories.c.ghost.in_(select(ghosts.c.no).where(ghosts.c.garden == garden))
    found = select(func.count()).where(annotations.c.memory == memories.c.id).scalar_subquery()
    waiting = select(func.count()).where(works.c.id == memories.c.id * ROOM).scalar_subquery()
    with journal.database.reading() as connection:
        wrong = connection.execute(select(memories.c.id, found, waiting).where(own, found + waiting != 1)).all()
    return [f"memory {id} was worked on {often} times, and is to be {more} times more" for id, often, more in wrong]


def _taken_up(place: Place, last: int) -> Taken:
    notes: list[tuple[str, Any]] = []

    def note(word: str, what: Any) -> None:
        notes.append((word, what))

    asyncio.run(played(place, PLAIN, 1, note, {"back": last, "new": 0}))
    return Taken(*([what for word, what in notes if word == wanted] for wanted in ("back", "new", "asked")))


def _seen_again(before: Heard, taken: Taken, wanted: Sequence[int]) -> Iterator[str]:
    """Whether somebody who comes back gets what they missed, once and in order, and all see the same."""
    if (got := [one["seq"] for one in taken.new]) != wanted:
        yield f"a newcomer sees {got} of {wanted}"
    if (got := [one["seq"] for one in taken.back]) != [seq for seq in wanted if seq > before.last]:
        yield f"who has seen {before.last} and comes back sees {got} of {wanted}"
    if any(one["seq"] >= other["seq"] for one, other in pairwise(before.rows)):
        yield "rows were seen twice, or out of order"
    said = {one["seq"]: one for one in taken.new}
    for one in (*before.rows, *taken.back):
        if one["seq"] in said and one != said[one["seq"]]:
            yield f"row {one['seq']} is not for all what it was for one"
