"""What a whole turn costs with the built-in mind: deciding, planning, speaking, directing, judging and committing."""

import asyncio
import statistics
import time
from typing import NamedTuple

from hakoniwa.app import new_session
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.play.loop import play


class Size(NamedTuple):
    scenarios: tuple[str, ...]
    turns: int
    rounds: int


FULL = Size(("treasure_chest", "three_voices", "detective_office", "tea_room", "mansion"), 30, 3)
SMALLEST = Size(("three_voices",), 2, 1)


async def costs(scenario: str, turns: int, seed: int) -> list[float]:
    """CPU milliseconds of each turn of a garden."""
    session = new_session(MemoryJournal(), scenario, seed)
    await session.open()
    seen, last = [], time.process_time()
    async for _ in play(session, turns):
        now = time.process_time()
        seen.append((now - last) * 1e3)
        last = time.process_time()
    session.close()
    return seen


def main(size: Size) -> None:
    seen: dict[str, list[float]] = {name: [] for name in size.scenarios}
    asyncio.run(costs(size.scenarios[0], size.turns, 0))  # what is loaded once is no part of a turn
    for seed in range(1, size.rounds + 1):
        for name in size.scenarios:
            seen[name] += asyncio.run(costs(name, size.turns, seed))
    for name, values in seen.items():
        ordered = sorted(values)
        p95 = ordered[int(0.95 * len(ordered))]
        print(f"  {name:<22}{statistics.median(values):9.1f} ms CPU a turn, p95 {p95:.1f}, {len(values)} turns")
