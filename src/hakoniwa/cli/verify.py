"""`hakoniwa verify`: whether the journal can be trusted."""

from contextlib import closing
from typing import Annotated

import typer

from hakoniwa.app import journal_of
from hakoniwa.cli.printer import as_json
from hakoniwa.cli.terminal import Terminal
from hakoniwa.errors import JournalBroken
from hakoniwa.journal import Garden, Journal
from hakoniwa.play.state_hash import verify as problems_of

app = typer.Typer(add_completion=False)


@app.command()
def verify(
    context: typer.Context,
    garden: Annotated[str | None, typer.Argument(metavar="GARDEN", help="cli.garden")] = None,
    as_data: Annotated[bool, typer.Option("--json", help="cli.json")] = False,
    journal: Annotated[str | None, typer.Option("--journal", metavar="URL", help="cli.journal")] = None,
) -> None:
    """Check one garden, or all."""
    terminal: Terminal = context.obj
    with closing(journal_of(terminal.settings(journal=journal))) as source:
        gardens = source.gardens() if garden is None else [source.garden(garden)]
        found = {one.id: _problems(source, one) for one in gardens}
    if as_data:
        terminal.print(as_json(found))
    else:
        for line in _report(terminal, found):
            terminal.print(line)
    if any(found.values()):
        raise typer.Exit(JournalBroken.exit_code)


def _problems(journal: Journal, garden: Garden) -> list[str]:
    """Rows of the referee alone belong to no scenario: there is no world to be refolded."""
    return problems_of(journal, garden.id) if garden.scenario else journal.check(garden.id)


def _report(terminal: Terminal, found: dict[str, list[str]]) -> list[str]:
    if not found:
        return [terminal.say("verify.none")]
    lines = []
    for name, problems in found.items():
        lines.append(terminal.say("verify.found" if problems else "verify.fine", garden=name, count=len(problems)))
        lines += [f"  {one}" for one in problems]
    return lines
