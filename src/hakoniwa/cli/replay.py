"""`hakoniwa replay`: read a garden back from its journal; no mind is asked anything."""

import sys
import time
from contextlib import closing
from typing import Annotated

import typer

from hakoniwa.app import journal_of, resumed_session
from hakoniwa.cli.printer import JsonPrinter, PlayPrinter, Printer
from hakoniwa.cli.terminal import Terminal
from hakoniwa.journal import MAIN

app = typer.Typer(add_completion=False)


@app.command()
def replay(
    context: typer.Context,
    garden: Annotated[str, typer.Argument(metavar="GARDEN", help="cli.garden")],
    branch: Annotated[str, typer.Option("--branch", metavar="NAME", help="cli.branch-of")] = MAIN,
    speed: Annotated[float | None, typer.Option("--speed", metavar="S", min=0, help="cli.replay.speed")] = None,
    as_data: Annotated[bool, typer.Option("--json", help="cli.json")] = False,
    thoughts: Annotated[bool, typer.Option("--thoughts", help="cli.play.thoughts")] = False,
    journal: Annotated[str | None, typer.Option("--journal", metavar="URL", help="cli.journal")] = None,
) -> None:
    """The whole play, turn by turn."""
    terminal: Terminal = context.obj
    settings = terminal.settings(journal=journal, speed=speed)
    with closing(journal_of(settings)) as source, closing(resumed_session(source, garden, branch)) as session:
        printer: Printer = JsonPrinter(terminal) if as_data else PlayPrinter(terminal, session, thoughts)
        if isinstance(printer, PlayPrinter):
            printer.title(session.scenario.title)
        watched = speed is not None or (sys.stdout.isatty() and not as_data)
        for place, row in enumerate(session.rows):
            if watched and row.event.kind == "turn":
                time.sleep(settings.speed)
            printer.follow(session.rows[place : place + 1])
