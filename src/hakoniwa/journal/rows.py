"""Rows: events as JSON, chained by hashes, checked link by link; and how values and texts lie in the columns."""

import hashlib
import math
import zlib
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from json import JSONEncoder
from types import MappingProxyType
from typing import Any, TypeVar

from pydantic_core import from_json
from sqlalchemy import RowMapping

from hakoniwa.errors import JournalError
from hakoniwa.journal import Branch, GardenRecord, GardenSummary, Row, canonical_json
from hakoniwa.journal.faults import SpoiltRecord
from hakoniwa.turn import Event, Value

Texts = dict[str, str]
Clock = Callable[[], datetime]
Kept = TypeVar("Kept", bound=Value)
UNREADABLE = (TypeError, ValueError, RecursionError)
FORGOTTEN = {"forgotten": True}  # all that is left of what a row said once it has been purged
HASHED = ("kind", "turn", "origin", "witnesses", "payload", "world_delta", "state_hash")


class BranchTip(Value):
    """The row that new rows follow; without a seq, they are the first."""

    seq: int | None = None
    row_hash: str | None = None


class RowLink(Value):
    """A row as far as it can still be read; `event` is None where it cannot."""

    seq: int
    parent: int | None
    row_hash: str
    event: Event | None


def utc_now() -> datetime:
    return datetime.now(UTC)


plain_json = JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
"""JSON that keeps the order in which keys were written."""


def json_spelling(text: str) -> str:
    """A text as it stands inside a string of that JSON."""
    return plain_json(text)[1:-1]


def as_kept(value: Kept, what: str) -> Kept:
    """The value as it will be read back, or JournalError where JSON cannot hold it."""
    return kept_with_texts(value, what)[0]


def kept_with_texts(value: Kept, what: str) -> tuple[Kept, Texts]:
    """The same with the JSON of every field, for one who is about to write it down."""
    try:
        texts = {name: plain_json(field) for name, field in value.model_dump().items()}
        read = {name: read_json(text) for name, text in texts.items()}
        kept = type(value).model_validate(read)
        if kept != value and any(plain_json(read[name]) != text for name, text in texts.items()):
            raise ValueError("two keys of one object are written the same")
        return kept, texts
    except UNREADABLE as error:
        raise JournalError("journal.not-json", what=what, problem=str(error)) from error


def read_json(text: str) -> Any:
    return from_json(text, allow_inf_nan=False)


def hash_row(parent_hash: str | None, garden: str, event: Event) -> str:
    """SHA-256 over the event, its garden and the hash of the row before it; not over seq, time or branch."""
    data = event.model_dump(exclude={"payload"}) | {"payload": event.payload}
    text = canonical_json([parent_hash, garden, *(data[field] for field in HASHED)])
    return hashlib.sha256(text.encode()).hexdigest()


def hash_remains(parent_hash: str | None, row: Row) -> str:
    """The tombstone of a row: a hash over all that stays of it when its words are purged, its own hash included."""
    return _hash_left(parent_hash, row.garden, row.row_hash, row.event.model_copy(update={"payload": FORGOTTEN}))


def _hash_left(parent_hash: str | None, garden: str, row_hash: str, event: Event) -> str:
    return hash_row(f"{parent_hash}/{row_hash}", garden, event)


def chain(garden: str, branch: str, events: Sequence[Event], first: int, tip: BranchTip, now: datetime) -> list[Row]:
    """The events as rows that follow the tip and one another, the first of them numbered `first`."""
    rows: list[Row] = []
    recorded_at = now.astimezone(UTC).isoformat(timespec="microseconds")
    for seq, event in enumerate(events, start=first):
        row_hash = hash_row(tip.row_hash, garden, event)
        rows.append(
            Row(
                seq=seq,
                parent=tip.seq,
                garden=garden,
                branch=branch,
                event=event,
                row_hash=row_hash,
                recorded_at=recorded_at,
            )
        )
        tip = BranchTip(seq=seq, row_hash=row_hash)
    return rows


def problems(
    garden: str,
    links: Sequence[RowLink],
    branches: Sequence[Branch],
    forgotten: Mapping[int, str] = MappingProxyType({}),
) -> list[str]:
    """What does not add up among the rows and heads of one garden; forgotten rows come with their tombstones."""
    hashes: dict[int | None, str | None] = {None: None, **{link.seq: link.row_hash for link in links}}
    broken = [f"row {link.seq}: {problem}" for link in links if (problem := _problem(garden, link, hashes, forgotten))]
    dangling = [
        f"branch {branch.name!r}: its head {branch.head} is not a row of this garden"
        for branch in branches
        if branch.head not in hashes
    ]
    return broken + dangling


def _problem(
    garden: str, link: RowLink, hashes: dict[int | None, str | None], forgotten: Mapping[int, str]
) -> str | None:
    if link.parent not in hashes:
        return f"its parent {link.parent} is missing"
    if link.event is None:
        return "it cannot be read"
    parent_hash, tombstone = hashes[link.parent], forgotten.get(link.seq)
    if tombstone is not None:
        sound = _hash_left(parent_hash, garden, link.row_hash, link.event) == tombstone
    else:
        sound = hash_row(parent_hash, garden, link.event) == link.row_hash
    return None if sound else "its hash does not add up"


TEXTS = ("witnesses", "payload", "world_delta")


def garden_columns(garden: GardenRecord, now: datetime) -> dict[str, Any]:
    return {
        "id": garden.id,
        "seed": garden.seed,
        "scenario": plain_json(garden.scenario),
        "sheets": plain_json(garden.sheets),
        "settings": plain_json(garden.settings),
        "created_at": now.astimezone(UTC).isoformat(timespec="microseconds"),
    }


def garden_of(found: RowMapping) -> GardenRecord:
    try:
        texts = {name: read_json(found[name]) for name in ("scenario", "sheets", "settings")}
        return GardenRecord(id=found["id"], seed=found["seed"], **texts)
    except UNREADABLE as error:
        raise SpoiltRecord(f"garden {found['id']!r} cannot be read") from error


def summary_from(found: Sequence[Any], heads: Sequence[Branch]) -> GardenSummary:
    """What a list tells of a garden: its id, seed and settings, and what is taken out of its scenario."""
    id, seed, settings, scenario, title, language = found
    try:
        return GardenSummary(
            id=id, seed=seed, scenario=scenario, title=title, language=language, settings=read_json(settings),
            branches=tuple(sorted(heads, key=lambda one: one.name)),
        )  # fmt: skip
    except UNREADABLE as error:
        raise SpoiltRecord(f"garden {id!r} cannot be read") from error


def branch_columns(garden: str, branch: Branch) -> dict[str, Any]:
    return {"garden": garden, **branch.model_dump()}


def branch_of(found: RowMapping) -> Branch:
    return Branch(name=found["name"], head=found["head"], parent=found["parent"], turn=found["turn"])


def row_columns(row: Row) -> dict[str, Any]:
    event = row.event.model_dump()
    texts = {name: plain_json(event[name]) for name in TEXTS}
    return {**row.model_dump(exclude={"event"}), **event, **texts}


def row_of(found: RowMapping) -> Row:
    return Row(
        seq=found["seq"],
        parent=found["parent"],
        garden=found["garden"],
        branch=found["branch"],
        event=event_of(found),
        row_hash=found["row_hash"],
        recorded_at=found["recorded_at"],
    )


def event_of(found: RowMapping) -> Event:
    try:
        return Event(
            kind=found["kind"],
            turn=found["turn"],
            origin=found["origin"],
            witnesses=read_json(found["witnesses"]),
            payload=read_json(found["payload"]),
            world_delta=read_json(found["world_delta"]),
            state_hash=found["state_hash"],
        )
    except UNREADABLE as error:
        raise SpoiltRecord(f"row {found['seq']} cannot be read") from error


def link_of(found: RowMapping) -> RowLink:
    """The row for checking: one that someone has spoilt is still a link of its chain."""
    try:
        event = event_of(found)
    except SpoiltRecord:
        event = None
    return RowLink(seq=found["seq"], parent=found["parent"], row_hash=found["row_hash"], event=event)


EVERY = 8


def make_legible(text: str) -> str:
    """The text with the halves of surrogate pairs joined, and those left alone marked: UTF-8 cannot hold them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def plain(text: str) -> str:
    """The text for a column that holds no JSON; PostgreSQL has no NUL there."""
    return make_legible(text).replace("\0", "\ufffd")


def make_storable(data: Any) -> Any:
    """The data as JSON can hold it: a reply that came damaged is kept with marks in it, and never lost."""
    match data:
        case str():
            return make_legible(data)
        case float():
            return data if math.isfinite(data) else None
        case dict():
            return {make_storable(name): make_storable(value) for name, value in data.items()}
        case list() | tuple():
            return [make_storable(one) for one in data]
    return data


def pieces(text: str) -> list[str]:
    """The text cut behind lines chosen by what they say, so that texts with lines in common have pieces in common."""
    found: list[str] = []
    start = end = 0
    for line in text.splitlines(keepends=True):
        end += len(line)
        if zlib.crc32(line.encode()) % EVERY == 0:
            found.append(text[start:end])
            start = end
    return [*found, text[start:]] if start < len(text) else found


def hash_text(text: str) -> str:
    """The first half of SHA-256: enough that nobody finds two texts with one hash."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def key_of(text: str) -> str:
    """The text as something to be looked up by, however long it is."""
    return hash_text(make_legible(text))
