"""Two lines of play beside each other: where they part, and how their worlds differ now."""

from collections.abc import Iterator
from itertools import takewhile
from typing import Any, Literal

from hakoniwa.service.reel import Reel
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import Value

FIELDS: dict[str, tuple[str, ...]] = {
    "characters": ("location", "posture", "holding", "status"),
    "props": ("location", "inside", "on", "held_by", "state"),
}
Sort = Literal["person", "thing", "sky"]
SORTS: dict[str, Sort] = {"characters": "person", "props": "thing"}
Told = str | tuple[str, ...] | None


class Difference(Value):
    """Something that is one way here and another there; what is not in a world at all is null there."""

    sort: Sort
    name: str
    field: str
    one: Told
    other: Told


class Side(Value):
    """How far a branch has come since they parted."""

    branch: str
    turn: int
    rows: int
    ended: str | None


class Comparison(Value):
    """Two branches: the last row and turn that both have, how far each has come, and how they differ now."""

    seq: int | None
    turn: int
    one: Side
    other: Side
    differences: tuple[Difference, ...]


def comparison(one: Reel, other: Reel) -> Comparison:
    """Where two lines of the same garden part, and what came of it."""
    pairs = zip(one.rows.seqs, other.rows.seqs, strict=False)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return Comparison(
        seq=one.rows.seqs[shared - 1] if shared else None,
        turn=one.rundown.turns[shared - 1] if shared else 0,
        one=_side(one, shared),
        other=_side(other, shared),
        differences=tuple(_differences(one.standing.world, other.standing.world)),
    )


def _side(reel: Reel, shared: int) -> Side:
    standing = reel.standing
    return Side(branch=reel.branch, turn=standing.world.time.turn, rows=len(reel.rows) - shared, ended=standing.ended)


def _differences(one: WorldState, other: WorldState) -> Iterator[Difference]:
    for table, fields in FIELDS.items():
        mine, theirs = getattr(one, table), getattr(other, table)
        for name in dict.fromkeys([*mine, *theirs]):
            if mine.get(name) is not theirs.get(name):
                yield from _unlike(SORTS[table], name, fields, mine.get(name), theirs.get(name))
    pairs = {"label": (one.time.label, other.time.label), "clock": (one.time.clock, other.time.clock)}
    pairs |= {"weather": (one.meta.weather, other.meta.weather), "tension": (one.meta.tension, other.meta.tension)}
    for field, (here, there) in pairs.items():
        if here != there:
            yield Difference(sort="sky", name="", field=field, one=here, other=there)


def _unlike(sort: Sort, name: str, fields: tuple[str, ...], here: Any, there: Any) -> Iterator[Difference]:
    for field in fields:
        mine, theirs = getattr(here, field, None), getattr(there, field, None)
        if mine != theirs:
            yield Difference(sort=sort, name=name, field=field, one=mine, other=theirs)
