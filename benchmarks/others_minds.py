"""Where people look for things, and where they think that others look: the questions of ToMi and Hi-ToM.

Stories become acts in a world, which the referee judges and those in the room witness; the converter sees no answers.
Both sets are public and are not part of this repository: `HAKONIWA_BENCH_DATA` names a folder with ToMi's
`tomi_balanced_story_types/` (unpacked) and Hi-ToM's `Hi-ToM_data.json`.

A second-order label is held to be wrong where the text itself, read for nothing but who is in which room, does not have
the two together with the thing at that place, or has them together with it elsewhere later. `wrong-labels.txt` beside
the data names each with the reason. docs/telling.md says how they came about."""

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from hakoniwa.actor.character import Character
from hakoniwa.gm.step import rule_on
from hakoniwa.play.hearsay import Hearsay
from hakoniwa.stage.belief import Belief, believed_world, first_belief, perceive, witness
from hakoniwa.stage.patch import apply
from hakoniwa.stage.shared import shared_by
from hakoniwa.stage.world import Prop, WorldState
from hakoniwa.turn import Event, PatchOp

DATA = Path(os.environ.get("HAKONIWA_BENCH_DATA", "build/bench"))
FULL, SMALLEST = 100_000, 8
NAME = r"[A-Z]\w+"
ENTERED = re.compile(rf"(?P<who>{NAME}(?:, {NAME})*(?: and {NAME})?) entered the (?P<room>\w+)")
EXITED = re.compile(rf"(?P<who>{NAME}) exited the \w+")
PLACED = re.compile(r"The (?P<thing>\w+) (?:is|are) in the (?P<box>\w+)")
MOVED = re.compile(rf"(?P<who>{NAME}) moved the (?P<thing>\w+) to the (?P<box>\w+)")
THOUGHTS = re.compile(rf"(?:think|thinks|does|will|do)? ?(?P<who>{NAME})")


class Question(NamedTuple):
    """A question of a story: the order of belief it asks for, whose, what of, and the answer it wants."""

    lines: tuple[str, ...]
    minds: tuple[str, ...]
    thing: str
    answer: str
    kind: str


class Stage:
    """A story as it is played: a world, what everybody believes, and what every two know of each other."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines, text = tuple(lines), "\n".join(lines)
        people = sorted({name for found in ENTERED.finditer(text) for name in re.findall(NAME, found["who"])})
        rooms = {found["room"]: None for found in ENTERED.finditer(text)}
        homes = {f"home of {who}": None for who in people}
        every = [*rooms, *homes]
        self.world = WorldState.model_validate(
            {
                "location": {"current": every[0]},
                "locations": {room: {"exits": [one for one in every if one != room]} for room in every},
                "characters": {who: {"location": f"home of {who}"} for who in people},
            }
        )
        self.beliefs: dict[str, Belief] = {who: first_belief(self.world, who) for who in people}
        cast = {who: Character(display_name=who, persona="") for who in people}
        self.hearsay, self.turn, self.first = Hearsay(cast, self.beliefs, self.world), 0, dict[str, str]()
        self._boxes = _rooms_of_boxes(lines)
        for line in lines:
            self._play(line)

    def _play(self, line: str) -> None:
        if found := ENTERED.search(line):
            for who in re.findall(NAME, found["who"]):
                self._act(who, f"(MOVE: {found['room']})")
        elif found := EXITED.search(line):
            self._act(found["who"], f"(MOVE: home of {found['who']})")
        elif found := PLACED.search(line):
            self._appear(found["thing"], found["box"])
        elif found := MOVED.search(line):
            self._appear(None, found["box"])
            self._act(found["who"], self._move(found["thing"], found["box"]))

    def _move(self, thing: str, box: str) -> str:
        """The tags of putting a thing from its box into another."""
        inside = self.world.props[thing].inside == box
        return f"(INSPECT: {box})" if inside else f"(GET: {thing}) (PUT: {thing} -> {box})"

    def _act(self, who: str, tags: str) -> None:
        step, before = rule_on(self.world, who, tags), self.world
        assert step.ruling.allowed, (tags, step.ruling.explanation)
        after = apply(before, step.ruling.world_delta)
        self._witness(step.ruling.world_delta, {before.characters[who].location, after.characters[who].location})

    def _appear(self, thing: str | None, box: str) -> None:
        """A box, and something in it, of which nobody has spoken yet."""
        room = self._boxes[box]
        new = {}
        if box not in self.world.props:
            new[box] = Prop(location=room, container=True, fixed=True, state=("open",))
        if thing and thing not in self.world.props:
            new[thing] = Prop(location=room, inside=box)
            self.first[thing] = box
        values = {name: prop.model_dump(mode="json", exclude_none=True) for name, prop in new.items()}
        delta = [PatchOp(op="add", path=f"/props/{name}", value=one) for name, one in values.items()]
        self._witness(tuple(delta), {room})

    def _witness(self, delta: tuple[PatchOp, ...], rooms: set[str]) -> None:
        self.turn += 1
        before = self.world
        clock = PatchOp(op="replace", path="/time/turn", value=self.turn)
        self.world = apply(before, (*delta, clock))
        worlds = (before, self.world)
        seen = [who for who in before.characters if any(world.characters[who].location in rooms for world in worlds)]
        for who in seen:
            self.beliefs[who] = perceive(witness(self.beliefs[who], delta, before, self.world), self.world, who)
        event = Event(kind="turn", turn=self.turn, origin="gm", witnesses=tuple(seen), world_delta=delta)
        self.hearsay.see(event, before, self.world, self.beliefs)

    def answer(self, minds: Sequence[str], thing: str, kind: str) -> str | None:
        """Where a thing is, in the minds of these people, one in the other."""
        if kind.startswith("memory"):
            return self.first.get(thing)
        if not minds:
            return self.world.props[thing].inside
        if len(minds) == 1:
            prop = believed_world(self.beliefs[minds[0]], self.world).props.get(thing)
            return prop.inside if prop else None
        known = shared_by(self.hearsay.shared, *minds).props.get(thing)
        return known.prop.inside if known else self.answer(minds[:1], thing, kind)


def _rooms_of_boxes(lines: Sequence[str]) -> dict[str, str]:
    """The room of every box: where whoever moves the thing out of it or into it is, else where somebody came last."""
    where: dict[str, str] = {}
    boxes: dict[str, str] = {}
    things: dict[str, str] = {}
    last = ""
    for line in lines:
        if found := ENTERED.search(line):
            last = found["room"]
            where.update(dict.fromkeys(re.findall(NAME, found["who"]), last))
        elif found := MOVED.search(line):
            boxes[found["box"]] = where[found["who"]]
            boxes[things.get(found["thing"], found["box"])] = where[found["who"]]
            things[found["thing"]] = found["box"]
        elif found := PLACED.search(line):
            boxes.setdefault(found["box"], last)
            things[found["thing"]] = found["box"]
    return boxes


def seen_together(lines: Sequence[str], minds: Sequence[str], thing: str) -> list[str]:
    """The boxes in which these people, all in one room with it, saw the thing, in that order: from the text alone."""
    rooms, boxes, places, seen = dict[str, str](), _rooms_of_boxes(lines), dict[str, str](), list[str]()
    for line in lines:
        if found := ENTERED.search(line):
            rooms.update(dict.fromkeys(re.findall(NAME, found["who"]), found["room"]))
        elif found := EXITED.search(line):
            rooms.pop(found["who"], None)
        elif found := PLACED.search(line) or MOVED.search(line):
            places[found["thing"]] = found["box"]
        box = places.get(thing, "")
        if box and {rooms.get(who) for who in minds} == {boxes[box]} and seen[-1:] != [box]:
            seen.append(box)
    return seen


def fault_of(asked: Question) -> str | None:
    """Why the label of a second-order question cannot be right; None where it can."""
    seen = seen_together(asked.lines, asked.minds, asked.thing)
    if asked.answer not in seen:
        return "never together with it there"
    return None if seen[-1] == asked.answer else f"later together with it in the {seen[-1]}"


def tomi(path: Path) -> Iterator[Question]:
    """The questions of ToMi's test set."""
    story: list[str] = []
    for raw in path.read_text(encoding="utf-8").splitlines():
        number, _, text = raw.partition(" ")
        if number == "1":
            story = []
        if "\t" not in text:
            story.append(text)
            continue
        question, answer, _ = text.split("\t")
        yield _question(story, question, answer)


def hi_tom(path: Path) -> Iterator[Question]:
    """The questions of Hi-ToM up to the second order, where nobody tells anything."""
    for one in json.loads(path.read_text(encoding="utf-8"))["data"]:
        if not one["deception"] and one["question_order"] <= 2:
            lines = [line.partition(" ")[2] for line in one["story"].strip().splitlines()]
            asked = _question(lines, one["question"], one["answer"])
            yield asked._replace(kind=f"{asked.kind}, {one['prompting_type']}")


def _question(lines: Sequence[str], question: str, answer: str) -> Question:
    minds = tuple(re.findall(NAME, question.partition(" ")[2]))
    found = re.search(r"the (\w+)(?: really| is| at|\?)", question)
    kind = "memory" if "beginning" in question else "really" if not minds else f"order {len(minds)}"
    return Question(tuple(lines), minds, found[1] if found else "", answer, kind)


class Tally:
    """What was asked of one set of stories, what was answered as it wants, and which of its labels are wrong."""

    def __init__(self, name: str) -> None:
        self.name, self.asked, self.right = name, Counter[str](), Counter[str]()
        self.faults: list[tuple[str, str]] = []  # a question with its label, and what is wrong with it

    def count(self, one: Question, answer: str | None) -> None:
        kinds, fault = [one.kind], fault_of(one) if len(one.minds) == 2 else None
        if fault:
            words = f"{' / '.join(one.minds)}: {one.thing} in {one.answer} [{one.kind}] {' '.join(one.lines)}"
            self.faults.append((words, fault))
        elif len(one.minds) == 2:
            kinds.append(f"{one.kind}, label not wrong")
        for kind in kinds:
            self.asked[kind] += 1
            self.right[kind] += answer == one.answer

    def show(self) -> None:
        for kind in sorted(self.asked):
            share = 100 * self.right[kind] / self.asked[kind]
            print(f"  {self.name:<7} {kind:<30} {self.right[kind]:>5} of {self.asked[kind]:>5}: {share:.1f} %")
        reasons = Counter(fault.partition(" in the ")[0] for _, fault in self.faults)
        print(f"  {self.name:<7} wrong labels: {dict(sorted(reasons.items()))}")


def main(most: int) -> None:
    faults = []
    for name, path, reader in (
        ("ToMi", DATA / "tomi_balanced_story_types" / "fb_all_test.txt", tomi),
        ("Hi-ToM", DATA / "Hi-ToM_data.json", hi_tom),
    ):
        if not path.is_file():
            print(f"  {name}: not here")
            continue
        tally, stage = Tally(name), None
        for one in islice(reader(path), most):
            stage = stage if stage and stage.lines == one.lines else Stage(one.lines)
            tally.count(one, stage.answer(one.minds, one.thing, one.kind))
        tally.show()
        faults += [f"{name}: {fault}: {words}" for words, fault in tally.faults]
    if faults:
        (DATA / "wrong-labels.txt").write_text("\n".join(faults) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(FULL)
