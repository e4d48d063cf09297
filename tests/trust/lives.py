"""A garden at play with everything behind it but HTTP: a stage, a model, memory, and a console that reads the stream.

It is played in a child process that is killed, and taken up afterwards; both tell what came of it in the same notes."""

import asyncio
import hashlib
import json
import os
import select
import signal
import time
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from hakoniwa.errors import UnknownName
from hakoniwa.journal import MAIN, GardenRecord, Journal
from hakoniwa.journal.open import open_journal
from hakoniwa.journal.takes import go_back, take_of
from hakoniwa.llm import Message, Usage
from hakoniwa.llm.ledger import Ledger
from hakoniwa.play.user_acts import pin
from hakoniwa.service.garden_events import GardenWatcher
from hakoniwa.service.live_gardens import LiveGarden, LiveGardens
from hakoniwa.service.streams import EventStreams
from hakoniwa.service.takes import choice_event, take_back
from hakoniwa.settings import Settings
from tests.gardens import shipped_garden
from tests.trust.replays import Echo

PATIENCE = 60.0  # seconds for a console to see what is there
SHIPPED = cache(partial(shipped_garden, seed=1))  # read once, before there are children
LONGEST = 600  # seconds that a child lives which everybody has forgotten

Note = Callable[..., None]
Deed = Callable[[LiveGarden], Awaitable[object]]


class Place(NamedTuple):
    """Where a garden is kept, which one it is, and a folder for whatever is not in its journal."""

    url: str
    garden: str
    scenario: str
    seed: int
    home: Path


class Asked(Echo):
    """A model of which it is known what it was asked, from outside."""

    def __init__(self, note: Note) -> None:
        self._note = note

    async def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[str | Usage]:
        self._note("asked", asked(purpose, [(one.role, one.content) for one in messages]))
        async for piece in super().chat(messages, purpose, max_tokens, schema):
            yield piece


def asked(purpose: str, messages: Sequence[tuple[str, str]]) -> str:
    """A question, in short."""
    return hashlib.sha256(json.dumps([purpose, messages]).encode()).hexdigest()[:16]


def pipe_notes(pipe: int) -> Note:
    """Notes that are out as soon as they are written, whatever becomes of the writer."""

    def note(*words: Any) -> None:
        os.write(pipe, (json.dumps(words) + "\n").encode())

    return note


# --- what is done in a garden -----------------------------------------------------------------------------------------


async def turn(stage: LiveGarden) -> None:
    await stage.turn()


async def say(stage: LiveGarden) -> None:
    await stage.change(lambda session: session.say("みんな、そこで何をしているの？"))


async def undo(stage: LiveGarden) -> None:
    """With a cue behind the turn, which makes the undo two events."""
    somebody = next(iter(stage.reel.cast))
    await stage.change(lambda session: session.commit([pin(session, somebody)]))
    await stage.change(lambda session: session.undo())


async def rewind(stage: LiveGarden) -> None:
    """The last turn anew, and then back to the take before."""
    await stage.turn(take_back)
    journal, id, branch = stage.reel.journal, stage.reel.garden.id, stage.reel.branch
    take = next(one.name for one in reversed(journal.branches(id)) if take_of(one.name))
    await stage.rewrite(lambda number: go_back(journal, id, branch, take, number))
    await stage.change(lambda session: session.commit([choice_event(session, take)]))


async def fork(stage: LiveGarden) -> None:
    reel = stage.reel
    name = f"fork-{len(reel.journal.branches(reel.garden.id))}"
    await asyncio.to_thread(reel.journal.fork, reel.garden.id, reel.branch, name, reel.head)


PLAIN: tuple[Deed, ...] = (turn,)
EVENTFUL: tuple[Deed, ...] = (turn, say, rewind, undo, fork)


# --- playing ----------------------------------------------------------------------------------------------------------


async def played(place: Place, deeds: Sequence[Deed], rounds: int, note: Note, watched: Mapping[str, int]) -> None:
    """Do the deeds so many times over, while consoles watch, each from a row on; they note what they see by a word of
    their own, and have seen all when this ends."""
    settings = Settings(home=place.home, embedder="none")
    with closing(open_journal(place.url)) as journal:
        stages = LiveGardens(journal, settings, lambda: Ledger(Asked(note)))
        stage = await stages.at(garden_at(journal, place).id, MAIN)
        consoles = [Console(stage, after, partial(note, word)) for word, after in watched.items()]
        await stage.change(lambda session: session.open())
        for _ in range(rounds):
            for deed in deeds:
                note("deed", deed.__name__)
                await deed(stage)
                note("branches", left_alone(journal, place.garden))
        for one in consoles:
            await one.leave()
        await stages.close()


def left_alone(journal: Journal, garden: str) -> dict[str, int | None]:
    """The branches that nobody plays on, with their heads."""
    with suppress(UnknownName):
        return {one.name: one.head for one in journal.branches(garden) if one.name != MAIN}
    return {}


class Console:
    """Somebody who watches, and notes every event of a row as it comes."""

    def __init__(self, stage: LiveGarden, after: int, note: Note) -> None:
        self._stage, self._note, self._seen = stage, note, after
        self._frames = EventStreams().open(GardenWatcher(stage, "ja"), str(after)).body_iterator
        self._task = asyncio.create_task(self._watch())

    async def _watch(self) -> None:
        async for frame in self._frames:
            if row := row_in(bytes(frame).decode()):
                self._note(row)
                self._seen = row["seq"]

    async def leave(self) -> None:
        """Go, once everything has been seen, or nothing more comes."""
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                while self._seen < (self._stage.reel.head or 0):
                    await asyncio.sleep(0.001)
        while not self._task.done():  # a wait that ends as it is cancelled does not notice
            self._task.cancel()
            await asyncio.wait([self._task], timeout=0.1)


def row_in(event: str) -> dict[str, Any] | None:
    """What an event of the stream says of a row, if it is one that does."""
    fields = dict(line.partition(": ")[::2] for line in event.splitlines())
    found: dict[str, Any] | None = json.loads(fields["data"]) if fields.get("event") == "row" else None
    return found


def garden_at(journal: Journal, place: Place) -> GardenRecord:
    """The garden of a place, made if it is not there."""
    with suppress(UnknownName):
        return journal.garden(place.garden)
    garden = SHIPPED(place.scenario).model_copy(update={"id": place.garden, "seed": place.seed})
    journal.create(garden)
    return garden


def in_child(work: Callable[[Note], None]) -> tuple[int, int]:
    """A process of its own that does some work, and the end of a pipe where it can be heard what it notes."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    note = pipe_notes(writing)
    try:
        signal.alarm(LONGEST)
        os.close(reading)
        work(note)
    except BaseException:
        note("crash", traceback.format_exc())
    finally:
        os._exit(0)


def heard_from(reading: int, child: int, until: float | None = None) -> Iterator[list[Any]]:
    """What a child notes until it is dead, a line cut short left out; `until` then it is killed, if that is given."""
    text = b""
    while True:
        wait = None if until is None else max(until - time.monotonic(), 0)
        if not select.select([reading], [], [], wait)[0]:
            os.kill(child, signal.SIGKILL)
            until = None
        elif piece := os.read(reading, 1 << 16):
            *lines, text = (text + piece).split(b"\n")
            yield from (json.loads(line) for line in lines)
        else:
            os.close(reading)
            return
