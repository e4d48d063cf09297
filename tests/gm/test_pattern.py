"""A pattern file that is wrong says where and what."""

import re
from pathlib import Path
from string import Formatter
from typing import Any, get_args

import pytest

from hakoniwa.errors import ScenarioError
from hakoniwa.gm.pattern import TRAITS, Beat, BilingualSentence, Kind, StoryMoment, StoryPattern, load, shipped_patterns
from hakoniwa.gm.sift import sift
from hakoniwa.messages import tell

GOOD = """patterns:
  - name: gift
    title: {ja: 贈り物, en: A gift}
    told:
      ja: "{one}が{two}に{thing}を渡した。"
      en: "{one} gave {two} the {thing}."
    within: 20
    events:
      - kind: gave
        who: ?one
        other: ?two
        target: ?thing
      - kind: act
        who: ?two
        target: ?thing
        without:
          - kind: gave
            who: ?two
    where: ["?one != ?two"]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "patterns.yaml"


def refused(file: Path, old: str, new: str) -> tuple[str, dict[str, Any]]:
    """How the good file is refused once one thing in it is changed."""
    assert GOOD.count(old) == 1
    file.write_text(GOOD.replace(old, new), encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        load(file)
    assert all(str(file) in tell(caught.value, lang) for lang in ("ja", "en"))
    return caught.value.key, caught.value.details


def test_a_good_file_is_read(file: Path) -> None:
    file.write_text(GOOD, encoding="utf-8")
    (pattern,) = load(file)
    assert (pattern.name, pattern.within, len(pattern.events)) == ("gift", 20, 2)
    assert pattern.events[0].variables() == ["one", "thing", "two"]


@pytest.mark.parametrize(
    ("old", "new", "key", "line"),
    [
        ("    within: 20\n", "", "scenario.missing-key", 2),
        (
            "        target: ?thing\n        without:",
            "        traget: ?thing\n        without:",
            "scenario.unknown-key",
            15,
        ),
        ("      - kind: act\n", "      - kind: acted\n", "scenario.bad-value", 13),
        ('"?one != ?two"', '"?one < ?two"', "scenario.bad-value", 19),
        ("{one} gave {two}", "{one gave {two}", "scenario.bad-value", 6),
        ("    within: 20\n", "    within: 20\n    within: 30\n", "scenario.twice", 8),
        ("    within: 20\n", "    within: yes\n", "scenario.bare-boolean", 7),
    ],
)
def test_a_slip_is_pointed_at(file: Path, old: str, new: str, key: str, line: int) -> None:
    found, details = refused(file, old, new)
    assert (found, details["line"]) == (key, line)


def test_an_unknown_key_is_told_with_the_nearest(file: Path) -> None:
    _, details = refused(file, "        without:", "        wihtout:")
    assert details["nearest"] == "without"


@pytest.mark.parametrize(
    ("old", "new", "line", "problem"),
    [
        (
            "            who: ?two\n",
            "            who: ?three\n",
            18,
            "no beat binds ?three; there are: one, thing, two",
        ),
        ('"?one != ?two"', '"?one != ?three"', 19, "no beat binds ?three; there are: one, thing, two"),
        ("{one} gave {two}", "{one} gave {three}", 6, "no beat binds ?three"),
        ("      - kind: act\n        who", "      - who", 13, "it says no kind"),
        ("          - kind: gave\n            who", "          - who", 17, "it says no kind"),
        ("        other: ?two\n", '        other: ["?two", Ann]\n', 11, "a variable or `*` stands alone"),
        ("        other: ?two\n", '        other: "?"\n', 11, "a variable has a name"),
        ("      - kind: act\n", "      - kind: act\n        passes: 3\n", 14, "no other key than `without`"),
        (
            "      - kind: gave\n        who: ?one",
            "      - passes: 3\n      - kind: gave\n        who: ?one",
            9,
            "begins with",
        ),
    ],
)
def test_what_does_not_add_up_is_pointed_at(file: Path, old: str, new: str, line: int, problem: str) -> None:
    key, details = refused(file, old, new)
    assert (key, details["line"]) == ("scenario.inconsistent", line)
    assert problem in details["problem"]


def test_a_name_stands_once(file: Path) -> None:
    file.write_text(GOOD + GOOD.removeprefix("patterns:\n"), encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        load(file)
    assert (caught.value.details["line"], caught.value.details["problem"]) == (20, "'gift' stands twice")


def test_both_languages_of_a_shipped_pattern_speak_of_the_same_things() -> None:
    def slots(words: str) -> set[str]:
        return {name for _, name, _, _ in Formatter().parse(words) if name}

    ignoring = {"turns", "times"}
    assert [
        one.name for one in shipped_patterns() if slots(one.told.ja) - ignoring != slots(one.told.en) - ignoring
    ] == []
    assert (
        len({one.title.ja for one in shipped_patterns()})
        == len({one.title.en for one in shipped_patterns()})
        == len(shipped_patterns())
    )


# --- its page ---------------------------------------------------------------------------------------------------------

PAGE = Path(__file__).resolve().parents[2] / "docs" / "sifting.md"


def test_the_page_names_every_kind_trait_and_key() -> None:
    named = set(re.findall(r"`([a-z]+)`", PAGE.read_text(encoding="utf-8")))
    keys = {*StoryPattern.model_fields, *Beat.model_fields, *BilingualSentence.model_fields}
    assert sorted({*get_args(Kind), *TRAITS, *keys} - named) == []


def test_the_example_of_the_page_is_a_pattern_that_works(file: Path) -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    file.write_text(example, encoding="utf-8")
    brought = [StoryMoment(turn=turn, kind="gave", who="Ann", other="Bob", target="tea") for turn in (1, 9)]
    drunk = StoryMoment(turn=15, kind="act", who="Bob", verb="DRINK", target="tea")
    (match,) = sift(load(file), brought, until=40)
    assert (match.turns, match.times) == ((1, 9, 29), 2)
    assert sift(load(file), [*brought, drunk], until=40) == []
