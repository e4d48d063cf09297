"""What one thinks that another believes, beside ExploreToM's own tracker: random stories of people who come, go, move
things into shut boxes and from room to room, and say where they are. Both hear the same acts; the garden plays them as
turns, the tracker as calls. Asked is every pair about every thing that the tracker gives a place for.

The tracker (CC BY-NC 4.0) is not part of this repository: `HAKONIWA_BENCH_DATA` names a folder with it as
`exploretom/belief_tracker.py`. Each box is used once, because whoever opens one here shows what is no longer in it,
which the tracker has nobody see. What was in a box goes only into others, since in the tracker nobody who comes later
sees it lie about. People who peek and people who are distracted are left out."""

import asyncio
import importlib.util
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from benchmarks.others_minds import DATA
from hakoniwa.play.session import Session
from hakoniwa.play.turn import user_turn
from hakoniwa.stage.belief import believed_world
from hakoniwa.stage.shared import SharedKnowledge, shared_by
from tests.gardens import garden_of, opened

FULL, SMALLEST = 300, 2  # stories
ACTS, BOXES = 80, 24  # tries at something to do; boxes of each room
PEOPLE, ROOMS, THINGS = ("Anne", "Beth", "Carl", "Dean"), ("attic", "cellar"), ("apple", "kite", "lamp")
INSIDE, ROOM = "container_location", "room_location"
TRACKER = DATA / "exploretom" / "belief_tracker.py"


class Asked(NamedTuple):
    """One question: what the first thinks that the second takes to be the place of a thing."""

    order: int
    ours: str | None
    theirs: str


def home(who: str) -> str:
    return f"home of {who}"


class Story:
    """One random story, told to a garden and to the tracker."""

    def __init__(self, tracker: Any, seed: int) -> None:
        self.tracker, self.dice = tracker, Random(seed)
        self.boxes = iter(range(BOXES))
        self.session = _garden()
        self.kinds, self.latest = Counter[str](), dict[str, str]()
        for number, name in enumerate(THINGS):
            assert tracker.location_declaration(name, ROOMS[number % 2], is_thinking_entity=False)

    def play(self) -> None:
        for _ in range(ACTS):
            kind = self.dice.choice((self.come, self.go, self.store, self.carry, *[self.tell] * 4))
            who, thing = self.dice.choice(PEOPLE), self.dice.choice(THINGS)
            if self.latest.get(who) == thing:
                continue  # a third time in a row the referee would deny
            if lines := kind(who, thing):
                self.latest[who] = thing
                self.kinds[kind.__name__] += 1
                for who, text in lines:
                    turn = asyncio.run(user_turn(self.session, who, text))
                    assert turn.take.ruling.allowed, (who, text, turn.take.ruling.explanation)

    # --- what happens: true for the tracker first, then as turns -----------------------------------------------------

    def come(self, who: str, _: str) -> list[tuple[str, str]]:
        room = self.dice.choice(ROOMS)
        if self.room_of(who) is not None or not self.tracker.enter_room(who, room):
            return []
        return [(who, f"(MOVE: {room})")]

    def go(self, who: str, _: str) -> list[tuple[str, str]]:
        room = self.room_of(who)
        if room is None or not self.tracker.leave_room(who, room):
            return []
        return [(who, f"(MOVE: {home(who)})")]

    def store(self, who: str, thing: str) -> list[tuple[str, str]]:
        room, prop = self.room_of(who), self.world_of(thing)
        number = next(self.boxes, None) if prop.location == room else None
        box = f"{room} box {number}"
        if number is None or not self.tracker.move_object_container(who, thing, box):
            return []
        return [(who, f"{_taken(thing, prop.inside)} (OPEN: {box}) (PUT: {thing} -> {box}) (CLOSE: {box})")]

    def carry(self, who: str, thing: str) -> list[tuple[str, str]]:
        room, prop = self.room_of(who), self.world_of(thing)
        other = next(one for one in ROOMS if one != room)
        if room is None or prop.location != room or prop.inside:
            return []
        if not self.tracker.move_object_room(who, thing, other):
            return []
        return [(who, f"(GET: {thing})"), (who, f"(MOVE: {other})"), (who, f"(PUT: {thing})")]

    def tell(self, who: str, thing: str) -> list[tuple[str, str]]:
        box = self.world_of(thing).inside
        known = believed_world(self.session.standing.beliefs[who], self.session.world).props.get(thing)
        if box is None or known is None or known.inside != box:
            return []
        if not self.tracker.broadcast_communication(who, (thing, INSIDE, box, True)):
            return []
        return [(who, f'"The {thing} is in the {box}."')]

    def room_of(self, who: str) -> str | None:
        room = self.session.world.characters[who].location
        return room if room in ROOMS else None

    def world_of(self, thing: str) -> Any:
        return self.session.world.props[thing]

    # --- what is asked afterwards ------------------------------------------------------------------------------------

    def questions(self) -> Iterator[Asked]:
        for who in PEOPLE:
            for thing in THINGS:
                yield from self._asked(1, self.tracker.first_order_beliefs.get(who), thing, self._own(who, thing))
        for one, other in permutations(PEOPLE, 2):
            held = self.tracker.second_order_beliefs.get(one, {}).get(other)
            for thing in THINGS:
                known = shared_by(self.session.standing.hearsay.shared, one, other)
                yield from self._asked(2, held, thing, _common(known, thing, other))

    def _asked(self, order: int, held: Any, thing: str, ours: Callable[[str], str | None]) -> Iterator[Asked]:
        box, room = (held.get(thing, what) if held is not None else None for what in (INSIDE, ROOM))
        if room is None or room.startswith("not("):
            return
        boxed = box is not None and box.startswith(room)  # who sees a thing outside keeps its box in the tracker
        yield Asked(order, ours(INSIDE), box) if boxed else Asked(order, ours(ROOM), room)

    def _own(self, who: str, thing: str) -> Callable[[str], str | None]:
        prop = believed_world(self.session.standing.beliefs[who], self.session.world).props.get(thing)
        return lambda what: None if prop is None else prop.inside if what == INSIDE else prop.location


def _common(known: SharedKnowledge, thing: str, other: str) -> Callable[[str], str | None]:
    """Where both know a thing to be: as they saw it, or as was said before both since."""
    memory = known.props.get(thing)
    told = [one for one in known.claims.get(other, ()) if one.fact.subject == thing]
    seen_at = memory.turn if memory else -1
    if told and told[-1].turn > seen_at:
        return lambda what: told[-1].fact.object if what == INSIDE else None
    return lambda what: None if memory is None else memory.prop.inside if what == INSIDE else memory.prop.location


def _taken(thing: str, box: str | None) -> str:
    return f"(OPEN: {box}) (GET: {thing}) (CLOSE: {box})" if box else f"(GET: {thing})"


def _garden() -> Session:
    rooms = [*ROOMS, *map(home, PEOPLE)]
    boxes = {
        f"{room} box {number}": {"location": room, "container": True, "fixed": True, "state": ["closed"]}
        for number in range(BOXES)
        for room in ROOMS
    }
    world = {
        "location": {"current": rooms[0]},
        "locations": {room: {"exits": [one for one in rooms if one != room]} for room in rooms},
        "characters": {who: {"location": home(who), "hands": 3} for who in PEOPLE},
        "props": {**boxes, **{name: {"location": ROOMS[number % 2]} for number, name in enumerate(THINGS)}},
    }
    garden = garden_of(world, {})
    cast = {who: {"sheet": who, "knows": "here"} for who in PEOPLE}
    return opened(garden.model_copy(update={"scenario": {**garden.scenario, "language": "en", "cast": cast}}))


def _module(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("belief_tracker", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main(stories: int) -> None:
    if not TRACKER.is_file():
        print("  ExploreToM: not here")
        return
    tracker, asked, right, kinds = _module(TRACKER).FullBeliefTracker, Counter[int](), Counter[int](), Counter[str]()
    for seed in range(stories):
        story = Story(tracker(), seed)
        story.play()
        kinds += story.kinds
        for one in story.questions():
            asked[one.order] += 1
            right[one.order] += one.ours == one.theirs
        story.session.close()
    print(f"  {stories} stories: {', '.join(f'{kind} {count}' for kind, count in sorted(kinds.items()))}")
    for order in sorted(asked):
        print(f"  order {order}: {right[order]:>5} of {asked[order]:>5}: {100 * right[order] / asked[order]:.1f} %")


if __name__ == "__main__":
    main(FULL)
