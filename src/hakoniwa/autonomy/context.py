"""Home: one chat whose persona lives by itself, with everything it lives by."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from hakoniwa.autonomy.log import AutonomyLog
from hakoniwa.autonomy.policy import AutonomyPolicy, speech_hindrance
from hakoniwa.capabilities.means import CapabilityMeans, Reminder
from hakoniwa.chat.autonomy_rows import AutonomyRow, Trigger
from hakoniwa.chat.calls import CallSite, record_calls
from hakoniwa.chat.clock import Clock
from hakoniwa.chat.lineage import catch_up
from hakoniwa.journal.follow import row_at
from hakoniwa.llm import ChatModel
from hakoniwa.memory.ghost import Ghost
from hakoniwa.persona.records import WorldItem


@dataclass
class AutonomyContext:
    """Who lives here, what they did, and by what rules and means they go on."""

    ghost: Ghost
    doings: AutonomyLog
    clock: Clock
    manners: AutonomyPolicy
    model: ChatModel | None
    means: CapabilityMeans
    believed: Callable[[], Sequence[WorldItem]] = tuple  # what it takes the place where it lives to be

    def now(self) -> datetime:
        return self.clock.now()

    def look(self) -> tuple[datetime, bool]:
        """Take in what was written since; the time, and whether the user is talking just now."""
        with self.doings.journal.database.together():
            self.doings.follow()
            return self.now(), self.clock.talking()

    def must_be_silent(self) -> bool:
        """Whether something stands against saying anything just now."""
        with self.doings.journal.database.together():
            return speech_hindrance(self.manners, self.clock.talking(), self.now()) is not None

    def up_to_date(self) -> Ghost:
        """The Ghost, which remembers all that has happened; what its model is asked from here on is written down."""
        ghost, journal = self.ghost, self.doings.journal
        head = catch_up(ghost.memories, journal, ghost.garden, ghost.branch)
        ghost.refresh(head)
        row = row_at(journal, ghost.garden, head)
        turn = row.event.turn if row else 0
        desk = CallSite(journal, ghost.garden, ghost.branch, head, turn, ghost.who, ghost.purges)
        record_calls(self.model, desk, ghost.persona.language, reuse=False)
        return ghost

    def write(self, *rows: AutonomyRow) -> int:
        """Write rows down, so that they are remembered; the first one's place."""
        seq = self.doings.write(*rows)
        self.up_to_date()
        return seq

    async def remind(self, reminder: Reminder) -> int:
        """Keep a moment at which the persona wants to think again; of one key there is one."""
        return await asyncio.to_thread(self._remind, reminder)

    def _remind(self, reminder: Reminder) -> int:
        with self.doings.as_one():
            key, now = f"reminder/{reminder.key}", self.now()
            return self.doings.write(Trigger(key=key, at=now, type="time", due=reminder.at, note=reminder.note))


class AutonomyContexts(Protocol):
    """Every chat there is."""

    def homes(self) -> Iterable[AutonomyContext]:
        """Those whose personas live by themselves at the moment."""
        ...

    def home(self, garden: str, branch: str) -> AutonomyContext: ...

    def change_sign(self) -> object:
        """Another value than before if anything was written meanwhile."""
        ...
