"""Screen: a console that shows colours of ours and takes no orders from the text it shows."""

from typing import Any

from rich.console import Console
from rich.text import Text

from hakoniwa.cli.wrap import harmless

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
