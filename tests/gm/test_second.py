"""A second reading: it says what was meant where the reader is not sure, never what is true."""

import asyncio
from functools import partial

from hakoniwa.gm.read import read
from hakoniwa.gm.second import MAX_ASKED, Doubt, GivenAnswers, SecondReading, answers_for
from hakoniwa.gm.step import rule_on
from tests.worlds import tiny

HERE = {"location": "茶室"}
ROOM = tiny({"lamp": {**HERE, "state": ["off"]}, "cup": HERE})
UNSURE = "*takes the frobnicator*"
UNREAD = "*trundles the cup about*"


class Nothing(SecondReading):
    """Finds none of the candidates in any clause."""

    def choose(self, doubt: Doubt) -> int | None:
        return None


def test_an_act_that_is_not_sure_is_not_denied_and_says_so() -> None:
    ruling = rule_on(ROOM, "楓", UNSURE).ruling

    assert (ruling.allowed, ruling.world_delta) == (True, ())
    assert [(one.verb, one.target, one.sure) for one in ruling.parsed.action_intents] == [("GET", "frobnicator", False)]


def test_a_thing_that_is_surely_one_and_nowhere_is_denied() -> None:
    assert rule_on(ROOM, "楓", "*takes the hammer*").ruling.denied_reason == "MISSING_OBJECT"


def test_a_clause_that_names_a_thing_and_gives_no_act_is_reported() -> None:
    assert read(UNREAD, ROOM, "楓").unread == ("trundles the cup about",)
    assert read("*smiles*", ROOM, "楓").unread == ()


def test_a_second_reading_makes_an_act_sure_or_nothing() -> None:
    (doubt,) = _asked(UNSURE)
    assert doubt == Doubt(
        clause="takes the frobnicator", candidates=("(GET: frobnicator)",), names=("cup", "lamp", "蓬")
    )
    meant = GivenAnswers({doubt: 0})
    assert rule_on(ROOM, "楓", UNSURE, second=meant).ruling.denied_reason == "MISSING_OBJECT"

    given = GivenAnswers({doubt: None})
    parsed = rule_on(ROOM, "楓", UNSURE, second=given).ruling.parsed
    assert [one.verb for one in parsed.action_intents] == [None]
    assert given.unanswered == []


def test_everything_stays_as_it_was_read_where_nobody_answers() -> None:
    for reply in (UNSURE, UNREAD, "*takes the hammer*"):
        answers = (None, GivenAnswers())
        plain, asked = (rule_on(ROOM, "楓", reply, second=one, second_of_denials=True) for one in answers)
        assert asked.ruling == plain.ruling


def test_what_is_asked_of_one_reply_has_an_end() -> None:
    async def nothing(doubt: Doubt) -> None:
        return None

    many = " ".join(f"*takes the frobnicator{letter}*" for letter in "bcdfghjk")
    answers = asyncio.run(answers_for(partial(read, many, ROOM, "楓", None), nothing))
    assert len(answers.answers) == MAX_ASKED


def test_a_second_reading_finds_an_act_in_what_was_not_read() -> None:
    (doubt,) = _asked(UNREAD)
    chosen = doubt.candidates.index("(GET: cup)")

    parsed = rule_on(ROOM, "楓", UNREAD, second=GivenAnswers({doubt: chosen})).ruling.parsed
    assert [(one.verb, one.target) for one in parsed.action_intents] == [("GET", "cup")]
    assert parsed.unread == ()


def _asked(reply: str) -> list[Doubt]:
    answers = GivenAnswers()
    rule_on(ROOM, "楓", reply, second=answers)
    return answers.unanswered


def test_a_denial_falls_only_where_denials_are_asked_about() -> None:
    denied = "*takes the hammer*"

    assert not rule_on(ROOM, "楓", denied, second=Nothing()).ruling.allowed
    assert rule_on(ROOM, "楓", denied, second=Nothing(), second_of_denials=True).ruling.allowed
