"""`hakoniwa replay`: read a garden back from its journal; no mind is asked anything."""

import sys
import time
from contextlib import closing
from typing import Annotated

import typer
from rich.text import Text

from hakoniwa.app import journal_of, resumed_session
from hakoniwa.cli.options import BranchOption, GardenArgument, JournalOption, JsonOption, ThoughtsOption, command
from hakoniwa.cli.printer import HEADING, JsonPrinter, PlayPrinter, Printer
from hakoniwa.cli.screen import printable
from hakoniwa.cli.terminal import Terminal, as_json
from hakoniwa.journal import MAIN
from hakoniwa.play.highlights import highlights
from hakoniwa.play.session import Session

app = typer.Typer()


@command(app)
def replay(
    terminal: Terminal,
    garden: GardenArgument,
    branch: BranchOption = MAIN,
    speed: Annotated[float | None, typer.Option("--speed", metavar="S", min=0, help="cli.replay.speed")] = None,
    as_data: JsonOption = False,
    thoughts: ThoughtsOption = False,
    best: Annotated[bool, typer.Option("--highlights", help="cli.replay.highlights")] = False,
    journal: JournalOption = None,
) -> None:
    """The whole play, turn by turn."""
    settings = terminal.settings(journal=journal, speed=speed)
    with closing(journal_of(settings)) as source, closing(resumed_session(source, garden, branch)) as session:
        if best:
            show_highlights(terminal, session, as_data)
            return
        printer: Printer = JsonPrinter(terminal) if as_data else PlayPrinter(terminal, session, thoughts)
        if isinstance(printer, PlayPrinter):
            printer.title(session.scenario.title)
        watched = speed is not None or (sys.stdout.isatty() and not as_data)
        for place, row in enumerate(session.rows):
            if watched and row.event.kind == "turn":
                time.sleep(settings.speed)
            printer.follow(session.rows[place : place + 1])


def show_highlights(terminal: Terminal, session: Session, as_data: bool) -> None:
    """The highlights alone, in the order of the story."""
    found = highlights(session)
    if as_data:
        terminal.print(as_json(found))
        return
    printer = PlayPrinter(terminal, session)
    printer.title(session.scenario.title)
    if not found:
        printer.aside(terminal.say("replay.no-highlights"))
    for one in found:
        printer.lines(["", Text(printable(one.title), HEADING), one.told])
        printer.aside(terminal.say("replay.span", first=one.turns[0], last=one.turns[-1]))
