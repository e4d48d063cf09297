"""The transcript as a prompt shows it: append-only from turn to turn, so that a server's cache can serve it, until it
grows past its limit and is cut in one large step. What is cut is told in a few sentences."""

from collections.abc import Sequence
from typing import NamedTuple

KEPT = 0.5
FIRST, LAST = 2, 6


class Line(NamedTuple):
    """What somebody witnessed of one event: as the script has it, and as the chronicle notes it."""

    text: str
    note: str = ""


class Window(NamedTuple):
    """The lines a prompt shows, and what came before them in short."""

    earlier: tuple[str, ...]
    lines: tuple[str, ...]


def window(lines: Sequence[Line], limit: int) -> Window:
    """As many of the newest lines as fit into so many characters; which they are depends on the lines alone."""
    start = size = 0
    for place, line in enumerate(lines):
        size += len(line.text) + 1
        if size > limit:
            start, size = _cut(lines, start, place, size, limit)
    return Window(_in_short(lines[:start]), tuple(line.text for line in lines[start:]))


def _cut(lines: Sequence[Line], start: int, last: int, size: int, limit: int) -> tuple[int, int]:
    """Where the lines begin once the oldest are dropped; the newest one always stays."""
    while start < last and size > KEPT * limit:
        size -= len(lines[start].text) + 1
        start += 1
    return start, size


def _in_short(lines: Sequence[Line]) -> tuple[str, ...]:
    """How it began and what happened last, each thing once."""
    notes = list(dict.fromkeys(line.note for line in reversed(lines) if line.note))[::-1]
    return tuple(notes if len(notes) <= FIRST + LAST else [*notes[:FIRST], *notes[-LAST:]])
