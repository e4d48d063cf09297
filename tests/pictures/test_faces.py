"""Drawn faces: always the same, different for everybody, as the sheet tells, and following the mood."""

from pathlib import Path
from typing import get_args

import pytest

from hakoniwa.actor import character
from hakoniwa.pictures.faces import Expression, Pose, expression_of, figure_svg
from hakoniwa.pictures.looks import BALD, GREY, LONG_HAIR, NAMED_HAIR, NAMED_SKIN, SHORT_HAIR, WHITE, Look, look_of

MANY, AS_GOOD_AS_ALL = 1_000, 997


def test_everybody_who_ships_looks_like_nobody_else() -> None:
    sheets = [character.load(name, Path("nowhere")) for name in character.shipped_sheets()]
    looks = {sheet.display_name: sheet.look for sheet in sheets}  # some play in two scenarios, and look the same there
    assert len({(sheet.display_name, sheet.look.code) for sheet in sheets}) == len(looks)
    assert len({look.code for look in looks.values()}) == len(looks)
    assert looks["仙人"].hair_colour == WHITE
    assert looks["仙人"].beard
    assert looks["Marian"].hair_colour == GREY
    assert looks["Theo"].glasses


def test_a_thousand_people_look_different_and_each_always_the_same() -> None:
    looks = [look_of(f"person {number}") for number in range(MANY)]
    assert len({look.code for look in looks}) >= AS_GOOD_AS_ALL
    assert look_of("person 7") == looks[7]
    assert look_of("やな", "姉。").code == "13-0-0-2-21-9-1-2-0-0-0-0-0-0-0"


@pytest.mark.parametrize(
    ("told", "field", "among"),
    [
        ("She is a quiet girl.", "hair", LONG_HAIR), ("He is a quiet man.", "hair", SHORT_HAIR),
        ("無口な少女。", "hair", LONG_HAIR), ("無口な少年。", "hair", SHORT_HAIR), ("スキンヘッドの男。", "hair", BALD),
        ("a red-haired thief", "hair_colour", [NAMED_HAIR["red"]]), ("銀髪の剣士", "hair_colour", [WHITE]),
        ("眼鏡をかけた司書", "glasses", range(1, 6)), ("no words of it", "glasses", [0]),
        ("褐色の肌", "skin", [NAMED_SKIN["dark"]]), ("a bearded man", "beard", [1, 2]),
        ("a bearded lady", "beard", [0]),
    ],
)  # fmt: skip
def test_a_sheet_tells_what_somebody_looks_like(told: str, field: str, among: list[int]) -> None:
    assert {getattr(look_of(f"{number}", told), field) for number in range(30)} <= set(among)


def test_a_look_is_read_back_and_nothing_else_is() -> None:
    look = look_of("somebody")
    assert Look.read(look.code) == look
    for wrong in ("", "1", look.code + "-1", look.code.replace("-", "_"), "99-" + look.code.partition("-")[2], "<svg>"):
        assert Look.read(wrong) is None


def test_the_mood_is_in_the_face() -> None:
    found = {expression_of(v, a, d) for v in (-0.9, -0.1, 0.3, 0.9) for a in (-0.5, 0.9) for d in (-0.5, 0.5)}
    assert found == set(get_args(Expression))
    look = look_of("somebody")
    assert len({figure_svg(look, one) for one in get_args(Expression)}) == len(found)
    assert len({figure_svg(look, "joy", one) for one in get_args(Pose)}) == len(get_args(Pose))
    assert figure_svg(look, "joy", "face", speaking=True) != figure_svg(look, "joy")
