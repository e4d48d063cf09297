"""Requests made up from OpenAPI: what a route is described to take, filled in by chance, mostly with what there is.

A route that comes later is asked too, for nothing here knows one by its name."""

import base64
import json
from random import Random
from typing import Any, NamedTuple
from urllib.parse import quote

from tests.service.fuzz import REPLIES, SCRAPS
from tests.trust.house import Asked

CARD = base64.b64encode(json.dumps({"name": "Mio", "description": "灯台守"}).encode()).decode()
# What names lead to something in a furnished house; anything else is made up from its schema alone.
KNOWN: dict[str, tuple[Any, ...]] = {
    "id": ("g", "c"), "garden": ("g", "c"), "who": ("やな", "あゆ", "yana"), "to": ("やな", "あゆ"),
    "branch": ("main",), "one": ("main",), "other": ("main",), "take": ("main-take-1-1",),
    "persona": ("yana", "ayu"), "scenario": ("tiny",),
    "name": ("tiny", "yana", "new-1", "新しい名", "new-2", "new-3"), "incident": ("clear",),
    "text": (*REPLIES, "「おはよう」", "(GET: カップ)", "title: 夜\nworld: {}\n"),
    "data": (CARD,), "place": ("居間", "盆"), "scenarios": (["tea_room"],),
}  # fmt: skip
MOST_LETTERS = 30
HOW_DEEP = 6


class Operation(NamedTuple):
    """What can be asked of one route: its parameters, its body if it takes one, and the answers it may give."""

    method: str
    path: str
    parameters: tuple[dict[str, Any], ...]
    body: dict[str, Any] | None
    answers: dict[str, Any]


def operations(document: dict[str, Any]) -> list[Operation]:
    """All that OpenAPI describes."""
    return [
        Operation(method.upper(), path, tuple(found.get("parameters", ())), _body(found), found["responses"])
        for path, methods in sorted(document["paths"].items())
        for method, found in sorted(methods.items())
    ]


def _body(found: dict[str, Any]) -> dict[str, Any] | None:
    taken = found.get("requestBody", {"content": {}})["content"]
    schema: dict[str, Any] | None = taken.get("application/json", {}).get("schema")
    return schema


class Maker:
    """Values that fit a document's schemas, or nearly."""

    def __init__(self, document: dict[str, Any], chance: Random) -> None:
        self._named, self._chance = document["components"]["schemas"], chance

    def parameters(self, operation: Operation, place: str) -> dict[str, Any]:
        """Values for what stands in the path, the query or the headers; what is not required is often left out."""
        return {
            one["name"]: self.value(one["schema"], one["name"])
            for one in operation.parameters
            if one["in"] == place and (one.get("required") or self._chance.random() < 0.4)
        }

    def value(self, schema: dict[str, Any], name: str = "", depth: int = 0) -> Any:
        schema = self._resolved(schema)
        if name in KNOWN and self._chance.random() < 0.9:
            return self._chance.choice(KNOWN[name])
        if choices := schema.get("enum"):
            return self._chance.choice(choices)
        if "const" in schema:
            return schema["const"]
        kinds = schema.get("anyOf") or schema.get("oneOf")
        return self.value(self._chance.choice(kinds), name, depth) if kinds else self._plain(schema, depth)

    def _resolved(self, schema: dict[str, Any]) -> dict[str, Any]:
        while "$ref" in schema:
            schema = self._named[schema["$ref"].rpartition("/")[2]]
        return schema

    def _plain(self, schema: dict[str, Any], depth: int) -> Any:
        match schema.get("type"):
            case "object":
                return self._object(schema, depth)
            case "array":
                count = self._chance.randint(schema.get("minItems", 0), 2) if depth < HOW_DEEP else 0
                return [self.value(schema.get("items", {}), depth=depth + 1) for _ in range(count)]
            case "integer":
                return self._chance.choice((schema.get("minimum", 0), 1, 2, schema.get("maximum", 3)))
            case "number":
                return self._chance.choice((schema.get("minimum", 0), 0.5, 1, schema.get("maximum", 3)))
            case "boolean":
                return self._chance.random() < 0.5
            case "null":
                return None
        return self._text(schema)

    def _object(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        needed, fields = schema.get("required", ()), schema.get("properties", {})
        return {
            name: self.value(one, name, depth + 1)
            for name, one in fields.items()
            if name in needed or (depth < HOW_DEEP and self._chance.random() < (0.9 if name in KNOWN else 0.4))
        }

    def _text(self, schema: dict[str, Any]) -> str:
        if schema.get("format") == "date-time":
            return self._chance.choice(("2026-07-01T10:00:00+09:00", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z"))
        length = min(schema.get("maxLength", MOST_LETTERS), MOST_LETTERS)
        return (self._chance.choice(("main", "灯", "x", *SCRAPS)) * 2)[:length] or "x"


def filled(path: str, values: dict[str, Any]) -> str:
    """A path with values in its places, as the server reads it once it is decoded."""
    for name, value in values.items():
        path = path.replace(f"{{{name}}}", str(value))
    return path


def queried(values: dict[str, Any]) -> bytes:
    return "&".join(f"{name}={quote(str(value), errors='replace')}" for name, value in values.items()).encode()


def fitting(maker: Maker, operation: Operation) -> Asked:
    """A request that a route was made for."""
    body = b"" if operation.body is None else json.dumps(maker.value(operation.body), ensure_ascii=False).encode()
    path = filled(operation.path, maker.parameters(operation, "path"))
    return Asked(operation.method, path, (), (body,), queried(maker.parameters(operation, "query")))


def every(document: dict[str, Any], chance: Random) -> list[Asked]:
    """One fitting request for each operation."""
    maker = Maker(document, chance)
    return [fitting(maker, operation) for operation in operations(document)]
