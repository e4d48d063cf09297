"""What streams tell, for OpenAPI: every event as a schema of its own, and for each stream its events by name."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic.json_schema import models_json_schema

from hakoniwa.service import performing, stream, tidings, watch
from hakoniwa.service.stream import REFERENCE, reference
from hakoniwa.service.wishes import STREAM

STREAMS: dict[str, Mapping[Any, str]] = {
    "AnswerEvents": stream.NAMES,
    "TurnEvents": performing.OF_TURNS,
    "ChatEvents": tidings.NAMES,
    "GardenEvents": watch.NAMES,
}


def event_schemas(paths: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The schemas of all events, with all they speak of, and of each stream what an event of that name says; none
    for an application that has no streams."""
    answers = (one for operations in paths.values() for operation in operations.values() for one in _told(operation))
    return _schemas() if STREAM in answers else {}


def _told(operation: Mapping[str, Any]) -> Iterator[str]:
    return (kind for answer in operation["responses"].values() for kind in answer.get("content", ()))


def _schemas() -> dict[str, Any]:
    kinds = dict.fromkeys(kind for names in STREAMS.values() for kind in names)
    _, schemas = models_json_schema([(kind, "serialization") for kind in kinds], ref_template=REFERENCE)
    return {**schemas["$defs"], **{name: _by_name(names) for name, names in STREAMS.items()}}


def _by_name(names: Mapping[Any, str]) -> dict[str, Any]:
    told = {name: reference(kind) for kind, name in names.items()}
    return {"type": "object", "properties": told, "required": list(told)}
