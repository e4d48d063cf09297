"""Errors as people read them here: in a traceback, below which the message stands in their language."""

from collections.abc import Iterator
from contextlib import contextmanager

from hakoniwa.errors import HakoniwaError
from hakoniwa.messages import locale_language, tell
from hakoniwa.settings import load


@contextmanager
def plain_errors() -> Iterator[None]:
    """Add its message to an error that leaves the library."""
    try:
        yield
    except HakoniwaError as error:
        if not getattr(error, "__notes__", ()):
            error.add_note(tell(error, _message_language()))
        raise


def _message_language() -> str:
    """The language of messages: the one that is set, or else the machine's."""
    wanted = load({})[0].lang
    return locale_language() if wanted == "auto" else wanted
