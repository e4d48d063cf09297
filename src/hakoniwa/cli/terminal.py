"""Terminal: what every command has at hand — the user's language, the settings in force, and a place to print."""

import shlex
import sys
from functools import cached_property
from typing import Any

from hakoniwa import messages
from hakoniwa.address import bare_address
from hakoniwa.cli.language import spoken
from hakoniwa.cli.wrap import harmless
from hakoniwa.messages import say
from hakoniwa.settings import Settings, load


class Terminal:
    """The user at the other end of a command line."""

    def __init__(self, given: str | None) -> None:
        self.given = given
        self.journal: str | None = None

    @cached_property
    def lang(self) -> str:
        return spoken(self.given)

    def settings(self, **flags: Any) -> Settings:
        return self.settings_and_origins(**flags)[0]

    def settings_and_origins(self, **flags: Any) -> tuple[Settings, dict[str, str]]:
        """The settings with what was said on the command line on top, and the origin of each."""
        self.journal = flags.get("journal") or self.journal
        return load({"lang": self.given, **flags})

    def command(self, *words: str) -> str:
        """Another command as it is typed here, with the journal that this one was given."""
        journal = ["--journal", bare_address(self.journal)] if self.journal else []
        return f"{messages.typed_program()} {shlex.join([*words, *journal])}"

    def say(self, key: str, /, **details: Any) -> str:
        return say(key, self.lang, **details)

    def print(self, text: str) -> None:
        """Print a text, which may quote whatever is in a stranger's file; it cannot steer the terminal."""
        print(harmless(text), flush=True)

    def complain(self, text: str) -> None:
        """The same, to whoever reads the complaints."""
        print(harmless(text), file=sys.stderr, flush=True)
