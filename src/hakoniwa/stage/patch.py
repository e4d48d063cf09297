"""Applying a world_delta: RFC 6902 on the frozen world, copying only what is on the path."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, Union, get_args, get_origin

from pydantic import TypeAdapter, ValidationError

from hakoniwa.errors import WorldError
from hakoniwa.stage.world import WorldState, problems
from hakoniwa.turn import PatchOp, Value

MAX_OPERATIONS = 64


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
    props, figures = touched(delta, "props"), touched(delta, "characters")
    after.indexed(world.index.moved(world, after, props, [who for who in figures if who in world.characters]))
    if found := problems(after, props, figures):
        raise WorldError("world.invariant", problem="; ".join(found[:3]))
    return after


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
    for option in get_args(annotation) if get_origin(annotation) is Union else (annotation,):
        if get_origin(option) is dict:
            return get_args(option)[1]
        if get_origin(option) is tuple:
            return get_args(option)[0]
    return Any


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
    field = type(node).model_fields.get(steps[0])
    if field is None:
        raise WorldError("world.bad-path", path=operation.path)
    old = getattr(node, steps[0])
    if len(steps) > 1:
        return node.model_copy(update={steps[0]: _changed(old, field.annotation, steps[1:], operation)})
    if operation.op == "test":
        _test(old, operation)
        return node
    if operation.op == "remove":
        if field.is_required():
            raise WorldError("world.bad-path", path=operation.path)
        return node.model_copy(update={steps[0]: field.get_default(call_default_factory=True)})
    return node.model_copy(update={steps[0]: _valid(operation, field.annotation)})


def _changed_dict(node: dict[str, Any], kind: Any, steps: list[str], operation: PatchOp) -> dict[str, Any]:
    key = steps[0]
    if key not in node and (len(steps) > 1 or operation.op != "add"):
        raise WorldError("world.bad-path", path=operation.path)
    if len(steps) > 1:
        return {**node, key: _changed(node[key], kind, steps[1:], operation)}
    if operation.op == "test":
        _test(node[key], operation)
        return node
    if operation.op == "remove":
        return {name: value for name, value in node.items() if name != key}
    return {**node, key: _valid(operation, kind)}


def _changed_tuple(node: tuple[Any, ...], kind: Any, steps: list[str], operation: PatchOp) -> tuple[Any, ...]:
    if steps == ["-"] and operation.op == "add":
        return (*node, _valid(operation, kind))
    limit = len(node) + (operation.op == "add" and len(steps) == 1)
    if not steps[0].isdecimal() or int(steps[0]) >= limit:
        raise WorldError("world.bad-path", path=operation.path)
    at = int(steps[0])
    if len(steps) > 1:
        return (*node[:at], _changed(node[at], kind, steps[1:], operation), *node[at + 1 :])
    if operation.op == "test":
        _test(node[at], operation)
        return node
    middle = () if operation.op == "remove" else (_valid(operation, kind),)
    return (*node[:at], *middle, *node[at + (operation.op != "add") :])


def _valid(operation: PatchOp, annotation: Any) -> Any:
    try:
        return _adapter(annotation).validate_python(operation.value)
    except ValidationError as error:
        raise WorldError("world.bad-value", path=operation.path, problem=error.errors()[0]["msg"]) from None


def _test(found: Any, operation: PatchOp) -> None:
    plain = found.model_dump(mode="json") if isinstance(found, Value) else found
    if (list(plain) if isinstance(plain, tuple) else plain) != operation.value:
        raise WorldError("world.test-failed", path=operation.path)
