"""Appraisal: what one takes people, proposals and one's own body for is what one does, on one seed."""

from typing import Any

import pytest

from hakoniwa.turn import Turn
from tests.actor.test_personality import lived, person
from tests.gardens import garden_of, opened, played

COWARD = {"neuroticism": 0.9, "agreeableness": 0.5, "extraversion": 0.8}
FIGHTER = {"neuroticism": 0.1, "agreeableness": 0.2, "extraversion": 0.8}


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


def deeds(turns: list[Turn]) -> list[str]:
    return [turn.thought.intention or "" for turn in turns]


@pytest.mark.parametrize(
    ("numbers", "first"),
    [(COWARD, ["(MOVE: 庭)"]), (FIGHTER, ["(GET: 剣) (POINT_AT: 剣 -> 連れ)"])],
)
def test_before_an_armed_stranger_the_coward_leaves_and_the_fighter_takes_the_sword(
    numbers: dict[str, float], first: list[str]
) -> None:
    turns = lived(hall("武装(Lv.4)", 剣={}), 6, **numbers)

    assert deeds(turns)[:1] == first
    assert [turn.take.ruling.allowed for turn in turns][:1] == [True]


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


@pytest.mark.parametrize(("agreeableness", "first"), [(0.9, "(OPEN: 小箱)"), (0.05, "(INSPECT: 小箱)")])
def test_who_suspects_something_behind_a_request_looks_first(agreeableness: float, first: str) -> None:
    urge = {"name": "開ける", "kind": "duty", "strength": 0.9, "urgency": 1.0, "goal": {"state": {"小箱": "open"}}}
    garden = garden_of(
        hall(小箱={"container": True, "state": ["closed"]}),
        {"澄": person(agreeableness=agreeableness, conscientiousness=0.2).model_dump(mode="json", exclude_unset=True)},
        opening={"speaker": "user", "text": "開けてよ", "urges": [urge]},
    )
    session = opened(garden)
    turns = [turn for turn in played(session, 4) if turn.speaker == "澄"]
    session.close()

    assert deeds(turns)[0] == first


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


SOFA = {"fixed": True, "affordances": ["座る"]}
DUTY: dict[str, Any] = {"name": "本を調べる", "kind": "duty", "strength": 0.6, "urgency": 0.6, "grows": 0.3}
DUTY["goal"] = {"did": {"verb": "INSPECT", "target": ["本"]}}


@pytest.mark.parametrize(("status", "first"), [((), "(INSPECT: 本)"), (("疲労(Lv.4)",), "(SIT: ソファ)")])
def test_the_tired_rest_before_they_work(status: tuple[str, ...], first: str) -> None:
    assert deeds(lived(hall(mine=status, 本={}, ソファ=SOFA), 4, desires=[DUTY]))[0] == first


def test_half_an_hour_on_a_sofa_and_a_coffee_take_away_tiredness() -> None:
    world = hall(mine=("疲労(Lv.4)",), ソファ=SOFA, コーヒー={"edible": "drink"})
    session = opened(garden_of(world, {"澄": {"personality": {}}}, minutes_per_turn=5))
    played(session, 6)
    rested = session.world.characters["澄"].status
    session.close()

    assert rested == ("疲労(Lv.2)",)


EAT = {"edible": "food"}
LOOK_GOOD: dict[str, Any] = {"name": "きちんとして見られたい", "kind": "esteem", "strength": 0.6, "urgency": 0.6}
LOOK_GOOD["goal"] = {"did": {"verb": "CLEAN", "target": ["鏡"]}}


@pytest.mark.parametrize(
    ("values", "first"),
    [({"body": 0.1, "esteem": 0.9}, "(CLEAN: 鏡)"), ({"body": 1.0, "esteem": 0.2}, "(GET: ケーキ) (EAT: ケーキ)")],
    ids=["ascetic", "instinctive"],
)
def test_hungry_and_wanting_to_look_good_the_ascetic_and_the_instinctive_differ(
    values: dict[str, float], first: str
) -> None:
    world = hall(mine=("空腹(Lv.4)",), ケーキ=EAT, 鏡={"fixed": True, "affordances": ["拭く"]})

    assert deeds(lived(world, 2, values=values, desires=[LOOK_GOOD]))[0] == first
