"""Plays in processes of their own, and the kill that ends them: at a step, or at any moment."""

import asyncio
import os
import signal
import time
from collections.abc import Callable, Coroutine
from contextlib import closing
from typing import Any, NamedTuple, Self

from psycopg import Cursor
from sqlalchemy import Engine, event

from hakoniwa.journal import GardenRecord
from hakoniwa.journal.open import open_journal
from tests.trust.lives import Note, Place, heard_from, in_child
from tests.trust.scratch import scratch
from tests.trust.steps import Fate, watch_steps

STATEMENT = "a statement of the database"
FOR_EVER, LONG_ENOUGH = 10_000, 300  # rounds of a play that is to be killed; seconds after which it was forgotten

Play = Callable[[Place, int, Note], Coroutine[Any, Any, None]]  # where, how many rounds, and who notes what is seen


class Fatal(NamedTuple):
    """How a play ends: at a step, after so many others; or (none) by a kill from outside, after so many seconds."""

    step: str | None = None
    after: int = 0
    seconds: float = 0.0

    @property
    def kind(self) -> str:
        return self.step.partition(":")[0] if self.step else "at random"


class Killed(NamedTuple):
    """A play that is over: what it noted, and whether it was killed."""

    notes: list[list[Any]]
    dead: bool


def found_steps(play: Play, scenario: str) -> tuple[str, ...]:
    """The names of all steps, as they are reached in two rounds of a play."""
    with scratch() as home:
        place = Place(f"sqlite:///{home}/journal.db", "rehearsal", scenario, 1, home)

        def rehearsed(note: Note) -> None:
            fate = Fate()
            watch_steps(fate)
            asyncio.run(play(place, 2, lambda *_: None))
            note("steps", fate.reached)

        child, reading = in_child(rehearsed)
        ((word, found),) = heard_from(reading, child)
        os.waitpid(child, 0)
    assert word == "steps", found
    return tuple(found)


def killed(place: Place, play: Play, fatal: Fatal) -> Killed:
    """A play that goes on until it is killed."""

    def work(note: Note) -> None:
        signal.alarm(LONG_ENOUGH)
        if fatal.step == STATEMENT:
            watch_statements(Fate(STATEMENT, fatal.after))
        elif fatal.step:
            watch_steps(Fate(fatal.step, fatal.after))
        else:
            event.listen(Engine, "connect", _all_the_time)
        asyncio.run(play(place, FOR_EVER, note))

    child, reading = in_child(work)
    until = None if fatal.step else time.monotonic() + fatal.seconds
    notes = list(heard_from(reading, child, until))
    return Killed(notes, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL)


def _all_the_time(connection: Any, _: Any) -> None:
    """Have SQLite move its log into the file after every commit, for a kill to find it at that."""
    if hasattr(connection, "set_trace_callback"):
        connection.execute("PRAGMA wal_autocheckpoint=1")


def watch_statements(fate: Fate) -> None:
    """Have every statement that a database is given be a step."""

    class Told(Cursor[Any]):
        def execute(self, *given: Any, **named: Any) -> Self:
            fate(STATEMENT)
            return super().execute(*given, **named)

    def connected(raw: Any, _: Any) -> None:
        if hasattr(raw, "set_trace_callback"):
            raw.set_trace_callback(lambda _: fate(STATEMENT))
        else:
            raw.cursor_factory = Told

    event.listen(Engine, "connect", connected)


def killed_at_birth(url: str, statement: int) -> list[str]:
    """What is wrong with a journal whose making was killed at a statement, once it is made after all."""

    def work(_: Note) -> None:
        watch_statements(Fate(STATEMENT, statement))
        open_journal(url).close()

    child, reading = in_child(work)
    crash = [f"a journal could not be made: {note[1]}" for note in heard_from(reading, child)]
    os.waitpid(child, 0)
    with closing(open_journal(url)) as journal:
        garden = GardenRecord(id="garden", scenario={}, sheets={}, seed=1)
        journal.create(garden)
        return [*crash, *journal.check("garden"), *([] if journal.gardens() == [garden] else ["no garden in it"])]
