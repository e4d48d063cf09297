"""What people ask of a life between exchanges: how things stand, and why something was done, or left, or not told."""

from datetime import datetime
from itertools import islice
from typing import Any

from hakoniwa.ghost.action import ActionDecision, OnEnd, ResultStatus
from hakoniwa.ghost.autonomy.clock import Clock
from hakoniwa.ghost.autonomy.doings import Doings
from hakoniwa.ghost.autonomy.manners import Manners, acts_today, hindrance, said_today
from hakoniwa.ghost.autonomy.rows import Activity, Decided, End, Intent, Resulted, Said, Trigger
from hakoniwa.ghost.autonomy.triggers import due
from hakoniwa.ghost.generated import Generated
from hakoniwa.turn import Value


class Used(Value):
    """How much of something was used up within a day, and how much there is of it; a `limit` of 0 means any amount."""

    used: int
    limit: int


class UnderWay(Value):
    """Something that was taken up and is not over, and what it has come to so far, if to anything."""

    trigger: Trigger
    action_type: str | None = None


class Standing(Value):
    """How things stand with a persona that lives, or could live, by itself. Every time is by the chat's own clock."""

    on: bool
    paused: bool
    paused_until: datetime | None
    hindrance: str | None
    now: datetime
    clock_ahead: float
    actions: Used
    messages: Used
    next_heartbeat: datetime | None
    due: tuple[Trigger, ...]
    waiting: tuple[Trigger, ...]
    under_way: tuple[UnderWay, ...]


class Considered(Value):
    """One deliberation, what could have been done, and what came of it: `dropped` says why nothing did, `untold` why
    nothing was said of it."""

    decision_id: int
    at: datetime
    trigger: Trigger
    offered: tuple[str, ...]
    decision: ActionDecision | None
    dropped: str | None
    result_status: ResultStatus | None
    message: Generated | None
    delivery_mode: OnEnd | None
    untold: str | None


def standing(doings: Doings, manners: Manners, clock: Clock) -> Standing:
    """How things stand just now."""
    now = clock.now()
    paused = doings.resting(now)
    waiting = sorted((one for one in doings.waiting.values() if one.due > now), key=lambda one: (one.due, one.key))
    return Standing(
        on=doings.on,
        paused=paused,
        paused_until=doings.paused_until if paused else None,
        hindrance=hindrance(doings, manners, clock.talking(), now),
        now=now,
        clock_ahead=doings.memories.moment(doings.garden, doings.branch).clock_ahead.total_seconds(),
        actions=Used(used=acts_today(doings, now), limit=manners.actions_per_day),
        messages=Used(used=said_today(doings, now), limit=manners.messages_per_day),
        next_heartbeat=_next_beat(doings, manners, now),
        due=tuple(due(doings, manners, now)) if doings.on else (),
        waiting=tuple(waiting),
        under_way=tuple(_under_way(doings)),
    )


def _next_beat(doings: Doings, manners: Manners, now: datetime) -> datetime | None:
    began = doings.began
    if began is None or not doings.on:
        return None
    return began + ((now - began) // manners.heartbeat + 1) * manners.heartbeat


def _under_way(doings: Doings) -> list[UnderWay]:
    return [
        UnderWay(trigger=claim.trigger, action_type=made.decision.action_type if made and made.decision else None)
        for claim in list(doings.claims.values())
        for made in [doings.made.get(claim.trigger.key)]
    ]


def considered(doings: Doings, limit: int) -> list[Considered]:
    """What was thought about lately, newest first."""
    newest = list(islice(doings.of(Decided), limit))
    oldest = newest[-1][1].at if newest else None
    ends = {one.trigger: one.dropped for _, one in doings.of(End, oldest)}
    intents = {one.decision_id: one.dropped for _, one in doings.of(Intent, oldest)}
    results = {one.decision_id: one.result.result_status for _, one in doings.of(Resulted, oldest)}
    said = {one.decision_id: one for _, one in doings.of(Said, oldest)}
    untold = {one.decision_id: one.warning for _, one in doings.of(Activity, oldest) if one.phase == "voice"}
    return [
        Considered(
            decision_id=seq,
            at=one.at,
            trigger=one.trigger,
            offered=one.offered,
            decision=one.decision,
            dropped=one.dropped or intents.get(seq) or ends.get(one.trigger.key),
            result_status=results.get(seq),
            untold=untold.get(seq),
            **_told(said.get(seq)),
        )
        for seq, one in newest
    ]


def _told(said: Said | None) -> dict[str, Any]:
    return {
        "message": said.assistant_text if said else None,
        "delivery_mode": said.delivery_mode if said else None,
    }
