"""Acts that come as data: judged like those that are read, and nothing else of the reply is read but speech."""

from typing import Any

import pytest

from hakoniwa.errors import WorldError
from hakoniwa.gm.history import History
from hakoniwa.gm.request import MAX_ACTS, checked_request, gm_step
from hakoniwa.turn import Ruling
from tests.worlds import lighthouse


def step(acts: Any, raw_output: str = "", **changes: Any) -> Ruling:
    world = lighthouse("ja").model_dump(mode="json")
    return gm_step(
        {"session_id": "s", "turn_number": 1, "speaker": "鉄平", "raw_output": raw_output, "world_state": world,
         "acts": acts, **changes}
    )  # fmt: skip


@pytest.mark.parametrize(
    "act",
    [
        "(GET: 干し芋)", "GET: 干し芋", "（GET：干し芋）", "  ( 取る: 干し芋 ) ", {"intent": "GET", "target": "干し芋"},
        {"intent": "GET", "verb": "GET", "target": "干し芋", "detail": "指先で", "of another engine": 1},
    ],
    ids=str,
)  # fmt: skip
def test_an_act_has_many_spellings_and_one_meaning(act: Any) -> None:
    ruling = step([act], "「もらうよ」")
    assert ruling.allowed
    assert [(one.intent, one.target) for one in ruling.parsed.action_intents] == [("GET", "干し芋"), ("SAY", None)]
    assert ruling.world_delta[0].path == "/characters/鉄平/holding/-"
    assert ruling.parsed.speech == "もらうよ"


def test_acts_build_on_each_other_in_their_order() -> None:
    ruling = step(["GET: 干し芋", {"intent": "EAT_DRINK", "target": "干し芋"}])
    assert (ruling.allowed, ruling.told) == (True, ("鉄平は干し芋を手に取った。", "鉄平は干し芋を食べた。"))
    again = step(["GET: 干し芋", "(EAT)"])
    assert again.told == ruling.told


@pytest.mark.parametrize(
    ("target", "verb"), [("干し芋", "EAT"), ("湯のみ", "DRINK"), ("湯飲み", "DRINK"), ("琴", "EAT")]
)
def test_an_intent_without_a_verb_means_the_plain_one(target: str, verb: str) -> None:
    (act,) = step([{"intent": "EAT_DRINK", "target": target}]).parsed.action_intents
    assert act.verb == verb


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        ("GET: ピアノ", "MISSING_OBJECT"), ("GET: 望遠鏡", "WRONG_LOCATION"), ("GET: 手帳", "NOT_OWNED"),
        ("GET: 卓", "INVALID_STATE"), ("MOVE: 製粉所", "OUT_OF_SCOPE"), ("GET", "AMBIGUOUS_ACTION"),
        ({"intent": "PUT", "target": "干し芋", "destination": "ピアノ"}, "MISSING_OBJECT"),
        ({"intent": "USE", "target": "綱"}, "NOT_OWNED"),
        ({"intent": "EAT_DRINK", "target": "湯のみ"}, "NOT_OWNED"),
    ],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_done_is_denied_like_any_other(act: Any, reason: str) -> None:
    ruling = step([act])
    assert (ruling.denied_reason, ruling.world_delta) == (reason, ())


@pytest.mark.parametrize(
    ("acts", "where", "problem"),
    [
        (["FROBNICATE: 綱"], "-", "'FROBNICATE: 綱' is no act"),
        (["GET: 綱", "綱をもらう"], "-", "'綱をもらう' is no act"),
        ([""], "-", "'' is no act"),
        ([{"intent": "GET", "verb": "EAT", "target": "綱"}], "-", "'EAT' is no verb of GET"),
        ([{"intent": "USE", "verb": "frobnicate", "target": "綱"}], "-", "'frobnicate' is no verb of USE"),
        ([{"intent": "FLY", "target": "綱"}], "acts/0/act/intent", "Input should be 'SAY'"),
        ([{"intent": "GET", "target": "綱" * 301}], "-", "a name has at most 300 characters"),
        (["GET: " + "綱" * 300], "acts/0/tag", "at most 300 characters"),
        (["GET: 綱"] * 17, "acts", "at most 16 items"),
        ("GET: 綱", "acts", "valid tuple"),
        ([3], "acts/0/act", ""),
    ],
    ids=str,
)
def test_what_is_no_act_is_refused_and_named(acts: Any, where: str, problem: str) -> None:
    with pytest.raises(WorldError) as caught:
        step(acts)
    assert caught.value.key == "request.invalid"
    assert caught.value.details["where"] == where
    assert problem in str(caught.value.details["problem"])


def test_nothing_is_read_of_the_reply_but_what_is_said() -> None:
    prose = "（ピアノを弾きながら、樽を蹴る。朝日が眩しい）「どうしたんだい？」"
    assert not step(None, prose).allowed
    ruling = step([], prose)
    assert (ruling.allowed, ruling.parsed.directions) == (True, ())
    assert [one.intent for one in ruling.parsed.action_intents] == ["ASK"]
    assert step(["GET: 干し芋"], prose).told == ("鉄平は干し芋を手に取った。",)
    assert step([], "「もう朝だよ」").denied_reason == "CONTRADICTS_WORLD"


def test_the_third_same_act_in_a_row_is_denied_however_it_is_written() -> None:
    past = History()
    world = lighthouse("ja").model_dump(mode="json")
    knock = {"intent": "USE", "verb": "KNOCK", "target": "鉄扉"}
    takes = [("", ["KNOCK: 鉄扉"]), ("(KNOCK: 鉄扉)", None), ("", [knock])]
    asked = {"session_id": "s", "speaker": "鉄平", "world_state": world}
    rulings = [
        gm_step({**asked, "turn_number": turn, "raw_output": text, "acts": acts}, past)
        for turn, (text, acts) in enumerate(takes)
    ]
    assert [one.denied_reason for one in rulings] == [None, None, "RATE_LIMITED"]


def test_every_act_on_offer_is_taken_back_as_it_was_offered() -> None:
    offered = step([], possible_acts=True).possible_acts or ()
    assert 10 < len(offered) == len(set(offered)) <= MAX_ACTS
    assert [act for act in offered if not step([act]).allowed] == []
    assert step([], possible_acts=False).possible_acts is None


def test_a_request_from_python_may_hold_them_as_values() -> None:
    data = {"session_id": "s", "turn_number": 1, "speaker": "鉄平", "raw_output": "", "acts": ["GET: 綱"]}
    request = checked_request({**data, "world_state": lighthouse("ja").model_dump(mode="json")})
    assert gm_step(request).told == gm_step(request.model_copy()).told == ("鉄平は綱を手に取った。",)
