"""Whether a long session costs more than a new one: a GM step after 0 to 10,000 turns, and what a session weighs."""

import asyncio
import gc
import statistics
import tempfile
import time
import tracemalloc
from itertools import cycle, islice
from pathlib import Path

from benchmarks.http import REPLIES, request
from hakoniwa.gm.history import History, Past
from hakoniwa.gm.request import GMStepRequest, checked_request, step_for
from hakoniwa.journal.open import open_journal
from hakoniwa.service.gm_sessions import GMSessions

TURNS = (0, 100, 1_000, 10_000)
ROUNDS, BATCH = 30, 20


def past_turns(count: int) -> list[Past]:
    """Turns as they are remembered; the speakers take turns, so that nobody repeats themselves three times."""
    told = [step_for(checked_request(request(turn))).past for turn in range(len(REPLIES))]
    speakers = cycle(("やな", "あゆ"))
    return [
        Past(turn, next(speakers), one.marks, one.asked, one.speech, one.moved, one.acted)
        for turn, one in enumerate(islice(cycle(told), count))
    ]


def requests(first: int, count: int) -> list[GMStepRequest]:
    return [checked_request(request(turn)) for turn in range(first, first + count)]


def step_cost(history: History) -> float:
    """CPU of one step in a session with this history, in microseconds."""
    asked = requests(max(TURNS), BATCH)
    start = time.process_time_ns()
    for one in asked:
        step_for(one, history)
    return (time.process_time_ns() - start) / 1e3 / BATCH


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


def main() -> None:
    histories = {turns: History(past_turns(turns)) for turns in TURNS}
    seen: dict[int, list[float]] = {turns: [] for turns in TURNS}
    for _ in range(ROUNDS + 1):
        for turns, history in histories.items():
            seen[turns].append(step_cost(history))
    costs = {turns: statistics.median(values[1:]) for turns, values in seen.items()}
    for turns, cost in costs.items():
        print(f"  step after {turns:>6,} turns{cost:9.0f} µs CPU")
    print(f"  10,000 turns against 100: {costs[10_000] / costs[100]:.2f}   (target: at most 1.1)")
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'bench.db'}"
        asyncio.run(lived_through(url, max(TURNS)))
        seconds, weight = asyncio.run(reopened(url, max(TURNS)))
    print(f"  a session of 10,000 turns: {weight / 2**20:.1f} MiB, opened again in {seconds:.2f} s CPU")


if __name__ == "__main__":
    main()
