"""`hakoniwa card`: character cards of SillyTavern become sheets, and sheets become cards."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from hakoniwa.actor import character
from hakoniwa.actor.cards.book import ImportNote, entries_in
from hakoniwa.actor.cards.files import file_name, open_sheet, store, suffix_of
from hakoniwa.actor.cards.read import Card, Spec, card_in, limited_bytes
from hakoniwa.actor.cards.sheet import EXTENSION, ImportedSheet, sheet_of, unused_notes
from hakoniwa.actor.cards.write import card_of, json_of, png_of
from hakoniwa.cli.options import JsonOption, choice, command
from hakoniwa.cli.screen import cells, printable
from hakoniwa.cli.terminal import Terminal
from hakoniwa.errors import CardError, UsageError
from hakoniwa.own_files import write_atomically

app = typer.Typer()
FORMATS = ("png", "json")
COLUMN = 20


@command(app)
def show(
    terminal: Terminal,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="cli.card.file")],
    as_data: JsonOption = False,
) -> None:
    """Say what is on a card."""
    raw = limited_bytes(file)
    found = card_in(raw, str(file))
    imported = sheet_of(found)
    summary = _summary(found, imported, suffix_of(raw).removeprefix("."))
    notes = [note_line(terminal, note) for note in (*imported.notes, *unused_notes(found))]
    lines = _card_lines(terminal, summary, notes, imported.sheet.notes)
    terminal.show({**summary, "notes": notes}, lines, as_data=as_data)


@command(app, "import")
def import_(
    terminal: Terminal,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="cli.card.file")],
    to: Annotated[Path, typer.Option("--to", metavar="DIR", help="cli.card.import.to")] = Path(),
    name: Annotated[str | None, typer.Option("--name", metavar="NAME", help="cli.card.import.name")] = None,
    user: Annotated[str, typer.Option("--user", metavar="NAME", help="cli.card.import.user")] = "",
    force: Annotated[bool, typer.Option("--force", help="cli.card.force")] = False,
) -> None:
    """Make a sheet of a card."""
    raw = limited_bytes(file)
    found = card_in(raw, str(file))
    imported = sheet_of(found, user)
    sheet = imported.sheet
    path = store(sheet, raw, to, file_name(sheet.display_name) if name is None else name, user, force)
    terminal.print(terminal.say("card.imported", path=path, sheet=path.stem, name=printable(sheet.display_name)))
    for note in (*imported.notes, *unused_notes(found)):
        terminal.print(note_line(terminal, note))


@command(app)
def export(
    terminal: Terminal,
    sheet: Annotated[str, typer.Argument(metavar="SHEET", help="cli.card.export.sheet")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="cli.card.export.file")],
    spec: Annotated[str | None, typer.Option("--spec", metavar="v1|v2|v3", help="cli.card.export.spec")] = None,
    image: Annotated[Path | None, typer.Option("--image", metavar="FILE", help="cli.card.export.image")] = None,
    force: Annotated[bool, typer.Option("--force", help="cli.card.force")] = False,
) -> None:
    """Make a card of a sheet."""
    form = file.suffix.lower().removeprefix(".")
    if form not in FORMATS:
        raise UsageError("usage.bad-format", found=file.name, known=", ".join(f".{one}" for one in FORMATS))
    if file.exists() and not force:
        raise CardError("card.exists", path=str(file))
    made = card_of(*open_sheet(_sheet_at(sheet)), choice(spec, Spec, "usage.bad-format"))
    picture = limited_bytes(image) if image else None
    write_atomically(file, json_of(made) if form == "json" else png_of(made, picture, str(image or made.file)))
    terminal.print(terminal.say("card.exported", path=file))


def _sheet_at(name: str) -> Path:
    """A sheet by path, or by the name a scenario would use."""
    return Path(name) if name.endswith((".yaml", ".yml")) or "/" in name else character.find(name, Path())


# --- what is on a card ---------------------------------------------------------------------------------------------


def _summary(found: Card, imported: ImportedSheet, container: str) -> dict[str, Any]:
    """The card in figures, by what its parts are called."""
    sheet, fields = imported.sheet, found.fields
    tags = fields.get("tags")
    extensions = fields.get("extensions")
    return {
        "name": sheet.display_name,
        "nickname": sheet.short_name,
        "spec": found.spec,
        "container": container,
        "creator": _line(fields.get("creator")),
        "version": _line(fields.get("character_version")),
        "tags": [_line(tag) for tag in tags if _line(tag)] if isinstance(tags, list) else [],
        "persona": len(sheet.persona),
        "greetings": len(sheet.greetings),
        "examples": len(sheet.examples),
        "lore": len(entries_in(fields.get("character_book"))),
        "sheet": isinstance(extensions, dict) and EXTENSION in extensions,
    }


def _line(value: Any) -> str:
    return " ".join(printable(value).split())[:200] if isinstance(value, str) else ""


def note_line(terminal: Terminal, note: ImportNote) -> str:
    return terminal.say("card.note", text=terminal.say(f"card.noted.{note.key}", **note.details))


def _card_lines(terminal: Terminal, summary: dict[str, Any], notes: list[str], words: str) -> Iterator[str]:
    yield f"{summary['name']} ({summary['spec'].upper()}, {summary['container'].upper()})"
    for key in ("nickname", "creator", "version", "tags", "persona", "greetings", "examples", "lore", "sheet"):
        value = ", ".join(summary[key]) if isinstance(summary[key], list) else summary[key]
        if value not in ("", False):
            label = terminal.say(f"card.part.{key}")
            shown = terminal.say("card.yes") if value is True else value
            yield f"  {label}{' ' * max(1, COLUMN - cells(label))}{shown}"
    yield from notes
    if words:
        yield "\n" + terminal.say("card.words") + "\n" + printable(words)
