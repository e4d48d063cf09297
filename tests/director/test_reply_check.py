"""Which first replies can be used as they came, and what a turn costs."""

import json

import pytest

from hakoniwa.director.reply_check import ReplyScene, check_reply, evaluated_tokens
from hakoniwa.llm import Call, Message, Usage
from tests.gardens import opened, shipped_garden

TOLD = {
    "ja": "使えるのは場面にあるものだけです。書かれていないものは、ありません。\n一度だけ演じてください。",
    "en": "Only what is in the scene can be used here. What is not written there is not there.\nPlay your part, once.",
}
SCENES = {"ja": ("kitchen_morning", "やな"), "en": ("tea_room", "Marian")}
SAID = {"ja": "おはよう、今日は早起きだね。", "en": "Is there any hope of a scone this afternoon?"}


def checked(language: str, reply: str, finish: str = "stop", *, as_data: bool = False) -> tuple[str, ...]:
    scenario, who = SCENES[language]
    prompt = Message(role="user", content=f"{SAID[language]}\n{TOLD[language]}")
    call = Call(
        purpose="actor.perform", model="x", messages=(prompt,), max_tokens=9, reply=reply, usage=Usage(finish=finish)
    )
    world = opened(shipped_garden(scenario, 1)).world
    return check_reply([call], ReplyScene(world, who, [SAID[language]]), as_data=as_data).faults


@pytest.mark.parametrize(
    ("language", "reply", "faults"),
    [
        ("ja", "（窓の外を見る）「いい天気だね」", ()),
        ("en", '(looks out of the window) "What a day."', ()),
        ("en", "What a day it is going to be.", ("form",)),
        ("ja", "（行動）「台詞」", ("echo",)),
        ("en", '(nods) "words"', ("echo",)),
        ("ja", "「使えるのは場面にあるものだけです。わかりました」", ("echo",)),
        ("en", '(nods) "Only what is in the scene can be used here, I know."', ("echo",)),
        ("ja", "（うなずく）「おはよう、今日は早起きだね」", ("copy",)),
        ("en", '(smiles) "Is there any hope of a scone this afternoon? I am hungry."', ("copy",)),
        ("ja", "(nods) “What a lovely morning it is, my dear friend.”", ("language",)),
        ("en", '(nods) "Yes."\nTheo: "No."', ("form",)),
        ("en", '(Theo plays the chessboard) "Your move."', ("other",)),
        ("ja", "（あゆがマグカップを取る）「ありがとう」", ("other",)),
        ("en", '{"act": 3}', ("form",)),
        ("en", "", ("none",)),
    ],
)
def test_what_can_be_used_as_it_came(language: str, reply: str, faults: tuple[str, ...]) -> None:
    found = checked(language, reply)
    assert [one for one in found if one in faults] == list(faults)
    assert bool(found) == bool(faults)


def test_an_offered_line_that_is_said_is_no_echo() -> None:
    offered = '2 say to Theo: "Do you know where in the world the biscuit tin has gone?"'
    prompt = Message(role="user", content=f"1 look closely at the fern\n{offered}\n{TOLD['en']}")
    reply = json.dumps({"acts": [2], "words": "Do you know where in the world the biscuit tin has gone?"})
    call = Call(purpose="actor.perform", model="x", messages=(prompt,), max_tokens=9, reply=reply)
    world = opened(shipped_garden("tea_room", 1)).world
    assert check_reply([call], ReplyScene(world, "Marian", [])).faults == ()


def test_words_whose_acts_came_as_data_need_no_brackets_and_may_be_missing() -> None:
    assert checked("en", "What a day it is going to be.", as_data=True) == ()
    assert checked("en", json.dumps({"thought": "Hm.", "act": 2, "words": "What a day."})) == ()
    assert checked("en", json.dumps({"thought": "Hm.", "act": 2, "words": ""})) == ()


def test_half_a_sentence_is_out_of_form_where_the_tokens_ran_out() -> None:
    assert checked("en", '(nods) "What a day it is going to', "length") == ("form",)


def test_tokens_that_were_remembered_cost_nothing() -> None:
    call = Call(purpose="x", model="x", messages=(), max_tokens=9)
    counts = [Usage(prompt=500, cached=450, completion=20), Usage(prompt=560, cached=None, completion=10)]
    assert evaluated_tokens([call.model_copy(update={"usage": one}) for one in counts]) == 70 + 570
    assert evaluated_tokens([call]) is None
