"""Going in circles: found at the very character that completes the fourth round, and nothing else is taken for it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hakoniwa.errors import ModelMisbehaved
from hakoniwa.llm.reply import BLANKS, TIMES, UNIT, LoopDetector, is_looping
from tests.pace import busy

SENTENCE = "宝箱を開ける前に、罠がないかどうかを、もう一度よく確かめてみる。"


def fault_of(text: str, size: int = 1) -> tuple[str | None, int]:
    """The fault a text ends in and how much of it was heard by then."""
    drivel = LoopDetector()
    for start in range(0, len(text), size):
        try:
            drivel.hear(text[start : start + size])
        except ModelMisbehaved as error:
            return error.key, start + size
    return None, len(text)


def slowly(text: str) -> bool:
    """What `repeats` says, by trying everything."""
    end = len(text)
    return any(text[end - TIMES * unit :] == text[end - unit :] * TIMES for unit in range(UNIT, end // TIMES + 1))


def test_four_times_is_too_often_and_three_times_is_not() -> None:
    assert len(SENTENCE) == UNIT
    assert fault_of("さて、" + SENTENCE * 3) == (None, 3 + 3 * UNIT)
    assert fault_of("さて、" + SENTENCE * 9) == ("model.repetition", 3 + 4 * UNIT)


@pytest.mark.parametrize(("size", "heard"), [(1, 128), (7, 133), (1000, 1000)])
def test_it_is_found_however_the_text_comes(size: int, heard: int) -> None:
    assert fault_of(SENTENCE * 40, size) == ("model.repetition", heard)


def test_a_unit_one_character_short_is_fine_until_it_makes_up_for_it() -> None:
    short = SENTENCE[:-1]
    assert fault_of(short * 7)[0] is None
    assert fault_of(short * 8)[0] == "model.repetition"


def test_a_long_unit_counts_like_a_short_one() -> None:
    scene = "".join(f"{number}番の部屋に入り、" for number in range(60))
    assert fault_of(scene * 3)[0] is None
    assert fault_of(scene * 4) == ("model.repetition", len(scene) * 4)


@pytest.mark.parametrize("sign", [" ", "\n", "　", "\t", "\u200b", "\n　"])
def test_a_flood_of_blanks(sign: str) -> None:
    flood = (sign * BLANKS)[:BLANKS]
    assert fault_of("さて" + flood[:-1] + "どうする")[0] is None
    assert fault_of("さて" + flood) == ("model.blanks", 2 + BLANKS)


@pytest.mark.parametrize(
    "line", ["あはははははははははははは！", "……" * 20, "（宝箱を開ける）「開いた！」\n" * 3, "いや、いや、いや。" * 4]
)
def test_laughter_and_silence_are_no_drivel(line: str) -> None:
    assert fault_of(line)[0] is None


@given(st.text("ab", max_size=30), st.text("ab", min_size=1, max_size=70), st.integers(1, 9), st.text("ab", max_size=4))
def test_it_agrees_with_trying_everything(before: str, unit: str, times: int, after: str) -> None:
    text = before + unit * times + after
    assert is_looping(text) == slowly(text)


@pytest.mark.pace
def test_listening_costs_little() -> None:
    text = "".join(f"{number * 7919:x}" for number in range(4000))
    assert busy(lambda: LoopDetector().hear(text), within=0.5) < 0.5
