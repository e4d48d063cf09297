"""The journal as moments: what was done, refused, said, found, made, and who came and went."""

import asyncio
from typing import Any

import pytest

from hakoniwa.app import new_session
from hakoniwa.gm.pattern import StoryMoment
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.play.highlights import moments
from hakoniwa.play.loop import play
from hakoniwa.play.session import Session
from hakoniwa.turn import Event
from tests.play.parlour import SCENARIO, after, parlour

WORLD: dict[str, Any] = SCENARIO["world"]
HIDDEN = {"手紙": {"location": "台所", "inside": "戸棚"}, "湯のみ": {"location": "台所", "inside": "戸棚"}}
BOILING = {"turns": 1, "makes": {"湯": {"edible": True}}, "told": "湯が沸いた。"}
BREWS = {"location": "台所", "fixed": True, "affordances": [{"verb": "火にかける", "after": BOILING}]}
CUPBOARD: dict[str, Any] = {
    **SCENARIO,
    "world": {**WORLD, "props": {**WORLD["props"], **HIDDEN, "やかん": BREWS}},
    "cast": {"やな": {"sheet": "yana", "knows": ["湯のみ"]}, "あゆ": {"sheet": "ayu"}},
}


def seen(session: Session, *kinds: str) -> list[StoryMoment]:
    return [one for one in moments(session.scenario, session.rows) if one.kind in kinds]


def told(one: StoryMoment, *traits: str) -> tuple[Any, ...]:
    return (one.turn, one.kind, *(getattr(one, trait) for trait in traits))


def test_a_deed_is_a_moment_and_so_is_what_follows_from_it() -> None:
    session = after([("やな", "(GET: カップ)"), ("やな", "(MOVE: 居間)"), ("やな", "(GIVE: カップ -> あゆ)")])
    traits = ("who", "verb", "target", "other", "room")
    assert [told(one, *traits) for one in moments(session.scenario, session.rows) if one.turn] == [
        (1, "act", "やな", "GET", "カップ", None, "台所"),
        (1, "got", "やな", None, "カップ", None, "台所"),
        (2, "moved", "やな", "MOVE", "居間", None, "台所"),
        (2, "met", "やな", None, None, "あゆ", "居間"),
        (3, "gave", "やな", "GIVE", "カップ", "あゆ", "居間"),
        (3, "got", "あゆ", None, "カップ", "やな", "居間"),
    ]
    assert [one.deed for one in seen(session, "gave")] == ["カップをあゆに渡す"]


@pytest.mark.parametrize(
    ("performance", "expected"),
    [
        ("(OPEN: 小箱)", ("OPEN", "小箱", "INVALID_STATE", "小箱を開ける")),
        ("(GET: グラス)", ("GET", "グラス", "MISSING_OBJECT", "グラスを手に取る")),
        ("(GET: カップ) (OPEN: 小箱)", ("OPEN", "小箱", "INVALID_STATE", "小箱を開ける")),
        ("「まぶしい朝日だ」", (None, None, "CONTRADICTS_WORLD", None)),
    ],
)
def test_a_denial_names_the_act_that_was_refused(performance: str, expected: tuple[str | None, ...]) -> None:
    (one,) = seen(after([("やな", performance)]), "denied", "act")
    assert (one.kind, one.verb, one.target, one.reason, one.deed) == ("denied", *expected)


def test_words_are_moments_too() -> None:
    words = [("user", "やあ"), ("やな", "(MOVE: 居間)"), ("やな", "「あゆ、お茶飲む？」"), ("あゆ", "「いただきます」")]
    session = after(words)
    spoken = [told(one, "who", "other", "text") for one in seen(session, "said", "asked", "answered")]
    assert spoken == [
        (0, "said", "user", None, "おかえり、ふたりとも。"),
        (0, "said", "user", None, "やあ"),
        (2, "asked", "やな", "あゆ", "あゆ、お茶飲む？"),
        (3, "answered", "あゆ", "やな", "いただきます"),
    ]


def test_opening_a_thing_finds_what_its_opener_could_not_know() -> None:
    session = after([("やな", "(OPEN: 戸棚) (GET: 手紙)"), ("やな", "(PUT: 手紙 -> 戸棚)")], parlour(CUPBOARD))
    found = [told(one, "who", "target", "other") for one in seen(session, "found")]
    assert found == [(1, "found", "やな", "手紙", "戸棚")]


def test_what_a_process_makes_is_its_starters() -> None:
    session = after([("やな", "(火にかける: やかん)")], parlour(CUPBOARD))
    made = [told(one, "who", "target", "other") for one in seen(session, "process", "made")]
    assert made == [(1, "process", "やな", "やかん", None), (1, "made", "やな", "湯", "やかん")]


def test_coming_and_going_is_seen_from_both_sides() -> None:
    session = after([("やな", "(MOVE: 居間)"), ("あゆ", "(MOVE: 台所)")])
    assert [told(one, "who", "other", "room") for one in seen(session, "met", "parted", "alone")] == [
        (1, "met", "やな", "あゆ", "居間"),
        (2, "parted", "あゆ", "やな", "居間"),
        (2, "parted", "やな", "あゆ", "居間"),
        (2, "alone", "やな", None, "居間"),
        (2, "alone", "あゆ", None, "台所"),
    ]


def test_a_request_urges_those_it_is_meant_for() -> None:
    wish = {"name": "器を渡す", "kind": "duty", "who": ["やな"], "goal": {"did": {"verb": "GET", "target": ["カップ"]}}}
    gone = {**wish, "name": "皿を取る", "goal": {"did": {"verb": "GET", "target": ["皿"]}}}
    session = parlour({**SCENARIO, "opening": {"text": "カップを取って", "urges": [wish, gone]}})
    traits = ("who", "other", "want", "verb", "target", "text")
    assert [told(one, *traits) for one in seen(after([], session), "urged")] == [
        (0, "urged", "やな", "user", "器を渡す", "GET", "カップ", "カップを取って"),
        (0, "urged", "やな", "user", "皿を取る", None, None, "カップを取って"),
    ]


def test_an_incident_and_the_end_are_moments() -> None:
    session = after([("incident", ""), ("やな", "(GET: 盆)")])
    assert [told(one, "topic", "text") for one in seen(session, "incident", "goal")] == [
        (0, "incident", "clear", "雨がやんだ。"),
        (1, "goal", None, "盆は、ふたりの食卓へ運ばれた。"),
    ]


def test_a_mind_says_what_a_turn_was_for_and_when_a_wish_has_come_true() -> None:
    session = new_session(MemoryJournal(), "hermit", seed=1)

    async def through() -> None:
        async for _ in play(session, 25):
            pass

    asyncio.run(through())
    wanted = {turn.number: [one.desire for one in turn.thought.desires] for turn in session.standing.turns}
    acts, wishes = seen(session, "act"), seen(session, "fulfilled")
    assert wishes
    assert [one for one in acts if one.want not in wanted[one.turn]] == []


def test_what_nobody_sees_is_no_moment() -> None:
    quiet = [Event(kind=kind, turn=0, origin="gm") for kind in ("clock", "undo", "resume")]
    session = parlour()
    asyncio.run(session.commit(quiet))
    assert moments(session.scenario, session.rows) == []
