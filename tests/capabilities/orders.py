"""Orders and means for tests of capabilities."""

from datetime import UTC, datetime
from typing import Any

from hakoniwa.persona.action import ActionOrder

NOW = datetime(2031, 5, 6, 7, 8, tzinfo=UTC)


def order(action_type: str, payload: dict[str, Any], key: str = "flow/act") -> ActionOrder:
    return ActionOrder(
        key=key, garden="g1", branch="main", who="やな", action_type=action_type, payload=payload, now=NOW
    )
