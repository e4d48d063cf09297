"""The shelf: scenarios and sheets that come with Hakoniwa, and the user's own in a folder of their home.

Whoever asks over HTTP names things and never files: a name that could lead anywhere else is none."""

import re
from collections.abc import Iterator
from hashlib import blake2s
from pathlib import Path
from typing import Literal

from hakoniwa.actor import character
from hakoniwa.actor.cards.files import file_name
from hakoniwa.actor.character import Character
from hakoniwa.errors import ScenarioError, UnknownName, UsageError
from hakoniwa.private import private_folder
from hakoniwa.stage import scenario as scenarios
from hakoniwa.stage.document import MAX_BYTES, Document
from hakoniwa.stage.names import nfkc
from hakoniwa.stage.scenario import Scenario
from hakoniwa.stage.world import MAX_NAME
from hakoniwa.whole import write_whole

Origin = Literal["shipped", "own"]
MOST_OWN = 1_000
_NAME = re.compile(rf"\w[\w.-]{{0,{MAX_NAME - 1}}}")


class Shelf:
    """Where scenarios and sheets are found by name; what is the user's own comes second."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "scenarios"
        self.characters = self.folder / "characters"

    def scenarios(self) -> list[tuple[str, Origin]]:
        """Every scenario by name, those that come with Hakoniwa first."""
        return [*((name, "shipped") for name in scenarios.shipped()), *((name, "own") for name in _own(self.folder))]

    def sheets(self) -> list[tuple[str, Origin]]:
        own: Iterator[tuple[str, Origin]] = ((name, "own") for name in _own(self.characters))
        return [*((name, "shipped") for name in character.shipped()), *own]

    def text(self, name: str) -> str:
        """A scenario as it is written."""
        return _text(self._scenario_path(name))

    def scenario(self, name: str) -> Document:
        path = self._scenario_path(name)
        return Document(_text(path), path.name)

    def _scenario_path(self, name: str) -> Path:
        path = scenarios.find(name) if name in scenarios.shipped() else self.folder / f"{name}.yaml"
        if not is_name(name) or not path.is_file():
            raise UnknownName("unknown.scenario", name=name, known=", ".join(one for one, _ in self.scenarios()))
        return path

    def sheet_path(self, name: str) -> Path:
        """Where a sheet is: those that come with Hakoniwa first."""
        path = character.find(name, self.folder) if name in character.shipped() else self.characters / f"{name}.yaml"
        if not is_name(name) or not path.is_file():
            raise UnknownName("unknown.sheet", name=name, known=", ".join(one for one, _ in self.sheets()))
        return path

    def sheet(self, name: str) -> Document:
        path = self.sheet_path(name)
        return Document(_text(path), path.name)

    def save(self, name: str, text: str) -> None:
        """Keep a scenario under a name, in place of what was there; those that come with Hakoniwa stay as they are."""
        if not is_name(name):
            raise UsageError("shelf.bad-name", name=name)
        if name in scenarios.shipped():
            raise UsageError("shelf.shipped", name=name)
        if len(text.encode()) > MAX_BYTES:
            raise ScenarioError("scenario.too-large", file=name, limit=MAX_BYTES)
        if name not in (own := list(_own(self.folder))) and len(own) >= MOST_OWN:
            raise UsageError("shelf.full", limit=MOST_OWN)
        private_folder(self.folder)
        write_whole(self.folder / f"{name}.yaml", text.encode())

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


def _own(folder: Path) -> Iterator[str]:
    return (path.stem for path in sorted(folder.glob("*.yaml")) if is_name(path.stem) and path.is_file())


def _text(path: Path) -> str:
    """What is in a file; complaints call it by its name alone, as where it is on this machine is nobody's business."""
    if path.stat().st_size > MAX_BYTES:
        raise ScenarioError("scenario.too-large", file=path.name, limit=MAX_BYTES)
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ScenarioError("scenario.not-utf8", file=path.name, at=error.start) from None
