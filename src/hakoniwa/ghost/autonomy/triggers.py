"""Triggers: the reasons to think about what to do that are due in a chat, the most urgent first."""

from datetime import datetime, timedelta

from hakoniwa.ghost.autonomy.doings import Doings
from hakoniwa.ghost.autonomy.manners import Manners
from hakoniwa.ghost.autonomy.rows import Trigger

URGENCY = {"time": 0, "policy": 1, "event": 2, "heartbeat": 3}
STALE = timedelta(days=1)  # an exchange so long ago is no reason to think of it now


def due(doings: Doings, manners: Manners, now: datetime) -> list[Trigger]:
    """What is due: what waits for its time, the last exchange, and the beat of the heart."""
    waiting = [one for one in doings.waiting.values() if one.due <= now]
    found = [*waiting, *_exchanged(doings, now), *_beat(doings, manners, now)]
    new = [one for one in found if not doings.taken(one)]
    return sorted(new, key=lambda one: (URGENCY[one.type], one.due, one.key))


def _exchanged(doings: Doings, now: datetime) -> list[Trigger]:
    """What was said last, once; only what was said since the persona was let live."""
    heard, since = doings.heard, doings.began
    if heard is None or since is None or heard.at < min(since, now) or now - heard.at > STALE:
        return []
    return [Trigger(key=f"event/{heard.seq}", at=heard.at, type="event", due=heard.at)]


def _beat(doings: Doings, manners: Manners, now: datetime) -> list[Trigger]:
    """The beat that falls into this while; beats that were missed are not made up for.

    It goes on as well where the clock was ahead, and set back, since the persona was let live."""
    since, every = doings.began, manners.heartbeat
    if since is None or abs(now - since) < every:
        return []
    at = since + (now - since) // every * every
    return [Trigger(key=f"heartbeat/{at.isoformat()}", at=at, type="heartbeat", due=at)]
