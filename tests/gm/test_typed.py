"""A line that a person types: what of it is said and what is done."""

import pytest

from hakoniwa.gm.typed import read_typed
from tests.worlds import lighthouse


@pytest.mark.parametrize(
    ("line", "kind", "reply"),
    [
        ("take the notebook", "done", "(take the notebook)"),
        ("I take the notebook.", "done", "(I take the notebook.)"),
        ("nod", "done", "(nod)"),
        ("(takes the notebook)", "done", "(takes the notebook)"),
        ('"Good evening."', "said", '"Good evening."'),
        ("Good evening.", "said", '"Good evening."'),
        ("I want to take the notebook.", "said", '"I want to take the notebook."'),
        ("Give me the notebook!", "said", '"Give me the notebook!"'),
        ("Would you take the notebook?", "said", '"Would you take the notebook?"'),
        ('take the notebook "Mine."', "both", 'take the notebook "Mine."'),
        ("(nods) Good evening.", "both", "(nods) Good evening."),
        ("take the frobnicator", "unsure", "(take the frobnicator)"),
    ],
)
def test_an_english_line_is_said_or_done(line: str, kind: str, reply: str) -> None:
    typed = read_typed(line, lighthouse("en"), "Maren")

    assert (typed.kind, typed.reply) == (kind, reply)
    assert (typed.otherwise is not None) is (kind == "unsure")


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("手帳を取る", "done"), ("手帳を取って開く", "done"), ("うなずく", "done"), ("「おはよう」", "said"),
        ("おはよう", "said"), ("手帳を取って", "unsure"), ("手帳取れ", "unsure"),
        ("元気出して", "said"), ("手帳を取るね", "said"), ("手帳はどこ？", "said"),
        ("手帳を取る「あった」", "both"), ("もう帰りたい", "said"), ("調べる", "unsure"),
    ],
)  # fmt: skip
def test_a_japanese_line_is_said_or_done(line: str, kind: str) -> None:
    assert read_typed(line, lighthouse("ja"), "汐里").kind == kind


@pytest.mark.parametrize("line", ["手帳を取って", "手帳取れ", "手帳を拾え"])
def test_an_order_is_done_where_nobody_else_could_be_meant(line: str) -> None:
    world = lighthouse("ja")
    alone = world.model_copy(update={"characters": {"汐里": world.characters["汐里"]}})

    assert read_typed(line, alone, "汐里").kind == "done"
