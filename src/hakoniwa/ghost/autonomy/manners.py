"""Manners: whether a persona may begin something now, do this very thing, and say something. Each answer is None, or
the reason why not, as the last part of a message's key."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Any

from hakoniwa.ghost.autonomy.delivery import Speak
from hakoniwa.ghost.autonomy.doings import Doings
from hakoniwa.ghost.autonomy.quiet import Quiet
from hakoniwa.ghost.autonomy.rows import Intent, Resulted, Said
from hakoniwa.ghost.capabilities.means import FETCHED, MEBIBYTE, WEB
from hakoniwa.ghost.words import filed
from hakoniwa.journal import canonical_json
from hakoniwa.turn import Value

DAY = timedelta(days=1)
RESEARCH, DELEGATION = "web_research", "agent_delegate"
SOUGHT = {RESEARCH: "query", DELEGATION: "task_instruction"}  # what makes two of these the same


class Manners(Value):
    """How a persona behaves; of what has a number a day, 0 means any number."""

    heartbeat: timedelta = timedelta(minutes=30)
    quiet: Quiet | None = None
    actions_per_day: int = 12
    messages_per_day: int = 6
    tasks_per_day: int = 6
    megabytes_per_day: int = 64
    again_after: timedelta = timedelta(hours=24)
    calm: timedelta = timedelta(minutes=3)
    speak: Speak = "decided"


def hindrance(doings: Doings, manners: Manners, talking: bool, now: datetime) -> str | None:
    """Why nothing is begun just now."""
    if not doings.on:
        return "off"
    if doings.resting(now):
        return "paused"
    if talking:
        return "talking"
    if doings.heard and timedelta(0) <= now - doings.heard.at < manners.calm:
        return "calm"
    if manners.quiet and manners.quiet.holds(now):
        return "quiet"
    return exhaustion(doings, manners, now)


def forbidden(doings: Doings, manners: Manners, action_type: str, action_key: str, now: datetime) -> str | None:
    """Why something that was decided on is not begun: enough was done meanwhile, or it would be done again."""
    return (
        exhaustion(doings, manners, now)
        or surfeit(doings, manners, action_type, now)
        or repetition(doings, manners, action_key, now)
    )


def exhaustion(doings: Doings, manners: Manners, now: datetime) -> str | None:
    """Why nothing more is begun today."""
    limit = manners.actions_per_day
    return "actions-spent" if limit and acts_today(doings, now) >= limit else None


def surfeit(doings: Doings, manners: Manners, action_type: str, now: datetime) -> str | None:
    """Why nothing more of this kind is begun today."""
    if action_type == DELEGATION and manners.tasks_per_day:
        return "tasks-spent" if acts_today(doings, now, DELEGATION) >= manners.tasks_per_day else None
    if action_type == RESEARCH:
        return "megabytes-spent" if room_today(doings, manners, now) == 0 else None
    return None


def hush(manners: Manners, talking: bool, now: datetime) -> str | None:
    """Why nothing is said just now; it is said as soon as nothing stands against it any more."""
    if talking:
        return "talking"
    return "quiet" if manners.quiet and manners.quiet.holds(now) else None


def acts_today(doings: Doings, now: datetime, action_type: str | None = None) -> int:
    """What was begun within a day, or what of one kind."""
    begun = (one for _, one in doings.of(Intent, now - DAY) if one.dropped is None and _lately(one.at, now))
    return sum(1 for one in begun if action_type in (None, one.action_type))


def room_today(doings: Doings, manners: Manners, now: datetime) -> int | None:
    """Bytes that research may still take from the web; None: any number."""
    if not manners.megabytes_per_day:
        return None
    return max(0, manners.megabytes_per_day * MEBIBYTE - fetched_today(doings, now))


def fetched_today(doings: Doings, now: datetime) -> int:
    """Bytes that research took from the web within a day."""
    results = (one.result for _, one in doings.of(Resulted, now - DAY) if _lately(one.at, now))
    return sum(int(one.details_json.get(FETCHED, 0)) for one in results if one.capability_name == WEB)


def said_today(doings: Doings, now: datetime) -> int:
    """What was said within a day."""
    return sum(1 for _, one in doings.of(Said, now - DAY) if _lately(one.at, now))


def _lately(at: datetime, now: datetime) -> bool:
    """Not what was done while the clock was far ahead: once it is right again, that would count for years."""
    return at <= now + DAY


def repetition(doings: Doings, manners: Manners, action_key: str, now: datetime) -> str | None:
    """Why this very thing is not done: it is under way, or was done a while ago and not in vain."""
    lately = doings.of(Intent, now - manners.again_after)
    known = {seq: one for seq, one in lately if one.action_key == action_key and one.dropped is None}
    since = takewhile(lambda pair: pair[0] > min(known), doings.of(Resulted)) if known else ()
    done = {one.intent_id: one for _, one in since}
    for seq, intent in known.items():
        if abs(now - intent.at) >= manners.again_after:
            continue  # what has not come back by now never will: its flow has failed
        if seq not in done:
            return "under-way"
        if done[seq].result.result_status != "failed":
            return "lately-done"
    return None


def spent(doings: Doings, manners: Manners, now: datetime) -> str | None:
    """Why nothing is said of it at all."""
    limit = manners.messages_per_day
    return "messages-spent" if limit and said_today(doings, now) >= limit else None


def action_key(action_type: str, payload: Mapping[str, Any]) -> str:
    """What makes two actions the same: their kind, and the words of what is sought or else all that is asked."""
    sought = payload.get(SOUGHT.get(action_type, ""))
    asked = " ".join(sorted(set(filed(sought)))) if isinstance(sought, str) else canonical_json(dict(payload))
    return f"{action_type}:{asked}"
