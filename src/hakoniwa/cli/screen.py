"""The screen: how lines are wrapped and cleaned, and a console that takes no orders from the text it shows."""

import re
from collections.abc import Iterator
from typing import Any
from unicodedata import east_asian_width

from rich.console import Console
from rich.text import Text

INDENT, WIDEST = 2, 100
_SMALL = "ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ"
_NOT_FIRST = frozenset("、。，．・：；？！ー」』）】〉》｝］”’…‥々ゝゞ,.!?:;)]}" + _SMALL)
_NOT_LAST = frozenset("「『（【〈《｛［“‘([{")

_FOLDED = re.compile(r"(?<=[⺀-鿿＀-￯])\s+(?=[⺀-鿿＀-￯])")
# Text of a story may hold anything, but it may not move the cursor, turn the writing round or set the window's title.
_STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def cells(text: str) -> int:
    """How many columns a text takes."""
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)


def unfold_japanese(text: str) -> str:
    """Text that YAML has folded: the spaces it left between Japanese characters go."""
    return _FOLDED.sub("", text.strip())


def harmless(text: str, mark: str = "") -> str:
    """The text without what would steer the terminal; a mark may stand in the place of each such sign."""
    return _STEERING.sub(mark, text)


def printable(text: str) -> str:
    """The text without what would steer the terminal or move what comes after it."""
    return harmless(text).replace("\t", "")


def harmless_json(text: str) -> str:
    """The same JSON, in which whatever would steer the terminal is spelled out."""
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def wrap_text(text: Text, width: int | None, indent: int = INDENT) -> list[Text]:
    """The text in lines: Latin breaks at spaces, Japanese anywhere but before 。 or after 「; later lines hang."""
    if width is None or text.cell_len <= width:
        return [text]
    lines = text.divide(list(_breaks(text.plain, width, indent)))
    for place, line in enumerate(lines):
        line.rstrip()
        if place:
            line.pad_left(indent)
    return list(lines)


def _breaks(plain: str, width: int, indent: int) -> Iterator[int]:
    start, used, best = 0, 0, 0
    for place, char in enumerate(plain):
        size = cells(char)
        if used + size > width and place > start:
            cut = best if best > start else place
            yield cut
            start, used = cut, indent + cells(plain[cut:place])
        used += size
        if _may_break(plain, place):
            best = place + 1


def _may_break(plain: str, place: int) -> bool:
    """Whether a line may end after this character."""
    char, following = plain[place], plain[place + 1 : place + 2]
    if not following or following in _NOT_FIRST or char in _NOT_LAST:
        return False
    return char == " " or cells(char) == 2 or cells(following) == 2


LEFT_OUT = "\ufffd"  # one for one, so that colours stay where they are


class Screen(Console):
    """The terminal, for text in colour."""

    def __init__(self) -> None:
        super().__init__(highlight=False, emoji=False, markup=False)

    def print(self, *objects: Any, **options: Any) -> None:
        super().print(*map(_harmless, objects), **options)


def _harmless(shown: Any) -> Any:
    if not isinstance(shown, Text):
        return harmless(shown) if isinstance(shown, str) else shown
    made = shown.copy()
    made.plain = harmless(shown.plain, LEFT_OUT)
    return made
