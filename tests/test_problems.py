"""What parsers and validators complain of, told in the user's language and in none of their own words."""

import json
import re

import pytest
from pydantic_core import from_json

from hakoniwa.actor.cards.read import card_in
from hakoniwa.errors import CardError
from hakoniwa.messages import LANGUAGES, say
from hakoniwa.problems import explain_error, in_other_words
from hakoniwa.service.requests import NotJson, parse_json, problem_of

OURS = re.compile(r"JSON|UTF-8|BOM")
BAD = {
    b"": "end", b"{": "end", b'{"a": [1, 2': "end", b'"abc': "end", b"tru": "end", b'{"a":1,}': "trailing-comma",
    b"{a:1}": "name", b'{"a" 1}': "colon", b'{"a":1 "b":2}': "comma", b"[1 2]": "comma", b'{"a":}': "value",
    b'{"a":tru}': "value", b"{}{}": "more", b"01": "number", b"9" * 5000: "range", b'"\n"': "control",
    b'"\\x"': "escape", b'"\\ud800"': "escape", b'"\\ud800\\u0041"': "escape", b'"\xff"': "unicode",
    b"[" * 300 + b"]" * 300: "deep",
}  # fmt: skip
BAD_LINES = {
    '"abc': "string-end", '{"a":1,}': "name", '{"a" 1}': "colon", "[1 2]": "comma", "": "value", "{}{}": "more",
    "9" * 5000: "range", '"\n"': "control", '"\\x"': "escape", '"\\uzzzz"': "escape", "\ufeff{}": "bom",
}  # fmt: skip


def complaint(of: bytes | str) -> str:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        from_json(of, allow_inf_nan=False) if isinstance(of, bytes) else json.loads(of)
    return str(caught.value)


@pytest.mark.parametrize(("raw", "kind"), [*BAD.items(), *BAD_LINES.items()])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_is_wrong_with_json_is_told_by_its_kind(raw: bytes | str, kind: str, lang: str) -> None:
    words = in_other_words(complaint(raw), lang)
    assert say(f"problem.json.{kind}", lang) in words
    assert lang == "en" or not re.search("[A-Za-z]{3}", OURS.sub("", words))


def test_where_it_is_wrong_is_told_too() -> None:
    assert in_other_words(complaint(b'{\n "a" 1}'), "ja") == "2行目、6バイト目（項目名のあとに「:」がありません）"
    assert in_other_words(complaint('{\n "あ" 1}'), "ja") == "2行目、6文字目（項目名のあとに「:」がありません）"
    assert in_other_words("something new at line 3 column 4", "ja") == "3行目、4バイト目（JSONとして読めません）"
    assert in_other_words("something new at line 3 column 4", "en") == "line 3, byte 4: it cannot be read as JSON"


def test_bodies_and_cards_say_so_over_http_as_well() -> None:
    with pytest.raises(NotJson) as body:
        parse_json(b'{"a":')
    assert problem_of(body.value, "ja").detail.endswith("1行目、5バイト目（途中で終わっています）")
    with pytest.raises(CardError) as card:
        card_in(b'{"name": "x"')
    assert problem_of(card.value, "ja").detail == explain_error(card.value, "ja")
    assert explain_error(card.value, "ja").endswith("1行目、12バイト目（途中で終わっています）")
