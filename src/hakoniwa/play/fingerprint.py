"""Fingerprint: the hash of a world that changes little at a time, without writing all of it out again."""

import hashlib
import json
from typing import Any

from hakoniwa.stage.world import WorldState
from hakoniwa.turn import Value

TABLES = ("characters", "locations", "props")


class Fingerprint:
    """`WorldState.hash` for one world after another: what they share is the same object, and is written out once."""

    def __init__(self) -> None:
        self._written: dict[tuple[str, str], tuple[Value, str]] = {}

    def of(self, world: WorldState) -> str:
        left_out: dict[str, Any] = {"events": True, "time": {"turn"}, **dict.fromkeys(TABLES, True)}
        rest = world.model_dump(mode="json", exclude_none=True, exclude=left_out)
        parts = {name: _canonical(value) for name, value in rest.items()}
        parts |= {table: self._table(table, getattr(world, table)) for table in TABLES}
        return hashlib.sha256(_joined(parts).encode()).hexdigest()[:16]

    def _table(self, table: str, entries: dict[str, Any]) -> str:
        return _joined({name: self._entry((table, name), one) for name, one in entries.items()})

    def _entry(self, place: tuple[str, str], one: Value) -> str:
        known = self._written.get(place)
        if known is None or known[0] is not one:
            known = self._written[place] = (one, _canonical(one.model_dump(mode="json", exclude_none=True)))
        return known[1]


def _canonical(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _joined(parts: dict[str, str]) -> str:
    """An object of JSON from the JSON of its values."""
    return "{" + ",".join(f"{_canonical(name)}:{parts[name]}" for name in sorted(parts)) + "}"
