"""The second opinion: what is used and not here, by words alone."""

import ast
import time
from pathlib import Path

import pytest

from hakoniwa.lab import absent_words as words_module
from hakoniwa.lab.absent_words import absent_words
from hakoniwa.stage import scenario
from hakoniwa.stage.world import WorldState


def world(name: str) -> WorldState:
    return scenario.load(scenario.find(name)).world


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("（卵を割る）「できた」", ("卵",)),
        ("（マグカップを手に取る）「卵を割ろう」", ()),
        ("（フライパンでオムレツを焼く）", ("フライパン", "オムレツ")),
        ("（ソファに座る）", ("ソファ",)),
        ("（コーヒーメーカーのスイッチを入れる）", ()),
        ("（蛇口をひねって水を飲む）", ()),  # what can be made here counts as here
        ("（首をかしげる）（腕を組む）「ふうん」", ()),
        ("（掃除をする）", ()),
        ("(GET: スマートフォン)", ("スマートフォン",)),
        ("(PUT: マグカップ -> 本棚)", ("本棚",)),
        ("(READ: メモ帳)", ()),
        ("*剣を抜く*「覚悟」", ("剣",)),
        ("「剣を抜くぞ」", ()),
        ("（新聞を読む）", ("新聞",)),  # it lies in another room
        ("（）「うん」", ()),
        ("()**( )* *（剣を抜く）", ("剣",)),
    ],
)
def test_japanese_directions(text: str, expected: tuple[str, ...]) -> None:
    assert absent_words(text, world("violation_induced"), "やな") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('(picks up the telescope) "Look!"', ("telescope",)),
        ('(looks at the bay window) "The telescope, dear."', ()),
        ("(folds her arms and shrugs)", ()),
        ("(GET: frying pan)", ("frying pan",)),
    ],
)
def test_english_directions(text: str, expected: tuple[str, ...]) -> None:
    assert absent_words(text, world("tea_room"), "Marian") == expected


@pytest.mark.pace
@pytest.mark.parametrize("piece", ["*", "(", "「", '"', "A: ", "(*", "（「"])
def test_a_long_reply_is_read_in_no_time(piece: str) -> None:
    began = time.process_time()
    absent_words(piece * 30_000, world("violation_induced"), "やな")
    assert time.process_time() - began < 0.5


def test_it_shares_nothing_with_the_judge() -> None:
    tree = ast.parse(Path(words_module.__file__).read_text(encoding="utf-8"))
    imported = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not [name for name in imported if name.startswith(("hakoniwa.gm", "hakoniwa.director", "hakoniwa.pack"))]
