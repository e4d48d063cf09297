"""What people ask of autonomy: how things stand, why something was done or left, what was done meanwhile."""

from datetime import datetime
from itertools import islice
from typing import Any

from hakoniwa.autonomy.log import AutonomyLog
from hakoniwa.autonomy.policy import AutonomyPolicy, acts_today, hindrance, said_today
from hakoniwa.autonomy.schedule import due, next_heartbeat
from hakoniwa.chat.autonomy_rows import ActivityRow, DecisionRow, EndRow, IntentRow, MessageRow, ResultRow, Trigger
from hakoniwa.chat.clock import Clock
from hakoniwa.persona.action import ActionDecision, MessageKind, OnEnd, ResultStatus
from hakoniwa.persona.generated import Generated
from hakoniwa.turn import Value


class DailyUse(Value):
    """How much of something was used up within a day, and how much there is of it; a `limit` of 0 means any amount."""

    used: int
    limit: int


class OpenFlow(Value):
    """Something that was taken up and is not over, and what it has come to so far, if to anything."""

    trigger: Trigger
    action_type: str | None = None


class AutonomyStatus(Value):
    """How things stand with a persona that lives, or could live, by itself. Every time is by the chat's own clock."""

    on: bool
    paused: bool
    paused_until: datetime | None
    hindrance: str | None
    now: datetime
    clock_ahead: float
    actions: DailyUse
    messages: DailyUse
    next_heartbeat: datetime | None
    due: tuple[Trigger, ...]
    waiting: tuple[Trigger, ...]
    under_way: tuple[OpenFlow, ...]


class DeliberationRecord(Value):
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


def autonomy_status(doings: AutonomyLog, manners: AutonomyPolicy, clock: Clock) -> AutonomyStatus:
    """How things stand just now."""
    now = clock.now()
    paused = doings.resting(now)
    waiting = sorted((one for one in doings.waiting.values() if one.due > now), key=lambda one: (one.due, one.key))
    return AutonomyStatus(
        on=doings.on,
        paused=paused,
        paused_until=doings.paused_until if paused else None,
        hindrance=hindrance(doings, manners, clock.talking(), now),
        now=now,
        clock_ahead=doings.memories.moment(doings.garden, doings.branch).clock_ahead.total_seconds(),
        actions=DailyUse(used=acts_today(doings, now), limit=manners.actions_per_day),
        messages=DailyUse(used=said_today(doings, now), limit=manners.messages_per_day),
        next_heartbeat=next_heartbeat(doings, manners, now),
        due=tuple(due(doings, manners, now)) if doings.on else (),
        waiting=tuple(waiting),
        under_way=tuple(_open_flows(doings)),
    )


def _open_flows(doings: AutonomyLog) -> list[OpenFlow]:
    return [
        OpenFlow(trigger=claim.trigger, action_type=made.decision.action_type if made and made.decision else None)
        for claim in list(doings.claims.values())
        for made in [doings.made.get(claim.trigger.key)]
    ]


def recent_deliberations(doings: AutonomyLog, limit: int) -> list[DeliberationRecord]:
    """What was thought about lately, newest first."""
    newest = list(islice(doings.of(DecisionRow), limit))
    oldest = newest[-1][1].at if newest else None
    ends = {one.trigger: one.dropped for _, one in doings.of(EndRow, oldest)}
    intents = {one.decision_id: one.dropped for _, one in doings.of(IntentRow, oldest)}
    results = {one.decision_id: one.result.result_status for _, one in doings.of(ResultRow, oldest)}
    said = {one.decision_id: one for _, one in doings.of(MessageRow, oldest)}
    untold = {one.decision_id: one.warning for _, one in doings.of(ActivityRow, oldest) if one.phase == "voice"}
    return [
        DeliberationRecord(
            decision_id=seq,
            at=one.at,
            trigger=one.trigger,
            offered=one.offered,
            decision=one.decision,
            dropped=one.dropped or intents.get(seq) or ends.get(one.trigger.key),
            result_status=results.get(seq),
            untold=untold.get(seq),
            **_message_fields(said.get(seq)),
        )
        for seq, one in newest
    ]


def _message_fields(said: MessageRow | None) -> dict[str, Any]:
    return {
        "message": said.assistant_text if said else None,
        "delivery_mode": said.delivery_mode if said else None,
    }


class DigestEntry(Value):
    """One thing that was done, how it ended, and what the persona said of it, if anything."""

    at: datetime
    action_type: str
    asked: dict[str, Any]
    result_status: ResultStatus
    message: Generated | None = None
    message_kind: MessageKind | None = None
    delivery_mode: OnEnd | None = None


class Digest(Value):
    """A while in short: what was done, oldest first, how often it was thought better of, and what was held back."""

    since: datetime
    until: datetime
    deeds: tuple[DigestEntry, ...]
    considered: int
    left: int


def build_digest(doings: AutonomyLog, since: datetime, until: datetime) -> Digest:
    """What happened in a while."""
    said = {one.result_id: one for _, one in doings.of(MessageRow, since) if one.at <= until}
    results = [(seq, one) for seq, one in doings.of(ResultRow, since, said) if one.at <= until or seq in said]
    decisions = [one for _, one in doings.of(DecisionRow, since) if one.at <= until]
    dropped = sum(1 for _, one in doings.of(IntentRow, since) if one.dropped and one.at <= until)
    return Digest(
        since=since,
        until=until,
        deeds=tuple(_digest_entry(one, said.get(seq)) for seq, one in reversed(results)),
        considered=len(decisions),
        left=dropped + sum(1 for one in decisions if not one.acting),
    )


def away_since(doings: AutonomyLog, otherwise: datetime) -> datetime:
    """When the user last said something."""
    return doings.heard.at if doings.heard else otherwise


def _digest_entry(result: ResultRow, said: MessageRow | None) -> DigestEntry:
    return DigestEntry(
        at=result.at,
        action_type=result.action_type,
        asked=result.asked,
        result_status=result.result.result_status,
        message=said.assistant_text if said else None,
        message_kind=said.message_kind if said else None,
        delivery_mode=said.delivery_mode if said else None,
    )
