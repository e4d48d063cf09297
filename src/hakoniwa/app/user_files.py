"""Scenarios, sheets and cards by name: those that come with Hakoniwa, and the user's own in a folder of their home."""

import re
from collections.abc import Callable, Iterator
from hashlib import blake2s
from pathlib import Path
from typing import Literal, TypeVar

from hakoniwa.actor import character
from hakoniwa.actor.cards.files import file_name, open_sheet, sheet_text, store
from hakoniwa.actor.cards.read import Card, Spec, card_in
from hakoniwa.actor.cards.sheet import ImportedSheet, sheet_of, unused_notes
from hakoniwa.actor.cards.write import card_of, json_of, png_of
from hakoniwa.actor.character import Character, shipped_sheets
from hakoniwa.errors import CardError, ScenarioError, UnknownName, UsageError
from hakoniwa.own_files import private_folder, write_atomically
from hakoniwa.pictures.faces import Expression
from hakoniwa.stage import scenario as scenarios
from hakoniwa.stage.document import MAX_BYTES, Document
from hakoniwa.stage.names import nfkc
from hakoniwa.stage.scenario import Scenario
from hakoniwa.stage.world import MAX_NAME

Origin = Literal["shipped", "own"]
MOST_OWN = 1_000
_NAME = re.compile(rf"\w[\w.-]{{0,{MAX_NAME - 1}}}")


class UserFiles:
    """Where scenarios and sheets are found by name; what is the user's own comes second."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.folder = home / "scenarios"
        self.characters = self.folder / "characters"

    def scenarios(self) -> list[tuple[str, Origin]]:
        """Every scenario by name, those that come with Hakoniwa first."""
        return [
            *((name, "shipped") for name in scenarios.shipped_scenarios()),
            *((name, "own") for name in _own_names(self.folder)),
        ]

    def sheets(self) -> list[tuple[str, Origin]]:
        own: Iterator[tuple[str, Origin]] = ((name, "own") for name in _own_names(self.characters))
        return [*((name, "shipped") for name in character.shipped_sheets()), *own]

    def text(self, name: str) -> str:
        """A scenario as it is written."""
        return _read_text(self._scenario_path(name))

    def scenario(self, name: str) -> Document:
        path = self._scenario_path(name)
        return Document(_read_text(path), path.name)

    def _scenario_path(self, name: str) -> Path:
        path = scenarios.find(name) if name in scenarios.shipped_scenarios() else self.folder / f"{name}.yaml"
        if not is_name(name) or not path.is_file():
            raise UnknownName("unknown.scenario", name=name, known=", ".join(one for one, _ in self.scenarios()))
        return path

    def sheet_path(self, name: str) -> Path:
        """Where a sheet is: those that come with Hakoniwa first."""
        path = (
            character.find(name, self.folder)
            if name in character.shipped_sheets()
            else self.characters / f"{name}.yaml"
        )
        if not is_name(name) or not path.is_file():
            raise UnknownName("unknown.sheet", name=name, known=", ".join(one for one, _ in self.sheets()))
        return path

    def sheet(self, name: str) -> Document:
        path = self.sheet_path(name)
        return Document(_read_text(path), path.name)

    def save(self, name: str, text: str) -> None:
        """Keep a scenario under a name, in place of what was there; those that come with Hakoniwa stay as they are."""
        if not is_name(name):
            raise UsageError("shelf.bad-name", name=name)
        if name in scenarios.shipped_scenarios():
            raise UsageError("shelf.shipped", name=name)
        if len(text.encode()) > MAX_BYTES:
            raise ScenarioError("scenario.too-large", file=name, limit=MAX_BYTES)
        if name not in (own := list(_own_names(self.folder))) and len(own) >= MOST_OWN:
            raise UsageError("shelf.full", limit=MOST_OWN)
        private_folder(self.folder)
        write_atomically(self.folder / f"{name}.yaml", text.encode())

    def save_sheet(self, name: str, sheet: Character) -> None:
        """Write a sheet of the user's own anew; those that come with Hakoniwa stay as they are."""
        path = self.sheet_path(name)
        if name in character.shipped_sheets():
            raise UsageError("shelf.shipped", name=name)
        write_atomically(path, sheet_text(sheet, name).encode())

    def cast(self, scenario: Scenario) -> dict[str, Character]:
        """The sheet of everyone in the cast."""
        return {who: self.sheet(role.sheet).to(Character) for who, role in scenario.cast.items()}


def id_for(title: str) -> str:
    """The name a scenario is kept under: what it is called, or where no file may have that name, one made from it."""
    if title.isascii() and " " not in title:
        return title
    plain = re.sub(r"[^a-z0-9_]+", "_", nfkc(title).casefold()).strip("_")[:40]
    return f"{plain or 'scenario'}_{blake2s(title.encode(), digest_size=3).hexdigest()}"


def is_name(name: str) -> bool:
    """Whether a name is one on any disk, and stays in its folder."""
    return _NAME.fullmatch(name) is not None and file_name(name) == name


def _own_names(folder: Path) -> Iterator[str]:
    return (path.stem for path in sorted(folder.glob("*.yaml")) if is_name(path.stem) and path.is_file())


def _read_text(path: Path) -> str:
    """What is in a file; complaints call it by its name alone, as where it is on this machine is nobody's business."""
    if path.stat().st_size > MAX_BYTES:
        raise ScenarioError("scenario.too-large", file=path.name, limit=MAX_BYTES)
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ScenarioError("scenario.not-utf8", file=path.name, at=error.start) from None


_SIGNS = re.compile(r"[^\w.-]+")
PLACES = ("path", "file", "card")  # details of an error that may be files of this machine
T = TypeVar("T")


def import_card(shelf: UserFiles, raw: bytes, name: str | None, user: str, replace: bool) -> tuple[str, ImportedSheet]:
    """Make a sheet of a card, and keep both; returns the sheet's name, and what is to be known about it."""
    found = card_in(raw, "card")
    imported = sheet_of(found, user)
    known = shelf_name(imported.sheet.display_name) if name is None else name
    if not is_name(known):
        raise UsageError("shelf.bad-name", name=known)
    if known in shipped_sheets():
        raise UsageError("shelf.shipped", name=known)
    _hide_paths(lambda: store(imported.sheet, raw, shelf.characters, known, user, replace))
    return known, ImportedSheet(imported.sheet, (*imported.notes, *unused_notes(found)))


def shelf_name(display_name: str) -> str:
    """A name on the shelf for somebody."""
    return _SIGNS.sub("_", file_name(display_name)).strip("_.-")[:MAX_NAME] or "character"


def sheet_at(shelf: UserFiles, name: str) -> tuple[Character, Card | None]:
    """A sheet, and the card it was made from if it was."""
    return _hide_paths(lambda: open_sheet(shelf.sheet_path(name)))


PICTURED = (".png", ".charx")  # the cards that may have a picture


IMAGES = {".png": b"\x89PNG", ".webp": b"RIFF", ".jpg": b"\xff\xd8\xff", ".jpeg": b"\xff\xd8\xff"}
MOST_OF_IMAGE = 8 * 1024 * 1024  # bytes
# What SillyTavern calls the pictures of a mood, those that fit best first
MOODS: dict[Expression, tuple[str, ...]] = {
    "neutral": ("neutral",),
    "content": ("optimism", "approval", "caring", "admiration", "gratitude", "relief", "pride", "joy"),
    "joy": ("joy", "amusement", "excitement", "love", "desire", "optimism"),
    "sadness": ("sadness", "disappointment", "grief", "remorse"),
    "anger": ("anger", "annoyance", "disapproval", "disgust"),
    "fear": ("fear", "nervousness", "embarrassment"),
    "surprise": ("surprise", "realization", "confusion", "curiosity"),
}


def has_portrait(shelf: UserFiles, name: str) -> bool:
    """Whether there may be a picture of somebody, by the files alone: on their card, or the user's own for a mood."""
    cards = (shelf.characters / f"{name}.card{one}" for one in PICTURED)
    return is_name(name) and (any(card.is_file() for card in cards) or _image_of(shelf, name, "neutral") is not None)


def portrait_of(shelf: UserFiles, name: str, mood: Expression = "neutral") -> bytes:
    """A picture of somebody: the user's own for the mood or for none, else the one on the card of their sheet."""
    path = _image_of(shelf, name, mood) or _image_of(shelf, name, "neutral")
    if path is not None:
        return _image_in(path, name)
    _, card = sheet_at(shelf, name)
    if card is None or card.picture is None:
        raise UnknownName("unknown.portrait", name=name)
    return card.picture


def _image_of(shelf: UserFiles, name: str, mood: Expression) -> Path | None:
    """The user's own picture for a mood: `joy.png` in a folder of the sheet's name, as SillyTavern keeps them."""
    folder = shelf.characters / name
    if not is_name(name) or not folder.is_dir():
        return None
    return next((path for one in MOODS[mood] for end in IMAGES if (path := folder / f"{one}{end}").is_file()), None)


def _image_in(path: Path, name: str) -> bytes:
    raw = path.read_bytes() if path.stat().st_size <= MOST_OF_IMAGE else b""
    if not raw.startswith(IMAGES[path.suffix]):
        raise CardError("card.no-image", file=path.name, name=name, limit=MOST_OF_IMAGE // 1024 // 1024)
    return raw


def export_card(shelf: UserFiles, name: str, form: Literal["png", "json"], spec: Spec | None) -> bytes:
    """A sheet as a card, in a picture or as JSON."""
    made = card_of(*sheet_at(shelf, name), spec)
    return json_of(made) if form == "json" else png_of(made, None, name)


def _hide_paths(deed: Callable[[], T]) -> T:
    """Do something with files, and complain of them by name alone: where they are is nobody's business."""
    try:
        return deed()
    except (CardError, ScenarioError) as error:
        details = {key: Path(str(one)).name if key in PLACES else one for key, one in error.details.items()}
        raise type(error)(error.key, **details) from None
