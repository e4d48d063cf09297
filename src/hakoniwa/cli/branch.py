"""`hakoniwa branch`: the branches of a garden as a tree, and new ones."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Annotated

import typer

from hakoniwa.app import journal_of
from hakoniwa.cli.gardens import last_row
from hakoniwa.cli.printer import as_json
from hakoniwa.cli.terminal import Terminal
from hakoniwa.errors import UsageError
from hakoniwa.journal import MAIN, Branch, Journal, Row

app = typer.Typer(add_completion=False)


@app.command()
def branch(
    context: typer.Context,
    garden: Annotated[str, typer.Argument(metavar="GARDEN", help="cli.garden")],
    new: Annotated[str | None, typer.Option("--new", metavar="NAME", help="cli.branch.new")] = None,
    at: Annotated[int | None, typer.Option("--at", metavar="TURN", min=0, help="cli.branch.at")] = None,
    source: Annotated[str, typer.Option("--from", metavar="BRANCH", help="cli.branch.from")] = MAIN,
    as_data: Annotated[bool, typer.Option("--json", help="cli.json")] = False,
    journal: Annotated[str | None, typer.Option("--journal", metavar="URL", help="cli.journal")] = None,
) -> None:
    """List the branches, or fork one off."""
    terminal: Terminal = context.obj
    with closing(journal_of(terminal.settings(journal=journal))) as book:
        if new is not None:
            made = book.fork(garden, source, new, row_at(book.lineage(garden, source), at))
            command = terminal.command("play", "--garden", garden, "--branch", new)
            terminal.print(terminal.say("branch.made", branch=new, turn=made.turn, command=command))
        elif as_data:
            terminal.print(as_json([one.model_dump(mode="json") for one in book.branches(garden)]))
        else:
            for line in tree(book, garden, terminal):
                terminal.print(line)


def row_at(rows: Sequence[Row], turn: int | None) -> int | None:
    """The last row that belongs to a turn; None before the first row of all."""
    last = max((row.event.turn for row in rows), default=0)
    if turn is None:
        return rows[-1].seq if rows else None
    if turn > last:
        raise UsageError("play.no-such-turn", wanted=turn, last=last)
    later = next((place for place, row in enumerate(rows) if row.event.turn > turn), len(rows))
    return rows[later - 1].seq if later else None


def tree(journal: Journal, garden: str, terminal: Terminal, here: str | None = None) -> Iterator[str]:
    """Every branch under the one it was forked from; `here` is marked."""
    for depth, one in _in_order(journal.branches(garden), None, 0):
        row = last_row(journal, one.head)
        details = {"name": one.name, "at": one.turn, "turn": row.event.turn if row else 0}
        lead = "   " * (depth - 1) + "└─ " if depth else ""
        mark = " ◀" if one.name == here else ""
        yield lead + terminal.say("branch.forked" if one.parent else "branch.row", **details) + mark


def _in_order(branches: Sequence[Branch], parent: str | None, depth: int) -> Iterator[tuple[int, Branch]]:
    for one in branches:
        if one.parent == parent:
            yield depth, one
            yield from _in_order(branches, one.name, depth + 1)
