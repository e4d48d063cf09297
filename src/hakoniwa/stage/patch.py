"""Applying a world_delta: RFC 6902 on the frozen world, copying only what is on the path."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Annotated, Any, get_args, get_origin

from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from hakoniwa.errors import WorldError
from hakoniwa.stage.world import MAX_PROPS, Name, WorldState, checked, problems
from hakoniwa.turn import PatchOp, Value

MAX_OPERATIONS = 64
_PLACE = re.compile(r"0|[1-9][0-9]*")


def escape(name: str) -> str:
    """A name as one step of a JSON pointer."""
    return name.replace("~", "~0").replace("/", "~1")


def pointer(*steps: str) -> str:
    return "".join(f"/{escape(step)}" for step in steps)


def apply(world: WorldState, delta: Sequence[PatchOp]) -> WorldState:
    """The world after a delta; its index follows, and the invariants are checked where it touched something."""
    if not delta:
        return world
    after = patched(world, delta)
    if any(_rebuilds(operation.path) for operation in delta):
        return checked(after.indexed(None))
    props, figures = touched(delta, "props"), touched(delta, "characters")
    after.indexed(world.index.moved(world, after, props, figures))
    holders = [who for name in props if (who := world.index.holder.get(name))]
    if found := problems(after, [*props, *_concerned(world, after, props, figures)], [*figures, *holders]):
        raise WorldError("world.invariant", problem="; ".join(found[:3]))
    return after


def _rebuilds(path: str) -> bool:
    """Whether a change is of rooms, of who there is, or of everything at once: more than an index can follow."""
    branch, *rest = path.split("/")[1:] or [""]
    if branch == "characters":
        return len(rest) < 2 or rest[1] == "aliases"
    return branch in ("locations", "version") or (branch == "props" and not rest)


def _concerned(before: WorldState, after: WorldState, props: Iterable[str], figures: Iterable[str]) -> Iterator[str]:
    """The things whose place a change of others may have made wrong: contents of what moved, what hands let go."""
    for name in props:
        old, new = before.props.get(name), after.props.get(name)
        if old is not None and (new is None or new.location != old.location):
            yield from after.index.contents.get(name, ())
    for who in figures:
        yield from (name for name in before.characters[who].holding if name in after.props)
        yield from (name for name in after.characters[who].holding if name in after.props)


def patched(world: WorldState, delta: Sequence[PatchOp]) -> WorldState:
    """The delta applied, with no opinion on whether the result makes sense."""
    if len(delta) > MAX_OPERATIONS:
        raise WorldError("world.delta-too-long", count=len(delta), limit=MAX_OPERATIONS)
    for operation in delta:
        steps = [step.replace("~1", "/").replace("~0", "~") for step in operation.path.split("/")[1:]]
        if not steps or not operation.path.startswith("/"):
            raise WorldError("world.bad-path", path=operation.path)
        world = _changed(world, WorldState, steps, operation)
    return world


def touched(delta: Iterable[PatchOp], kind: str) -> list[str]:
    """The names under one branch of the world ("props", "characters") that a delta speaks of."""
    names = [
        operation.path.split("/")[2].replace("~1", "/").replace("~0", "~")
        for operation in delta
        if operation.path.startswith(f"/{kind}/")
    ]
    return list(dict.fromkeys(names))


@cache
def _adapter(annotation: Any) -> TypeAdapter[Any]:
    return TypeAdapter(annotation)


@cache
def _item_type(annotation: Any) -> Any:
    """The type of what a dict or tuple of this annotation holds."""
    if get_origin(annotation) is dict:
        return get_args(annotation)[1]
    return get_args(annotation)[0] if get_origin(annotation) is tuple else Any


@cache
def _field(model: type[Value], name: str) -> FieldInfo | None:
    return model.model_fields.get(name)


@cache
def _field_type(model: type[Value], name: str) -> Any:
    """The type of a field with all that is asked of its values."""
    field = model.model_fields[name]
    return Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation


def _changed(node: Any, annotation: Any, steps: list[str], operation: PatchOp) -> Any:
    """`node` with the operation carried out at the end of `steps`."""
    if isinstance(node, Value):
        return _changed_model(node, steps, operation)
    if isinstance(node, dict):
        return _changed_dict(node, _item_type(annotation), steps, operation)
    if isinstance(node, tuple):
        return _changed_tuple(node, _item_type(annotation), steps, operation)
    raise WorldError("world.bad-path", path=operation.path)


def _changed_model(node: Value, steps: list[str], operation: PatchOp) -> Value:
    field = _field(type(node), steps[0])
    if field is None:
        raise WorldError("world.bad-path", path=operation.path)
    old = getattr(node, steps[0])
    if len(steps) > 1:
        return node.with_field(steps[0], _changed(old, field.annotation, steps[1:], operation))
    kind = _field_type(type(node), steps[0])
    if operation.op == "test":
        _test(old, kind, operation)
        return node
    if operation.op == "remove":
        if field.is_required():
            raise WorldError("world.bad-path", path=operation.path)
        return node.with_field(steps[0], field.get_default(call_default_factory=True))
    return node.with_field(steps[0], _valid(operation, kind))


def _changed_dict(node: dict[str, Any], kind: Any, steps: list[str], operation: PatchOp) -> dict[str, Any]:
    key = steps[0]
    if key not in node and (len(steps) > 1 or operation.op != "add"):
        raise WorldError("world.bad-path", path=operation.path)
    if len(steps) > 1:
        return {**node, key: _changed(node[key], kind, steps[1:], operation)}
    if operation.op == "test":
        _test(node[key], kind, operation)
        return node
    if operation.op == "remove":
        return {name: value for name, value in node.items() if name != key}
    if key not in node:
        _check_name(key, len(node), operation)
    return {**node, key: _valid(operation, kind)}


def _changed_tuple(node: tuple[Any, ...], kind: Any, steps: list[str], operation: PatchOp) -> tuple[Any, ...]:
    if steps == ["-"] and operation.op == "add":
        return (*node, _valid(operation, kind))
    limit = len(node) + (operation.op == "add" and len(steps) == 1)
    if not _PLACE.fullmatch(steps[0]) or int(steps[0]) >= limit:
        raise WorldError("world.bad-path", path=operation.path)
    at = int(steps[0])
    if len(steps) > 1:
        return (*node[:at], _changed(node[at], kind, steps[1:], operation), *node[at + 1 :])
    if operation.op == "test":
        _test(node[at], kind, operation)
        return node
    middle = () if operation.op == "remove" else (_valid(operation, kind),)
    return (*node[:at], *middle, *node[at + (operation.op != "add") :])


def _valid(operation: PatchOp, annotation: Any) -> Any:
    try:
        return _adapter(annotation).validate_python(operation.value)
    except ValidationError as error:
        raise WorldError("world.bad-value", path=operation.path, problem=error.errors()[0]["msg"]) from None


def _check_name(name: str, others: int, operation: PatchOp) -> None:
    """A new key is a name like any other, and there is an end to how many things there can be."""
    if others >= MAX_PROPS:
        raise WorldError("world.bad-value", path=operation.path, problem=f"at most {MAX_PROPS}")
    try:
        _adapter(Name).validate_python(name)
    except ValidationError as error:
        raise WorldError("world.bad-value", path=operation.path, problem=error.errors()[0]["msg"]) from None


def _test(found: Any, kind: Any, operation: PatchOp) -> None:
    """Equal means equal as this part of the world reads it: what is left out has its default."""
    try:
        wanted = _adapter(kind).validate_python(operation.value)
    except ValidationError:
        raise WorldError("world.test-failed", path=operation.path) from None
    if found != wanted:
        raise WorldError("world.test-failed", path=operation.path)
