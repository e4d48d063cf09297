"""Fingerprint: the hash of a world that changes little at a time, without writing all of it out again."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from hakoniwa.stage.world import WorldState
from hakoniwa.turn import Value

TABLES = ("characters", "locations", "props")
_canonical = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode


class Fingerprint:
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
