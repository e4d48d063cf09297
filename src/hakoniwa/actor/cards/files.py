"""Sheets that come from cards, as files: the sheet in YAML, and beside it the card, as it came, to the byte."""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

import yaml

from hakoniwa.actor.cards import containers
from hakoniwa.actor.cards.book import clean_name
from hakoniwa.actor.cards.read import Card, read_card
from hakoniwa.actor.character import CardSource, Character
from hakoniwa.errors import CardError, ScenarioError
from hakoniwa.own_files import lock_file, private_folder, write_atomically
from hakoniwa.stage.document import MAX_BYTES, Document

MAX_FILE_NAME = 200
_NOT_IN_FILE_NAMES = re.compile(r'[<>:"/\\|?*]')
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)
_NO_BLOCK = re.compile(r"^[ \t]|[ \t]$|\A\n", re.MULTILINE)  # YAML would need more than the text itself
_STORING = Lock()
_BASE: type[Any] = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class _Dumper(_BASE):  # type: ignore[misc]
    """Writes texts of several lines as such."""


def _text(dumper: Any, text: str) -> Any:
    several = "\n" in text and not _NO_BLOCK.search(text)
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if several else None)


_Dumper.add_representer(str, _text)


def file_name(name: str) -> str:
    """A name for the file of a character that is safe on any disk and stays in its folder."""
    plain = _NOT_IN_FILE_NAMES.sub("_", clean_name(name)).strip(". ")
    short = plain.encode()[:MAX_FILE_NAME].decode(errors="ignore").strip(". ")
    return f"_{short}" if _RESERVED.fullmatch(short) else short or "character"


def sheet_text(sheet: Character, file: str = "-") -> str:
    """A sheet as YAML, with the numbers written out so that they can be edited."""
    given = sheet.model_dump(mode="json", exclude_defaults=True)
    given["personality"] = sheet.personality.model_dump(mode="json")
    data = {name: given[name] for name in Character.model_fields if name in given}
    text: str = yaml.dump(data, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=110)
    if len(text.encode()) > MAX_BYTES or not _loads(text):
        raise CardError("card.sheet-size", file=file, found=len(text.encode()), limit=MAX_BYTES)
    return text


def _loads(text: str) -> bool:
    """Whether a sheet can be read again: a file of few bytes may still hold too many values."""
    try:
        return isinstance(Document(text, "-").to(Character), Character)
    except ScenarioError:
        return False


def suffix_of(raw: bytes) -> str:
    """What the name of a card's file should end with, by what is in it."""
    return (
        ".png"
        if raw.startswith(containers.PNG_SIGNATURE)
        else ".charx"
        if raw.startswith(containers.ZIP_SIGNATURE)
        else ".json"
    )


def store(sheet: Character, raw: bytes, folder: Path, name: str, user: str = "", force: bool = False) -> Path:
    """Write a sheet made from the card in `raw`, and that card beside it; returns where the sheet is."""
    if file_name(name) != name:
        raise CardError("card.bad-name", name=name, nearest=file_name(name))
    path, card = folder / f"{name}.yaml", folder / f"{name}.card{suffix_of(raw)}"
    text = sheet_text(sheet.model_copy(update={"card": CardSource(file=card.name, user=user)}), str(path))
    private_folder(folder)
    with _alone_in(folder):
        for one in (path, card):
            if one.exists() and not force:
                raise CardError("card.exists", path=str(one))
        write_atomically(card, raw)
        write_atomically(path, text.encode())
    return path


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Of two cards that come under one name at once, one is the second, whichever processes bring them."""
    if sys.platform == "win32":  # which locks no folders: there, only what one process brings waits for its turn
        with _STORING:
            yield
        return
    file = os.open(folder, os.O_RDONLY)
    try:
        lock_file(file, wait=True)
        yield
    finally:
        os.close(file)


def open_sheet(path: Path) -> tuple[Character, Card | None]:
    """The sheet in a file, and the card it was made from."""
    sheet = Document.read(path).to(Character)
    if sheet.card is None:
        return sheet, None
    card = path.parent / sheet.card.file
    if not os.path.isfile(card):  # unlike the path itself, this takes a name too long for any disk for no file
        raise CardError("card.original", file=str(path), card=str(card))
    return sheet, read_card(card)
