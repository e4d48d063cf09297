"""Gardens played through the shapes that chat models give their replies: what is spoken, and what is passed over."""

import asyncio
from contextlib import closing
from pathlib import Path

import pytest

from hakoniwa.actor.language import LanguageMind
from hakoniwa.llm.ledger import Ledger
from hakoniwa.llm.scripted import RecordedModel, read_cassette
from hakoniwa.play.loop import next_turn
from hakoniwa.play.standing import turn_of
from hakoniwa.turn import Event
from tests.gardens import FREE, opened, shipped_garden

CASSETTES = Path(__file__).parents[1] / "cassettes"
NEVER_SAID = ("<", "{", "```", "*", "Thought", "Output", "思考", "：", "[Next")

PLAYED = {
    "think_tags": [
        "盗賊「こいつは匂うねえ。針の一本も仕込んでありそうだ」",
        "騎士「ご安心めされよ。それがしがお守りいたす」",
        "盗賊「さあて、お宝とご対面だ」",
        "騎士「見事な像でござるな」",
    ],
    "fenced_json": [
        "盗賊: model.json-shape",
        "騎士「古い箱でござるな」",
        "盗賊: model.json-cut",
        "騎士: model.json-shape",
        "盗賊「どれどれ」",
    ],
    "odd_brackets": [
        "盗賊「匂うねえ」",
        "騎士「見事な像でござるな」",
        "盗賊「さあて、ご対面だ」",
        "騎士「おお、金貨でござる！」",
    ],
    "english_gloss": [
        "盗賊「こいつは匂うねえ」",
        "騎士: model.wrong-language",
        "盗賊: model.wrong-language",
        "騎士「見事な像でござるな」",
    ],
    "label_lines": [
        "盗賊「こいつは匂うねえ」",
        "騎士「見事な像でござるな」",
        "盗賊「さあて、お宝とご対面だ」",
        "騎士「おお、金貨でござるか」",
    ],
}
OPENED = {"think_tags": True, "fenced_json": False, "odd_brackets": True, "english_gloss": False, "label_lines": True}


def played(name: str) -> tuple[list[str], list[Event], bool]:
    """What comes of a cassette: who says what, the events, and whether the chest was opened."""

    async def through() -> tuple[list[Event], bool]:
        with closing(opened(shipped_garden("treasure_chest", 1))) as session:
            session.mind = LanguageMind(Ledger(RecordedModel(CASSETTES / f"{name}.yaml"), language="ja"), FREE)
            await session.open()
            for _ in PLAYED[name]:
                await next_turn(session)
            return [row.event for row in session.rows], "open" in session.world.props["宝箱"].state

    events, chest = asyncio.run(through())
    return [told(event) for event in events if event.kind in ("turn", "fault")], events, chest


def told(event: Event) -> str:
    if event.kind == "fault":
        return f"{event.payload['speaker']}: {event.payload['fault']}"
    turn = turn_of(event)
    return f"{turn.speaker}「{turn.take.ruling.parsed.speech}」"


def test_every_cassette_is_played() -> None:
    assert sorted(PLAYED) == sorted(path.stem for path in CASSETTES.glob("*.yaml"))


@pytest.mark.parametrize("name", PLAYED)
def test_a_garden_plays_through_it(name: str) -> None:
    lines, _, chest = played(name)
    assert lines == PLAYED[name]
    assert chest is OPENED[name]


@pytest.mark.parametrize("name", PLAYED)
def test_nothing_of_the_shape_is_ever_said(name: str) -> None:
    _, events, _ = played(name)
    said = [turn_of(event).take.ruling.parsed.speech or "" for event in events if event.kind == "turn"]
    assert [(sign, line) for line in said for sign in NEVER_SAID if sign in line] == []
    signs = [sign for sign in NEVER_SAID for call in read_cassette(CASSETTES / f"{name}.yaml") if sign in call.reply]
    assert signs or name == "english_gloss"
