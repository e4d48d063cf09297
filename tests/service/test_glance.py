"""A glance at a YAML file: its own words for what it is, however they are written down."""

import pytest

from hakoniwa.service.glance import glance

WANTED = ("title", "description")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("title: 朝\nturns: 3\ndescription: 晴れ # とても\n", {"title": "朝", "description": "晴れ"}),
        ("title: >-\n  二行の\n  題\nworld:\n  title: ちがう\n", {"title": "二行の 題"}),
        ("description: |\n  一行目\n\n  三行目\ntitle: x\n", {"description": "一行目\n\n三行目", "title": "x"}),
        ("title: 'It''s: here'\n", {"title": "It's: here"}),
        ("title: a: b\ndescription: fine\n", {"description": "fine"}),
        ("title: [朝]\ndescription: 3\n", {}),
        ("title: *nobody\n", {}),
        ('title: !!int ""\ndescription: !!bool perhaps\n', {}),
        ("", {}),
        ("title:", {}),
    ],
)  # fmt: skip
def test_what_it_says_at_its_top_level_is_found(text: str, said: dict[str, str]) -> None:
    assert glance(text, WANTED) == said


def test_so_it_is_where_there_is_too_much_of_it() -> None:
    found = glance("description: |\n" + "  長い話\n" * 100_000 + "title: 朝\n", WANTED)
    assert found["title"] == "朝"
    assert found["description"].startswith("長い話\n")
    assert glance("title: " + "[" * 100_000, WANTED) == {}
