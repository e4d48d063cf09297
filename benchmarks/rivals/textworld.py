"""The referee against TextWorld, which also knows what is possible: the same walk through the same generated worlds.

Both take each step and list what can be done next: TextWorld its admissible commands, the referee its possible acts.
TextWorld looks a command up among those it admits; so does `picked`, which takes an act of the list, judges it and
applies its effect. `read` does more: it reads the act from text as an actor writes it, and makes a whole ruling of it.
They take turns, batch by batch of the walk; the first batch warms them up, the figures are medians over the others.
"""

import gc
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import textworld

from hakoniwa.gm.act import Act
from hakoniwa.gm.judge import after_act, denial_of
from hakoniwa.gm.options import possible_acts
from hakoniwa.gm.step import rule_on
from hakoniwa.stage.patch import apply
from hakoniwa.stage.world import WorldState

SEED = 7
PLAYER = "player"
AFFORDED = {"c": ["open", "close"], "d": ["open", "close"], "f": ["eat"]}
VERBS = {
    "take": "GET", "drop": "PUT", "put": "PUT", "insert": "PUT", "open": "OPEN", "close": "CLOSE", "eat": "EAT",
    "examine": "INSPECT", "lock": "LOCK", "unlock": "UNLOCK",
}  # fmt: skip


class Size(NamedTuple):
    worlds: tuple[tuple[int, int], ...]  # rooms, things
    rounds: int
    batch: int


FULL, SMALLEST = Size(((5, 20), (20, 100), (50, 250)), 7, 40), Size(((3, 5),), 1, 2)


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


@dataclass(frozen=True)
class Leg:
    """One step of a walk, as a command, as an act tag and as an act; `last` if the game ends with it."""

    command: str
    tag: str
    act: Act
    last: bool


class Theirs:
    """The game in TextWorld, which says after each step what is admissible."""

    def __init__(self, game: Any, folder: Path) -> None:
        path = str(folder / "game.json")
        game.save(path)
        self.environment = textworld.start(path, textworld.EnvInfos(admissible_commands=True))
        self.state = self.environment.reset()
        self.listed = 0

    def step(self, leg: Leg) -> None:
        self.state, _, _ = self.environment.step(leg.command)
        self.listed += len(self.state.admissible_commands)
        if leg.last:
            self.state = self.environment.reset()


class Read:
    """The same here: a tag is read, judged and applied, and what is possible then is listed, if it is wanted."""

    def __init__(self, opening: WorldState, listing: bool = True) -> None:
        self.world = self.opening = opening
        self.listing = listing
        self.listed = 0

    def step(self, leg: Leg) -> None:
        ruling = rule_on(self.world, PLAYER, leg.tag).ruling
        assert ruling.allowed, (leg, ruling.explanation)
        self.world = self.opening if leg.last else apply(self.world, ruling.world_delta)
        self.listed += len(list(possible_acts(self.world, PLAYER))) if self.listing else 0


class Picked:
    """The same here, where the act is one of those listed before."""

    def __init__(self, opening: WorldState) -> None:
        self.world = self.opening = opening
        self.acts = list(possible_acts(opening, PLAYER))
        self.listed = 0

    def step(self, leg: Leg) -> None:
        assert denial_of(self.world, PLAYER, leg.act) is None
        self.world = self.opening if leg.last else after_act(self.world, PLAYER, leg.act)
        self.acts = list(possible_acts(self.world, PLAYER))
        self.listed += len(self.acts)


def walk(same: SameWorld, game: Any, folder: Path, steps: int) -> list[Leg]:
    """A walk by chance through what TextWorld admits; the referee must allow every step of it."""
    chance = Random(SEED)
    them, us, legs = Theirs(game, folder), Read(same.opening(), listing=False), list[Leg]()
    while len(legs) < steps:
        room = us.world.characters[PLAYER].location
        known = {one: tag for one in them.state.admissible_commands if (tag := same.tag(one, room))}
        command = chance.choice(list(known))
        them.state, _, done = them.environment.step(command)
        (act,) = rule_on(us.world, PLAYER, known[command]).acts
        assert act in list(possible_acts(us.world, PLAYER)), act
        legs.append(Leg(command, known[command], act, done))
        us.step(legs[-1])
        if done:
            them.state = them.environment.reset()
    return legs


Player = Theirs | Read | Picked


def cost(who: Player, legs: list[Leg]) -> float:
    """CPU of one step in microseconds."""
    start = time.process_time_ns()
    for leg in legs:
        who.step(leg)
    return (time.process_time_ns() - start) / 1e3 / len(legs)


def compared(size: Size, rooms: int, things: int) -> None:
    options = textworld.GameOptions()
    options.nb_rooms, options.nb_objects, options.quest_length, options.seeds = rooms, things, 1, SEED
    game = textworld.generator.make_game(options)
    same = SameWorld(game)
    with tempfile.TemporaryDirectory() as folder:
        legs = walk(same, game, Path(folder), (size.rounds + 1) * size.batch)
        players: dict[str, Player] = {
            "TextWorld": Theirs(game, Path(folder)),
            "picked": Picked(same.opening()),
            "read": Read(same.opening()),
            "read, unlisted": Read(same.opening(), listing=False),
        }
        gc.collect()
        gc.freeze()  # so that neither side pays for walking over what the other has built up
        seen: dict[str, list[float]] = {name: [] for name in players}
        for place in range(0, len(legs), size.batch):
            for name, player in players.items():
                seen[name].append(cost(player, legs[place : place + size.batch]))
        gc.unfreeze()
    print(f"    {rooms} rooms, {things} things")
    medians = {name: statistics.median(values[1:]) for name, values in seen.items()}
    for name, value in medians.items():
        listed = players[name].listed / len(legs)
        ratio = medians["TextWorld"] / value
        print(f"      {name:<15}{1e6 / value:8,.0f} steps/s{value:8,.0f} µs CPU{listed:8.0f} acts listed{ratio:8.1f} ×")


def main(size: Size) -> None:
    for rooms, things in size.worlds:
        compared(size, rooms, things)
    print("    (target for picked: at least 10 ×)")


if __name__ == "__main__":
    print(f"  {(__doc__ or '').splitlines()[0]}")
    main(SMALLEST if "--smallest" in sys.argv else FULL)
