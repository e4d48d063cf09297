"""YAML with lines: plain data out, and errors that say where and what instead."""

import gc
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from hakoniwa.errors import ScenarioError
from hakoniwa.stage.document import MAX_BYTES, Document
from hakoniwa.turn import Value
from tests.pace import busy


class Lamp(Value):
    colour: str
    state: tuple[str, ...] = ()
    watts: int = 0


class Lamps(Value):
    lamps: dict[str, Lamp] = {}
    order: tuple[Lamp, ...] = ()


def read(text: str, file: str, model: type[Value] | None = None) -> object:
    document = Document(text, file)
    return document.to(model) if model else document.data


def refused(text: str, key: str, model: type[Value] | None = None) -> dict[str, Any]:
    """The details of the error with which a text is refused."""
    with pytest.raises(ScenarioError) as caught:
        read(text, "lamps.yaml", model)
    assert (caught.value.key, caught.value.details["file"]) == (key, "lamps.yaml")
    return caught.value.details


def test_a_document_is_plain_data_with_the_line_of_every_key() -> None:
    document = Document('a: 1\nb:\n  c: [x, "on"]\n  d: null\ne: 07:10\nf: 2024-01-02\ng: true\n', "x.yaml")

    assert document.data == {
        "a": 1, "b": {"c": ["x", "on"], "d": None}, "e": "07:10", "f": "2024-01-02", "g": True,
    }  # fmt: skip
    assert [document.line(key) for key in (("a",), ("b", "c", 1), ("b", "d"), ("g",))] == [1, 3, 4, 7]


def test_the_line_of_a_key_that_is_not_there_is_that_of_the_nearest_above() -> None:
    document = Document("a:\n  b:\n    c: 1\n", "x.yaml")

    assert document.line(("a", "b", "x", 3)) == 2
    assert document.line(("z",)) == 1


@pytest.mark.parametrize("word", ["on", "off", "yes", "no", "On", "OFF", "Yes"])
def test_a_bare_on_or_off_is_refused_with_a_hint(word: str) -> None:
    details = refused(f"lamp:\n  state: [bright, {word}]\n", "scenario.bare-boolean")

    assert (details["line"], details["word"], details["key"]) == (2, word, "lamp.state.1")
    assert Document(f'lamp: ["{word}"]', "x.yaml").data == {"lamp": [word]}


def test_a_bare_on_as_a_key_is_refused_too() -> None:
    assert refused("cup:\n  on: table\n", "scenario.bare-boolean")["line"] == 2


def test_a_key_that_stands_twice_is_refused() -> None:
    details = refused("a: 1\nb: {x: 1, y: 2,\n  x: 3}\n", "scenario.twice")

    assert (details["line"], details["key"]) == (3, "x")


GROWING = ", ".join(f"&a{number} [*a{number - 1}, *a{number - 1}]" for number in range(1, 60))


@pytest.mark.parametrize(
    "key",
    ["[a, b]", "{a: b}", "!!str [a]", "&a [*a]", f"[&a0 [x, x], {GROWING}]"],
    ids=["list", "mapping", "list that is called a text", "ring", "list that would grow huge"],
)
def test_a_key_is_one_word(key: str) -> None:
    assert refused(f"a: 1\n? {key}\n: 2\n", "scenario.odd-key")["line"] == 2


def test_a_number_fits_64_bits() -> None:
    assert Document(f"a: {2**63 - 1}", "x.yaml").data == {"a": 2**63 - 1}
    for number in (str(2**63), str(-(2**63) - 1), f"0x{'f' * 5_000}"):
        assert refused(f"a:\n  b: {number}\n", "scenario.number")["key"] == "a.b"


@pytest.mark.parametrize(
    "text",
    ["[" * 40 + "]" * 40, "a: &a [*a]", "".join("  " * depth + "a:\n" for depth in range(40)), "[" * 5000 + "]" * 5000],
    ids=["lists", "a ring", "mappings", "very deep"],
)
def test_depth_has_a_limit(text: str) -> None:
    assert refused(text, "scenario.too-deep")["line"] >= 1


@pytest.mark.pace
def test_a_large_file_is_soon_read() -> None:
    text = "".join(f"k{place}: {{a: [x, y], b: {{c: {place}}}}}\n" for place in range(10_000))
    assert busy(lambda: Document(text, "x.yaml"), 1.0) < 1.0


def test_the_collector_goes_on_after_a_file_that_is_refused() -> None:
    refused("a: [", "scenario.not-yaml")
    assert gc.isenabled()


def test_a_small_file_cannot_grow_into_a_huge_document() -> None:
    names = "abcdefghi"
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in pairwise(names)
    )

    refused(bomb, "scenario.too-large")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: [1, 2\nb: 3\n", 2),
        ("a: 1\n\tb: 2\n", 2),
        ("a: 1\n---\nb: 2\n", 2),
        ("a: !!python/name:os.system x\n", 1),
        ("a: 1\nb: !mine 2\n", 2),
        ("a: !!int hello\n", 1),
        ("a: \x00\n", 1),
        ('a: 1\nb: !!int ""\n', 2),
        ('a: 1\nb: !!float "_"\n', 2),
        ("a: 1\nb: !!bool perhaps\n", 2),
        ('a: "\\U00110000"\n', 1),
    ],
    ids=[
        "open bracket", "tab", "two documents", "python", "unknown tag", "wrong tag", "null byte", "no digits",
        "no digits of a fraction", "neither true nor false", "no character",
    ],
)  # fmt: skip
def test_what_is_not_plain_yaml_is_refused_with_its_line(text: str, line: int) -> None:
    assert refused(text, "scenario.not-yaml")["line"] == line


def test_a_file_has_limits(tmp_path: Path) -> None:
    large, foreign = tmp_path / "large.yaml", tmp_path / "foreign.yaml"
    large.write_bytes(b"#" * (MAX_BYTES + 1))
    foreign.write_bytes("灯: 明るい".encode("shift_jis"))

    for path, key in ((large, "scenario.too-large"), (foreign, "scenario.not-utf8")):
        with pytest.raises(ScenarioError) as caught:
            Document.read(path)
        assert (caught.value.key, caught.value.details["file"]) == (key, str(path))


def test_a_good_document_becomes_a_value() -> None:
    lamps = Document("lamps:\n  灯: {colour: 赤, state: [bright]}\norder: [{colour: 青}]\n", "x.yaml").to(Lamps)

    assert lamps == Lamps(lamps={"灯": Lamp(colour="赤", state=("bright",))}, order=(Lamp(colour="青"),))


@pytest.mark.parametrize(
    ("text", "line", "key", "nearest"),
    [
        ("lamps:\n  灯:\n    colour: 赤\n    stat: [x]\n", 4, "lamps.灯.stat", "state"),
        ("lamps:\n  灯:\n    colour: 赤\n    sate: [x]\n", 4, "lamps.灯.sate", "state"),
        ("order:\n  - colour: 赤\n  - {colour: 青, wats: 3}\n", 3, "order.1.wats", "watts"),
        ("lmaps: {}\n", 1, "lmaps", "lamps"),
        ("lamps:\n  灯:\n    color: 赤\n", 3, "lamps.灯.color", "colour"),
    ],
)
def test_an_unknown_key_is_told_with_the_nearest_one(text: str, line: int, key: str, nearest: str) -> None:
    details = refused(text, "scenario.unknown-key", Lamps)

    assert (details["line"], details["key"], details["nearest"]) == (line, key, nearest)


def test_an_unknown_key_unlike_any_other_is_told_with_all_there_are() -> None:
    details = refused("lamps:\n  灯: {colour: 赤, 重さ: 3}\n", "scenario.unknown-key", Lamps)

    assert details["nearest"] == "colour, state, watts"


def test_a_missing_key_is_named() -> None:
    details = refused("lamps:\n  灯:\n    watts: 3\n", "scenario.missing-key", Lamps)

    assert (details["line"], details["key"]) == (2, "lamps.灯.colour")


def test_a_bad_value_is_shown() -> None:
    details = refused("lamps:\n  灯:\n    colour: 赤\n    watts: 強\n", "scenario.bad-value", Lamps)

    assert (details["line"], details["key"], details["found"]) == (4, "lamps.灯.watts", "'強'")


def test_a_document_that_is_no_mapping_is_refused() -> None:
    for text in ("", "[]", "灯"):
        assert refused(text, "scenario.bad-value", Lamps)["line"] == 1


@pytest.mark.pace
def test_what_aliases_make_of_a_small_file_is_no_work() -> None:
    bomb = "a: &a {p: 1, q: 2, r: 3, s: 4}\n" + "".join(
        f"{name}: &{name} {{p: *{before}, q: *{before}, r: *{before}, s: *{before}}}\n"
        for before, name in pairwise("abcdefghijkl")
    )
    assert busy(lambda: refused(bomb, "scenario.too-large"), 0.1) < 0.1


@pytest.mark.pace
def test_a_file_of_tag_handles_is_refused_unread() -> None:
    handles = "".join(f"%TAG !a{place}! b\n" for place in range(60_000))
    assert busy(lambda: refused(f"{handles}---\na", "scenario.too-large"), 0.1) < 0.1
    assert Document("%TAG !a! tag:yaml.org,2002:\n---\na: !a!str 1\n", "x.yaml").data == {"a": "1"}
