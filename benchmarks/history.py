"""Whether a long session costs more than a new one: a GM step after 0 to 10,000 turns, and what a session weighs."""

import asyncio
import gc
import statistics
import tempfile
import time
import tracemalloc
from itertools import cycle, islice
from pathlib import Path
from typing import NamedTuple

from benchmarks.http import REPLIES, request
from hakoniwa.gm.history import History, PastTurn
from hakoniwa.gm.request import GMStepRequest, checked_request, step_for
from hakoniwa.journal.open import open_journal
from hakoniwa.service.gm_sessions import GMSessions


class Size(NamedTuple):
    turns: tuple[int, ...]  # before the step; the second is what the last is compared with
    rounds: int
    batch: int


FULL, SMALLEST = Size((0, 100, 1_000, 10_000), 30, 20), Size((0, 1, 150), 1, 1)


def past_turns(count: int) -> list[PastTurn]:
    """Turns as they are remembered; the speakers take turns, so that nobody repeats themselves three times."""
    told = [step_for(checked_request(request(turn))).past for turn in range(len(REPLIES))]
    speakers = cycle(("やな", "あゆ"))
    return [
        PastTurn(turn, next(speakers), one.marks, one.asked, one.speech, one.moved, one.acted)
        for turn, one in enumerate(islice(cycle(told), count))
    ]


def requests(first: int, count: int) -> list[GMStepRequest]:
    return [checked_request(request(turn)) for turn in range(first, first + count)]


def step_cost(history: History, size: Size) -> float:
    """CPU of one step in a session with this history, in microseconds."""
    asked = requests(max(size.turns), size.batch)
    start = time.process_time_ns()
    for one in asked:
        step_for(one, history)
    return (time.process_time_ns() - start) / 1e3 / size.batch


async def lived_through(url: str, turns: int) -> None:
    """A session of so many turns, left in the journal as the HTTP door leaves it."""
    sessions = GMSessions(open_journal(url))
    for one in requests(0, turns):
        await sessions.step(one, str(one.turn_number).encode())
        if one.turn_number % 100 == 99:
            await sessions.write()
    await sessions.close()


async def reopened(url: str, turns: int) -> tuple[float, float]:
    """Seconds of CPU to open that session again, and what it weighs then, in bytes."""
    sessions = GMSessions(open_journal(url))
    (next_one,) = requests(turns, 1)
    start = time.process_time()
    await sessions.step(next_one, b"next")
    seconds = time.process_time() - start
    await sessions.close()

    again = GMSessions(open_journal(url))
    gc.collect()
    tracemalloc.start()
    await again.step(next_one, b"next")
    gc.collect()
    weight, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    await again.close()
    return seconds, weight


def step_costs(size: Size) -> dict[int, float]:
    """The median cost of a step after so many turns; the lengths take turns, so that a noisy moment falls on all."""
    histories = {turns: History(past_turns(turns)) for turns in size.turns}
    seen: dict[int, list[float]] = {turns: [] for turns in size.turns}
    for _ in range(size.rounds + 1):
        for turns, history in histories.items():
            seen[turns].append(step_cost(history, size))
    return {turns: statistics.median(values[1:]) for turns, values in seen.items()}


def main(size: Size) -> None:
    costs, few, many = step_costs(size), size.turns[1], max(size.turns)
    for turns, cost in costs.items():
        print(f"  step after {turns:>6,} turns{cost:9.0f} µs CPU")
    print(f"  {many:,} turns against {few:,}: {costs[many] / costs[few]:.2f}   (target: at most 1.1)")
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'bench.db'}"
        asyncio.run(lived_through(url, many))
        seconds, weight = asyncio.run(reopened(url, many))
    print(f"  a session of {many:,} turns: {weight / 2**20:.1f} MiB, opened again in {seconds:.2f} s CPU")
