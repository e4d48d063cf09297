"""schedule: think of something again at a later time."""

from datetime import datetime, timedelta
from typing import ClassVar, Self

from pydantic import Field, model_validator

from hakoniwa.capabilities.capability import (
    Capability,
    capabilities,
    failed_result,
    format_sentence,
    make_offer,
    make_result,
    parse_payload,
    plain,
)
from hakoniwa.capabilities.means import CapabilityMeans, Reminder
from hakoniwa.memory.schemas import text
from hakoniwa.persona.action import ActionOffer, ActionOrder, ActionResult
from hakoniwa.persona.ahead import Moment
from hakoniwa.turn import Value

FARTHEST = timedelta(days=366)


class SchedulePayload(Value):
    """When, as a moment, in words as well (30分後), or a while from now (seconds, ISO 8601), and what for."""

    at: Moment | None = None
    after: timedelta | None = None
    note: str = Field(min_length=1, max_length=400, pattern=r"\S")

    @model_validator(mode="after")
    def _once(self) -> Self:
        if (self.at is None) == (self.after is None):
            raise ValueError("either `at` or `after`")
        return self


@capabilities.add("schedule")
class Schedule(Capability):
    name: ClassVar = "schedule"
    action_types: ClassVar = frozenset({"schedule_action"})
    idempotent: ClassVar = True

    def offers(self, means: CapabilityMeans) -> tuple[ActionOffer, ...]:
        if means.remind is None:
            return ()
        return (make_offer("schedule_action", means, "schedule", at=text(40), note=text(120)),)

    async def run(self, order: ActionOrder, means: CapabilityMeans) -> ActionResult:
        if means.remind is None:
            return failed_result(self.name, "not-configured", means)
        if (wanted := parse_payload(SchedulePayload, order)) is None:
            return failed_result(self.name, "bad-payload", means)
        if (at := _moment(wanted, order.now)) is None:
            return failed_result(self.name, "in-the-past", means)
        note = plain(wanted.note, 400)
        reminder = Reminder(key=order.key, garden=order.garden, branch=order.branch, who=order.who, at=at, note=note)
        try:
            await means.remind(reminder)
        except Exception:  # whatever the store raises is this order's failure, not the worker's
            return failed_result(self.name, "unstored", means)
        moment = at.isoformat(timespec="minutes")
        summary = format_sentence("schedule.done", means.language, at=moment)
        return make_result(self.name, "success", summary, {"at": moment, "note": note})


def _moment(wanted: SchedulePayload, now: datetime) -> datetime | None:
    """The moment meant, counted from when the order was given, so that a second try means the same; None if it is no
    time to come."""
    while_from_now = wanted.after if wanted.at is None else wanted.at - now
    assert while_from_now is not None
    return now + while_from_now if timedelta(0) < while_from_now <= FARTHEST else None
