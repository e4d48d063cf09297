"""Heart: looks again and again whether something is due anywhere, and has its flow carried out, whoever does so."""

import logging
import threading
from typing import Any

from hakoniwa.errors import HakoniwaError
from hakoniwa.ghost.autonomy.doings import claim_key, flow_key
from hakoniwa.ghost.autonomy.home import Home, Household
from hakoniwa.ghost.autonomy.manners import hindrance
from hakoniwa.ghost.autonomy.rows import Claim, End, Trigger
from hakoniwa.ghost.autonomy.triggers import due
from hakoniwa.jobs import Jobs

log = logging.getLogger("hakoniwa.autonomy")

FLOW = "autonomy"
PULSE = 1.0  # seconds between two looks
LOST = "autonomy.flow-failed"


class Heart:
    """Beats in a thread of its own until it is stopped. Any number of them may beat for the same household."""

    def __init__(self, household: Household, jobs: Jobs, pulse: float = PULSE) -> None:
        self._household, self._jobs, self._pulse = household, jobs, pulse
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._go_on, name="hakoniwa-heart", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()

    def _go_on(self) -> None:
        while not self._stopped.wait(self._pulse):
            try:
                self.beat()
            except HakoniwaError as error:
                log.warning("the heart misses a beat: %s", error.key)
            except Exception:
                log.exception("the heart misses a beat")

    def beat(self) -> int:
        """Take up what is due; how many flows were begun."""
        return sum(self._look_after(home) for home in self._household.homes())

    def _look_after(self, home: Home) -> bool:
        """One chat: see to what was taken up, or take up what is most urgent."""
        home.doings.follow()
        self._clear(home)
        if home.doings.claims:
            for claim in list(home.doings.claims.values()):
                self._see_to(home, claim)
            return False
        now = home.now()
        if hindrance(home.doings, home.manners, home.clock.talking(), now):
            return False
        found = due(home.doings, home.manners, now)
        if not found:
            return False
        claim = Claim(key=claim_key(found[0].key), at=now, trigger=found[0])
        home.doings.write(claim)
        self._see_to(home, claim)
        return True

    def _clear(self, home: Home) -> None:
        """Let go of what a flow found out on its way once it is over: the journal has what is to be kept of it."""
        for key in list(home.doings.over):
            if self._jobs.status(key) not in ("waiting", "running"):
                self._jobs.clear(key)
                home.doings.over.remove(key)

    def _see_to(self, home: Home, claim: Claim) -> None:
        """Have a flow carried out that nobody began, and bury one that failed."""
        key = flow_key(home.ghost.garden, home.ghost.branch, claim.trigger)
        match self._jobs.status(key):
            case None:
                self._jobs.start(FLOW, key, order_of(home, claim.trigger))
            case "failed" | "cancelled":
                log.warning("what %s had begun came to nothing: %s", home.ghost.who, key)
                home.doings.write(End(key=f"{key}/end", at=home.now(), trigger=claim.trigger.key, dropped=LOST))


def order_of(home: Home, trigger: Trigger) -> dict[str, Any]:
    return {
        "garden": home.ghost.garden,
        "branch": home.ghost.branch,
        "trigger": trigger.model_dump(mode="json"),
    }
