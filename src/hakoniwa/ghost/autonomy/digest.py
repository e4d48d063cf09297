"""Digest: what a persona did while the user was away, told by its own messages; what it said nothing of is listed."""

from datetime import datetime
from typing import Any

from hakoniwa.ghost.action import MessageKind, OnEnd, ResultStatus
from hakoniwa.ghost.autonomy.doings import Doings
from hakoniwa.ghost.autonomy.rows import Decided, Intent, Resulted, Said
from hakoniwa.ghost.generated import Generated
from hakoniwa.turn import Value


class Deed(Value):
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
    deeds: tuple[Deed, ...]
    considered: int
    left: int


def digest(doings: Doings, since: datetime, until: datetime) -> Digest:
    """What happened in a while."""
    said = {one.result_id: one for _, one in doings.of(Said, since) if one.at <= until}
    results = [(seq, one) for seq, one in doings.of(Resulted, since, said) if one.at <= until or seq in said]
    decisions = [one for _, one in doings.of(Decided, since) if one.at <= until]
    dropped = sum(1 for _, one in doings.of(Intent, since) if one.dropped and one.at <= until)
    return Digest(
        since=since,
        until=until,
        deeds=tuple(_deed(one, said.get(seq)) for seq, one in reversed(results)),
        considered=len(decisions),
        left=dropped + sum(1 for one in decisions if not one.acting),
    )


def away_since(doings: Doings, otherwise: datetime) -> datetime:
    """When the user last said something."""
    return doings.heard.at if doings.heard else otherwise


def _deed(result: Resulted, said: Said | None) -> Deed:
    return Deed(
        at=result.at,
        action_type=result.action_type,
        asked=result.asked,
        result_status=result.result.result_status,
        message=said.assistant_text if said else None,
        message_kind=said.message_kind if said else None,
        delivery_mode=said.delivery_mode if said else None,
    )
