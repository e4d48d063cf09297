"""What it costs to find the highlights of a long garden: reading the journal as moments, and sifting them."""

import asyncio
import time
from collections.abc import Callable

from benchmarks.examples import played
from hakoniwa.gm.pattern import Moment, shipped
from hakoniwa.gm.sift import sift
from hakoniwa.play.moments import moments

TURNS, PLAYED, ROUNDS = 10_000, 200, 3


def long_story(story: list[Moment]) -> list[Moment]:
    """The story, one time after the other, until it is long enough."""
    again = range(0, TURNS, PLAYED)
    return [one.model_copy(update={"turn": one.turn + start}) for start in again for one in story if one.turn]


def best_of(act: Callable[[], object]) -> float:
    """CPU seconds, the best of several rounds."""
    seen = []
    for _ in range(ROUNDS):
        start = time.process_time()
        act()
        seen.append(time.process_time() - start)
    return min(seen)


def main() -> None:
    session = asyncio.run(played("kitchen_morning", 1, PLAYED))
    story = moments(session.scenario, session.rows)
    reading = best_of(lambda: moments(session.scenario, session.rows)) * TURNS / PLAYED
    whole = long_story(story)
    sifting = best_of(lambda: sift(shipped(), whole))
    session.close()
    print(f"  {len(shipped())} patterns over {TURNS:,} turns, {len(whole):,} moments")
    print(f"  {'journal as moments':<22}{reading:9.2f} s CPU")
    print(f"  {'sifting':<22}{sifting:9.2f} s CPU   (target: well under 2)")


if __name__ == "__main__":
    main()
