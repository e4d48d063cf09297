"""The words under which memory files a text, and those by which it is asked."""

import pytest

from hakoniwa.memory.words import index_words, words
from tests.pace import busy


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("お茶を飲んだ。", ["茶", "飲む"]),
        ("紅茶", ["紅茶"]),
        ("ご飯を食べに行った", ["御飯", "飯", "食べる", "行く"]),
        ("ねこがすき。猫が好き。ネコ", ["猫", "好き"]),
        ("東京スカイツリーに登った", ["東京スカイツリー", "東京", "スカイツリー", "上る"]),
        ("ｺｰﾋｰ", ["コーヒー"]),
        ("IT企業のAさん", ["企業", "it", "a"]),
        ("2019年", ["年", "2019"]),
        ("3.5kg", ["3.5", "kg"]),
        ("", []),
        ("。、！？☕", []),
    ],
)
def test_content_words_in_one_spelling(text: str, found: list[str]) -> None:
    assert words(text, "ja") == found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("cats", "cat"),
        ("making cakes", "make a cake"),
        ("stopped running", "stop run"),
        ("parties", "party"),
        ("boxes and classes", "box class"),
        ("Yana's tires", "yana tire"),
        ("She LIKED it", "like"),
    ],
)
def test_forms_of_an_english_word_meet(one: str, other: str) -> None:
    assert words(one, "en") == words(other, "en")


@pytest.mark.parametrize("text", ["glass", "bus", "this thing", "news", "red", "king", "bed"])
def test_asking_in_the_words_of_a_text_finds_it(text: str) -> None:
    assert words(text, "en")
    assert set(words(text, "en")) <= set(index_words(text))


def test_little_words_of_english_are_left_out_where_all_is_english() -> None:
    assert index_words("I was at the station with you") == ["station"]
    assert "the" in index_words("theという語")


def test_a_very_long_text_is_taken_in_pieces() -> None:
    assert words("猫と犬。" * 20_000, "ja") == ["猫", "犬"]


@pytest.mark.pace
def test_a_sentence_takes_less_than_a_third_of_a_millisecond() -> None:
    sentence = "昨日は東京スカイツリーに登って、美味しいコーヒーを飲みました。とても楽しかった。"
    assert busy(lambda: [words(sentence, "ja") for _ in range(100)], within=0.03) < 0.03
