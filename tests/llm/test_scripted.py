"""The scripted model: it says what it is told, in order, and raises what it is told to raise."""

import asyncio

import pytest

from hakoniwa.errors import ModelMisbehaved, ModelUnavailable
from hakoniwa.llm import ChatModel, Message, join_stream
from hakoniwa.llm.scripted import ScriptedModel

ASKED = [Message(role="user", content="やあ")]


def said(model: ChatModel, purpose: str = "actor.think") -> str:
    return asyncio.run(join_stream(model.chat(ASKED, purpose, 100)))


def test_replies_come_by_purpose_and_in_order() -> None:
    model = ScriptedModel({"actor.think": ["一", "二"], "actor.perform": ["三"]})
    assert [said(model), said(model, "actor.perform"), said(model)] == ["一", "三", "二"]
    assert [purpose for purpose, _ in model.calls] == ["actor.think", "actor.perform", "actor.think"]
    assert model.calls[0][1] == ASKED


def test_a_script_that_is_used_up_is_a_fault() -> None:
    model = ScriptedModel({"actor.think": ["一"]})
    said(model)
    with pytest.raises(ModelMisbehaved) as fault:
        said(model)
    assert (fault.value.key, fault.value.details) == ("model.no-line", {"purpose": "actor.think"})
    with pytest.raises(ModelMisbehaved):
        said(model, "nobody.asks")


def test_the_last_line_may_go_on_for_ever() -> None:
    model = ScriptedModel({"actor.think": ["一", "二"]}, loop=True)
    assert [said(model) for _ in range(4)] == ["一", "二", "二", "二"]


def test_a_line_may_be_a_fault() -> None:
    model = ScriptedModel({"actor.think": [ModelUnavailable("model.no-line", purpose="x"), "二"]})
    with pytest.raises(ModelUnavailable):
        said(model)
    assert said(model) == "二"


def test_the_script_it_was_given_is_left_alone() -> None:
    script = {"actor.think": ["一"]}
    said(ScriptedModel(script))
    assert script == {"actor.think": ["一"]}


def test_text_comes_in_pieces_and_whole() -> None:
    line = "（窓を開ける）「いい風だね。もう春だ」"

    async def pieces() -> list[str]:
        return [piece async for piece in ScriptedModel({"p": [line]}).chat(ASKED, "p", 10)]

    found = asyncio.run(pieces())
    assert len(found) > 1
    assert "".join(found) == line
    assert said(ScriptedModel({"p": [""]}), "p") == ""
