"""Commands of the prompt: what `/name` does. A new one is a class in a file of `commands`, and a line of help."""

from collections.abc import Sequence
from typing import Protocol

from hakoniwa.cli.live.show import Show
from hakoniwa.errors import UsageError
from hakoniwa.registry import Registry


class LiveCommand(Protocol):
    """One command of the prompt."""

    async def run(self, show: Show, rest: str) -> None:
        """Do it; `rest` is what was typed after the name."""
        ...

    def complete(self, show: Show, rest: str) -> Sequence[str]:
        """What the last word of `rest` could become."""
        return ()


commands: Registry[LiveCommand] = Registry("command")


def usage(show: Show, name: str) -> str:
    return show.say(f"play.usage.{name}")


def number(show: Show, name: str, rest: str, default: int | None = None) -> int:
    """A whole number that was typed after a command."""
    if not rest and default is not None:
        return default
    if not rest.isdecimal():
        raise UsageError("play.bad-number", found=rest, usage=usage(show, name))
    return int(rest)


def needed(show: Show, name: str, rest: str) -> str:
    """What was typed after a command that cannot do without."""
    if not rest:
        raise UsageError("play.nothing-to-do", usage=usage(show, name))
    return rest
