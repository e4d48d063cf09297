"""Capability: one kind of work a persona can have done."""

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol, TypeVar

from pydantic import ValidationError

from hakoniwa.ghost.action import ActionResult, Offer, Order, ResultStatus
from hakoniwa.ghost.capabilities.means import Means
from hakoniwa.ghost.capabilities.told import told
from hakoniwa.ghost.generated import Generated
from hakoniwa.registry import Registry
from hakoniwa.turn import Value

Payload = TypeVar("Payload", bound=Value)


class Capability(Protocol):
    """Carries out orders of its action types. Failures are statuses, never exceptions; facts are in nobody's voice.

    One that is `idempotent` comes to the same when an order of the same key is tried again."""

    name: ClassVar[str]
    action_types: ClassVar[frozenset[str]]
    idempotent: ClassVar[bool]

    def offers(self, means: Means) -> tuple[Offer, ...]:
        """What of it can be done with these means."""
        ...

    async def run(self, order: Order, means: Means) -> ActionResult: ...


capabilities: Registry[Capability] = Registry("capability")


def asked(kind: type[Payload], order: Order) -> Payload | None:
    """The payload in its shape, or None: what does not fit is not mended."""
    try:
        return kind.model_validate(order.payload)
    except ValidationError:
        return None


def brought(
    name: str, status: ResultStatus, summary: str, facts: Mapping[str, Any], details: Mapping[str, Any] | None = None
) -> ActionResult:
    return ActionResult(
        capability_name=name,
        result_status=status,
        summary_text=Generated(summary),
        result_payload=dict(facts),
        details_json=dict(details or {}),
        useful_for_recall_hint=status in ("success", "partial"),
    )


def failed(
    name: str, fault: str, means: Means, details: Mapping[str, Any] | None = None, status: ResultStatus = "failed"
) -> ActionResult:
    """A result that says by name what went wrong."""
    return brought(name, status, told(f"fault.{fault}", means.language), {"fault": fault}, details)
