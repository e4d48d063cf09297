"""Every capability there is: who carries out an action type, and what can be asked for with the means at hand."""

import logging

from hakoniwa import capabilities as package
from hakoniwa.capabilities.capability import Capability, capabilities, failed_result
from hakoniwa.capabilities.means import CapabilityMeans
from hakoniwa.persona.action import ActionOffer, ActionOrder, ActionResult

log = logging.getLogger(__name__)

capabilities.load(package)


def capability_for(action_type: str) -> Capability | None:
    """By its action type, or by the part before the colon where each server brings types of its own."""
    family = action_type.partition(":")[0]
    return next(
        (one for one in map(capabilities.__getitem__, capabilities) if {action_type, family} & one.action_types), None
    )


def possible_actions(means: CapabilityMeans) -> tuple[ActionOffer, ...]:
    """What a persona may decide on."""
    return tuple(offer for name in capabilities for offer in capabilities[name].offers(means))


async def carry_out(order: ActionOrder, means: CapabilityMeans) -> ActionResult:
    """What came of an order, whatever happened."""
    capability = capability_for(order.action_type)
    if capability is None:
        return failed_result("", "not-allowed", means)
    try:
        return await capability.run(order, means)
    except Exception:  # a mistake in one capability is this order's failure, not the worker's
        log.exception("capability %s failed on %s", capability.name, order.key)
        return failed_result(capability.name, "unexpected", means)
