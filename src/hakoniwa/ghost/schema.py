"""Words for JSON schemas: flat and without references, so that the grammar a server makes of one stays small.

Numbers are steps of a tenth, since a grammar can hold a model to a list of them and not to a range."""

from collections.abc import Iterable
from typing import Any

Schema = dict[str, Any]

SHARE: Schema = {"enum": [step / 10 for step in range(11)]}
AXIS: Schema = {"enum": [step / 10 for step in range(-10, 11)]}


def record(**properties: Schema) -> Schema:
    """An object with exactly these members."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def array(items: Schema, most: int) -> Schema:
    return {"type": "array", "items": items, "maxItems": most}


def one_of(values: Iterable[str]) -> Schema:
    return {"type": "string", "enum": list(values)}
