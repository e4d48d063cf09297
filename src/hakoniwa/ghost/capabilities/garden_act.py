"""garden_act: act in the world, as anybody there does: through the referee."""

from typing import Any, ClassVar

from pydantic import Field

from hakoniwa.ghost.action import ActionResult, Offer, Order
from hakoniwa.ghost.capabilities.capability import Capability, asked, brought, capabilities, failed
from hakoniwa.ghost.capabilities.means import Means
from hakoniwa.ghost.capabilities.text import one_line
from hakoniwa.ghost.capabilities.told import told
from hakoniwa.turn import Ruling, Value

LONGEST_FACT = 200


class Act(Value):
    """An act in words, as a performance has it."""

    act: str = Field(min_length=1, max_length=400, pattern=r"\S")


@capabilities.add("garden_act")
class GardenAct(Capability):
    name: ClassVar = "garden_act"
    action_types: ClassVar = frozenset({"garden_act"})
    idempotent: ClassVar = True  # the key stands beside the act in the garden's own journal

    def offers(self, means: Means) -> tuple[Offer, ...]:
        around = tuple(means.at_hand()) if means.at_hand else ()
        possible = means.act is not None and (around or means.at_hand is None)
        return (Offer("garden_act", ("act",), around),) if possible else ()

    async def run(self, order: Order, means: Means) -> ActionResult:
        if means.act is None:
            return failed(self.name, "not-configured", means)
        if (wanted := asked(Act, order)) is None:
            return failed(self.name, "bad-payload", means)
        try:
            ruling = await means.act(order, wanted.act)
        except Exception:  # whatever stops the garden is this order's failure, not the worker's
            return failed(self.name, "garden", means)
        return _ruled(ruling, means)


def _ruled(ruling: Ruling, means: Means) -> ActionResult:
    reason = ruling.denied_reason.value if ruling.denied_reason else ""
    if not ruling.allowed:
        return brought("garden_act", "no_effect", told("garden.denied", means.language, reason=reason), _facts(ruling))
    if not ruling.world_delta and not ruling.told:
        return brought("garden_act", "no_effect", told("garden.idle", means.language), _facts(ruling))
    return brought("garden_act", "success", told("garden.done", means.language), _facts(ruling))


def _facts(ruling: Ruling) -> dict[str, Any]:
    return {
        "allowed": ruling.allowed,
        "denied_reason": ruling.denied_reason.value if ruling.denied_reason else None,
        "told": [one_line(line, LONGEST_FACT) for line in ruling.told[:8]],
        "fact_cards": [one_line(card, LONGEST_FACT) for card in ruling.fact_cards[:3]],
        "changes": len(ruling.world_delta),
    }
