"""Wording: people whose sheet has neither a phrasebook nor desires live, in any plain room, in both languages."""

import re
from typing import Any

import pytest
import yaml

from benchmarks.life import life_of
from hakoniwa.actor.wording import lines_of
from hakoniwa.pack import LANGUAGES
from hakoniwa.play.session import Session
from hakoniwa.turn import Turn
from tests.gardens import garden_of, opened, played

TURNS = 20
ROOMS = {
    "ja": [["ランプ", "本", "やかん", "お茶"], ["椅子", "ギター", "手紙"], ["机", "花", "箱"]],
    "en": [["lamp", "book", "kettle", "tea"], ["chair", "guitar", "letter"], ["desk", "fern", "box"]],
}
PEOPLE: dict[str, list[dict[str, Any]]] = {
    "ja": [
        {"persona": "元書店員。本と静かな夜が好き。", "personality": {"extraversion": 0.2, "openness": 0.9}},
        {"persona": "港町の船乗り。声が大きく、世話好き。", "personality": {"extraversion": 0.9, "agreeableness": 0.8}},
        {
            "persona": "几帳面な執事。",
            "speech": {"tone": "丁寧な敬語", "first_person": "わたくし"},
            "values": {"duty": 1.0},
        },
        {"persona": "家出した猫のような少女。", "greetings": ["……あんた、だれ。"], "values": {"gain": 0.9}},
        {"persona": "心配性の薬師。", "examples": ["「お怪我はありませんか。」"], "personality": {"neuroticism": 0.9}},
    ],
    "en": [
        {"persona": "A retired lighthouse keeper who reads.", "personality": {"extraversion": 0.2}},
        {"persona": "A bard with more songs than sense.", "personality": {"extraversion": 0.95}},
        {"persona": "A courtly knight.", "speech": {"tone": "formal and courteous"}, "values": {"duty": 1.0}},
        {
            "persona": "A thief who likes kettles.",
            "greetings": ["Well, look at this."],
            "values": {"gain": 1.0},
        },
        {"persona": "A nervous botanist.", "examples": ['"Mind the fern, sir."'], "personality": {"neuroticism": 0.9}},
    ],
}


def plain_room(language: str, things: list[str], first: dict[str, Any], second: dict[str, Any]) -> Session:
    """Two people nobody has prepared anything for, and some things without affordances."""
    names = ("ルイ", "ノア") if language == "ja" else ("Louis", "Noa")
    room = "部屋" if language == "ja" else "room"
    world = {
        "version": "0.2",
        "location": {"current": room},
        "locations": {room: {}},
        "characters": {name: {"location": room} for name in names},
        "props": {name: {"location": room} for name in things},
    }
    sheets = {name: {"improvises": True, **sheet} for name, sheet in zip(names, (first, second), strict=True)}
    return opened(garden_of(world, sheets, language=language))


def told(turn: Turn) -> str:
    return f"{turn.speaker} {turn.deeds} {turn.take.ruling.parsed.speech}"


@pytest.mark.parametrize("things", range(3))
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_card_dropped_into_a_plain_room_lives(language: str, things: int) -> None:
    people = PEOPLE[language]
    for place, sheet in enumerate(people):
        session = plain_room(language, ROOMS[language][things], sheet, people[place - 1])
        turns = played(session, TURNS)
        session.close()
        seen = life_of([("room", turn) for turn in turns])
        assert [turn.number for turn in turns if not (turn.deeds or turn.take.ruling.parsed.speech)] == []
        assert len({told(turn) for turn in turns}) == TURNS
        assert all(turn.take.ruling.allowed for turn in turns)
        assert seen.carrying <= 0.18
        assert seen.talk >= 0.35 / 1.5
        assert seen.again <= 0.045


def test_both_languages_have_the_same_occasions() -> None:
    def shape(data: Any, path: str = "") -> set[str]:
        inner = data.items() if isinstance(data, dict) else ()
        return {path} | {one for key, value in inner for one in shape(value, f"{path}/{key}")}

    japanese, english = (lines_of(language).model_dump() for language in LANGUAGES)
    assert shape(japanese) == shape(english)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_line_has_slots_that_can_be_filled(language: str) -> None:
    text = yaml.safe_dump(lines_of(language).model_dump(), allow_unicode=True)
    assert set(re.findall(r"\{(\w+)\}", text)) <= {"what", "you", "who", "me", "where", "want"}


def test_who_only_does_what_is_written_stays_as_they_are() -> None:
    session = plain_room("ja", ["ランプ"], {"improvises": False}, {"improvises": False})
    turns = played(session, 4)
    session.close()
    assert [turn.deeds for turn in turns] == [()] * 4
    assert not any(turn.take.ruling.parsed.speech for turn in turns)
