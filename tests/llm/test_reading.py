"""Chunks as they come: what may be handed out, what it cost, and replies that are not what they should be."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hakoniwa.errors import ModelError, ModelMisbehaved
from hakoniwa.llm import Usage
from hakoniwa.llm.reply import LONGEST, ReplyReader

DONE = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}


def words(text: str, id: str = "one", **more: Any) -> dict[str, Any]:
    return {"id": id, "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None, **more}]}


def thought(text: str, name: str = "reasoning_content") -> dict[str, Any]:
    return {"choices": [{"delta": {name: text}}]}


def finished(reason: str) -> dict[str, Any]:
    return {"choices": [{"delta": {}, "finish_reason": reason}]}


def read(*chunks: Any, schema: dict[str, Any] | None = None) -> tuple[list[str], Usage]:
    reading = ReplyReader(schema)
    texts = [reading.take(chunk) for chunk in chunks]
    return [text for text in [*texts, reading.end()] if text], reading.usage


def fault_of(*chunks: Any) -> str:
    with pytest.raises(ModelMisbehaved) as error:
        read(*chunks)
    return error.value.key


def test_text_is_handed_out_as_it_comes() -> None:
    assert read(words("さて"), words("、どう"), words("する"), DONE)[0] == ["さて", "、どう", "する"]


def test_counts_are_read_wherever_they_come() -> None:
    counts = {"prompt_tokens": 90, "completion_tokens": 9, "prompt_tokens_details": {"cached_tokens": 80}}
    usage = Usage(prompt=90, cached=80, completion=9, finish="stop")
    assert read(words("さて"), DONE, {"choices": [], "usage": counts})[1] == usage
    assert read({**words("さて"), "usage": counts}, {**DONE, "usage": None})[1] == usage
    assert read(words("さて"), DONE)[1] == Usage(finish="stop")
    assert read({**words("さて"), "usage": {"prompt_tokens": "many"}}, DONE)[1] == Usage(finish="stop")


def test_half_a_character_waits_for_the_other() -> None:
    assert read(words("あ\ud83d"), words("\ude00い"), DONE)[0] == ["あ", "😀い"]
    assert fault_of(words("あ\ud83d"), DONE) == "model.garbled"
    assert fault_of(words("あ\ude00い"), DONE) == "model.garbled"
    assert fault_of(words("あ\ud83d"), words("い"), DONE) == "model.garbled"


def test_other_choices_are_not_ours() -> None:
    other = {"choices": [{"index": 1, "delta": {"content": "別の話"}, "finish_reason": "stop"}]}
    assert read(words("さて"), other, DONE)[0] == ["さて"]
    assert fault_of(words("さて"), other) == "model.truncated"


@pytest.mark.parametrize(
    "chunks",
    [
        [words("さて"), DONE, words("、どう")],
        [words("さて", "one"), words("むかし", "two"), words("、どう", "one"), DONE],
        [words("宝箱を調べてみよう"), words("宝箱を調べてみよう"), DONE],
        [words("さ"), words("さ"), words("て"), words("て"), words("。"), words("。"), DONE],
    ],
    ids=["after the end", "two at once", "a phrase twice", "all twice"],
)
def test_chunks_out_of_order_are_seen_where_they_can_be(chunks: list[Any]) -> None:
    assert fault_of(*chunks) == "model.mixed-chunks"


@pytest.mark.parametrize(
    "chunks",
    [
        [words("あ"), words("は"), words("は"), words("は"), words("は"), DONE],
        [words("は"), words("は"), words("は"), words("は"), words("は"), words("は"), DONE],
        [words("さ", "1"), words("て", "2"), words("。", "3"), {**DONE, "id": "4"}],
        [words("さて"), DONE, DONE, {**words(""), "id": "x"}],
        [words("さて"), words("さて"), DONE],
        [words("........"), words("........"), DONE],
    ],
    ids=["laughter", "nothing but laughter", "an id for each", "the end twice", "said twice", "dots"],
)
def test_what_only_looks_like_it_is_left_alone(chunks: list[Any]) -> None:
    assert "".join(read(*chunks)[0])


@pytest.mark.parametrize(
    "said",
    [["ありがとうございます"] * 2, ["さ", "さ", "て", "て", "。", "。"]],
    ids=["a phrase that is one token", "all twice"],
)
def test_what_the_model_itself_says_twice_came_once(said: list[str]) -> None:
    def counted(tokens: int) -> dict[str, Any]:
        return {"choices": [], "usage": {"completion_tokens": tokens}}

    chunks = [words(one) for one in said]
    assert "".join(read(*chunks, DONE, counted(len(said)))[0]) == "".join(said)
    assert fault_of(*chunks, DONE, counted(len(said) // 2)) == "model.mixed-chunks"


@pytest.mark.parametrize(
    ("chunks", "key"),
    [
        ([DONE], "model.empty"),
        ([words(" \n"), DONE], "model.empty"),
        ([finished("length")], "model.only-thinking"),
        ([thought("宝箱か"), DONE], "model.only-thinking"),
        ([thought("宝箱か", "reasoning"), DONE], "model.only-thinking"),
        ([words("<think>宝箱か"), finished("length")], "model.only-thinking"),
        ([words("<think>宝箱か</think>\n"), DONE], "model.only-thinking"),
    ],
)
def test_nothing_said_is_told_from_nothing_but_thought(chunks: list[Any], key: str) -> None:
    assert fault_of(*chunks) == key


def test_thoughts_are_never_handed_out() -> None:
    assert read(thought("宝箱か"), words("さて"), DONE)[0] == ["さて"]


def test_thoughts_in_circles_are_stopped_too() -> None:
    assert fault_of(*[thought("宝箱を開けるべきか、それとも開けないでおくべきか。")] * 20) == "model.repetition"


def test_a_reply_without_its_end_is_cut_off() -> None:
    assert fault_of(words("さて")) == "model.truncated"
    assert fault_of(words("さて"), finished("")) == "model.truncated"


def test_a_reply_has_an_end() -> None:
    lines = [words(f"{number:>8}"[-8:]) for number in range(LONGEST // 8)]
    assert len("".join(read(*lines, DONE)[0])) == LONGEST
    assert fault_of(*lines, words("。")) == "model.too-long"


def test_a_reply_that_did_not_stream_is_read_the_same_way() -> None:
    message = {"role": "assistant", "content": "さて"}
    assert read({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})[0] == ["さて"]


def test_json_is_handed_out_as_it_comes_and_whole_at_its_end() -> None:
    schema = {"type": "object", "required": ["act"]}
    assert read(words('{"act"'), words(": 1}"), DONE, schema=schema)[0] == ['{"act"', ": 1}", '{"act": 1}']


KEYS = st.sampled_from(["id", "choices", "index", "delta", "message", "content", "finish_reason", "usage", "error"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(st.lists(JSON, max_size=4))
def test_whatever_comes_is_read_or_has_a_name(chunks: list[Any]) -> None:
    with suppress(ModelError):
        read(*chunks)
