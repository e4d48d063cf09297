"""How far `hakoniwa lint --solve` can be trusted: scenarios whose answers are known, as their dead ends are planted."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple

from hakoniwa.actor.builtin import BuiltinMind
from hakoniwa.actor.character import Character
from hakoniwa.app import scenario_at, sheets_of
from hakoniwa.journal import GardenRecord
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.play.between import ring
from hakoniwa.play.session import Session
from hakoniwa.play.solve import Solution, WantedGoal, goals_in, solve
from hakoniwa.play.turn import user_turn
from hakoniwa.stage.scenario import Scenario, shipped_scenarios

ROOMS = ("hall", "cellar", "loft", "yard", "chapel", "pantry")
FINDS = ("letter", "coin", "portrait", "map", "ring")


@dataclass
class PlantedWorld:
    """A world in the making: rooms in a row, a prize behind locks, and what was planted in it."""

    dice: Random
    people: int = 1
    rooms: dict[str, dict[str, Any]] = field(default_factory=dict)
    props: dict[str, dict[str, Any]] = field(default_factory=dict)
    incidents: list[dict[str, Any]] = field(default_factory=list)
    reachable: bool = True
    dead_end: str = ""  # a deed after which the prize is lost

    def room(self) -> str:
        return self.dice.choice(list(self.rooms))

    def scenario(self, number: int) -> Scenario:
        people = {f"P{one}": {"location": "hall"} for one in range(self.people)}
        return Scenario.model_validate(
            {
                "id": f"planted_{number}",
                "title": "planted",
                "language": "en",
                "world": {
                    "version": "0.2", "time": {"label": "morning", "clock": "07:00"}, "location": {"current": "hall"},
                    "locations": self.rooms, "characters": people, "props": self.props,
                },
                "cast": {who: {"sheet": "stranger"} for who in people},
                "incidents": self.incidents,
                "endings": [{"id": "prize", "holding": "prize", "told": "Got it."}],
            }
        )  # fmt: skip


def planted_world(seed: int) -> PlantedWorld:
    """A world whose answer is known: a chain of locks to a prize, and one planted fault, or none."""
    made = PlantedWorld(Random(seed))
    made.people = made.dice.choice((1, 1, 2))
    _lay_rooms(made)
    links = made.dice.randint(1, 3)
    place: dict[str, Any] = {"location": made.room()}
    for link in range(links):  # from the first key to the prize: each lies in what the one before opens
        made.props[f"key {link}"] = place
        chest = f"chest {link}"
        made.props[chest] = {
            "location": made.room(), "fixed": True, "container": True, "state": ["locked"],
            "affordances": [f"open(needs: key {link})", "close"],
        }  # fmt: skip
        place = {"inside": chest}
    made.props["prize"] = place
    PLANTS[seed % len(PLANTS)](made)
    _scatter(made)
    return made


def _lay_rooms(made: PlantedWorld) -> None:
    names = ROOMS[: made.dice.randint(2, len(ROOMS))]
    made.rooms = {name: {"exits": {}} for name in names}
    for one, other in pairwise(names):
        way: dict[str, Any] = {}
        if made.dice.random() < 0.3:
            door = f"{other} door"
            made.props[door] = {"location": one, "fixed": True, "state": ["closed"], "affordances": ["open", "close"]}
            way = {"via": door}
        made.rooms[one]["exits"][other] = dict(way)
        made.rooms[other]["exits"][one] = dict(way)


def _scatter(made: PlantedWorld) -> None:
    for name in made.dice.sample(FINDS, made.dice.randint(1, len(FINDS))):
        made.props[name] = {"location": made.room()}


def _nothing(made: PlantedWorld) -> None:
    """All is well."""


def _key_in_its_own_chest(made: PlantedWorld) -> None:
    made.props["key 0"] = {"inside": "chest 0"}
    made.reachable = False


def _throwable_key(made: PlantedWorld) -> None:
    made.props["key 0"] = {**made.props["key 0"], "affordances": [{"verb": "throw away", "consumes": True}]}
    made.dead_end = "(DISCARD: key 0)"


def _well(made: PlantedWorld) -> None:
    """A well with a lid that falls shut for good: whatever is in it is lost."""
    made.props["well"] = {
        "location": made.props["key 0"]["location"], "fixed": True, "container": True, "state": ["open"],
        "affordances": [{"verb": "close", "needs": ["open"], "becomes": ["locked"]}],
    }  # fmt: skip
    made.props["key 0"] = {"inside": "well"}
    made.dead_end = "(CLOSE: well)"


def _one_way(made: PlantedWorld) -> None:
    """A trapdoor into a pit from which nothing leads out, and a tempting room it is."""
    made.rooms["pit"] = {"exits": {}}
    made.rooms["hall"]["exits"]["pit"] = {}
    made.dead_end = "(MOVE: pit)" if made.people == 1 else ""


def _in_the_pit(made: PlantedWorld) -> None:
    """The key is where nothing comes back from; its lock is not."""
    _one_way(made)
    made.props["key 0"] = {"location": "pit"}
    made.dead_end, made.reachable = "", False


def _one_match(made: PlantedWorld) -> None:
    """One match, two things to burn: only the rope holds the chest shut."""
    made.props["match"] = {"location": "hall"}
    made.props["key 0"] = {"inside": "net"}
    made.props["net"] = {
        "location": "hall", "fixed": True, "container": True, "state": ["closed"],
        "affordances": [{"verb": "burn", "needs": ["closed"], "requires": ["match"], "becomes": ["open"]}],
    }  # fmt: skip
    made.props["match"]["affordances"] = [{"verb": "snap", "consumes": True}]
    made.dead_end = "(BREAK: match)"


def _spent_twice(made: PlantedWorld) -> None:
    """Two fires are needed, and each takes the only match with it: nothing shows it but trying everything."""
    _one_match(made)
    made.props["match"]["affordances"] = [
        {"verb": "light", "needs": [{"net": "closed"}], "consumes": True, "makes": {"torch": {}}}
    ]
    made.props["net"]["affordances"] = [
        {"verb": "burn", "needs": ["closed"], "requires": ["match", "torch"], "becomes": ["open"]}
    ]
    made.dead_end, made.reachable = "", False


def _comes_by_post(made: PlantedWorld) -> None:
    made.props.pop("key 0")
    value = {"location": "hall"}
    made.incidents.append(
        {
            "id": "post",
            "text": "The post.",
            "chance": 0.1,
            "delta": [{"op": "add", "path": "/props/key 0", "value": value}],
        }
    )


def _never_posted(made: PlantedWorld) -> None:
    _comes_by_post(made)
    made.props["box"] = {"location": "hall", "fixed": True, "state": ["shut"], "affordances": ["knock"]}
    made.incidents[0]["when"] = {"state": {"box": "open"}}
    made.reachable = False


def _brewed(made: PlantedWorld) -> None:
    """The key must be cast first, and the mould takes a while."""
    made.props.pop("key 0")
    later = {"turns": 3, "makes": {"key 0": {"on": "mould"}}, "told": "It has set."}
    made.props["mould"] = {
        "location": "hall", "fixed": True, "state": ["cold"],
        "affordances": [{"verb": "fill", "needs": ["cold"], "becomes": ["hot"], "after": later}],
    }  # fmt: skip


def _dark(made: PlantedWorld) -> None:
    """The chest opens by daylight only, and the lamp that would do has no oil anywhere."""
    made.props["chest 0"]["affordances"] = [
        {"verb": "open", "requires": ["key 0"], "needs": {"lamp": "on"}, "becomes": ["open"]}, "close",
    ]  # fmt: skip
    made.props["lamp"] = {
        "location": "hall", "fixed": True, "state": ["off"],
        "affordances": [{"verb": "light", "needs": ["off"], "requires": ["oil"], "becomes": ["on"]}],
    }  # fmt: skip
    made.reachable = False


PLANTS = (
    _nothing, _key_in_its_own_chest, _throwable_key, _well, _one_way, _in_the_pit, _one_match, _spent_twice,
    _comes_by_post, _never_posted, _brewed, _dark,
)  # fmt: skip


@dataclass(frozen=True)
class PlantedResult:
    """What the solver said of a planted world, and whether it was right."""

    plant: str
    verdict: str
    right: bool
    named: bool | None  # whether the planted dead end is among those that were named


def judged(seed: int) -> PlantedResult:
    """One planted world, solved, its way played in a garden, and held against what was planted."""
    made = planted_world(seed)
    scenario = made.scenario(seed)
    wanted = goals_in(scenario, {who: Character(display_name=who, persona="-") for who in scenario.cast})[0]
    found = solve(scenario, wanted)
    right = {"reachable": made.reachable and plays(scenario, found), "unreachable": not made.reachable}.get(
        found.verdict, True
    )
    named = any(made.dead_end in one.deed for one in found.dead_ends) if made.dead_end else None
    return PlantedResult(PLANTS[seed % len(PLANTS)].__name__.strip("_"), found.verdict, right, named)


def plays(scenario: Scenario, found: Solution) -> bool:
    """Whether the lines of a way, typed one after the other into a garden, reach the ending."""
    return asyncio.run(_played(scenario, found)).standing.ended == "goal"


async def _played(scenario: Scenario, found: Solution) -> Session:
    calm = [one.model_copy(update={"chance": 0.0}) for one in scenario.incidents]  # what comes unasked is no part of it
    quiet = scenario.model_copy(update={"incidents": tuple(calm), "still_turns": 1000})
    sheets = {who: {"display_name": who, "persona": "Somebody."} for who in scenario.cast}
    garden = GardenRecord(id="way", scenario=quiet.model_dump(mode="json", exclude_unset=True), sheets=sheets, seed=1)
    journal = MemoryJournal()
    journal.create(garden)
    session = Session(journal, garden, BuiltinMind())
    await session.open()
    for line in found.way:
        await type_line(session, line)
    return session


async def type_line(session: Session, line: str) -> None:
    """One line of a way: an act of somebody's, an incident, or a turn in which somebody only stands there."""
    command, _, rest = line.partition(" ")
    if command == "/ring":
        incident = session.standing.incident(rest)
        assert incident is not None
        await session.commit([ring(incident, session.world, session.world.time.turn)])
    elif command == "/as":
        who, _, words = rest.partition(" (")
        await user_turn(session, who, f"({words}", confirmed=True)
    else:
        await user_turn(session, session.speaker(), "(waits)" if session.scenario.language == "en" else "（待つ）")


def shipped() -> list[tuple[str, WantedGoal, Solution]]:
    """Every goal of every shipped scenario, solved."""
    found = []
    for name in shipped_scenarios():
        scenario, beside = scenario_at(name)
        found += [(name, one, solve(scenario, one)) for one in goals_in(scenario, sheets_of(scenario, beside))]
    return found


class Size(NamedTuple):
    worlds: int
    scenarios: bool


FULL, SMALLEST = Size(50, True), Size(len(PLANTS), False)


def main(size: Size) -> None:
    results = [judged(seed) for seed in range(size.worlds)]
    verdicts = Counter(one.verdict for one in results)
    named = [one.named for one in results if one.named is not None]
    print(f"  {len(results)} generated: {dict(verdicts)}, wrong: {sum(not one.right for one in results)},", end=" ")
    print(f"planted dead ends named: {sum(named)} of {len(named)}")
    for one in results:
        if not one.right or one.named is False:
            print(f"    {one}")
    if size.scenarios:
        _print_shipped(shipped())


def _print_shipped(solved: list[tuple[str, WantedGoal, Solution]]) -> None:
    for name in dict.fromkeys(name for name, _, _ in solved):
        verdicts = Counter(found.verdict for other, _, found in solved if other == name)
        print(f"  {name}: {dict(verdicts)}")
    for name, wanted, found in solved:
        if found.verdict != "reachable":
            print(f"    {name}: {wanted.name}: {found.verdict} {' '.join(found.missing)}")
