"""Pairs of people who differ in a number or a value and in nothing else, and what each of them does on one seed."""

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from hakoniwa.play.turn import user_turn
from tests.actor.test_personality import person
from tests.gardens import garden_of, opened, played

SOFA = {"fixed": True, "affordances": ["座る"]}
CHEST = {"container": True, "fixed": True, "state": ["closed"]}
READ = {"name": "本を調べる", "kind": "duty", "strength": 0.6, "urgency": 0.6, "grows": 0.3}
READ["goal"] = {"did": {"verb": "INSPECT", "target": ["本"]}}
LOOK_GOOD = {"name": "きちんとして見られたい", "kind": "esteem", "strength": 0.6, "urgency": 0.6}
LOOK_GOOD["goal"] = {"did": {"verb": "CLEAN", "target": ["鏡"]}}
WANTS_KEY = {"name": "鍵がほしい", "kind": "duty", "strength": 0.8, "urgency": 0.9, "goal": {"holding": "鍵"}}
OPEN_CHEST = {"name": "開ける", "kind": "duty", "strength": 0.9, "urgency": 1.0, "goal": {"state": {"箱": "open"}}}


def hall(status: str = "", mine: tuple[str, ...] = (), **props: dict[str, Any]) -> dict[str, Any]:
    """Two rooms without a door between them; somebody else is in the first."""
    here = {"location": "広間"}
    return {
        "location": {"current": "広間"},
        "time": {"label": "昼", "turn": 0, "clock": "13:00"},
        "locations": {"広間": {"exits": ["庭"]}, "庭": {"exits": ["広間"]}},
        "characters": {"澄": {**here, "status": list(mine)}, "連れ": {**here, "status": [status] if status else []}},
        "props": {name: {**here, **one} for name, one in props.items()},
    }


def told(*lines: str, urges: tuple[Mapping[str, Any], ...] = ()) -> dict[str, Any]:
    """An opening in which somebody says something."""
    return {"opening": {"speaker": "user", "text": "".join(lines), "urges": list(urges)}}


class Opposites(NamedTuple):
    """A situation, and two kinds of people in it, by what differs in their sheets."""

    situation: str
    world: dict[str, Any]
    people: dict[str, dict[str, Any]]
    sheet: dict[str, Any] = {}
    scenario: dict[str, Any] = {}
    said: str = ""  # by the other, before anything is done
    turns: int = 6


PAIRS = (
    Opposites(
        "before somebody who is armed (武装(Lv.4)), with a sword at hand", hall("武装(Lv.4)", 剣={}),
        {
            "the coward": {"neuroticism": 0.9, "agreeableness": 0.5},
            "the fighter": {"neuroticism": 0.1, "agreeableness": 0.2},
        },
        {"extraversion": 0.8},
    ),
    Opposites(
        "asked by a voice to open a chest", hall(箱=CHEST),
        {"the trusting": {"agreeableness": 0.9}, "the suspicious": {"agreeableness": 0.05}},
        {"conscientiousness": 0.2}, told("箱を開けてよ", urges=(OPEN_CHEST,)),
    ),
    Opposites(
        "with a duty and a sofa", hall(本={}, ソファ=SOFA),
        {"the tired": {"status": ("疲労(Lv.4)",)}, "the rested": {"status": ()}},
        {"desires": [READ]},
    ),
    Opposites(
        "hungry (空腹(Lv.4)) and wanting to look good",
        hall(mine=("空腹(Lv.4)",), ケーキ={"edible": "food"}, 鏡={"fixed": True, "affordances": ["拭く"]}),
        {
            "the ascetic (禁欲的)": {"values": {"body": 0.1, "esteem": 0.9}},
            "the instinctive (本能的)": {"values": {"body": 1.0, "esteem": 0.2}},
        },
        {"desires": [LOOK_GOOD]},
    ),
    Opposites(
        "looking for a key, and told that it may be in the box (「鍵はたぶん箱の中にある」)",
        hall(棚=CHEST, 箱={**CHEST, "location": "庭"}, 鍵={"location": "庭", "inside": "箱"}),
        {"the open": {"openness": 0.9}, "the closed": {"openness": 0.05}},
        {"agreeableness": 0.3, "desires": [WANTS_KEY]}, said="「鍵はたぶん箱の中にある」", turns=9,
    ),
)  # fmt: skip


def acts(pair: Opposites, kind: str) -> list[str]:
    """What one of these people does first and after it, as far as it is anything."""
    changed = dict(pair.people[kind])
    world = dict(pair.world)
    if "status" in changed:
        body = {**world["characters"]["澄"], "status": list(changed.pop("status"))}
        world["characters"] = {**world["characters"], "澄": body}
    sheet = person(**pair.sheet, **changed).model_dump(mode="json", exclude_unset=True)
    session = opened(garden_of(world, {"澄": sheet}, **pair.scenario))
    if pair.said:
        asyncio.run(user_turn(session, "連れ", pair.said))
    turns = [one for one in played(session, pair.turns) if one.speaker == "澄" and one.take.ruling.allowed]
    session.close()
    return [one.thought.intention for one in turns if one.thought.intention]


def table() -> Iterator[str]:
    """All of them as a table for docs/minds.md."""
    yield "| Situation | Who | What differs | What they do, turn by turn |"
    yield "|---|---|---|---|"
    for pair in PAIRS:
        for kind, numbers in pair.people.items():
            differs = ", ".join(_number(name, value) for name, value in numbers.items())
            yield f"| {pair.situation} | {kind} | {differs} | {', '.join(f'`{one}`' for one in acts(pair, kind))} |"


def _number(name: str, value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{kind} {share}" for kind, share in value.items())
    return f"{name} {value}" if isinstance(value, float) else f"{name} {', '.join(value) or '–'}"


if __name__ == "__main__":
    print("\n".join(table()))
