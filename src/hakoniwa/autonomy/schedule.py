"""Scheduler: which reasons to think are due in which chat, and whose flow is carried out next."""

import logging
import threading
from datetime import datetime, timedelta
from time import monotonic

from hakoniwa.autonomy.context import AutonomyContext, AutonomyContexts
from hakoniwa.autonomy.log import AutonomyLog, claim_key, flow_key
from hakoniwa.autonomy.policy import AutonomyPolicy, hindrance
from hakoniwa.chat.autonomy_rows import ClaimRow, EndRow, Trigger
from hakoniwa.errors import HakoniwaError
from hakoniwa.jobs import Jobs

URGENCY = {"time": 0, "policy": 1, "event": 2, "heartbeat": 3}
STALE = timedelta(days=1)  # an exchange so long ago is no reason to think of it now


def due(doings: AutonomyLog, manners: AutonomyPolicy, now: datetime) -> list[Trigger]:
    """What is due: what waits for its time, the last exchange, and the beat of the heart."""
    waiting = [one for one in doings.waiting.values() if one.due <= now]
    found = [*waiting, *_exchange_triggers(doings, now), *_heartbeat_triggers(doings, manners, now)]
    new = [one for one in found if not doings.taken(one)]
    return sorted(new, key=lambda one: (URGENCY[one.type], one.due, one.key))


def _exchange_triggers(doings: AutonomyLog, now: datetime) -> list[Trigger]:
    """What was said last, once; only what was said since the persona was let live."""
    heard, since = doings.heard, doings.began
    if heard is None or since is None or heard.at < min(since, now) or now - heard.at > STALE:
        return []
    return [Trigger(key=f"event/{heard.seq}", at=heard.at, type="event", due=heard.at)]


def _heartbeat_triggers(doings: AutonomyLog, manners: AutonomyPolicy, now: datetime) -> list[Trigger]:
    """The beat that falls into this while; beats that were missed are not made up for.

    It goes on as well where the clock was ahead, and set back, since the persona was let live."""
    since, every = doings.began, manners.heartbeat
    if since is None or abs(now - since) < every:
        return []
    at = since + (now - since) // every * every
    return [Trigger(key=f"heartbeat/{at.isoformat()}", at=at, type="heartbeat", due=at)]


def next_due(doings: AutonomyLog, manners: AutonomyPolicy, now: datetime) -> datetime:
    """The next moment at which something falls due, or what stands against it may be over, if nothing changes.

    What cannot be foreseen as simply, as the end of the quiet hours, is looked for every minute."""
    moments = [one.due for one in doings.waiting.values()]
    if heartbeat := next_heartbeat(doings, manners, now):
        moments.append(heartbeat)
    if doings.heard:
        moments.append(doings.heard.at + manners.calm)
    if doings.paused_until:
        moments.append(doings.paused_until)
    return min([one for one in moments if one > now] + [now + UNFORESEEN])


def next_heartbeat(doings: AutonomyLog, manners: AutonomyPolicy, now: datetime) -> datetime | None:
    began = doings.began
    if began is None or not doings.on:
        return None
    return began + ((now - began) // manners.heartbeat + 1) * manners.heartbeat


log = logging.getLogger("hakoniwa.autonomy")

FLOW = "autonomy"
PULSE = 1.0  # seconds between two looks while something is under way, and half of those in which nothing is
UNFORESEEN = timedelta(minutes=1)
LOST = "autonomy.flow-failed"


class Scheduler:
    """Beats in a thread of its own: while something is under way, when the next thing falls due, and when anything was
    written. Any number of them may beat for the same household."""

    def __init__(self, household: AutonomyContexts, jobs: Jobs, pulse: float = PULSE) -> None:
        self._household, self._jobs, self._pulse = household, jobs, pulse
        self._busy, self._seconds = True, 0.0  # whether something is under way; until something is due
        self._flows: set[str] = set()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._go_on, name="hakoniwa-heart", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()

    def _go_on(self) -> None:
        while not self._stopped.is_set():
            try:
                sign = self._household.change_sign()
                self.beat()
                self._rest(sign)
            except HakoniwaError as error:
                log.warning("the heart misses a beat: %s", error.key)
                self._stopped.wait(self._pulse)
            except Exception:
                log.exception("the heart misses a beat")
                self._stopped.wait(self._pulse)

    def _rest(self, sign: object) -> None:
        """Wait while nothing is written, falls due or ends; with something under way elsewhere, for one pulse."""
        here = set(filter(self._jobs.carries_out, self._flows))
        begun, look = monotonic(), self._pulse if self._busy else 2 * self._pulse
        while monotonic() - begun < (self._seconds if here or not self._busy else look):
            if self._stopped.wait(look / 10 if here else look) or here != set(filter(self._jobs.carries_out, here)):
                return
            if monotonic() - begun >= look and self._household.change_sign() != sign:
                return

    def beat(self) -> int:
        """Take up what is due; how many flows were begun."""
        homes = list(self._household.homes())
        self._seconds = UNFORESEEN.total_seconds()
        before = {flow for home in homes for flow in _flows_under_way(home)}
        begun = sum([self._look_after(home) for home in homes])
        self._flows = {flow for home in homes for flow in _flows_under_way(home)}
        if (self._busy and not self._flows) or not all(map(self._jobs.carries_out, self._flows & before)):
            self._jobs.look()
        self._busy = bool(self._flows) or any(home.doings.over for home in homes)
        return begun

    def _look_after(self, home: AutonomyContext) -> bool:
        """One chat: see to what was taken up, or take up what is most urgent."""
        now, talking = home.look()
        self._seconds = min(self._seconds, (next_due(home.doings, home.manners, now) - now).total_seconds())
        self._clear(home)
        if home.doings.claims:
            for claim in list(home.doings.claims.values()):
                self._see_to(home, claim)
            return False
        if hindrance(home.doings, home.manners, talking, now):
            return False
        found = due(home.doings, home.manners, now)
        if not found:
            return False
        claim = ClaimRow(key=claim_key(found[0].key), at=now, trigger=found[0])
        home.doings.write(claim)
        self._start(home, claim.trigger)
        return True

    def _clear(self, home: AutonomyContext) -> None:
        """Let go of what a flow found out on its way once it is over: the journal has what is to be kept of it."""
        for key in list(home.doings.over):
            if not self._jobs.carries_out(key) and self._jobs.clear(key):
                home.doings.over.remove(key)

    def _see_to(self, home: AutonomyContext, claim: ClaimRow) -> None:
        """Have a flow carried out that nobody began, and bury one that failed."""
        key = flow_key(home.ghost.garden, home.ghost.branch, claim.trigger)
        if self._jobs.carries_out(key):
            return
        match self._jobs.status(key):
            case None:
                self._start(home, claim.trigger)
            case "failed" | "cancelled":
                log.warning("what %s had begun came to nothing: %s", home.ghost.who, key)
                home.doings.write(EndRow(key=f"{key}/end", at=home.now(), trigger=claim.trigger.key, dropped=LOST))

    def _start(self, home: AutonomyContext, trigger: Trigger) -> None:
        order = {"garden": home.ghost.garden, "branch": home.ghost.branch, "trigger": trigger.model_dump(mode="json")}
        self._jobs.start(FLOW, flow_key(home.ghost.garden, home.ghost.branch, trigger), order)


def _flows_under_way(home: AutonomyContext) -> list[str]:
    claims = list(home.doings.claims.values())  # at once: a flow of another thread may claim meanwhile
    return [flow_key(home.ghost.garden, home.ghost.branch, one.trigger) for one in claims]
