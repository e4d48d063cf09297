"""`hakoniwa gardens`: what has been played."""

from contextlib import closing
from datetime import datetime
from typing import Annotated, Any

import typer

from hakoniwa.app import journal_of
from hakoniwa.cli.printer import as_json
from hakoniwa.cli.screen import cells
from hakoniwa.cli.terminal import Terminal
from hakoniwa.journal import GardenSummary, Journal, Row

app = typer.Typer(add_completion=False)


@app.command()
def gardens(
    context: typer.Context,
    as_data: Annotated[bool, typer.Option("--json", help="cli.json")] = False,
    journal: Annotated[str | None, typer.Option("--journal", metavar="URL", help="cli.journal")] = None,
) -> None:
    """Every garden of the journal, the one played last at the end."""
    terminal: Terminal = context.obj
    with closing(journal_of(terminal.settings(journal=journal))) as source:
        played = [_garden_data(source, one) for one in source.plates() if one.scenario]
    found = sorted(played, key=lambda one: one["played_at"] or "")
    if as_data:
        terminal.print(as_json(found))
    elif not found:
        terminal.print(terminal.say("gardens.none"))
    else:
        _table(terminal, found)


def _garden_data(journal: Journal, garden: GardenSummary) -> dict[str, Any]:
    newest = last_row(journal, garden.newest)
    return {
        "garden": garden.id,
        "scenario": garden.scenario,
        "title": garden.title,
        "seed": garden.seed,
        "turn": newest.event.turn if newest else 0,
        "branches": [one.name for one in garden.branches],
        "played_at": newest.recorded_at if newest else None,
    }


def last_row(journal: Journal, head: int | None) -> Row | None:
    """The row a head is at."""
    return next(iter(journal.since(head - 1, limit=1)), None) if head else None


def _table(terminal: Terminal, found: list[dict[str, Any]]) -> None:
    column = max(cells(one["garden"]) for one in found)
    for one in found:
        name = one["garden"] + " " * (column - cells(one["garden"]))
        when = f"{datetime.fromisoformat(one['played_at']).astimezone():%Y-%m-%d %H:%M}" if one["played_at"] else "-"
        turns = terminal.say("gardens.turns", turn=one["turn"])
        branches = terminal.say("gardens.branches", count=len(one["branches"]))
        terminal.print(f"{name}  {when}  {turns}  {branches}  {one['title']}")
