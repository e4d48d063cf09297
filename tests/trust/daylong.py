"""A garden's day: turn after turn by the built-in mind and by a model that takes no time, with memory, incidents,
forks and what is taken back, beside a persona that lives on its own while the clock goes round.

As a program it plays so many turns from a seed, and prints what the process weighed and what a turn took on the way:
`python -m tests.trust.daylong TURNS SEED`."""

import _sqlite3
import asyncio
import ctypes
import functools
import gc
import json
import mmap
import os
import sys
import time
import tracemalloc
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import closing, suppress
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from hakoniwa.actor.builtin import BuiltinMind
from hakoniwa.actor.language import LanguageMind
from hakoniwa.app.chats import ghosts_of
from hakoniwa.autonomy.policy import AutonomyPolicy
from hakoniwa.errors import UsageError
from hakoniwa.journal import Journal, Row
from hakoniwa.journal.open import open_journal
from hakoniwa.llm import ChatModel, Message, Usage
from hakoniwa.play.loop import next_turn, resume
from hakoniwa.play.session import Session
from hakoniwa.play.timeline import Timeline
from hakoniwa.play.user_acts import ring_incident
from hakoniwa.settings import Settings
from hakoniwa.turn import Event
from tests.autonomy.cottage import SKIP, Cottage, later
from tests.gardens import FREE, shipped_garden
from tests.pace import squares
from tests.trust.replays import SCENARIOS, Echo
from tests.trust.scratch import scratch

DAY = 864  # turns of one garden, a hundred seconds each
STEP = timedelta(days=1) / DAY
SPOKEN, WATCHED = 4, 10  # every fourth turn is a model's; every tenth it is seen what the process weighs
HAPPENS = {"incident": 40, "word": 60, "fork": 100, "undo": 150}  # every so many turns
HOURLY = AutonomyPolicy(heartbeat=timedelta(hours=1))
MUTANT = "TRUST_MUTANT"
UNIT = 500  # how many numbers are added up to see how fast the machine is just now


class Sample(NamedTuple):
    """What was seen at some turn: bytes in use and bytes of the machine's memory, open files, and what each of the last
    turns took, in units of what the machine was able to do meanwhile."""

    turn: int
    used: int
    resident: int
    files: int
    took: list[float]


class Small(Echo):
    """A model with as much room as many have that run at home: what it is shown is as long as it gets by noon."""

    context = 4096


class Alone(ChatModel):
    """Decides for a persona that lives on its own: now and then something is to be done, and is told."""

    name, context = "alone", 0

    def __init__(self) -> None:
        self._thoughts = 0

    async def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[str | Usage]:
        match purpose:
            case "ghost.deliberate":
                self._thoughts += 1
                doing = later(2, f"棚の{self._thoughts}段目を拭く")
                yield json.dumps(doing if self._thoughts % 4 == 0 else SKIP, ensure_ascii=False)
            case "ghost.autonomy_message_render":
                yield "きみに知らせたいことがあってね。うまくいったよ。"
            case _:
                yield "{}"
        yield Usage(finish="stop")


class Day:
    """The garden, and the persona next to it, on one journal."""

    def __init__(self, journal: Journal, home: Path, seed: int) -> None:
        garden = shipped_garden(SCENARIOS[seed // 2 % len(SCENARIOS)], seed)
        journal.create(garden)
        self.chance = Random(seed)
        self.session = Session(journal, garden, BuiltinMind())
        self.minds = (self.session.mind, LanguageMind(Small(), FREE) if seed % 2 else self.session.mind)
        self.reel = Timeline(journal, garden, self.session.branch)
        self.session.ghosts = ghosts_of(self.session, Settings(home=home, embedder="none"))
        self.cottage = Cottage({"chat-mina": Alone()}, HOURLY, journal=journal)
        self.cottage.jobs.run()
        for one in self.cottage.homes():
            one.doings.control("start", self.cottage.time)

    async def turn(self, number: int) -> float:
        """One turn, and whatever else happens then; what the turn took of the processor, until it was shown."""
        session = self.session
        if session.standing.ended is not None:
            await resume(session)
        session.mind = self.minds[number % SPOKEN == 0]
        began = time.process_time()
        await next_turn(session)
        self._watch()
        took = time.process_time() - began
        await self._meanwhile(number)
        return took

    async def _meanwhile(self, number: int) -> None:
        self.cottage.time += STEP
        await asyncio.to_thread(self.cottage.settle)
        happens = {name for name, every in HAPPENS.items() if number % every == every - 1}
        if "incident" in happens and (deck := self.session.scenario.incidents):
            with suppress(UsageError):  # what it brings may be in somebody's hands by now
                await self.session.commit([ring_incident(self.session, self.chance.choice(deck).id)])
        if "word" in happens:
            await self.session.say("みんな、そこで何をしているの？")
        if "fork" in happens:
            await self.session.fork(f"line-{number}")
        if "undo" in happens:
            await self.session.undo(2)
        if self.reel.branch != self.session.branch:
            self.reel = Timeline(self.session.journal, self.session.garden, self.session.branch)
        if happens:
            self._watch()

    def _watch(self) -> None:
        """What a server does for a line that somebody watches: it follows, and shows what is new."""
        seen = len(self.reel.rows)
        self.reel.follow()
        self.reel.entries(min(seen, len(self.reel.rows)), len(self.reel.rows))

    def close(self) -> None:
        self.cottage.jobs.close()
        self.session.close()


async def lived(turns: int, seed: int, home: Path) -> list[Sample]:
    """What was to be seen of a garden that ran so long."""
    with closing(open_journal(f"sqlite:///{home}/journal.db")) as journal, closing(Day(journal, home, seed)) as day:
        await day.session.open()
        caches = bounded_caches()
        gc.freeze()
        if turns >= DAY:
            tracemalloc.start()
        samples, took = [], []
        count = -(-turns // WATCHED)
        weighed = {*range(count // 2, count // 2 + often(count)), *range(count - often(count), count)}
        for number in range(turns):
            took.append(await day.turn(number) / squares(UNIT))
            if number % WATCHED == WATCHED - 1 or number + 1 == turns:
                for one in caches if len(samples) in weighed else ():
                    one.cache_clear()
                samples.append(Sample(number + 1, used(), resident(), files(), took))
                took = []
    return samples


def often(samples: int) -> int:
    """How many of some samples count at either end of their second half: what the newest rows weigh differs from turn
    to turn."""
    return min(6, max(1, samples // 12))


# --- what a process weighs --------------------------------------------------------------------------------------------

_c = ctypes.CDLL(None)


class _Weights(ctypes.Structure):
    _names = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
    _fields_ = [(name, ctypes.c_size_t) for name in _names.split()]


_c.mallinfo2.restype = _Weights
_sqlite = ctypes.CDLL(_sqlite3.__file__)
_sqlite.sqlite3_memory_used.restype = ctypes.c_longlong


def bounded_caches() -> list[Any]:
    """Every cache that has a limit: they fill for days, and one day they are full."""
    caches = [one for one in gc.get_objects() if isinstance(one, functools._lru_cache_wrapper)]
    return [one for one in caches if one.cache_parameters()["maxsize"] is not None]


def used() -> int:
    """Bytes that were asked for and not given back. Over a whole day they are traced, which takes its time, and are
    Python's own; else they are what the allocator counts, without the pages that SQLite keeps."""
    gc.collect()
    if tracemalloc.is_tracing():
        return tracemalloc.get_traced_memory()[0]
    weights = _c.mallinfo2()
    return int(weights.uordblks + weights.hblkhd - _sqlite.sqlite3_memory_used())


def resident() -> int:
    """Bytes of memory that this process has, but for files that are mapped into it, such as dictionaries."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return 1024 * int(status.partition("RssAnon:")[2].split()[0])


def files() -> int:
    return len(os.listdir("/proc/self/fd"))


# --- mutants: put in by a variable, for it is another process that plays ---------------------------------------------

_kept: list[Any] = []


def _after_every_turn(act: Callable[[Session], object]) -> None:
    commit = Session.commit

    async def and_more(session: Session, events: Sequence[Event]) -> list[Row]:
        rows = await commit(session, events)
        if events[0].kind == "turn":
            act(session)
        return rows

    Session.commit = and_more  # type: ignore[method-assign]


def _shown_from_the_beginning() -> None:
    honest = Timeline.entries

    def entries(self: Timeline, start: int, end: int) -> Any:
        for _ in self.rows.seqs:
            sum(range(1_000))  # as if something were looked up
        return honest(self, start, end)

    Timeline.entries = entries  # type: ignore[method-assign]


def _touched(memory: mmap.mmap) -> mmap.mmap:
    memory.write(bytes([1]) * len(memory))
    return memory


MUTANTS: dict[str, Callable[[], object]] = {
    "eight kilobytes of every turn are kept": lambda: _after_every_turn(lambda _: _kept.append(bytearray(8192))),
    "a megabyte of every turn is kept where Python does not look": lambda: _after_every_turn(
        lambda _: _kept.append(_touched(mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)))
    ),
    "every turn leaves a file open": lambda: _after_every_turn(
        lambda _: _kept.append(os.open(os.devnull, os.O_RDONLY))
    ),
    "to show a turn, all that ever was is gone through": _shown_from_the_beginning,
}


def main() -> None:
    if name := os.environ.get(MUTANT):
        MUTANTS[name]()
    with scratch() as home:
        print(json.dumps(asyncio.run(lived(int(sys.argv[1]), int(sys.argv[2]), home))))


if __name__ == "__main__":
    main()
