"""What a cap is to whoever tries it."""

from collections.abc import Callable
from typing import NamedTuple

from hakoniwa.errors import HakoniwaError
from hakoniwa.messages import LANGUAGES, tell

MEBIBYTE = 1 << 20
CUT, FEW = "cut", 8


class Cap(NamedTuple):
    """A cap: `prepared` makes something of a size ready to be tried; trying it gives the name under which it is refused
    or cut, or nothing if it is taken whole. Ten times as much may take so many seconds, and so much memory. Of what may
    not be at all, ten are ten times as much."""

    size: int
    prepared: Callable[[int], Callable[[], str]]
    seconds: float = 0.5
    memory: int = 32 * MEBIBYTE


def refusal(work: Callable[[], object]) -> str:
    """The name under which something is refused, which can be told in every language; nothing, if it is not."""
    try:
        work()
    except HakoniwaError as error:
        error.details.setdefault("model", "a model")  # which whoever asked it adds
        return error.key if all(tell(error, language).strip() for language in LANGUAGES) else ""
    return ""


def whole_or_cut(text: str, size: int, cap: int) -> str:
    """Whether a text of a size came through whole; if not, no more of it may be left than the cap allows."""
    assert len(text) <= cap
    return "" if len(text) == size else CUT
