"""Applying a world_delta: RFC 6902 on the frozen world, copying only what is on the path."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, cached_property
from typing import Annotated, Any, TypeVar, get_args, get_origin

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json

from hakoniwa.errors import WorldError
from hakoniwa.stage.world import (
    MAX_CHARACTERS,
    MAX_LOCATIONS,
    MAX_PROPS,
    MAX_WORLD,
    Name,
    WorldState,
    about_person,
    check_invariants,
    problems,
)
from hakoniwa.turn import PatchOp, Value

V = TypeVar("V", bound=Value)

MAX_OPERATIONS = 64
HEAVY = 4096  # bytes of a delta from which on the world after it is weighed; what rules do is a few dozen
_MOST = {"characters": MAX_CHARACTERS, "locations": MAX_LOCATIONS}  # and of everything else as many as of things
_PLACE = re.compile(r"0|[1-9][0-9]{0,8}")


def escape(name: str) -> str:
    """A name as one step of a JSON pointer."""
    return name.replace("~", "~0").replace("/", "~1")


def pointer(*steps: str) -> str:
    return "/" + "/".join([escape(step) for step in steps])


def apply(world: WorldState, delta: Sequence[PatchOp]) -> WorldState:
    """The world after a delta; its index follows, and the invariants are checked where it touched something."""
    if not delta:
        return world
    paths = _paths(delta)
    after = _carry_out(world, delta, paths)
    if sum(len(to_json(one.value)) for one in delta) > HEAVY:
        _check_weight(after)
    if any(_rebuilds(*steps) for steps in paths):
        return check_invariants(after.indexed(None))
    props, figures = _names_under(paths, "props"), _names_under(paths, "characters")
    after.indexed(world.index.moved(world, after, props, figures))
    holders = [who for name in props if (who := world.index.holder.get(name))]
    concerned = dict.fromkeys([*props, *_affected_things(world, after, props, figures)])
    if found := problems(after, concerned, dict.fromkeys([*figures, *holders])):
        raise WorldError("world.invariant", problem="; ".join(found[:3]))
    return after


def _check_weight(world: WorldState) -> None:
    size = len(to_json(world))
    if size > MAX_WORLD:
        raise WorldError("world.too-large", count=size, limit=MAX_WORLD)


def _rebuilds(branch: str, *rest: str) -> bool:
    """Whether a change is of rooms, of who there is, or of everything at once: more than an index can follow."""
    if branch == "characters":
        return len(rest) < 2 or rest[1] == "aliases"
    return branch in ("locations", "version") or (branch == "props" and not rest)


def _affected_things(
    before: WorldState, after: WorldState, props: Iterable[str], figures: Iterable[str]
) -> Iterator[str]:
    """The things whose place a change of others may have made wrong: contents of what moved, what hands let go, what
    those who went elsewhere had about them."""
    for name in props:
        was, now = before.props.get(name), after.props.get(name)
        if was is not None and (now is None or now.location != was.location):
            yield from after.index.contents.get(name, ())
    for who in figures:
        old, new = before.characters[who], after.characters[who]
        kept = {*old.holding} & {*new.holding} if new.location == old.location else ()
        yield from (name for name in (*old.holding, *new.holding) if name not in kept and name in after.props)
        if new.location != old.location:
            yield from (name for name in about_person(before, who) if name in after.props)


def apply_unchecked(world: WorldState, delta: Sequence[PatchOp]) -> WorldState:
    """The delta applied, with no opinion on whether the result makes sense."""
    return _carry_out(world, delta, _paths(delta)).indexed(None) if delta else world


def touched_names(delta: Iterable[PatchOp], kind: str) -> list[str]:
    """The names under one branch of the world ("props", "characters") that a delta speaks of."""
    return _names_under(_paths(delta), kind)


def _paths(delta: Iterable[PatchOp]) -> list[list[str]]:
    """The JSON pointers of a delta, each as the names on its way."""
    return [
        [step.replace("~1", "/").replace("~0", "~") for step in one.path.split("/")[1:]]
        if "~" in one.path
        else one.path.split("/")[1:]
        for one in delta
    ]


def _names_under(paths: Iterable[list[str]], branch: str) -> list[str]:
    return list(dict.fromkeys([steps[1] for steps in paths if len(steps) > 1 and steps[0] == branch]))


def _carry_out(world: WorldState, delta: Sequence[PatchOp], paths: Iterable[list[str]]) -> WorldState:
    """The world with each branch as the operations leave it, one after the other."""
    if len(delta) > MAX_OPERATIONS:
        raise WorldError("world.delta-too-long", count=len(delta), limit=MAX_OPERATIONS)
    branches: dict[str, Any] = {}
    for operation, steps in zip(delta, paths, strict=True):
        if not operation.path.startswith("/"):
            raise WorldError("world.bad-path", path=operation.path)
        branch, *rest = steps
        old = branches[branch] if branch in branches else getattr(world, branch, None)
        new = _change_field(WorldState, branch, old, rest, operation)
        if operation.op != "test":
            branches[branch] = new
    return world.with_fields(branches) if branches else world


class NodeSchema:
    """What a place in the world may hold: how a value for it is validated, and the shape of what it holds in turn."""

    def __init__(self, annotation: Any, asked: Iterable[Any] = ()) -> None:
        self.annotation = annotation
        self.asked = tuple(asked)

    @cached_property
    def valid(self) -> Callable[[Any], Any]:
        whole: Any = Annotated[self.annotation, *self.asked] if self.asked else self.annotation
        return TypeAdapter(whole).validator.validate_python

    @cached_property
    def item(self) -> "NodeSchema":
        """The shape of each thing in a dict or tuple."""
        inner = get_args(self.annotation)
        return NodeSchema(inner[1] if get_origin(self.annotation) is dict else inner[0])


@cache
def _field_schema(model: type[Value], name: str) -> NodeSchema | None:
    field = model.model_fields.get(name)
    return NodeSchema(field.annotation, field.metadata) if field else None


def _change_node(node: Any, shape: NodeSchema, steps: list[str], operation: PatchOp) -> Any:
    """`node` with the operation carried out at the end of `steps`; a test leaves it as it is, or fails."""
    if isinstance(node, Value):
        name, *rest = steps
        new = _change_field(type(node), name, getattr(node, name, None), rest, operation)
        return node.with_fields({name: new})
    if isinstance(node, dict):
        return _change_dict(node, shape.item, steps, operation)
    if isinstance(node, tuple):
        return _change_tuple(node, shape.item, steps, operation)
    raise WorldError("world.bad-path", path=operation.path)


def _change_field(model: type[Value], name: str, old: Any, steps: list[str], operation: PatchOp) -> Any:
    shape = _field_schema(model, name)
    if shape is None:
        raise WorldError("world.bad-path", path=operation.path)
    if steps:
        return _change_node(old, shape, steps, operation)
    if operation.op == "test":
        return _test(old, shape, operation)
    if operation.op == "remove":
        return _default(model, operation, name)
    return _valid(operation, shape)


def _default(model: type[Value], operation: PatchOp, name: str) -> Any:
    """What is there once a field is removed."""
    field = model.model_fields[name]
    if field.is_required():
        raise WorldError("world.bad-path", path=operation.path)
    return field.get_default(call_default_factory=True)


def _change_dict(node: dict[str, Any], shape: NodeSchema, steps: list[str], operation: PatchOp) -> dict[str, Any]:
    key, *rest = steps
    if key not in node and (rest or operation.op != "add"):
        raise WorldError("world.bad-path", path=operation.path)
    if rest:
        return {**node, key: _change_node(node[key], shape, rest, operation)}
    if operation.op == "test":
        _test(node[key], shape, operation)
        return node
    if operation.op == "remove":
        return {name: value for name, value in node.items() if name != key}
    if key not in node:
        _check_name(key, len(node), operation)
    return {**node, key: _valid(operation, shape)}


def _change_tuple(node: tuple[Any, ...], shape: NodeSchema, steps: list[str], operation: PatchOp) -> tuple[Any, ...]:
    if steps == ["-"] and operation.op == "add":
        return (*node, _valid(operation, shape))
    limit = len(node) + (operation.op == "add" and len(steps) == 1)
    if not _PLACE.fullmatch(steps[0]) or int(steps[0]) >= limit:
        raise WorldError("world.bad-path", path=operation.path)
    at = int(steps[0])
    if len(steps) > 1:
        return (*node[:at], _change_node(node[at], shape, steps[1:], operation), *node[at + 1 :])
    if operation.op == "test":
        _test(node[at], shape, operation)
        return node
    middle = () if operation.op == "remove" else (_valid(operation, shape),)
    return (*node[:at], *middle, *node[at + (operation.op != "add") :])


def _valid(operation: PatchOp, shape: NodeSchema) -> Any:
    try:
        return shape.valid(operation.value)
    except ValidationError as error:
        raise WorldError("world.bad-value", path=operation.path, problem=error.errors()[0]["msg"]) from None


_NAME = NodeSchema(Name)


def _check_name(name: str, others: int, operation: PatchOp) -> None:
    """A new key is a name like any other, and there is an end to how many things there can be."""
    most = _MOST.get(operation.path.split("/", 2)[1], MAX_PROPS)
    if others >= most:
        raise WorldError("world.bad-value", path=operation.path, problem=f"at most {most}")
    try:
        _NAME.valid(name)
    except ValidationError as error:
        raise WorldError("world.bad-value", path=operation.path, problem=error.errors()[0]["msg"]) from None


def _test(found: Any, shape: NodeSchema, operation: PatchOp) -> None:
    """Equal means equal as this part of the world reads it: what is left out has its default."""
    try:
        wanted = shape.valid(operation.value)
    except ValidationError:
        raise WorldError("world.test-failed", path=operation.path) from None
    if found != wanted:
        raise WorldError("world.test-failed", path=operation.path)
