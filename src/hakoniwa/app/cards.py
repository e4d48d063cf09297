"""Cards and sheets on the shelf: a card becomes a sheet of the user's own, and any sheet becomes a card again."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeVar

from hakoniwa.actor.cards.files import file_name, open_sheet, store
from hakoniwa.actor.cards.read import Card, Spec, card_in
from hakoniwa.actor.cards.sheet import Imported, sheet_of
from hakoniwa.actor.cards.unused import unused
from hakoniwa.actor.cards.write import card_of, json_of, png_of
from hakoniwa.actor.character import Character, shipped
from hakoniwa.app.shelf import Shelf, is_name
from hakoniwa.errors import CardError, ScenarioError, UsageError
from hakoniwa.stage.world import MAX_NAME

_SIGNS = re.compile(r"[^\w.-]+")
PLACES = ("path", "file", "card")  # details of an error that may be files of this machine
T = TypeVar("T")


def import_card(shelf: Shelf, raw: bytes, name: str | None, user: str, replace: bool) -> tuple[str, Imported]:
    """Make a sheet of a card, and keep both; returns the sheet's name, and what is to be known about it."""
    found = card_in(raw, "card")
    imported = sheet_of(found, user)
    known = _name(imported.sheet.display_name) if name is None else name
    if not is_name(known):
        raise UsageError("shelf.bad-name", name=known)
    if known in shipped():
        raise UsageError("shelf.shipped", name=known)
    _by_name(lambda: store(imported.sheet, raw, shelf.characters, known, user, replace))
    return known, Imported(imported.sheet, (*imported.notes, *unused(found)))


def _name(display_name: str) -> str:
    """A name on the shelf for somebody."""
    return _SIGNS.sub("_", file_name(display_name)).strip("_.-")[:MAX_NAME] or "character"


def sheet_at(shelf: Shelf, name: str) -> tuple[Character, Card | None]:
    """A sheet, and the card it was made from if it was."""
    return _by_name(lambda: open_sheet(shelf.sheet_path(name)))


def export_card(shelf: Shelf, name: str, form: Literal["png", "json"], spec: Spec | None) -> bytes:
    """A sheet as a card, in a picture or as JSON."""
    made = card_of(*sheet_at(shelf, name), spec)
    return json_of(made) if form == "json" else png_of(made, None, name)


def _by_name(deed: Callable[[], T]) -> T:
    """Do something with files, and complain of them by name alone: where they are is nobody's business."""
    try:
        return deed()
    except (CardError, ScenarioError) as error:
        details = {key: Path(str(one)).name if key in PLACES else one for key, one in error.details.items()}
        raise type(error)(error.key, **details) from None
