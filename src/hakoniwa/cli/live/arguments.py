"""What is typed after a command of the prompt: names, acts and numbers."""

import re
from collections.abc import Iterator

from hakoniwa.cli.live.show import LiveShow
from hakoniwa.errors import UnknownName, UsageError
from hakoniwa.play.session import Session
from hakoniwa.stage.world import story_name

_BOUNDARY = re.compile(r"[\s「『（(、,:：]|$")


def names(session: Session) -> Iterator[tuple[str, str]]:
    """Everything somebody goes by, with who it is."""
    for who, figure in session.world.characters.items():
        sheet = session.cast.get(who)
        own = (sheet.display_name, sheet.short_name) if sheet else ()
        yield from ((name, who) for name in dict.fromkeys((who, *figure.aliases, *own)) if name)


def split_name(session: Session, text: str) -> tuple[str, str]:
    """The character a line begins with, and the rest of the line."""
    for name, who in sorted(names(session), key=lambda pair: -len(pair[0])):
        if text.casefold().startswith(name.casefold()) and _BOUNDARY.match(text[len(name) :]):
            return who, text[len(name) :].lstrip(" 　、,:：")
    raise UnknownName("unknown.character", name=text.split(maxsplit=1)[0], known=", ".join(people(session)))


def people(session: Session) -> list[str]:
    """The cast by the names a story calls them."""
    return [story_name(session.world, who) for who in session.world.characters]


def usage(show: LiveShow, name: str) -> str:
    return show.say(f"play.usage.{name}")


def number_argument(show: LiveShow, name: str, rest: str, default: int | None = None) -> int:
    """A whole number that was typed after a command."""
    if not rest and default is not None:
        return default
    if not rest.isdecimal():
        raise UsageError("play.bad-number", found=rest, usage=usage(show, name))
    return int(rest)


def required_argument(show: LiveShow, name: str, rest: str) -> str:
    """What was typed after a command that cannot do without."""
    if not rest:
        raise UsageError("play.nothing-to-do", usage=usage(show, name))
    return rest
