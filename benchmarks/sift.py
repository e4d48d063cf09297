"""What it costs to find the highlights of a long garden: reading the journal as moments, and sifting them."""

import asyncio
import time
from collections.abc import Callable
from typing import NamedTuple

from benchmarks.examples import played
from hakoniwa.gm.pattern import StoryMoment, shipped_patterns
from hakoniwa.gm.sift import sift
from hakoniwa.play.highlights import moments


class Size(NamedTuple):
    turns: int
    played: int  # again and again, until there are so many turns
    rounds: int


FULL, SMALLEST = Size(10_000, 200, 3), Size(20, 5, 1)


def long_story(story: list[StoryMoment], size: Size) -> list[StoryMoment]:
    """The story, one time after the other, until it is long enough."""
    again = range(0, size.turns, size.played)
    return [one.model_copy(update={"turn": one.turn + start}) for start in again for one in story if one.turn]


def best_of(rounds: int, act: Callable[[], object]) -> float:
    """CPU seconds, the best of several rounds."""
    seen = []
    for _ in range(rounds):
        start = time.process_time()
        act()
        seen.append(time.process_time() - start)
    return min(seen)


def main(size: Size) -> None:
    session = asyncio.run(played("kitchen_morning", 1, size.played))
    story = moments(session.scenario, session.rows)
    reading = best_of(size.rounds, lambda: moments(session.scenario, session.rows)) * size.turns / size.played
    whole = long_story(story, size)
    sifting = best_of(size.rounds, lambda: sift(shipped_patterns(), whole))
    session.close()
    print(f"  {len(shipped_patterns())} patterns over {size.turns:,} turns, {len(whole):,} moments")
    print(f"  {'journal as moments':<22}{reading:9.2f} s CPU")
    print(f"  {'sifting':<22}{sifting:9.2f} s CPU   (target: well under 2)")
