"""Standing: what the GM and the Director have to say reaches the prompts of those it concerns."""

import asyncio
from typing import Any

import pytest

from hakoniwa.pack import pack
from hakoniwa.play.session import Session
from hakoniwa.play.turn import user_turn
from tests.gardens import garden_of, opened

WORLD: dict[str, Any] = {
    "time": {"label": "朝"},
    "location": {"current": "台所"},
    "locations": {"台所": {"exits": ["居間"]}, "居間": {"exits": ["台所"]}},
    "characters": {"やな": {"location": "台所"}, "あゆ": {"location": "台所"}, "ゆい": {"location": "居間"}},
    "props": {"窓": {"location": "台所", "fixed": True, "state": ["closed"]}},
}
STALL = pack("ja").phrases["stall"]
AGAIN = ("やな", "「うん、そうだね」"), ("あゆ", "「うん、そうだね」")

LIVELY = (
    ("やな", "（窓を開ける）「ほら、朝の風が入ってきた。気持ちがいいよ」"),
    ("あゆ", "「昨日の夜は星がきれいで、なかなか眠れませんでした」"),
    ("やな", "（窓を閉める）「でも少し寒いかな。上着を取ってくればよかった」"),
    ("あゆ", "「来週の旅行のこと、姉様はもう荷造りを始めましたか」"),
)


def after(*turns: tuple[str, str]) -> Session:
    session = opened(garden_of(WORLD, {}))

    async def through() -> None:
        for who, text in turns:
            await user_turn(session, who, text)

    asyncio.run(through())
    return session


@pytest.mark.parametrize(("who", "told"), [("やな", True), ("あゆ", True), ("ゆい", False)])
def test_that_nothing_happens_any_more_is_told_to_whoever_was_there(who: str, told: bool) -> None:
    session = after(*AGAIN * 4)
    assert session.standing.turns[-1].take.ruling.allowed
    assert (STALL in session.view(who).facts) == told


def test_once_the_talk_is_lively_again_nobody_is_told_so_any_more() -> None:
    session = after(*AGAIN * 4, *LIVELY)
    assert [who for who in session.cast if STALL in session.view(who).facts] == []


def test_lively_talk_brings_no_warning() -> None:
    assert after(AGAIN[0], ("あゆ", "「今日は何をして過ごそうかな」")).view("やな").facts == ()


def test_a_denial_is_told_to_who_was_denied_before_anything_else() -> None:
    facts = after(*AGAIN * 4, ("あゆ", "(GET: 竜)")).view("あゆ").facts
    assert "竜" in facts[0]
    assert len(facts) <= 3


def test_another_who_goes_on_is_not_told_of_somebodys_denial() -> None:
    assert not any("竜" in fact for fact in after(("あゆ", "(GET: 竜)")).view("やな").facts)


def test_closing_a_session_closes_its_model_too() -> None:
    class Model:
        closed = 0

        async def aclose(self) -> None:
            self.closed += 1

    session, model = after(), Model()
    session.mind.model = model  # type: ignore[attr-defined]
    asyncio.run(session.aclose())
    assert model.closed == 1


def test_a_session_whose_mind_has_no_model_can_be_closed() -> None:
    asyncio.run(after().aclose())
