"""Terminal: what every command has at hand: the user's language, the settings in force, and a place to print to."""

import json
import os
import shlex
import sys
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

from pydantic_core import to_jsonable_python

from hakoniwa import messages
from hakoniwa.address import bare_address
from hakoniwa.cli.screen import harmless, harmless_json
from hakoniwa.errors import HakoniwaError
from hakoniwa.messages import LANGUAGES, locale_language, say
from hakoniwa.settings import PREFIX, Settings, load

FLAG = "--lang"


def split_language(argv: Sequence[str]) -> tuple[str | None, list[str]]:
    """The last `--lang` of a command line, wherever it stands, and the line without it."""
    given: str | None = None
    rest: list[str] = []
    words = iter(argv)
    for word in words:
        if word == "--":
            return given, [*rest, word, *words]
        if word == FLAG:
            given = next(words, "")
        elif word.startswith(f"{FLAG}="):
            given = word.removeprefix(f"{FLAG}=")
        else:
            rest.append(word)
    return given, rest


def message_language(given: str | None) -> str:
    """The language of messages; settings that cannot be read are complained of later, and in this language."""
    wanted: str
    try:
        wanted = load({"lang": given})[0].lang
    except HakoniwaError:
        wanted = given or os.environ.get(f"{PREFIX}LANG", "auto")
    return wanted if wanted in LANGUAGES else locale_language()


class Terminal:
    """The user at the other end of a command line."""

    def __init__(self, given: str | None) -> None:
        self.given = given
        self.journal: str | None = None

    @cached_property
    def lang(self) -> str:
        return message_language(self.given)

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

    def show(self, data: object, lines: Iterable[str], *, as_data: bool) -> None:
        """What was found: as JSON for programs, or in lines for people."""
        for line in [as_json(data)] if as_data else lines:
            self.print(line)


def as_json(data: object) -> str:
    """Values of any model among them, as JSON that cannot steer the terminal."""
    return harmless_json(json.dumps(data, ensure_ascii=False, indent=2, default=to_jsonable_python))
