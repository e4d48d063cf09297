"""How values lie in the columns of the tables."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import RowMapping

from hakoniwa.journal import Branch, Garden, Plate, Row
from hakoniwa.journal.faults import Spoilt
from hakoniwa.journal.rows import UNREADABLE, Link, plain_json, read_json
from hakoniwa.turn import Event

TEXTS = ("witnesses", "payload", "world_delta")


def garden_columns(garden: Garden, now: datetime) -> dict[str, Any]:
    return {
        "id": garden.id,
        "seed": garden.seed,
        "scenario": plain_json(garden.scenario),
        "sheets": plain_json(garden.sheets),
        "settings": plain_json(garden.settings),
        "created_at": now.astimezone(UTC).isoformat(timespec="microseconds"),
    }


def garden_of(found: RowMapping) -> Garden:
    try:
        texts = {name: read_json(found[name]) for name in ("scenario", "sheets", "settings")}
        return Garden(id=found["id"], seed=found["seed"], **texts)
    except UNREADABLE as error:
        raise Spoilt(f"garden {found['id']!r} cannot be read") from error


def plate_from(found: Sequence[Any], heads: Sequence[Branch]) -> Plate:
    """What a list tells of a garden: its id, seed and settings, and what is taken out of its scenario."""
    id, seed, settings, scenario, title, language = found
    try:
        return Plate(
            id=id, seed=seed, scenario=scenario, title=title, language=language, settings=read_json(settings),
            branches=tuple(sorted(heads, key=lambda one: one.name)),
        )  # fmt: skip
    except UNREADABLE as error:
        raise Spoilt(f"garden {id!r} cannot be read") from error


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
        raise Spoilt(f"row {found['seq']} cannot be read") from error


def link_of(found: RowMapping) -> Link:
    """The row for checking: one that someone has spoilt is still a link of its chain."""
    try:
        event = event_of(found)
    except Spoilt:
        event = None
    return Link(seq=found["seq"], parent=found["parent"], row_hash=found["row_hash"], event=event)
