"""Hearsay: what is said in a garden reaches those who hear it, is put to the test, and moves what people feel."""

import asyncio
from typing import Any

import pytest

from hakoniwa.actor.mind import believe
from hakoniwa.play.highlights import moments
from hakoniwa.play.promises import PROMISE_HOLDS, SettledPromise, settle_promises
from hakoniwa.play.session import Session
from hakoniwa.play.standing import turn_of
from hakoniwa.play.turn import user_turn
from hakoniwa.stage.relations import Bond, rules
from hakoniwa.stage.shared import MAX_SHARED, shared_by
from tests.gardens import garden_of, opened, played

PEOPLE = {
    "甲": {"location": "居間"}, "乙": {"location": "居間"}, "丙": {"location": "納戸"},
}  # fmt: skip
WORLD = {
    "location": {"current": "居間"},
    "locations": {"居間": {"exits": ["納戸"]}, "納戸": {"exits": ["居間"]}},
    "characters": PEOPLE,
    "props": {
        "箱": {"location": "納戸", "container": True, "state": ["closed"], "fixed": True},
        "棚": {"location": "居間", "container": True, "state": ["closed"], "fixed": True},
        "指輪": {"inside": "棚"},
        "鈴": {"location": "居間"},
    },
}


@pytest.fixture
def session() -> Session:
    sheets = {"甲": {"personality": {"agreeableness": 1.0}}, "丙": {"relations": {"甲": {"trust": -1.0}}}}
    return opened(garden_of(WORLD, sheets))


def turns(session: Session, *lines: tuple[str, str]) -> None:
    async def through() -> None:
        for who, text in lines:
            await user_turn(session, who, text)

    asyncio.run(through())


def heard(session: Session, who: str) -> list[tuple[str, str | None, str, int]]:
    claims = session.standing.beliefs[who].claims
    return [(one.fact.subject, one.fact.object, one.source, one.hops) for one in claims]


def trust(session: Session, who: str, other: str) -> float:
    return session.standing.hearsay.feeling(who, other).bond.trust


def test_words_reach_those_in_the_room_and_nobody_else(session: Session) -> None:
    turns(session, ("甲", "「指輪は箱の中にある」"))
    assert heard(session, "乙") == [("指輪", "箱", "甲", 1)]
    assert heard(session, "丙") == heard(session, "甲") == []


def test_what_is_passed_on_counts_its_mouths(session: Session) -> None:
    turns(session, ("甲", "「指輪は箱の中にある」"), ("乙", "(MOVE: 納戸)"), ("乙", "「指輪は箱の中にある」"))
    assert heard(session, "丙") == [("指輪", "箱", "乙", 2)]


def test_a_lie_that_comes_out_costs_trust_and_stays_on_record(session: Session) -> None:
    before = trust(session, "乙", "甲")
    turns(session, ("甲", "「指輪は箱の中にある」"), ("乙", "(MOVE: 納戸)"), ("乙", "(OPEN: 箱)"))
    assert trust(session, "乙", "甲") == pytest.approx(before - 0.4)
    assert [one.false for one in session.standing.beliefs["乙"].claims] == [True]
    assert [one.event for one in session.standing.hearsay.feeling("乙", "甲").causes] == ["told_false"]


def test_undoing_takes_back_what_was_felt_and_believed(session: Session) -> None:
    start = trust(session, "乙", "甲")
    turns(session, ("甲", "「指輪は箱の中にある」"), ("乙", "(MOVE: 納戸)"), ("乙", "(OPEN: 箱)"))
    asyncio.run(session.undo(2))
    assert heard(session, "乙") == [("指輪", "箱", "甲", 1)]
    assert trust(session, "乙", "甲") == start
    asyncio.run(session.undo(1))
    assert heard(session, "乙") == []


def test_a_sheet_says_whom_one_distrusts(session: Session) -> None:
    assert session.standing.hearsay.feeling("丙", "甲").bond == Bond(trust=-1.0)
    turns(session, ("丙", "(MOVE: 居間)"), ("甲", "「指輪は箱の中にある」"))
    assert [one.confidence for one in session.standing.beliefs["丙"].claims] == [0.0]


def test_a_gift_is_owed(session: Session) -> None:
    turns(session, ("甲", "(GET: 鈴)"), ("甲", "(GIVE: 鈴 -> 乙)"))
    owed, given = (session.standing.hearsay.feeling(*pair).bond.debt for pair in (("乙", "甲"), ("甲", "乙")))
    assert owed > 0 > given


def test_who_answers_a_question_has_helped(session: Session) -> None:
    turns(session, ("乙", "「指輪はどこ？」"), ("甲", "「指輪は箱の中にある」"))
    assert "helped" in [one.event for one in session.standing.hearsay.feeling("乙", "甲").causes]


def test_one_knows_what_the_other_has_seen(session: Session) -> None:
    assert "鈴" in session.standing.hearsay.knows_of("甲", "乙")
    turns(session, ("甲", "(GET: 鈴)"), ("甲", "(MOVE: 納戸)"), ("甲", "(PUT: 鈴 -> 箱)"))
    known = shared_by(session.standing.hearsay.shared, "乙", "甲").props["鈴"]
    assert known.prop.held_by == "甲"  # that it was put down, only the one who did it and 丙 have seen


def test_shared_knowledge_is_bounded() -> None:
    props = {f"物{number}": {"location": "居間"} for number in range(2 * MAX_SHARED)}
    session = opened(garden_of({**WORLD, "props": props}, {}))
    assert max(len(one.props) for one in session.standing.hearsay.shared.values()) == MAX_SHARED


def test_every_rule_names_an_event_that_happens() -> None:
    assert set(rules()) == {"gave", "helped", "refused", "told_true", "told_false", "kept", "broke", "forgot", "rude"}


def test_the_journal_knows_lies_promises_and_what_came_of_them(session: Session) -> None:
    turns(
        session,
        ("甲", "「指輪は箱の中にある」"),
        ("乙", "(MOVE: 納戸)"),
        ("乙", "(OPEN: 箱)"),
        ("丙", "「約束する、棚を開ける」"),
    )
    found = [(one.kind, one.who, one.other, one.target) for one in moments(session.scenario, session.rows)]
    telling = [one for one in found if one[0] in ("told", "lied", "exposed", "promised", "refused")]
    assert telling == [
        ("told", "甲", "乙", "指輪"),
        ("exposed", "乙", "甲", "指輪"),
        ("promised", "丙", "乙", "棚"),
    ]


def test_a_promise_that_is_kept_is_trusted(session: Session) -> None:
    before = trust(session, "乙", "甲")
    turns(session, ("甲", "「約束する、棚を開ける」"), ("甲", "(OPEN: 棚)"))
    assert trust(session, "乙", "甲") > before


def test_one_who_tells_what_they_do_not_believe_lies(session: Session) -> None:
    turns(session, ("甲", "(OPEN: 棚)"), ("甲", "「指輪は箱の中にある」"))
    assert [one.kind for one in moments(session.scenario, session.rows) if one.kind == "lied"] == ["lied"]


def promised(sheet: dict[str, Any] | None = None) -> Session:
    """甲 has promised 乙 to open the shelf."""
    garden = opened(garden_of(WORLD, {"甲": sheet or {}}))
    turns(garden, ("甲", "「約束する、棚を開ける」"))
    return garden


def ends(session: Session) -> list[str]:
    return [one.kind for one in moments(session.scenario, session.rows) if one.kind in ("kept", "broke", "forgot")]


def test_a_promise_is_a_goal_that_is_followed_and_kept() -> None:
    session = promised()
    first = next(turn for turn in played(session, 4) if turn.speaker == "甲")
    assert first.thought.desires[0].desire == "乙との約束を守る（棚を開ける）"
    assert first.thought.intention == "(OPEN: 棚)"
    assert ends(session) == ["kept"]
    assert session.standing.hearsay.promises == ()
    assert "kept" in [one.event for one in session.standing.hearsay.feeling("乙", "甲").causes]


def test_who_cares_little_for_duty_forgets_what_they_promised() -> None:
    busy = {"name": "鈴", "kind": "body", "strength": 1.0, "urgency": 1.0, "grows": 1.0}
    busy["goal"] = {"did": {"verb": "INSPECT", "target": ["鈴", "棚"]}}
    session = promised({"personality": {"conscientiousness": 0.0}, "values": {"duty": 0.0}, "desires": [busy]})
    turns(session, *[("乙", "（黙って座っている）")] * (PROMISE_HOLDS + 1))
    assert ends(session) == ["forgot"]
    assert [one.event for one in session.standing.hearsay.feeling("乙", "甲").causes] == ["forgot"]


def test_what_was_meant_and_let_go_is_broken() -> None:
    session = promised()
    mind = {"intention": "乙との約束を守る（棚を開ける）"}
    one = session.standing.hearsay.promises[0]
    turn = next(turn_of(row.event) for row in session.rows if row.event.kind == "turn")
    (held,), _ = settle_promises([one], turn.model_copy(update={"mind": mind, "number": 2}), "ja")
    late = turn.model_copy(update={"mind": {}, "number": turn.number + PROMISE_HOLDS + 1})
    assert settle_promises([held], late, "ja")[1] == [SettledPromise(held, "broke")]


def test_undoing_a_promise_takes_the_goal_away() -> None:
    session = promised()
    asyncio.run(session.undo(1))
    assert session.standing.hearsay.promises == ()
    assert session.view("甲").promises == []


def test_what_is_strongly_felt_is_in_mind(session: Session) -> None:
    turns(session, ("甲", "「指輪は箱の中にある」"), ("乙", "(MOVE: 納戸)"), ("乙", "(OPEN: 箱)"))
    turns(session, ("甲", "(MOVE: 納戸)"))
    assert "甲の言うことは当てにならない" in believe(session.view("乙"), session.standing.minds["乙"])
    assert not any("当てに" in one for one in believe(session.view("甲"), session.standing.minds["甲"]))
