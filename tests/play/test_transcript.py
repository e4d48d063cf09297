"""Transcripts: everyone's own lines, the same for all who witnessed the same, in the words of a third person."""

import asyncio
from typing import Any

import pytest

from hakoniwa.actor.window import TranscriptWindow
from hakoniwa.play.session import Session
from hakoniwa.play.turn import user_turn
from tests.gardens import garden_of, opened

WORLDS: dict[str, dict[str, Any]] = {
    "ja": {
        "time": {"label": "朝"},
        "location": {"current": "台所"},
        "locations": {"台所": {"exits": ["居間"]}, "居間": {"exits": ["台所"]}},
        "characters": {"やな": {"location": "台所"}, "あゆ": {"location": "台所"}, "ゆい": {"location": "居間"}},
        "props": {"窓": {"location": "台所", "fixed": True, "state": ["closed"]}},
    },
    "en": {
        "time": {"label": "morning"},
        "location": {"current": "kitchen"},
        "locations": {"kitchen": {"exits": ["hall"]}, "hall": {"exits": ["kitchen"]}},
        "characters": {"Ann": {"location": "kitchen"}, "Theo": {"location": "kitchen"}, "Eve": {"location": "hall"}},
        "props": {"window": {"location": "kitchen", "fixed": True, "state": ["closed"]}},
    },
}
SAID = {
    "ja": [("やな", "（窓を開ける）「いい風」"), ("あゆ", "（微笑む）"), ("あゆ", "（竜を手に取る）「よしよし」")],
    "en": [("Ann", '(open the window) "A breeze"'), ("Theo", "(smile)"), ("Theo", '(pick up the dragon) "There"')],
}


def played(language: str) -> Session:
    session = opened(garden_of(WORLDS[language], {}))

    async def through() -> None:
        for who, text in SAID[language]:
            await user_turn(session, who, text)
        await session.say({"ja": "おはよう", "en": "Good morning"}[language])

    asyncio.run(through())
    return session


def lines(session: Session, who: str) -> TranscriptWindow:
    return session.view(who).transcript.window(10_000)


@pytest.mark.parametrize(
    ("language", "one", "other", "elsewhere"), [("ja", "やな", "あゆ", "ゆい"), ("en", "Ann", "Theo", "Eve")]
)
def test_whoever_witnessed_the_same_has_the_same_lines(language: str, one: str, other: str, elsewhere: str) -> None:
    session = played(language)
    assert lines(session, one) == lines(session, other)
    assert len(lines(session, one).lines) == 4
    assert lines(session, elsewhere).lines == ()


def test_speech_acts_failures_and_voices_are_told_as_a_script() -> None:
    told = lines(played("ja"), "やな").lines
    assert told[0].startswith("やな（窓を開ける）「いい風」")
    assert told[1] == "あゆ（微笑む）"
    assert "竜" in told[2]
    assert "――" in told[2]
    assert told[3] == "声「おはよう」"


def test_lines_are_added_as_turns_are_played_and_go_with_a_turn_that_is_taken_back() -> None:
    session = played("ja")
    before = lines(session, "やな").lines
    asyncio.run(user_turn(session, "やな", "「おやすみ」"))
    assert lines(session, "やな").lines == (*before, "やな「おやすみ」")
    asyncio.run(session.undo(1))
    assert lines(session, "やな").lines == before


def test_a_garden_that_is_resumed_has_the_lines_it_had() -> None:
    session = played("ja")
    again = Session(session.journal, session.garden, session.mind)
    assert lines(again, "やな") == lines(session, "やな")


def test_what_the_chronicle_notes_is_what_is_left_of_a_line() -> None:
    session = played("ja")
    asyncio.run(session.say("長い話。" * 40))
    shown = session.view("やな").transcript.window(180)
    assert shown.lines == (f"声「{'長い話。' * 40}」",)
    assert shown.earlier[0] == "やなは窓を開けた。"
