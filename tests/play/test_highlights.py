"""Highlights: true, in the story's own language, not too many, and shown in what is exported."""

import asyncio
from typing import Any

import pytest
from lxml import html

from hakoniwa.app import new_session
from hakoniwa.gm.pattern import shipped_patterns
from hakoniwa.gm.sift import Match
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.play.export import to_html, to_markdown
from hakoniwa.play.highlights import Highlight, best, highlights
from hakoniwa.play.loop import play
from hakoniwa.play.session import Session
from tests.play.parlour import SCENARIO, Moment, after, parlour

PATTERNS = {pattern.name: pattern for pattern in shipped_patterns()}
BATTLE: list[Moment] = [("やな", "(OPEN: 窓)"), ("あゆ", "(CLOSE: 窓)"), ("やな", "(OPEN: 窓)")]


def window(language: str = "ja", name: str = "窓") -> dict[str, Any]:
    """The parlour with both sisters in the kitchen, and a window between them."""
    world: dict[str, Any] = SCENARIO["world"]
    together = {who: {"location": "台所"} for who in world["characters"]}
    pane = {"location": "台所", "fixed": True, "state": ["closed"], "aliases": ["窓"]}
    props = {**world["props"], name: pane}
    return {**SCENARIO, "language": language, "world": {**world, "characters": together, "props": props}}


def fought(scenario: dict[str, Any] | None = None) -> Session:
    return after(BATTLE, parlour(scenario or window()))


def match(name: str, *turns: int, **names: str) -> Match:
    return Match(pattern=PATTERNS[name], turns=turns, names=names)


def test_a_highlight_is_told_in_the_storys_language() -> None:
    told = "やなは窓を開ける。あゆは窓を閉める。そしてまた、やなは窓を開ける。"
    assert highlights(fought()) == [Highlight(name="tug-of-war", turns=(1, 2, 3), title="攻防", told=told)]
    (english,) = highlights(fought(window("en")))
    assert (english.title, english.told) == (
        "Tug of war",
        "やな had to open the 窓. あゆ had to close the 窓. And やな had to open the 窓 again.",
    )


def test_nothing_worth_telling_gives_no_highlight() -> None:
    session = after(BATTLE[:2], parlour(window()))
    assert highlights(session) == []
    assert "見どころ" not in to_markdown(session) + to_html(session)


def test_what_was_undone_did_not_happen() -> None:
    session = fought()
    asyncio.run(session.undo(1))
    assert highlights(session) == []


def test_highlights_stand_in_what_is_exported() -> None:
    session = fought()
    (one,) = highlights(session)
    assert f"## 見どころ\n\n- **{one.title}**　{one.told}　第1〜3手番\n" in to_markdown(session)
    section = html.fromstring(to_html(session, "en")).xpath("//section[@class='highlights']")[0]
    assert " ".join(section.text_content().split()) == f"Highlights {one.title}{one.told} turns 1 to 3"


def test_a_hostile_name_in_a_highlight_stays_text() -> None:
    hostile = "<s>窓</s>"
    session = fought(window(name=hostile))
    assert hostile in highlights(session)[0].told
    assert html.fromstring(to_html(session)).xpath("//s") == []
    assert hostile not in to_markdown(session)


@pytest.mark.parametrize(("scenario", "turns"), [("kitchen_morning", 60), ("tea_room", 60)])
def test_a_played_garden_has_some_highlights_and_not_too_many(scenario: str, turns: int) -> None:
    session = new_session(MemoryJournal(), scenario, seed=1)

    async def through() -> None:
        async for _ in play(session, turns):
            pass

    asyncio.run(through())
    found = highlights(session)
    assert 1 <= len(found) <= 5
    assert all(0 <= turn <= turns for one in found for turn in one.turns)
    assert [one.turns[0] for one in found] == sorted(one.turns[0] for one in found)


# --- choosing ---------------------------------------------------------------------------------------------------------


def chosen(matches: list[Match], limit: int = 10) -> list[tuple[str, int]]:
    return [(one.pattern.name, one.turns[0]) for one in best(matches, limit)]


def test_what_is_rare_comes_first() -> None:
    common = [match("no-answer", turn, turn + 8, who="Ann", question=f"{turn}?") for turn in range(0, 60, 10)]
    assert chosen([*common, match("reunion", 61, 69, who="Bob")], 1) == [("reunion", 61)]


def test_what_took_longer_comes_first() -> None:
    pair = [match("reunion", 1, 22, who="Ann", other="Bob"), match("reunion", 3, 90, who="Ann", other="Cat")]
    assert chosen(pair, 1) == [("reunion", 3)]


def test_no_pattern_crowds_out_the_others() -> None:
    many = [match("tug-of-war", turn, turn + 9, one="Ann", thing=f"window {turn}") for turn in range(0, 60, 10)]
    mixed = chosen([*many, match("untouched", 4, 30, gift="tea")], 3)
    assert ("untouched", 4) in mixed


def test_the_same_story_is_told_once() -> None:
    twice = [match("tug-of-war", turn, turn + 9, one="Ann", thing="window") for turn in (1, 20)]
    assert len(chosen(twice)) == 1
    same_end = [match("long-search", 1, 20, who="Ann", wish="in"), match("long-wish", 2, 20, who="Ann", wish="in")]
    assert chosen(same_end) == [("long-search", 1)]


def test_what_happens_all_the_time_is_no_highlight() -> None:
    always = [match("talk-takes-off", turn, turn + 8, question=f"{turn}?") for turn in range(0, 400, 4)]
    assert chosen(always) == []


def test_highlights_come_in_the_order_of_the_story() -> None:
    late, early = match("reunion", 50, 90, who="Ann"), match("tug-of-war", 2, 9, one="Ann")
    assert chosen([late, match("untouched", 30, 44, two="Ann"), early]) == [
        ("tug-of-war", 2), ("untouched", 30), ("reunion", 50),
    ]  # fmt: skip
