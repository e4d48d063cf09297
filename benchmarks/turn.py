"""What a whole turn costs with the built-in mind: deciding, planning, speaking, directing, judging and committing."""

import asyncio
import statistics
import time

from hakoniwa.app import new_session
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.play.loop import play

SCENARIOS = ("treasure_chest", "three_voices", "detective_office", "tea_room", "mansion")
TURNS, ROUNDS = 30, 3


async def costs(scenario: str, seed: int) -> list[float]:
    """CPU milliseconds of each turn of a garden."""
    session = new_session(MemoryJournal(), scenario, seed)
    await session.open()
    seen, last = [], time.process_time()
    async for _ in play(session, TURNS):
        now = time.process_time()
        seen.append((now - last) * 1e3)
        last = time.process_time()
    session.close()
    return seen


def main() -> None:
    seen: dict[str, list[float]] = {name: [] for name in SCENARIOS}
    asyncio.run(costs(SCENARIOS[0], 0))  # what is loaded once is no part of a turn
    for seed in range(1, ROUNDS + 1):
        for name in SCENARIOS:
            seen[name] += asyncio.run(costs(name, seed))
    for name, values in seen.items():
        ordered = sorted(values)
        p95 = ordered[int(0.95 * len(ordered))]
        print(f"  {name:<22}{statistics.median(values):9.1f} ms CPU a turn, p95 {p95:.1f}, {len(values)} turns")


if __name__ == "__main__":
    main()
