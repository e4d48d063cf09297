"""The steps of a garden at play on their way to the disk and to those who watch, each by its name.

The names are not listed but found: every transaction is named after the function that makes it, so that one that is
added tomorrow has steps too. All this is put into a child process, where nobody else has to live with it."""

import asyncio
import functools
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from hakoniwa.journal import queries
from hakoniwa.journal.database import Database
from hakoniwa.llm.ledger import Ledger
from hakoniwa.play.timeline import Timeline
from hakoniwa.service.live_gardens import LiveGarden
from hakoniwa.service.streams import EventNames

Reached = Callable[[str], None]

BEGUN, WRITTEN, COMMITTED = "begun", "written", "committed"  # the steps of a transaction, after its maker's name
BEFORE, AFTER = "before", "after"


class Seam(NamedTuple):
    """A function between whose calls there is a step that is no transaction's: where it is, and which side of it."""

    owner: Any
    name: str
    side: str
    says: str


SEAMS = (
    Seam(queries, "write", AFTER, "rows are written, and the head is where it was"),
    Seam(Ledger, "_write", BEFORE, "a reply has come, and is not on record"),
    Seam(Timeline, "follow", BEFORE, "something is committed, and not to be seen"),
    Seam(LiveGarden, "wake", BEFORE, "something is to be seen, and nobody is told"),
    Seam(EventNames, "frame", BEFORE, "somebody is told, and has got nothing"),
    Seam(EventNames, "frame", AFTER, "an event is made, and not sent"),
)
MAKERS = ("SqlJournal.create", "SqlJournal.append", "SqlJournal.record_call", "SqlJournal.move_head",
          "SqlJournal.fork", "Memories.take_in", "Memories.write_all")  # fmt: skip
# Without these the promise would not have been tried, whatever else is found.
VITAL = frozenset(one.says for one in SEAMS) | {
    f"{maker}: {step}" for maker in MAKERS for step in (BEGUN, WRITTEN, COMMITTED)
}


class Fate:
    """Counts steps as they are reached, and kills its own process at the first one of a name after so many."""

    def __init__(self, name: str | None = None, after: int = 0) -> None:
        self.name, self.after = name, after
        self.reached: list[str] = []

    def __call__(self, name: str) -> None:
        self.reached.append(name)
        if name == self.name and len(self.reached) > self.after:
            os.kill(os.getpid(), signal.SIGKILL)


def watch_steps(reached: Reached) -> None:
    """Have `reached` told of every step from now on, in this process, for good."""
    _transactions(reached)
    for seam in SEAMS:
        setattr(seam.owner, seam.name, _told(getattr(seam.owner, seam.name), seam, reached))


def _transactions(reached: Reached) -> None:
    honest = Database.writing

    @contextmanager
    def writing(self: Database) -> Iterator[Any]:
        maker = sys._getframe(2).f_code.co_qualname  # beyond contextlib: whoever says `with`
        with honest(self) as connection:
            reached(f"{maker}: {BEGUN}")
            yield connection
            reached(f"{maker}: {WRITTEN}")
        reached(f"{maker}: {COMMITTED}")

    Database.writing = writing  # type: ignore[method-assign]


def _told(work: Callable[..., Any], seam: Seam, reached: Reached) -> Callable[..., Any]:
    def told(side: str) -> None:
        if side == seam.side:
            reached(seam.says)

    @functools.wraps(work)
    def at_once(*given: Any, **named: Any) -> Any:
        told(BEFORE)
        found = work(*given, **named)
        told(AFTER)
        return found

    @functools.wraps(work)
    async def in_time(*given: Any, **named: Any) -> Any:
        told(BEFORE)
        found = await work(*given, **named)
        told(AFTER)
        return found

    return in_time if asyncio.iscoroutinefunction(work) else at_once
