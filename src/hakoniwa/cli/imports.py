"""`hakoniwa import`: garden files, and what SillyTavern has, told apart by what is in a file."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from hakoniwa.actor.cards.read import limited_bytes
from hakoniwa.app import journal_of
from hakoniwa.app.chats import ghost_of, time_of
from hakoniwa.app.garden_file import import_garden
from hakoniwa.app.imports import import_chat, import_lore, kind_of, remember
from hakoniwa.app.user_files import UserFiles, import_card
from hakoniwa.app.user_personas import UserPersonas, import_personas
from hakoniwa.cli.card import note_line
from hakoniwa.cli.options import JournalOption, command
from hakoniwa.cli.progress import progress_bar
from hakoniwa.cli.screen import printable
from hakoniwa.cli.terminal import Terminal
from hakoniwa.errors import UsageError
from hakoniwa.journal import MAIN, GardenRecord, Journal
from hakoniwa.settings import Settings

app = typer.Typer()


@command(app, "import")
def import_(
    terminal: Terminal,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="cli.import.files")],
    sheet: Annotated[str | None, typer.Option("--as", metavar="SHEET", help="cli.import.as")] = None,
    call_me: Annotated[str | None, typer.Option("--call-me", metavar="NAME", help="cli.import.call-me")] = None,
    journal: JournalOption = None,
) -> None:
    """Bring along gardens, and what SillyTavern has."""
    settings = terminal.settings(journal=journal)
    shelf = UserFiles(settings.home)
    for file in files:
        raw = limited_bytes(file)
        match kind_of(raw):
            case "card":
                lines = _import_card(terminal, shelf, raw, call_me or "")
            case "lore":
                lines = _import_lore(terminal, shelf, raw, file, sheet)
            case "personas":
                made = import_personas(UserPersonas(settings.home), raw, str(file))
                lines = iter([terminal.say("import.personas", count=len(made))])
            case "garden":
                lines = _import_garden(terminal, settings, raw, file)
            case "chat":
                lines = _import_chat(terminal, settings, raw, file, sheet, call_me)
        for line in lines:
            terminal.print(line)


def _import_card(terminal: Terminal, shelf: UserFiles, raw: bytes, user: str) -> Iterator[str]:
    name, imported = import_card(shelf, raw, None, user, replace=False)
    talk = terminal.command("chat", "--persona", name)
    yield terminal.say("import.card", name=printable(imported.sheet.display_name), sheet=name, command=talk)
    for note in imported.notes:
        yield note_line(terminal, note)


def _import_garden(terminal: Terminal, settings: Settings, raw: bytes, file: Path) -> Iterator[str]:
    with closing(journal_of(settings)) as journal:
        garden = import_garden(journal, raw, str(file))
    yield terminal.say("import.garden", garden=garden.id, command=terminal.command("play", "--garden", garden.id))


def _import_lore(terminal: Terminal, shelf: UserFiles, raw: bytes, file: Path, sheet: str | None) -> Iterator[str]:
    if sheet is None:
        raise UsageError("usage.missing", name="--as")
    count, notes = import_lore(shelf, raw, str(file), sheet)
    yield terminal.say("import.lore", count=count, sheet=sheet)
    for note in notes:
        yield note_line(terminal, note)


def _import_chat(
    terminal: Terminal, settings: Settings, raw: bytes, file: Path, sheet: str | None, call_me: str | None
) -> Iterator[str]:
    with closing(journal_of(settings)) as journal:
        chat = import_chat(journal, UserFiles(settings.home), raw, str(file), sheet, call_me)
        yield terminal.say("import.chat", chat=chat.id, command=terminal.command("chat", "--chat", chat.id))
        yield _remember_all(terminal, settings, journal, chat)


def _remember_all(terminal: Terminal, settings: Settings, journal: Journal, chat: GardenRecord) -> str:
    """Make memory of a chat, with a bar on a terminal; Ctrl-C leaves the rest to the next talk."""
    ghost = ghost_of(journal, settings, chat, MAIN)
    done = 0
    with progress_bar() as bar:
        task = bar.add_task(terminal.say("import.remembering"), total=None)
        try:
            while (step := remember(ghost, time_of(ghost))).settled:
                done += step.settled
                bar.update(task, completed=done, total=done + step.waiting)
        except KeyboardInterrupt:
            return terminal.say("import.broken-off", count=done)
    return terminal.say("import.remembered", count=done)
