"""Which language to speak: what was said on the command line, then the settings, then the locale."""

import locale
import os
from collections.abc import Sequence

from hakoniwa.errors import HakoniwaError
from hakoniwa.messages import LANGUAGES
from hakoniwa.settings import PREFIX, load

FLAG = "--lang"


def heard(argv: Sequence[str]) -> tuple[str | None, list[str]]:
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


def spoken(given: str | None) -> str:
    """The language of messages; settings that cannot be read are complained of later, and in this language."""
    wanted: str
    try:
        wanted = load({"lang": given})[0].lang
    except HakoniwaError:
        wanted = given or os.environ.get(f"{PREFIX}LANG", "auto")
    return wanted if wanted in LANGUAGES else of_locale()


def of_locale() -> str:
    named = next((os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name)), None)
    return "ja" if (named or locale.getlocale()[0] or "").casefold().startswith("ja") else "en"
