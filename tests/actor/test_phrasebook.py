"""Phrasebooks: the most fitting line that was not used lately, its blanks filled in, or silence."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hakoniwa.actor.phrasebook import choose, expand, mark

BOOK = {
    "*": ["ふむ。"],
    "OPEN": ["開けるぞ。"],
    "OPEN@bad": ["どうせ開かない。"],
    "OPEN>蓬": ["見ていろ、{you}。"],
    "OPEN 箱": ["この箱か。"],
    "OPEN 古い 箱@tense>蓬": ["来るなよ、{you}。"],
}
SITUATION = {"verb": "OPEN", "thing": None, "mood": "calm", "to": None}


def line(used: tuple[str, ...] = (), **situation: str) -> str | None:
    return choose(BOOK, {**SITUATION, **situation}, {"you": "君"}, {}, used, Random(1))


@pytest.mark.parametrize(
    ("situation", "expected"),
    [
        ({}, "開けるぞ。"),
        ({"verb": "CLOSE"}, "ふむ。"),
        ({"mood": "bad"}, "どうせ開かない。"),
        ({"to": "蓬"}, "見ていろ、君。"),
        ({"to": "楓"}, "開けるぞ。"),
        ({"thing": "箱"}, "この箱か。"),
        ({"thing": "箱", "mood": "bad", "to": "蓬"}, "この箱か。"),
        ({"thing": "古い 箱", "mood": "tense", "to": "蓬"}, "来るなよ、君。"),
    ],
)
def test_the_most_specific_line_is_chosen(situation: dict[str, str], expected: str) -> None:
    assert line(**situation) == expected


def test_a_used_line_gives_way_to_a_plainer_one_and_at_last_to_silence() -> None:
    said: tuple[str, ...] = ()
    found = []
    while (one := line(said, thing="箱")) is not None:
        found.append(one)
        said = (*said, mark(one))

    assert found == ["この箱か。", "開けるぞ。", "ふむ。"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{me}は行く", "俺は行く"),
        ("{me}と{you}", "俺と君"),
        ("{me}{me}", "俺俺"),
        ("静かだ", "静かだ"),
        ("{who}はどこだ", None),
        ("{what}だ", None),
        ("{unknown}だ", None),
        ("{greeting}", "やあ、君"),
        ("{loop}", None),
    ],
)
def test_blanks_are_filled_or_the_line_is_left_unsaid(text: str, expected: str | None) -> None:
    slots = {"me": "俺", "you": "君", "what": "", "who": ""}
    pools = {"greeting": ["やあ、{you}"], "loop": ["{loop}"]}

    assert expand(text, slots, pools, Random(1)) == expected


def test_pools_vary_a_line_until_it_is_fresh() -> None:
    pools = {"sigh": ["はあ", "ふう", "やれやれ"]}
    said: list[str] = []
    found: list[str] = []
    for seed in range(40):
        one = choose({"*": ["{sigh}。"]}, SITUATION, {}, pools, said, Random(seed))
        found += [one] if one else []
        said += [mark(one)] if one else []

    assert sorted(found) == ["はあ。", "ふう。", "やれやれ。"]


def test_the_same_dice_choose_the_same_line() -> None:
    section = {"*": [f"その{number}。" for number in range(20)]}
    chosen = [choose(section, SITUATION, {}, {}, (), Random(7)) for _ in range(3)]

    assert len({*chosen}) == 1
    assert len({choose(section, SITUATION, {}, {}, (), Random(seed)) for seed in range(20)}) > 5


@given(st.dictionaries(st.text(max_size=8), st.lists(st.text(max_size=8), max_size=3), max_size=4), st.integers())
def test_any_book_gives_a_line_or_silence(section: dict[str, list[str]], seed: int) -> None:
    found = choose(section, SITUATION, {"me": "俺"}, {}, (), Random(seed))

    assert found is None or isinstance(found, str)
