"""Appraisal: what one takes people, proposals and one's own body for is what one does, on one seed."""

from pathlib import Path

import pytest

from hakoniwa.turn import Turn
from tests.actor.opposites import PAIRS, SOFA, Opposites, acts, hall, table
from tests.actor.test_personality import lived, person
from tests.gardens import garden_of, opened, played

COWARD = {"neuroticism": 0.9, "agreeableness": 0.5, "extraversion": 0.8}


PAGE = Path(__file__).resolve().parents[2] / "docs" / "minds.md"


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: " and ".join(pair.people))
def test_two_who_differ_in_one_thing_act_differently(pair: Opposites) -> None:
    first, second = ([*acts(pair, kind), None][0] for kind in pair.people)

    assert first != second


def test_the_page_says_what_they_do() -> None:
    """Written by python -m tests.actor.opposites."""
    assert "\n".join(table()) in PAGE.read_text(encoding="utf-8")


def deeds(turns: list[Turn]) -> list[str]:
    return [turn.thought.intention or "" for turn in turns]


def test_a_coward_with_no_way_out_calls_for_somebody_else() -> None:
    world = hall("武装(Lv.4)")
    world["locations"] = {"広間": {"exits": []}}
    world["characters"]["友"] = {"location": "広間"}
    friend = {"speech": {"address": {"友": "友よ"}}}

    assert deeds(lived(world, 3, **COWARD, **friend))[0] == "(CALL: 友)"


def test_nobody_walks_to_whom_they_fear_for_a_trifle() -> None:
    world = hall("武装(Lv.4)", 本={})
    wish = {"name": "本", "kind": "curiosity", "strength": 0.4, "goal": {"did": {"verb": "INSPECT", "target": ["本"]}}}

    turns = lived(world, 12, **COWARD, desires=[wish])

    assert "(MOVE: 庭)" in deeds(turns)
    assert "(MOVE: 広間)" not in deeds(turns)


def test_who_suspects_something_behind_a_request_does_what_they_want_themselves() -> None:
    own = {"name": "本", "kind": "curiosity", "strength": 0.6, "urgency": 0.8}
    urge = {"name": "箱を運ぶ", "kind": "duty", "strength": 0.7, "urgency": 0.8, "goal": {"holding": "箱"}}
    firsts = []
    for agreeableness in (0.9, 0.05):
        sheet = person(
            agreeableness=agreeableness, desires=[{**own, "goal": {"did": {"verb": "INSPECT", "target": ["本"]}}}]
        )
        garden = garden_of(
            hall(箱={}, 本={}), {"澄": sheet.model_dump(mode="json", exclude_unset=True)},
            opening={"speaker": "user", "text": "箱を持って", "urges": [urge]},
        )  # fmt: skip
        session = opened(garden)
        firsts.append(next(turn for turn in played(session, 2) if turn.speaker == "澄").thought.intention)
        session.close()

    assert firsts == ["(GET: 箱)", "(INSPECT: 本)"]


def test_half_an_hour_on_a_sofa_and_a_coffee_take_away_tiredness() -> None:
    world = hall(mine=("疲労(Lv.4)",), ソファ=SOFA, コーヒー={"edible": "drink"})
    session = opened(garden_of(world, {"澄": {"personality": {}}}, minutes_per_turn=5))
    played(session, 6)
    rested = session.world.characters["澄"].status
    session.close()

    assert rested == ("疲労(Lv.2)",)
