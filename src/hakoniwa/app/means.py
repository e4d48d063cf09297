"""The means of a persona from settings: what of the world outside it may use, and where in a garden it lives.

What carries orders out takes a second or two to load, and is not needed here: only whoever works on flows loads it."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path

from hakoniwa.actor.character import Character
from hakoniwa.app.chats import LIVES_IN, language_of
from hakoniwa.ghost.action import Order
from hakoniwa.ghost.capabilities.means import Delegate, Means, Web
from hakoniwa.journal import Garden, Journal
from hakoniwa.play.errand import Lodging, at_hand, run_errand
from hakoniwa.settings import Settings
from hakoniwa.turn import Ruling

SPOOL = "delegated"  # the folder through which tasks get to the runner


def means_of(settings: Settings, journal: Journal, garden: Garden) -> Means:
    """What the persona of a chat may do; whatever is not configured, it cannot."""
    sheet = Character.model_validate(next(iter(garden.sheets.values())))
    return Means(
        web=Web(search_url=settings.search_url, search_tool=settings.search_tool),
        delegate=delegate_of(settings),
        servers=settings.servers,
        act=_acting(journal, garden),
        at_hand=_looking(journal, garden),
        language="en" if language_of(sheet) == "en" else "ja",
    )


def spool_of(settings: Settings) -> Path:
    """The folder through which tasks get to the runner and back."""
    return settings.home / SPOOL


def delegate_of(settings: Settings) -> Delegate:
    """Who tasks may be given to, and the folder through which their runner gets them; nobody and nowhere by default."""
    return Delegate(spool=spool_of(settings), commands=settings.delegate) if settings.delegate else Delegate()


def lodging_of(garden: Garden) -> Lodging | None:
    """The garden in which the persona of a chat lives, if it lives in one."""
    return Lodging.model_validate(garden.settings[LIVES_IN]) if LIVES_IN in garden.settings else None


def _looking(journal: Journal, garden: Garden) -> Callable[[], Sequence[str]] | None:
    """How the persona looks around there."""
    home = lodging_of(garden)
    return partial(at_hand, journal, home) if home else None


def _acting(journal: Journal, garden: Garden) -> Callable[[Order, str], Awaitable[Ruling]] | None:
    """How the persona acts there."""
    home = lodging_of(garden)
    if home is None:
        return None

    async def act(order: Order, text: str) -> Ruling:
        return await run_errand(journal, home, text, order.key)

    return act
