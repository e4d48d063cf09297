"""`hakoniwa backup`: the whole journal in one file."""

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from hakoniwa.app import journal_of
from hakoniwa.cli.terminal import Terminal

app = typer.Typer(add_completion=False)


@app.command()
def backup(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(metavar="PATH", help="cli.backup.path")],
    journal: Annotated[str | None, typer.Option("--journal", metavar="URL", help="cli.journal")] = None,
) -> None:
    """Copy the journal into a new SQLite file."""
    terminal: Terminal = context.obj
    with closing(journal_of(terminal.settings(journal=journal))) as source:
        source.backup(path)
    terminal.print(terminal.say("backup.done", path=path))
