"""The referee against TextWorld, which also knows what is possible: the same walk through the same generated worlds.

Both take each step and list what can be done next: TextWorld its admissible commands, the referee its possible acts,
after it has read the act from a tag, judged it and applied the delta. TextWorld is no dependency of Hakoniwa: it is
measured where somebody has installed it (pip install textworld).
"""

import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from hakoniwa.gm.options import possible_acts
from hakoniwa.gm.step import rule_on
from hakoniwa.stage.patch import apply
from hakoniwa.stage.world import WorldState

try:
    import textworld
except ImportError:
    textworld = None

SIZES = ((5, 20), (20, 100), (50, 250))  # rooms, things
STEPS, WARM_UP, SEED = 400, 40, 7
PLAYER = "player"
AFFORDED = {"c": ["open", "close"], "d": ["open", "close"], "f": ["eat"]}
DIRECTIONS = ("north", "south", "east", "west")
VERBS = {
    "take": "GET", "drop": "PUT", "put": "PUT", "insert": "PUT", "open": "OPEN", "close": "CLOSE", "eat": "EAT",
    "examine": "INSPECT", "lock": "LOCK", "unlock": "UNLOCK",
}  # fmt: skip


class SameWorld:
    """A generated game as a WorldState: its rooms, doors, containers, furniture, keys and food."""

    def __init__(self, game: Any) -> None:
        self.names = {id: info.name or id for id, info in game.infos.items()}
        kinds = {info.name: str(info.type) for info in game.infos.values()}
        self.props = {name: _prop(kind) for name, kind in kinds.items() if kind in ("c", "s", "o", "k", "f", "d")}
        self.rooms: dict[str, Any] = {name: {"exits": {}} for name, kind in kinds.items() if kind == "r"}
        self.ways: dict[tuple[str, str], str] = {}
        self.start = ""
        for fact in game.world.facts:
            self._learn(fact.name, *(self.names[one.name] for one in fact.arguments))

    def _learn(self, kind: str, what: str, *others: str) -> None:
        """Write one fact of the game into the world."""
        if kind == "at" and what in self.props:
            self.props[what]["location"] = others[0]
        elif kind == "at":
            self.start = others[0]
        elif kind == "in" and others[0] == self.names["I"]:
            self.props[what]["held_by"] = PLAYER
        elif kind in ("in", "on"):
            self.props[what]["inside" if kind == "in" else "on"] = others[0]
        elif kind in ("open", "closed", "locked"):
            self.props[what]["state"] = [kind]
        elif kind == "match":
            self.props[others[0]]["affordances"] += [f"unlock(needs: {what})", f"lock(needs: {what})"]
        elif kind == "link":
            self.rooms[what]["exits"][others[1]] = {"via": others[0]}
            self.props[others[0]]["location"] = what
        elif kind.endswith("_of"):
            self.rooms[others[0]]["exits"].setdefault(what, {})
            self.ways[others[0], kind.removesuffix("_of")] = what

    def opening(self) -> WorldState:
        holding = [name for name, prop in self.props.items() if prop.get("held_by")]
        return WorldState.model_validate(
            {
                "location": {"current": self.start},
                "locations": self.rooms,
                "characters": {PLAYER: {"location": self.start, "holding": holding, "hands": 1000}},
                "props": self.props,
                "events": [],
            }
        )

    def tag(self, command: str, room: str) -> str | None:
        """A command of the game as an act tag; None for those that are no act on anything."""
        verb, _, rest = command.partition(" ")
        if verb == "go":
            return f"(MOVE: {self.ways[room, rest]})"
        if verb not in VERBS:
            return None
        what, _, where = rest.replace(" into ", " on ").partition(" on ")
        what = what.partition(" from ")[0].partition(" with ")[0]
        return f"({VERBS[verb]}: {what}{f' -> {where}' if where else ''})"


def _prop(kind: str) -> dict[str, Any]:
    return {
        "fixed": kind in ("c", "s", "d"), "container": kind == "c", "edible": kind == "f", "state": [],
        "affordances": list(AFFORDED.get(kind, ["examine"])),
    }  # fmt: skip


@dataclass
class Walk:
    """What a walk has cost so far, in nanoseconds of CPU, and how much there was to choose from."""

    theirs: list[int] = field(default_factory=list)
    judging: list[int] = field(default_factory=list)
    listing: list[int] = field(default_factory=list)
    commands: int = 0
    acts: int = 0


def walked(game: Any, folder: Path, chance: Random) -> Walk:
    """One walk by both: whatever TextWorld admits, the referee must allow."""
    path, same, walk = str(folder / "game.json"), SameWorld(game), Walk()
    game.save(path)
    environment = textworld.start(path, textworld.EnvInfos(admissible_commands=True))
    state, world = environment.reset(), same.opening()
    for _ in range(WARM_UP + STEPS):
        room = world.characters[PLAYER].location
        command, tag = chance.choice(
            [(one, tag) for one in state.admissible_commands if (tag := same.tag(one, room)) is not None]
        )
        moments = [time.process_time_ns()]
        state, _, done = environment.step(command)
        moments.append(time.process_time_ns())
        ruling = rule_on(world, PLAYER, tag).ruling
        world = apply(world, ruling.world_delta)
        moments.append(time.process_time_ns())
        acts = list(possible_acts(world, PLAYER))
        moments.append(time.process_time_ns())
        assert ruling.allowed, (command, ruling.explanation)
        _note(walk, moments, len(state.admissible_commands), len(acts))
        if done:
            state, world = environment.reset(), same.opening()
    return walk


def _note(walk: Walk, moments: list[int], commands: int, acts: int) -> None:
    theirs, judging, listing = (after - before for before, after in zip(moments, moments[1:], strict=False))
    walk.theirs.append(theirs)
    walk.judging.append(judging)
    walk.listing.append(listing)
    walk.commands += commands
    walk.acts += acts


def mean(costs: list[int]) -> float:
    """Microseconds a step, without the first ones."""
    return sum(costs[WARM_UP:]) / 1e3 / STEPS


def compared(rooms: int, things: int) -> None:
    options = textworld.GameOptions()
    options.nb_rooms, options.nb_objects, options.quest_length, options.seeds = rooms, things, 1, SEED
    with tempfile.TemporaryDirectory() as folder:
        walk = walked(textworld.generator.make_game(options), Path(folder), Random(SEED))
    theirs, judging, listing = mean(walk.theirs), mean(walk.judging), mean(walk.listing)
    count = WARM_UP + STEPS
    print(f"  {rooms} rooms, {things} things")
    print(f"    TextWorld {1e6 / theirs:9,.0f} steps/s  {theirs:7,.0f} µs CPU, {walk.commands / count:.0f} commands")
    print(f"    Hakoniwa  {1e6 / (judging + listing):9,.0f} steps/s  {judging:7,.0f} µs CPU to read, judge and apply, "
          f"{listing:,.0f} to list {walk.acts / count:.0f} acts")  # fmt: skip
    print(f"    ratio     {theirs / (judging + listing):9.1f}   (target: at least 10), {theirs / judging:.1f} unlisted")


def main() -> None:
    if textworld is None:
        print("  not installed (pip install textworld)")
        return
    for rooms, things in SIZES:
        compared(rooms, things)


if __name__ == "__main__":
    main()
