"""What one step of the referee costs, from 5 things in the world to 1,000, and what it costs to take a world in."""

import statistics
import time
from collections.abc import Callable

from benchmarks.worlds import kitchen
from hakoniwa.gm.history import History
from hakoniwa.gm.step import rule_on
from hakoniwa.stage.patch import apply
from hakoniwa.stage.world import WorldState, build_index

SIZES, ROUNDS, CYCLES = (5, 20, 100, 1000), 15, 6
REPLIES = (
    "(GET: マグカップ) 「おはよう」",
    "(PUT: マグカップ -> テーブル)",
    "(OPEN: 冷蔵庫)",
    "(CLOSE: 冷蔵庫) 「何もないね」",
    "(MOVE: 居間)",
    "(MOVE: キッチン)",
    "(GET: ピアノ)",
    "(READ: 新聞)",
)


def cpu(act: Callable[[], object]) -> float:
    """CPU microseconds of one call."""
    start = time.process_time_ns()
    act()
    return (time.process_time_ns() - start) / 1e3


def opening(size: int) -> WorldState:
    """A validated world in the middle of its story, with its index built."""
    data = {**kitchen(size), "time": {"turn": 5}}
    data["props"]["冷蔵庫"] |= {"fixed": True, "container": True, "state": ["closed"]}
    world = WorldState.model_validate(data)
    return world.indexed(build_index(world))


def story(world: WorldState) -> list[tuple[WorldState, str]]:
    """Every reply some times over, each with the world it meets."""
    met = []
    for reply in REPLIES * CYCLES:
        met.append((world, reply))
        world = apply(world, rule_on(world, "やな", reply).ruling.world_delta)
    return met


def judged(met: list[tuple[WorldState, str]], carried_out: bool) -> None:
    history = History()
    for turn, (world, reply) in enumerate(met):
        step = rule_on(world, "やな", reply, history, turn)
        history.add(step.past)
        if carried_out:
            apply(world, step.ruling.world_delta)


def measured() -> dict[str, dict[int, float]]:
    """Medians in microseconds; the sizes take turns, so that a noisy moment falls on all of them."""
    stories = {size: story(opening(size)) for size in SIZES}
    seen: dict[str, dict[int, list[float]]] = {
        name: {size: [] for size in SIZES} for name in ("step", "step and apply", "validate", "index")
    }
    for _ in range(ROUNDS):
        for size, met in stories.items():
            raw, world = kitchen(size), met[0][0]
            seen["step"][size].append(cpu(lambda met=met: judged(met, False)) / len(met))
            seen["step and apply"][size].append(cpu(lambda met=met: judged(met, True)) / len(met))
            seen["validate"][size].append(cpu(lambda raw=raw: WorldState.model_validate(raw)))
            seen["index"][size].append(cpu(lambda world=world: build_index(world)))
    return {
        name: {size: statistics.median(values[1:]) for size, values in by_size.items()}
        for name, by_size in seen.items()
    }


def main() -> None:
    found = measured()
    print(f"  {'things in the world':<22}" + "".join(f"{size:>9,}" for size in SIZES) + "   growth")
    for name, by_size in found.items():
        growth = by_size[SIZES[-1]] / by_size[SIZES[0]]
        print(f"  {name:<22}" + "".join(f"{by_size[size]:9.0f}" for size in SIZES) + f"{growth:8.2f}x   µs CPU")
    rates = [1e6 / found["step"][size] for size in SIZES]
    print(f"  {'steps per second':<22}" + "".join(f"{rate:9,.0f}" for rate in rates))
    print(f"  growth of a step = {rates[0] / rates[-1]:.2f}   (target: at most 1.5)")


if __name__ == "__main__":
    main()
