"""Cassettes: replies come back by their prompt or in order, and a ledger can record new ones."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import yaml

from hakoniwa.errors import ModelError, ModelMisbehaved
from hakoniwa.llm import Call, Message, join_stream
from hakoniwa.llm.ledger import Ledger
from hakoniwa.llm.scripted import RecordedModel, ScriptedModel, read_cassette
from tests.llm.contract import keeps_the_promises

HELLO, BYE = (Message(role="user", content=text) for text in ("やあ", "さらば"))


def cassette(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "small.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def recorder(cassette: Path) -> Callable[[str, Call], Awaitable[None]]:
    """What to hand to a Ledger as its `record`, so that its calls are added to a cassette."""

    async def record(_: str, call: Call) -> None:
        line = call.model_dump(mode="json", exclude_defaults=True)
        with cassette.open("a", encoding="utf-8") as file:
            yaml.safe_dump([line], file, allow_unicode=True, sort_keys=False, width=110)

    return record


def said(model: RecordedModel, message: Message = HELLO, purpose: str = "a") -> str:
    return asyncio.run(join_stream(model.chat([message], purpose, 100)))


def test_it_keeps_the_promises_of_a_chat_model(tmp_path: Path) -> None:
    line = "（窓を開ける）「いい風だね。もう春だ」"
    path = cassette(tmp_path, f"- {{purpose: actor.think, reply: {line}, usage: {{prompt: 9, finish: stop}}}}\n" * 2)
    asyncio.run(keeps_the_promises(RecordedModel(path), line))


def test_replies_come_by_purpose_and_in_order(tmp_path: Path) -> None:
    calls = ["{purpose: a, reply: 一}", "{purpose: b, reply: 二}", "{purpose: a, reply: 三}"]
    model = RecordedModel(cassette(tmp_path, "".join(f"- {call}\n" for call in calls)))
    assert [said(model), said(model, purpose="b"), said(model)] == ["一", "二", "三"]
    with pytest.raises(ModelMisbehaved) as fault:
        said(model)
    assert fault.value.key == "model.no-line"


def test_one_that_loops_begins_anew(tmp_path: Path) -> None:
    model = RecordedModel(cassette(tmp_path, "- {purpose: a, reply: 一}\n- {purpose: a, reply: 二}"), loop=True)
    assert [said(model) for _ in range(5)] == ["一", "二", "一", "二", "一"]


def test_what_was_recorded_comes_back_by_its_prompt_whatever_the_order(tmp_path: Path) -> None:
    path = tmp_path / "new.yaml"
    ledger = Ledger(ScriptedModel({"a": ["やあ、どうも", "では\nまた"]}), record=recorder(path))

    async def through() -> None:
        for message in (HELLO, BYE):
            await join_stream(ledger.chat([message], "a", 100))

    asyncio.run(through())
    model = RecordedModel(path)
    assert [said(model, BYE), said(model, HELLO)] == ["では\nまた", "やあ、どうも"]
    assert [call.messages for call in read_cassette(path)] == [(HELLO,), (BYE,)]
    with pytest.raises(ModelError):
        said(RecordedModel(path), Message(role="user", content="誰？"))


def test_a_fault_that_was_recorded_comes_back_too(tmp_path: Path) -> None:
    model = RecordedModel(cassette(tmp_path, "- {purpose: a, reply: さ, fault: model.stalled}"))

    with pytest.raises(ModelMisbehaved) as fault:
        said(model)
    assert fault.value.key == "model.stalled"


def test_a_cassette_with_a_word_nobody_knows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="replie"):
        RecordedModel(cassette(tmp_path, "- {purpose: a, replie: 一}"))
