"""garden_act: act in the world, as anybody there does: through the referee."""

from typing import Any, ClassVar

from pydantic import Field

from hakoniwa.capabilities.capability import (
    Capability,
    capabilities,
    failed_result,
    format_sentence,
    make_offer,
    make_result,
    one_line,
    parse_payload,
)
from hakoniwa.capabilities.means import CapabilityMeans
from hakoniwa.memory.schemas import one_of, text
from hakoniwa.persona.action import ActionOffer, ActionOrder, ActionResult
from hakoniwa.turn import Ruling, Value

LONGEST_FACT = 200


class ActPayload(Value):
    """An act in words, as a performance has it."""

    act: str = Field(min_length=1, max_length=400, pattern=r"\S")


@capabilities.add("garden_act")
class GardenAct(Capability):
    name: ClassVar = "garden_act"
    action_types: ClassVar = frozenset({"garden_act"})
    idempotent: ClassVar = True  # the key stands beside the act in the garden's own journal

    def offers(self, means: CapabilityMeans) -> tuple[ActionOffer, ...]:
        around = tuple(means.at_hand()) if means.at_hand else ()
        if means.act is None or (means.at_hand is not None and not around):
            return ()
        return (make_offer("garden_act", means, "garden", act=one_of(around) if around else text(120)),)

    async def run(self, order: ActionOrder, means: CapabilityMeans) -> ActionResult:
        if means.act is None:
            return failed_result(self.name, "not-configured", means)
        if (wanted := parse_payload(ActPayload, order)) is None:
            return failed_result(self.name, "bad-payload", means)
        try:
            ruling = await means.act(order, wanted.act)
        except Exception:  # whatever stops the garden is this order's failure, not the worker's
            return failed_result(self.name, "garden", means)
        return _ruling_result(ruling, means)


def _ruling_result(ruling: Ruling, means: CapabilityMeans) -> ActionResult:
    reason = ruling.denied_reason.value if ruling.denied_reason else ""
    if not ruling.allowed:
        return make_result(
            "garden_act", "no_effect", format_sentence("garden.denied", means.language, reason=reason), _facts(ruling)
        )
    if not ruling.world_delta and not ruling.told:
        return make_result("garden_act", "no_effect", format_sentence("garden.idle", means.language), _facts(ruling))
    return make_result("garden_act", "success", format_sentence("garden.done", means.language), _facts(ruling))


def _facts(ruling: Ruling) -> dict[str, Any]:
    return {
        "allowed": ruling.allowed,
        "denied_reason": ruling.denied_reason.value if ruling.denied_reason else None,
        "told": [one_line(line, LONGEST_FACT) for line in ruling.told[:8]],
        "fact_cards": [one_line(card, LONGEST_FACT) for card in ruling.fact_cards[:3]],
        "changes": len(ruling.world_delta),
    }
