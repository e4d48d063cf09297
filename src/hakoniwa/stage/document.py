"""YAML that remembers its lines, so that every error can say where it is."""

from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError
from rapidfuzz import fuzz, process
from yaml.composer import Composer
from yaml.constructor import SafeConstructor

from hakoniwa.errors import ScenarioError
from hakoniwa.gc_pause import pause_collector
from hakoniwa.messages import LOADER

Model = TypeVar("Model", bound=BaseModel)
MAX_BYTES, MAX_NODES, MAX_DEPTH = 1 << 20, 200_000, 32
FEW_NODES, NODES_A_SIGN = 1_000, 4  # aliases may make more of a text than it is, but in proportion
MAX_HANDLES = 100  # libyaml compares each %TAG with all before it
_LARGEST = 2**63
_BOOLEAN_WORDS = frozenset({"on", "off", "yes", "no", "y", "n"})
Key = tuple[str | int, ...]


class _TooDeep(yaml.MarkedYAMLError):
    """Something is nested deeper than anything that makes sense."""


_Parser: Any = LOADER


class Loader(_Parser, Composer):  # type: ignore[misc]
    """Stops at what is nested too deep as soon as it comes to it: to read on costs far more than to say so.

    libyaml, where it is there, takes the text apart; what it would put together could not be stopped half-way."""

    get_single_node = Composer.get_single_node
    _depth = 0

    def __init__(self, text: str) -> None:
        _Parser.__init__(self, text)
        Composer.__init__(self)

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        self._depth += 1
        if self._depth > MAX_DEPTH + 1:
            raise _TooDeep(problem="nested too deep", problem_mark=self.peek_event().start_mark)
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


class Document:
    """A YAML file as plain data, with the line of every key."""

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.lines: dict[Key, int] = {}
        self._room = min(MAX_NODES, FEW_NODES + NODES_A_SIGN * len(text))
        self._values = SafeConstructor()
        if text.count("%TAG") > MAX_HANDLES:
            raise ScenarioError("scenario.too-large", file=file, limit=MAX_BYTES)
        try:
            with pause_collector():
                node = yaml.compose(text, Loader=Loader)
                self.data: Any = None if node is None else self._built(node, (), depth=0)
        except (yaml.YAMLError, ValueError) as error:  # the latter from an escape for a character there cannot be
            mark = getattr(error, "problem_mark", None)
            line = mark.line + 1 if mark else 1
            if isinstance(error, _TooDeep):
                raise ScenarioError("scenario.too-deep", file=file, line=line) from None
            raise self._not_yaml(line, getattr(error, "problem", None) or str(error)) from None

    @classmethod
    def read(cls, path: Path) -> "Document":
        if path.stat().st_size > MAX_BYTES:
            raise ScenarioError("scenario.too-large", file=str(path), limit=MAX_BYTES)
        try:
            return cls(path.read_text(encoding="utf-8"), str(path))
        except UnicodeDecodeError as error:
            raise ScenarioError("scenario.not-utf8", file=str(path), at=error.start) from None

    def _not_yaml(self, line: int, problem: str) -> ScenarioError:
        return ScenarioError("scenario.not-yaml", file=self.file, line=line, problem=problem)

    def _built(self, node: yaml.Node, at: Key, depth: int) -> Any:
        if depth > MAX_DEPTH:  # an alias can stand within what it means
            raise ScenarioError("scenario.too-deep", file=self.file, line=node.start_mark.line + 1)
        self._room -= 1
        if self._room < 0:  # an alias of aliases can make a small file huge
            raise ScenarioError("scenario.too-large", file=self.file, limit=MAX_BYTES)
        self.lines.setdefault(at, node.start_mark.line + 1)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, at, depth)
        if isinstance(node, yaml.SequenceNode):
            return [self._built(child, (*at, place), depth + 1) for place, child in enumerate(node.value)]
        return self._scalar(node, at)

    def _mapping(self, node: yaml.MappingNode, at: Key, depth: int) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for key, child in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise ScenarioError("scenario.odd-key", file=self.file, line=key.start_mark.line + 1)
            name = str(self._scalar(key, at))
            if name in data:
                raise ScenarioError("scenario.twice", file=self.file, line=key.start_mark.line + 1, key=name)
            self.lines[(*at, name)] = key.start_mark.line + 1
            data[name] = self._built(child, (*at, name), depth + 1)
        return data

    def _scalar(self, node: yaml.Node, at: Key) -> Any:
        value = node.value
        if node.tag == "tag:yaml.org,2002:bool" and value.lower() in _BOOLEAN_WORDS:
            raise ScenarioError(
                "scenario.bare-boolean", file=self.file, line=node.start_mark.line + 1, word=value, key=_dotted_path(at)
            )
        if node.tag in ("tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:str") or ":" in value:
            return value
        try:
            found = self._values.construct_object(node, deep=True)
        except (ValueError, LookupError):  # a tag says that it is something else than it is
            raise self._not_yaml(node.start_mark.line + 1, f"{value[:80]!r} is no {node.tag}") from None
        if isinstance(found, int) and not -_LARGEST <= found < _LARGEST:
            raise ScenarioError("scenario.number", file=self.file, line=node.start_mark.line + 1, key=_dotted_path(at))
        return found

    def line(self, at: Key) -> int:
        """The line of a key, or of the nearest key above it."""
        while at not in self.lines and at:
            at = at[:-1]
        return self.lines.get(at, 1)

    def to(self, model: type[Model]) -> Model:
        """The document as a value of `model`, or a ScenarioError that points at the first thing wrong."""
        try:
            return model.model_validate(self.data, extra="forbid")
        except ValidationError as error:
            raise self._pointed(model, error) from None

    def _pointed(self, model: type[BaseModel], error: ValidationError) -> ScenarioError:
        errors = error.errors()
        # A misspelt key is also a missing one: the misspelling is what its author wants to hear of.
        first = next((one for one in errors if one["type"] == "extra_forbidden"), errors[0])
        where = tuple(step for step in first["loc"] if not str(step).startswith("function-"))
        while first["type"] != "missing" and where and where not in self.lines:
            where = where[:-1]
        at = {"file": self.file, "line": self.line(where), "key": _dotted_path(where)}
        if first["type"] == "extra_forbidden":
            allowed = _fields_at(model, where[:-1])
            near = process.extractOne(str(where[-1]), allowed, scorer=fuzz.ratio, score_cutoff=50)
            return ScenarioError("scenario.unknown-key", **at, nearest=near[0] if near else ", ".join(allowed))
        if first["type"] == "missing":
            return ScenarioError("scenario.missing-key", **at)
        found = repr(first["input"])
        return ScenarioError("scenario.bad-value", **at, found=found[:80], problem=first["msg"])


def _dotted_path(at: Key) -> str:
    return ".".join(map(str, at)) or "-"


@cache
def _schema(model: type[BaseModel]) -> dict[str, Any]:
    return model.model_json_schema()


def _fields_at(model: type[BaseModel], at: Key) -> list[str]:
    """The field names allowed below `at`, by walking the JSON Schema of `model`."""
    schema = _schema(model)
    node: dict[str, Any] = schema
    for step in at:
        node = _below(schema, node, step)
    node = _resolve_ref(schema, node)
    return list(node.get("properties", {}))


def _resolve_ref(schema: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    options: list[dict[str, Any]] = [node, *node.get("anyOf", [])]
    for option in options:
        if "$ref" in option:
            return _resolve_ref(schema, schema["$defs"][option["$ref"].rsplit("/", 1)[-1]])
        if "properties" in option or "items" in option or isinstance(option.get("additionalProperties"), dict):
            return option
    return node


def _below(schema: dict[str, Any], node: dict[str, Any], step: str | int) -> dict[str, Any]:
    node = _resolve_ref(schema, node)
    found: Any
    if isinstance(step, int):
        found = node.get("items", {})
    else:
        found = node.get("properties", {}).get(step) or node.get("additionalProperties") or {}
    return found if isinstance(found, dict) else {}
