"""schedule: think of something again at a later time."""

from datetime import datetime, timedelta
from typing import ClassVar, Self

from pydantic import AwareDatetime, Field, model_validator

from hakoniwa.ghost.action import ActionResult, Offer, Order
from hakoniwa.ghost.capabilities.capability import Capability, asked, brought, capabilities, failed
from hakoniwa.ghost.capabilities.means import Means, Reminder
from hakoniwa.ghost.capabilities.text import plain
from hakoniwa.ghost.capabilities.told import told
from hakoniwa.turn import Value

FARTHEST = timedelta(days=366)


class Scheduled(Value):
    """When, as a moment or a while from now (seconds, or ISO 8601 as in PT30M), and what for."""

    at: AwareDatetime | None = None
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

    def offers(self, means: Means) -> tuple[Offer, ...]:
        return (Offer("schedule_action", ("at", "after", "note")),) if means.remind else ()

    async def run(self, order: Order, means: Means) -> ActionResult:
        if means.remind is None:
            return failed(self.name, "not-configured", means)
        if (wanted := asked(Scheduled, order)) is None:
            return failed(self.name, "bad-payload", means)
        if (at := _moment(wanted, order.now)) is None:
            return failed(self.name, "in-the-past", means)
        note = plain(wanted.note, 400)
        reminder = Reminder(key=order.key, garden=order.garden, branch=order.branch, who=order.who, at=at, note=note)
        try:
            await means.remind(reminder)
        except Exception:  # whatever the store raises is this order's failure, not the worker's
            return failed(self.name, "unstored", means)
        moment = at.isoformat(timespec="minutes")
        summary = told("schedule.done", means.language, at=moment)
        return brought(self.name, "success", summary, {"at": moment, "note": note})


def _moment(wanted: Scheduled, now: datetime) -> datetime | None:
    """The moment meant, counted from when the order was given, so that a second try means the same; None if it is no
    time to come."""
    while_from_now = wanted.after if wanted.at is None else wanted.at - now
    assert while_from_now is not None
    return now + while_from_now if timedelta(0) < while_from_now <= FARTHEST else None
