"""Texts are cut so that what they have in common is kept once, and no text is too strange."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hakoniwa.journal.rows import hash_text, key_of, make_legible, make_storable, pieces, plain

STORY = [f"第{number}ターン、誰かが{number * 7 % 31}番の箱を開けた。\n" for number in range(200)]
ANYTHING = st.text(st.characters(exclude_categories=()))


@given(ANYTHING)
def test_pieces_make_the_whole_again(text: str) -> None:
    kept = make_legible(text)
    assert "".join(pieces(kept)) == kept
    assert all(pieces(kept))


@pytest.mark.parametrize("cut", [0, 1, 60])
def test_a_story_that_goes_on_adds_little(cut: int) -> None:
    """Also when its beginning was cut off: behind the first common cut the pieces are the same."""
    before, after = ("".join(lines) for lines in (STORY[:150], [*STORY[cut:152], "考えて。"]))
    new = set(pieces(after)) - set(pieces(before))
    assert sum(map(len, new)) < len(after) / 3


@given(ANYTHING)
def test_every_text_becomes_one_that_can_be_written(text: str) -> None:
    assert make_legible(text).encode().decode() == make_legible(text)
    assert make_legible(make_legible(text)) == make_legible(text)
    assert "\0" not in plain(text)
    assert len(key_of(text)) == len(hash_text("")) == 32


@given(st.text(st.characters(exclude_categories=("Cs",))))
def test_a_sound_text_is_left_as_it_is(text: str) -> None:
    assert make_legible(text) == text


@given(st.recursive(ANYTHING | st.floats() | st.integers() | st.none() | st.booleans(), st.lists, max_leaves=8))
def test_all_that_is_data_becomes_json(data: object) -> None:
    assert json.dumps(make_storable({"data": data}), allow_nan=False, ensure_ascii=False).encode()
