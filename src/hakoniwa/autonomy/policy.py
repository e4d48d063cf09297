"""Manners: whether a persona may begin something now, do this very thing, and say something. Each answer is None, or
the reason why not, as the last part of a message's key."""

import re
from collections.abc import Mapping
from datetime import datetime, time, timedelta
from itertools import takewhile
from typing import Any, Self

from hakoniwa.autonomy.delivery import Speak
from hakoniwa.autonomy.log import AutonomyLog
from hakoniwa.capabilities.means import FETCHED, MEBIBYTE, WEB
from hakoniwa.chat.autonomy_rows import IntentRow, MessageRow, ResultRow
from hakoniwa.journal import canonical_json
from hakoniwa.memory.words import index_words
from hakoniwa.turn import Value

DAY = timedelta(days=1)
_WRITTEN = re.compile(r"([0-9]{2}:[0-9]{2})-([0-9]{2}:[0-9]{2})")
RESEARCH, DELEGATION = "web_research", "agent_delegate"
SOUGHT = {RESEARCH: "query", DELEGATION: "task_instruction"}  # what makes two of these the same


class QuietHours(Value):
    """Hours of the day in which nothing is begun and nothing is said; they may span midnight."""

    start: time
    end: time

    @classmethod
    def read(cls, text: str) -> Self:
        """The hours as they are written in settings: 23:00-07:00."""
        found = _WRITTEN.fullmatch(text)
        try:
            start, end = map(time.fromisoformat, found.groups() if found else ())
        except ValueError:
            raise ValueError("hours are written as in 23:00-07:00") from None
        if start == end:
            raise ValueError("quiet hours begin and end at different times")
        return cls(start=start, end=end)

    def holds(self, now: datetime) -> bool:
        """Whether it is such an hour, by the clock on the user's wall."""
        at = now.astimezone().time()
        return self.start <= at < self.end if self.start <= self.end else at >= self.start or at < self.end


class AutonomyPolicy(Value):
    """How a persona behaves; of what has a number a day, 0 means any number."""

    heartbeat: timedelta = timedelta(minutes=30)
    quiet: QuietHours | None = None
    actions_per_day: int = 12
    messages_per_day: int = 6
    tasks_per_day: int = 6
    megabytes_per_day: int = 64
    again_after: timedelta = timedelta(hours=24)
    calm: timedelta = timedelta(minutes=3)
    speak: Speak = "decided"


def hindrance(doings: AutonomyLog, manners: AutonomyPolicy, talking: bool, now: datetime) -> str | None:
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
    return daily_limit(doings, manners, now)


def action_hindrance(
    doings: AutonomyLog, manners: AutonomyPolicy, action_type: str, action_key: str, now: datetime
) -> str | None:
    """Why something that was decided on is not begun: enough was done meanwhile, or it would be done again."""
    return (
        daily_limit(doings, manners, now)
        or kind_limit(doings, manners, action_type, now)
        or repetition(doings, manners, action_key, now)
    )


def daily_limit(doings: AutonomyLog, manners: AutonomyPolicy, now: datetime) -> str | None:
    """Why nothing more is begun today."""
    limit = manners.actions_per_day
    return "actions-spent" if limit and acts_today(doings, now) >= limit else None


def kind_limit(doings: AutonomyLog, manners: AutonomyPolicy, action_type: str, now: datetime) -> str | None:
    """Why nothing more of this kind is begun today."""
    if action_type == DELEGATION and manners.tasks_per_day:
        return "tasks-spent" if acts_today(doings, now, DELEGATION) >= manners.tasks_per_day else None
    if action_type == RESEARCH:
        return "megabytes-spent" if room_today(doings, manners, now) == 0 else None
    return None


def speech_hindrance(manners: AutonomyPolicy, talking: bool, now: datetime) -> str | None:
    """Why nothing is said just now; it is said as soon as nothing stands against it any more."""
    if talking:
        return "talking"
    return "quiet" if manners.quiet and manners.quiet.holds(now) else None


def acts_today(doings: AutonomyLog, now: datetime, action_type: str | None = None) -> int:
    """What was begun within a day, or what of one kind."""
    begun = (one for _, one in doings.of(IntentRow, now - DAY) if one.dropped is None and _is_recent(one.at, now))
    return sum(1 for one in begun if action_type in (None, one.action_type))


def room_today(doings: AutonomyLog, manners: AutonomyPolicy, now: datetime) -> int | None:
    """Bytes that research may still take from the web; None: any number."""
    if not manners.megabytes_per_day:
        return None
    return max(0, manners.megabytes_per_day * MEBIBYTE - fetched_today(doings, now))


def fetched_today(doings: AutonomyLog, now: datetime) -> int:
    """Bytes that research took from the web within a day."""
    results = (one.result for _, one in doings.of(ResultRow, now - DAY) if _is_recent(one.at, now))
    return sum(int(one.details_json.get(FETCHED, 0)) for one in results if one.capability_name == WEB)


def said_today(doings: AutonomyLog, now: datetime) -> int:
    """What was said within a day."""
    return sum(1 for _, one in doings.of(MessageRow, now - DAY) if _is_recent(one.at, now))


def _is_recent(at: datetime, now: datetime) -> bool:
    """Not what was done while the clock was far ahead: once it is right again, that would count for years."""
    return at <= now + DAY


def repetition(doings: AutonomyLog, manners: AutonomyPolicy, action_key: str, now: datetime) -> str | None:
    """Why this very thing is not done: it is under way, or was done a while ago and not in vain."""
    lately = doings.of(IntentRow, now - manners.again_after)
    known = {seq: one for seq, one in lately if one.action_key == action_key and one.dropped is None}
    since = takewhile(lambda pair: pair[0] > min(known), doings.of(ResultRow)) if known else ()
    done = {one.intent_id: one for _, one in since}
    for seq, intent in known.items():
        if abs(now - intent.at) >= manners.again_after:
            continue  # what has not come back by now never will: its flow has failed
        if seq not in done:
            return "under-way"
        if done[seq].result.result_status != "failed":
            return "lately-done"
    return None


def message_limit(doings: AutonomyLog, manners: AutonomyPolicy, now: datetime) -> str | None:
    """Why nothing is said of it at all."""
    limit = manners.messages_per_day
    return "messages-spent" if limit and said_today(doings, now) >= limit else None


def action_key(action_type: str, payload: Mapping[str, Any]) -> str:
    """What makes two actions the same: their kind, and the words of what is sought or else all that is asked."""
    sought = payload.get(SOUGHT.get(action_type, ""))
    asked = " ".join(sorted(set(index_words(sought)))) if isinstance(sought, str) else canonical_json(dict(payload))
    return f"{action_type}:{asked}"
