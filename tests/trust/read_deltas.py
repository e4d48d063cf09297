"""Deltas to be carried out: wholly or not at all."""

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from hakoniwa.stage import patch
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import PatchOp
from tests.trust.reader import Chance, Reader
from tests.trust.scrawl import signs, spoilt_text
from tests.worlds import tiny

ROOM = tiny({
    "杯": {"location": "茶室", "state": ["clean"], "aliases": ["カップ"]}, "盆": {"location": "茶室"},
    "匙": {"location": "茶室", "on": "盆"},
})  # fmt: skip
PLAIN = ROOM.model_dump(mode="json")
STEPS = (
    "props", "characters", "locations", "location", "time", "meta", "rules", "events", "version", "杯", "盆", "匙",
    "楓", "蓬", "茶室", "中庭", "state", "aliases", "holding", "held_by", "inside", "on", "current", "turn", "label",
    "weather", "exits", "affordances", "status", "hands", "0", "1", "-", "00", "９", "9" * 20, "9" * 5000, "", "~0",
    "~1", "~2", "a/b", "__class__", "model_dump", "_index",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, 0, 1, -1, 2**80, 1.5, float("nan"), "", "茶室", "楓", "盆", "x" * 65, "\u202e", [], ["杯"],
    ["杯", "杯"], {}, {"location": "茶室"}, {"location": "天", "state": ["x"]}, [[]], {"a": {"b": [1]}}, ["on"], "Low",
    "0.2",
)  # fmt: skip
DELTAS = (
    [("replace", "/props/杯/held_by", "楓"), ("add", "/characters/楓/holding/-", "杯")],
    [("test", "/props/杯/state/0", "clean"), ("replace", "/props/杯/state", ["dirty"])],
    [("add", "/props/皿", {"location": "茶室"}), ("remove", "/props/匙", None)],
    [("replace", "/characters/蓬/location", "中庭"), ("add", "/rules/-", "静かに"), ("replace", "/time/turn", 3)],
)


def a_delta(chance: Chance) -> tuple[PatchOp, ...]:
    """Operations that make sense, some of them spoilt, and some that never did."""
    operations: list[tuple[str, str, Any]] = []
    for _ in range(chance.randint(1, 3)):
        operations += chance.choice(DELTAS) if chance.random() < 0.5 else [_operation(chance)]
    made = [_spoilt(chance, *one) if chance.random() < 0.15 else one for one in operations]
    return tuple(PatchOp.model_construct(op=op, path=path, value=value) for op, path, value in made)


def _operation(chance: Chance) -> tuple[str, str, Any]:
    steps = [chance.choice(STEPS) for _ in range(chance.randint(0, 4))]
    return chance.choice(("add", "replace", "remove", "test")), "/" + "/".join(steps), chance.choice(VALUES)


def _spoilt(chance: Chance, op: str, path: str, value: Any) -> tuple[str, str, Any]:
    if chance.random() < 0.5:
        return op, path, chance.choice(VALUES)
    return op, spoilt_text(chance, (path, "/props/杯/state", signs(chance, 8))), value


def read_delta(delta: Sequence[PatchOp]) -> object:
    return patch.apply(ROOM, delta).model_dump(mode="json")


def half_done(delta: Sequence[PatchOp], found: Any) -> Iterator[str]:
    """Whether a world after a delta is another than plain JSON would be after the same operations."""
    if ROOM.model_dump(mode="json") != PLAIN:
        yield "the world before has changed"
    plain = json.loads(json.dumps(PLAIN))
    try:
        for one in delta:
            _carry_out(plain, one)
            plain = _whole(plain) if one.op == "remove" else plain
        expected = WorldState.model_validate(plain).model_dump(mode="json")
    except (LookupError, ValueError, TypeError) as error:
        yield f"an operation that cannot be was passed over: {error!r}"
        return
    if expected != found:
        yield "another world than the operations make"


def _whole(plain: Any) -> Any:
    """A world in which what was removed has its default, as far as it is one already."""
    with suppress(ValueError):
        return WorldState.model_validate(plain).model_dump(mode="json")
    return plain


def _carry_out(plain: Any, one: PatchOp) -> None:
    """An operation on JSON, by the letter of RFC 6902; what a test is held against is the world's own business."""
    *way, last = [step.replace("~1", "/").replace("~0", "~") for step in one.path.split("/")[1:]]
    node = plain
    for step in way:
        node = node[int(step)] if isinstance(node, list) else node[step]
    if isinstance(node, list):
        place = len(node) if last == "-" else int(last)
        if one.op in ("remove", "replace", "test"):
            node[place]
        if one.op in ("remove", "replace"):
            del node[place]
        if one.op in ("add", "replace"):
            node.insert(place, one.value)
    elif one.op == "remove":
        del node[last]
    elif one.op != "test":
        node[last] = one.value


def long_delta(unit: str, _: str) -> tuple[PatchOp, ...]:
    """A delta as long as a text: in its path, in its value, and in how much is in one list."""
    things = [f"物{place}" for place in range(len(unit) // 64)]
    return tuple(PatchOp(op=op, path=path, value=value) for op, path, value in (
        ("add", "/rules/-", unit), ("add", "/rules", things), ("test", "/rules", things),
        ("add", "/props/盆/state", things), ("add", f"/props/{unit}", {"location": "茶室"}),
    ))  # fmt: skip


PATCH = Reader(a_delta, read_delta, half_done, ("9", "~0", "/", "~", "a/", "あ", "-/"), long_delta, size=65_536)
