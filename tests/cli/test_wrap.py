"""Lines in a terminal: wide characters count twice, and no line begins with 。 or ends with 「."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from hakoniwa.cli.screen import cells, printable, unfold_japanese, wrap_text


def lines(text: str, width: int, indent: int = 2) -> list[str]:
    return [line.plain for line in wrap_text(Text(text), width, indent)]


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("短い", 10, ["短い"]),
        ("あいうえおかきくけこ", 10, ["あいうえお", "  かきくけ", "  こ"]),
        ("あいうえお。かきく", 10, ["あいうえ", "  お。かき", "  く"]),
        ("あいうえ「かきく」", 10, ["あいうえ", "  「かき", "  く」"]),
        ("go to the garden now", 10, ["go to the", "  garden", "  now"]),
        ("antidisestablishment", 10, ["antidisest", "  ablishme", "  nt"]),
        ("箱をそっとopenする", 12, ["箱をそっと", "  openする"]),
    ],
)
def test_lines_end_where_they_may(text: str, width: int, expected: list[str]) -> None:
    assert lines(text, width) == expected


def test_text_for_a_file_is_not_broken() -> None:
    assert [line.plain for line in wrap_text(Text("あ" * 200), None)] == ["あ" * 200]


@given(st.text(st.sampled_from("あ漢ア、。「」（）ー…abc. "), max_size=80), st.integers(min_value=8, max_value=40))
def test_nothing_is_lost_and_every_line_fits(text: str, width: int) -> None:
    broken = lines(text, width)
    assert "".join("".join(line.split()) for line in broken) == "".join(text.split())
    assert max(map(cells, broken)) <= width


def test_styles_survive_the_breaking() -> None:
    first, second = wrap_text(Text.assemble(("あいう", "bold"), "えおかき"), 10, indent=0)
    assert (first.plain, first.spans[0].style, second.plain) == ("あいうえお", "bold", "かき")


def test_what_cannot_be_printed_is_left_out() -> None:
    assert printable("a\x1b[31mb\x07\u202ec\nd") == "a[31mbc\nd"


def test_folded_japanese_closes_up_and_english_does_not() -> None:
    assert unfold_japanese("一行目。 二行目。\n") == "一行目。二行目。"
    assert unfold_japanese("First line. Second line.") == "First line. Second line."
