"""What it costs to open a garden of 10,000 turns: reading its journal and folding it into where the garden stands."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from benchmarks.examples import played
from hakoniwa.actor.builtin import BuiltinMind
from hakoniwa.gm.step import rule_on
from hakoniwa.journal import GardenRecord, Journal
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.play.between import tick
from hakoniwa.play.session import Session
from hakoniwa.play.standing import event_of
from hakoniwa.stage.patch import apply
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import Event, Take, Turn

SCENARIO, BATCH = "detective_office", 500
DEEDS = ("(INSPECT: 壁の絵)", "(MOVE: 廊下)", "(INSPECT: 郵便受け)", "(MOVE: 探偵事務所)", "「雨はやみそうにない」")


class Size(NamedTuple):
    turns: int
    played: int  # of the turns


FULL, SMALLEST = Size(10_000, 150), Size(20, 5)


def synthetic(world: WorldState, turns: Sequence[Turn], first: int, last: int) -> Iterator[Event]:
    """Turns with the thoughts and minds of played ones and simple deeds of their own, and the clock after each."""
    for number in range(first, last):
        model = turns[number % len(turns)]
        reply = DEEDS[number // len(world.characters) % len(DEEDS)]
        step = rule_on(world, model.speaker, reply, turn=number)
        take = Take(performance=model.take.performance, ruling=step.ruling)
        turn = model.model_copy(update={"number": number, "take": take, "processes": ()})
        event = event_of(turn, tuple(world.characters), f"actor:{turn.speaker}")
        clock = tick(world := apply(world, event.world_delta), turn, 1)
        world = apply(world, clock)
        yield event
        yield Event(kind="clock", turn=number, origin="gm", witnesses=tuple(world.characters), world_delta=clock)


def long_garden(size: Size) -> tuple[Journal, GardenRecord]:
    """A journal that begins with real play and goes on until it is long enough."""
    session = asyncio.run(played(SCENARIO, 1, size.played))
    events = list(synthetic(session.world, session.standing.turns, session.world.time.turn + 1, size.turns + 1))
    head = session.head
    for start in range(0, len(events), BATCH):
        head = session.journal.append(session.garden.id, "main", events[start : start + BATCH], head)[-1].seq
    session.close()
    return session.journal, session.garden


def main(size: Size) -> None:
    journal, garden = long_garden(size)
    assert isinstance(journal, MemoryJournal)
    start = time.process_time()
    session = Session(journal, garden, BuiltinMind())
    seconds = time.process_time() - start
    session.close()
    turns = session.world.time.turn
    print(f"  {'folding':<22}{seconds:9.2f} s CPU for {turns:,} turns, {len(session.rows):,} events")
    print(f"  {'a turn of it':<22}{seconds / turns * 1e6:9.0f} µs CPU")
