"""What one step of the referee costs, from 5 things in the world to 1,000, and what it costs to take a world in."""

import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

from benchmarks.worlds import kitchen
from hakoniwa.gm.history import History
from hakoniwa.gm.step import rule_on
from hakoniwa.stage.patch import apply
from hakoniwa.stage.world import WorldState, build_index

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


class Size(NamedTuple):
    things: tuple[int, ...]  # in the world
    rounds: int
    cycles: int  # through the replies


FULL, SMALLEST = Size((5, 20, 100, 1000), 15, 6), Size((5, 6), 2, 1)


def cpu(act: Callable[[], object]) -> float:
    """CPU microseconds of one call."""
    start = time.process_time_ns()
    act()
    return (time.process_time_ns() - start) / 1e3


def opening(things: int) -> WorldState:
    """A validated world in the middle of its story, with its index built."""
    data = {**kitchen(things), "time": {"turn": 5}}
    data["props"]["冷蔵庫"] |= {"fixed": True, "container": True, "state": ["closed"]}
    world = WorldState.model_validate(data)
    return world.indexed(build_index(world))


def story(world: WorldState, cycles: int) -> list[tuple[WorldState, str]]:
    """Every reply some times over, each with the world it meets."""
    met = []
    for reply in REPLIES * cycles:
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


def measured(size: Size) -> dict[str, dict[int, float]]:
    """Medians in microseconds; the sizes take turns, so that a noisy moment falls on all of them."""
    stories = {things: story(opening(things), size.cycles) for things in size.things}
    seen: dict[str, dict[int, list[float]]] = {
        name: {things: [] for things in size.things} for name in ("step", "step and apply", "validate", "index")
    }
    for _ in range(size.rounds):
        for things, met in stories.items():
            raw, world = kitchen(things), met[0][0]
            seen["step"][things].append(cpu(lambda met=met: judged(met, False)) / len(met))
            seen["step and apply"][things].append(cpu(lambda met=met: judged(met, True)) / len(met))
            seen["validate"][things].append(cpu(lambda raw=raw: WorldState.model_validate(raw)))
            seen["index"][things].append(cpu(lambda world=world: build_index(world)))
    return {
        name: {things: statistics.median(values[1:]) for things, values in by_things.items()}
        for name, by_things in seen.items()
    }


def main(size: Size) -> None:
    found = measured(size)
    print(f"  {'things in the world':<22}" + "".join(f"{things:>9,}" for things in size.things) + "   growth")
    for name, medians in found.items():
        growth = medians[size.things[-1]] / medians[size.things[0]]
        print(f"  {name:<22}" + "".join(f"{one:9.0f}" for one in medians.values()) + f"{growth:8.2f}x   µs CPU")
    rates = [1e6 / one for one in found["step"].values()]
    print(f"  {'steps per second':<22}" + "".join(f"{rate:9,.0f}" for rate in rates))
    print(f"  growth of a step = {rates[0] / rates[-1]:.2f}   (target: at most 1.5)")
