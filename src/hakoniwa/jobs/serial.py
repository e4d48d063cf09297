"""How orders, results and faults are written down: as JSON, never as code that would be run when it is read."""

import json
from typing import Any

from dbos import Serializer

from hakoniwa.jobs import FlowFault, StepFailed, StepOutcome, fault


class JsonSerializer(Serializer):
    """Text in ASCII, so that every database takes what any model may say, lone surrogates included."""

    def name(self) -> str:
        return "hakoniwa_json"

    def serialize(self, data: Any) -> str:
        return json.dumps(_mark_value(data), allow_nan=False)

    def deserialize(self, serialized_data: str) -> Any:
        kind, *rest = json.loads(serialized_data)
        if kind == "fault":
            return StepFailed(FlowFault.model_validate(rest[0]))
        return StepOutcome.UNKNOWN if kind == "unknown" else rest[0]


def _mark_value(data: Any) -> list[Any]:
    if isinstance(data, Exception):
        return ["fault", fault(data).model_dump()]
    return ["unknown"] if data is StepOutcome.UNKNOWN else ["value", data]
