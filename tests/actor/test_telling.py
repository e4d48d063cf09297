"""Telling as a choice: who needs a thing asks, who knows tells or does not, and what is said can be read again."""

from typing import Any

import pytest

from hakoniwa.actor.mind import decide
from hakoniwa.actor.telling import offered_speech_acts, spoken_line
from hakoniwa.gm.telling import facts_in, thing_asked_for
from hakoniwa.play.session import Session
from hakoniwa.turn import SpeechVerb
from tests.gardens import garden_of, opened, played
from tests.play.test_hearsay import WORLD, turns

WANTS_RING = {"name": "指輪がほしい", "kind": "gain", "strength": 0.9, "urgency": 0.9, "goal": {"holding": "指輪"}}

DISLIKE = {"trust": -1, "warmth": -1}


def session(**sheets: dict[str, Any]) -> Session:
    garden = garden_of(WORLD, sheets, language="ja")
    knows = {"甲": ["指輪", "棚", "箱"], "乙": ["箱"]}
    cast = {who: {"sheet": who, "knows": knows.get(who, "here")} for who in WORLD["characters"]}
    return opened(garden.model_copy(update={"scenario": {**garden.scenario, "cast": cast}}))


def offered(garden: Session, who: str) -> list[tuple[SpeechVerb, str, str | None]]:
    view = garden.view(who)
    acts = offered_speech_acts(view, decide(view, garden.standing.minds[who]))
    return [(one.verb, one.about.subject if one.about else "", one.about.object if one.about else None) for one in acts]


def test_who_needs_a_thing_and_does_not_know_where_it_is_asks() -> None:
    assert offered(session(乙={"desires": [WANTS_RING]}), "乙") == [("ASK", "指輪", None)]
    assert offered(session(甲={"desires": [WANTS_RING]}), "甲") == []  # knows


@pytest.mark.parametrize(
    ("sheet", "first"),
    [
        ({"personality": {"agreeableness": 0.9}}, ("TELL", "指輪", "棚")),
        ({"personality": {"agreeableness": 0.3}}, ("REFUSE", "指輪", None)),
        ({"personality": {"agreeableness": 0.5}, "relations": {"乙": DISLIKE}}, ("TELL", "指輪", "箱")),
        ({"personality": {"agreeableness": 0.7}, "desires": [WANTS_RING]}, ("REFUSE", "指輪", None)),
    ],
)
def test_who_knows_tells_or_refuses_or_makes_something_up(sheet: dict[str, Any], first: tuple[str, ...]) -> None:
    garden = session(甲=sheet)
    turns(garden, ("乙", "「指輪はどこ？」"))
    assert offered(garden, "甲")[0] == first


def test_who_does_not_know_has_nothing_to_tell() -> None:
    garden = session()
    turns(garden, ("甲", "「指輪はどこ？」"))
    assert offered(garden, "乙") == []


def test_news_is_passed_on_to_those_who_have_not_heard_it() -> None:
    garden = session()
    turns(garden, ("甲", "「指輪は箱の中にある」"))
    assert offered(garden, "乙") == []  # the only one here has said so
    turns(garden, ("乙", "(MOVE: 納戸)"))
    assert offered(garden, "乙") == [("TELL", "指輪", "箱")]


@pytest.mark.parametrize("polite", [True, False])
def test_what_is_said_can_be_read_again(polite: bool) -> None:
    garden = session(甲={"examples": ["「そうです」" if polite else "「そうだよ」"]})
    turns(garden, ("乙", "「指輪はどこ？」"))
    view = garden.view("甲")
    tell, refuse = offered_speech_acts(view, decide(view, garden.standing.minds["甲"]))[:2]
    (read,) = facts_in(spoken_line(tell, view), garden.world, "甲")
    assert (read.fact.subject, read.fact.object, read.sure) == ("指輪", "棚", True)
    assert facts_in(spoken_line(refuse, view), garden.world, "甲") == []


@pytest.mark.parametrize(
    ("line", "subject"),
    [
        ("鈴はどこ？", "鈴"),
        ("ねえ乙、鈴はどこ？", "鈴"),
        ("乙はどこ？", "乙"),
        ("ねえ乙、どこへ行くの？", None),
        ("鈴だね。", None),
    ],
)
def test_what_is_asked_for(line: str, subject: str | None) -> None:
    assert thing_asked_for(line, session().world) == subject


def test_who_is_told_what_is_not_so_looks_and_knows_it() -> None:
    garden = session(乙={"desires": [WANTS_RING]})
    turns(garden, ("甲", "「指輪は箱の中にある」"))
    done = [one.thought.intention for one in played(garden, 9) if one.speaker == "乙"]
    assert done[:2] == ["(MOVE: 納戸)", "(OPEN: 箱)"]
    assert [one.false for one in garden.standing.beliefs["乙"].claims] == [True]
