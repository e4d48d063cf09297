"""A garden of two rooms in which every turn is what the test says it is."""

import asyncio
from collections.abc import Sequence
from typing import Any

from hakoniwa.actor.builtin import BuiltinMind
from hakoniwa.journal import GardenRecord, Journal
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.play.between import ring
from hakoniwa.play.session import Session
from hakoniwa.play.turn import user_turn

SCENARIO: dict[str, Any] = {
    "id": "parlour",
    "title": "夕方の台所",
    "description": "雨の夕方。\n姉妹がふたり。",
    "minutes_per_turn": 30,
    "world": {
        "time": {"label": "夕方", "clock": "16:40"},
        "meta": {"weather": "雨"},
        "location": {"current": "台所"},
        "locations": {"台所": {"exits": ["居間"]}, "居間": {"exits": ["台所"]}},
        "characters": {"やな": {"location": "台所"}, "あゆ": {"location": "居間"}},
        "props": {
            "カップ": {"location": "台所"},
            "盆": {"location": "台所", "container": True},
            "小箱": {"location": "台所", "fixed": True, "container": True, "state": ["locked"]},
            "戸棚": {
                "location": "台所",
                "fixed": True,
                "container": True,
                "state": ["closed"],
                "affordances": [{"verb": "開ける", "becomes": ["open"], "told": "{who}は戸棚を開けた。蝶番が鳴った。"}],
            },
            "やかん": {
                "location": "台所",
                "fixed": True,
                "affordances": [
                    {
                        "verb": "火にかける",
                        "told": "青い火が、{what}の底をなめた。",
                        "after": {"turns": 1, "told": "{what}が鳴いた。"},
                    }
                ],
            },
        },
    },
    "cast": {"やな": {"sheet": "yana"}, "あゆ": {"sheet": "ayu"}},
    "opening": {"text": "おかえり、ふたりとも。"},
    "incidents": [
        {
            "id": "clear",
            "text": "雨がやんだ。",
            "delta": [{"op": "replace", "path": "/meta/weather", "value": "晴れ"}],
        }
    ],
    "goal": {"holding": "盆", "told": "盆は、ふたりの食卓へ運ばれた。"},
}
SHEETS: dict[str, dict[str, Any]] = {
    "やな": {"display_name": "やな", "persona": "やな、二十五歳。よく笑う姉。"},
    "あゆ": {"display_name": "あゆ", "persona": "静かな妹。"},
}

Moment = tuple[str, str]


def parlour(
    scenario: dict[str, Any] = SCENARIO,
    sheets: dict[str, dict[str, Any]] = SHEETS,
    journal: Journal | None = None,
) -> Session:
    """The garden before its first turn."""
    garden = GardenRecord(id="parlour", scenario=scenario, sheets=sheets, seed=1)
    journal = journal or MemoryJournal()
    journal.create(garden)
    return Session(journal, garden, BuiltinMind())


def after(moments: Sequence[Moment], session: Session | None = None) -> Session:
    """The garden once these moments have passed: (who, what they do), ("user", words) or ("incident", "")."""
    session = session or parlour()
    asyncio.run(_pass(session, moments))
    return session


async def _pass(session: Session, moments: Sequence[Moment]) -> None:
    await session.open()
    for who, text in moments:
        if who == "user":
            await session.say(text)
        elif who == "incident":
            await session.commit([ring(session.scenario.incidents[0], session.world, session.world.time.turn)])
        else:
            await user_turn(session, who, text)
