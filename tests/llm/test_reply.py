"""Whole replies: thinking apart, JSON of the right shape, words in the right language."""

from contextlib import suppress
from typing import Any

import pytest

from hakoniwa.errors import ModelMisbehaved
from hakoniwa.llm.reply import extract_json, fits, is_foreign, prose, without_thinking
from tests.pace import busy


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("さて。", "さて。"),
        ("<think>罠か？</think>さて。", "さて。"),
        ("<THINK>罠か？</THINK>\nさて。", "さて。"),
        ("<think>罠か？", ""),
        ("<think></think>", ""),
        ("罠か？</think>さて。", "さて。"),
        ("<think>一</think><think>二</think>さて。", "さて。"),
        ("<reasoning>罠か？</reasoning>さて。<think>よし", "さて。"),
        ("<thought>喉が渇いた</thought>", "<thought>喉が渇いた</thought>"),
    ],
)
def test_thinking_is_taken_out(text: str, left: str) -> None:
    assert without_thinking(text) == left


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "act": {"type": "integer", "enum": [1, 2, 3]},
        "why": {"type": ["string", "null"]},
        "who": {"type": "array", "items": {"type": "string"}},
        "how": {"anyOf": [{"const": "slowly"}, {"type": "number"}]},
    },
    "required": ["act"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("value", "right"),
    [
        ({"act": 1}, True),
        ({"act": 3, "why": None, "who": ["盗賊"], "how": 0.5}, True),
        ({"act": 3, "how": "slowly"}, True),
        ({}, False),
        ([], False),
        ({"act": 4}, False),
        ({"act": True}, False),
        ({"act": "1"}, False),
        ({"act": 1, "why": 3}, False),
        ({"act": 1, "who": ["盗賊", 3]}, False),
        ({"act": 1, "how": "fast"}, False),
        ({"act": 1, "mood": "good"}, False),
    ],
)
def test_a_value_fits_its_schema_or_not(value: Any, right: bool) -> None:
    assert fits(value, SCHEMA) is right


def test_other_keys_may_have_a_schema_of_their_own() -> None:
    numbers = {"type": "object", "additionalProperties": {"type": "number"}}
    assert fits({"a": 1, "b": 2.5}, numbers)
    assert not fits({"a": 1, "b": "二"}, numbers)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (' {"act": 1} ', '{"act": 1}'),
        ('```json\n{"act": 1}\n```', '{"act": 1}'),
        ('```\n\n{"act": 1}\n\n```\n', '{"act": 1}'),
        ('<think>一番だ</think>```json\n{"act": 1}\n```', '{"act": 1}'),
    ],
)
def test_json_is_found_in_its_wrapping(text: str, found: str) -> None:
    assert extract_json(text, SCHEMA, "stop") == found


@pytest.mark.parametrize(
    ("text", "finish", "key"),
    [
        ('{"act": 1', "stop", "model.json-cut"),
        ('{"act": 1, "why": "それは\\', "stop", "model.json-cut"),
        ("一番にし", "length", "model.json-cut"),
        ("一番にします", "stop", "model.json-shape"),
        ('{"act": 1} です', "stop", "model.json-shape"),
        ('{"act": 9}', "stop", "model.json-shape"),
        ('{"act": NaN}', "stop", "model.json-shape"),
    ],
)
def test_json_that_is_cut_is_told_from_json_that_is_wrong(text: str, finish: str, key: str) -> None:
    with pytest.raises(ModelMisbehaved) as error:
        extract_json(text, SCHEMA, finish)
    assert error.value.key == key


def key_of(text: str, language: str = "ja", names: tuple[str, ...] = ()) -> str | None:
    try:
        assert prose(text, language, names) == text
    except ModelMisbehaved as error:
        return error.key
    return None


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("さて、どうしたものか。", None),
        ('{"type": "control", "next": "騎士"}\n「さて」', None),
        ("[Next: 騎士]", None),
        ("{さて}", None),
        ("「{」とは何だ。", None),
        ('{"speech": "さて"}', "model.json-shape"),
        ('```json\n{"speech": "さて"}\n```', "model.json-shape"),
        ('<think>どうする</think>{"speech": "さて"}', "model.json-shape"),
        ('[{"speech": "さて"}]', "model.json-shape"),
        ('{"speech": "さて、どう', "model.json-cut"),
        ('{"speech": {"text": "さて"}', "model.json-cut"),
        ('```json\n{"speech": "さて', "model.json-cut"),
        ("{}", "model.json-shape"),
    ],
)
def test_json_is_not_words(text: str, key: str | None) -> None:
    assert key_of(text) == key


@pytest.mark.parametrize(
    ("text", "language", "wrong"),
    [
        ("（宝箱を調べる）「さて、どうしたものか」", "ja", False),
        ("宝箱を調べる。", "ja", False),
        ("用心棒、参上。", "ja", False),
        ("了解。", "ja", False),
        ("OK, LUMINA!", "ja", False),
        ("[Next: LUMINA]", "ja", False),
        ("(GET: 冷めたコーヒー) (DRINK)", "ja", False),
        ("Thought: 罠かもしれない。\nOutput: 「さて」", "ja", False),
        ("罠かもしれない。(It might be a trap, so I look first.)", "ja", False),
        ("ｻﾃ､ﾄﾞｳｼﾀﾓﾉｶ", "ja", False),
        ("<think>Let me think about this chest first.</think>「さて」", "ja", False),
        ("Well, let us see what is inside this chest.", "ja", True),
        ("Sate, dou shita mono ka na.", "ja", True),
        ("Ｗｅｌｌ，　ｌｅｔ　ｕｓ　ｓｅｅ　ｉｔ．", "ja", True),
        ("我们先看看这个箱子里面有什么。", "ja", True),
        ("这是什么？", "ja", True),
        ("先打開寶箱吧，大家請小心一點", "ja", True),
        ("상자를 열어 볼까요?", "ja", True),
        ("Посмотрим, что внутри.", "ja", True),
        ('(opens the chest) "Let us see."', "en", False),
        ('"やな is here," she says.', "en", False),
        ("Café, naïve: déjà vu!", "en", False),
        ("…", "en", False),
        ("（宝箱を調べる）「さて」", "en", True),
        ("我们先看看。", "en", True),
        ("상자를 열어 볼까요?", "en", True),
    ],
)
def test_words_are_in_the_language_of_the_garden_or_not(text: str, language: str, wrong: bool) -> None:
    assert key_of(text, language) == ("model.wrong-language" if wrong else None)


def test_names_do_not_count() -> None:
    text = "Alexander von Humboldt!"
    assert is_foreign(text, "ja")
    assert not is_foreign(text, "ja", ["Alexander", "von Humboldt"])


HOSTILE = ["<think>", "</think>", "{", '{"a":', '"', '"\\', "[", "```json\n", "```\n\n", "[Next: ", "A", "{}", "ああ["]


@pytest.mark.pace
@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_replies_are_read_in_no_time(unit: str) -> None:
    text = (unit * 32768)[:32768]

    def read() -> None:
        key_of(text)
        with suppress(ModelMisbehaved):
            extract_json(text, SCHEMA, "stop")

    assert busy(read, within=0.5) < 0.5
