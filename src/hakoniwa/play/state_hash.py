"""The hash of a world, worked out anew only where it changed; and verifying a garden by it, row by row."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError

from hakoniwa.errors import JournalError, WorldError
from hakoniwa.journal import Journal, Row
from hakoniwa.stage.patch import apply
from hakoniwa.stage.scenario import Scenario
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import Value

TABLES = ("characters", "locations", "props")
_canonical = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode


class WorldHasher:
    """`WorldState.hash` for one world after another: what they share is the same object, and is written out once."""

    def __init__(self) -> None:
        self._written: dict[tuple[str, str], tuple[Value, str]] = {}

    def of(self, world: WorldState) -> str:
        left_out: dict[str, Any] = {"events": True, "time": {"turn"}, **dict.fromkeys(TABLES, True)}
        rest = world.model_dump(mode="json", exclude_none=True, exclude=left_out)
        parts = {name: _canonical(value) for name, value in rest.items()}
        parts |= {table: self._table(table, getattr(world, table)) for table in TABLES}
        whole = _object(f"{_canonical(name)}:{parts[name]}" for name in sorted(parts))
        return hashlib.sha256(whole.encode()).hexdigest()[:16]

    def _table(self, table: str, entries: dict[str, Any]) -> str:
        return _object([self._entry(table, name, entries[name]) for name in sorted(entries)])

    def _entry(self, table: str, name: str, one: Value) -> str:
        known = self._written.get((table, name))
        if known is None or known[0] is not one:
            text = f"{_canonical(name)}:{_canonical(one.model_dump(mode='json', exclude_none=True))}"
            known = self._written[table, name] = (one, text)
        return known[1]


def _object(members: Iterable[str]) -> str:
    """An object of JSON from its members, each a name with its value."""
    return "{" + ",".join(members) + "}"


def verify(journal: Journal, garden_id: str) -> list[str]:
    """What does not add up, each naming its place; empty when the journal can be trusted."""
    found = journal.check(garden_id)
    try:
        opening = Scenario.model_validate(journal.garden(garden_id).scenario).world
    except ValidationError as error:
        return [*found, f"garden {garden_id!r}: its scenario cannot be read: {error.errors()[0]['msg']}"]
    by_place: dict[str, str] = {}
    for branch in journal.branches(garden_id):
        for place, problem in _branch_problems(journal, garden_id, branch.name, opening).items():
            by_place.setdefault(place, f"branch {branch.name!r}, {place}: {problem}")
    return [*found, *by_place.values()]


def _branch_problems(journal: Journal, garden_id: str, branch: str, opening: WorldState) -> dict[str, str]:
    """The problems of one branch by place; from a delta that does not apply on, nothing can be said."""
    try:
        rows = journal.lineage(garden_id, branch)
    except JournalError as error:
        return {f"head of {branch!r}": f"its rows cannot be read: {error}"}
    found: dict[str, str] = {}
    world = opening
    for row in rows:
        place = f"turn {row.event.turn}, row {row.seq}"
        try:
            world = apply(world, row.event.world_delta)
        except WorldError as error:
            return {**found, place: f"its delta does not apply: {error}"}
        if problem := _wrong_hash(row, world):
            found[place] = problem
    return found


def _wrong_hash(row: Row, world: WorldState) -> str | None:
    recorded = row.event.state_hash
    if recorded is None or recorded == world.hash:
        return None
    return f"its state_hash is {recorded}, but the world it leaves has {world.hash}"
