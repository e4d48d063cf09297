"""`hakoniwa logs`: what the Director did in a garden, turn by turn and in figures."""

from collections.abc import Sequence
from contextlib import closing
from typing import Annotated, Any

import typer

from hakoniwa.app import journal_of
from hakoniwa.cli.printer import as_json
from hakoniwa.cli.terminal import Terminal
from hakoniwa.cli.wrap import printable
from hakoniwa.director.sanitize import metrics
from hakoniwa.journal import MAIN, Journal, Row
from hakoniwa.play.standing import turn_of

app = typer.Typer(add_completion=False)


@app.callback()
def logs() -> None:
    """What is written down beside the play."""


@app.command()
def sanitizer(
    context: typer.Context,
    garden: Annotated[str | None, typer.Option("--garden", metavar="ID", help="cli.logs.garden")] = None,
    branch: Annotated[str, typer.Option("--branch", metavar="NAME", help="cli.branch-of")] = MAIN,
    as_data: Annotated[bool, typer.Option("--json", help="cli.json")] = False,
    journal: Annotated[str | None, typer.Option("--journal", metavar="URL", help="cli.journal")] = None,
) -> None:
    """The log of the sanitizer and its four figures."""
    terminal: Terminal = context.obj
    with closing(journal_of(terminal.settings(journal=journal))) as source:
        name = source.garden(garden).id if garden else latest(source)
        found = entries(source.lineage(name, branch)) if name else []
    if as_data:
        terminal.print(as_json({"entries": found, "metrics": metrics(found)}))
    elif name is None:
        terminal.print(terminal.say("gardens.none"))
    else:
        for line in _report(terminal, found):
            terminal.print(line)


def entries(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The log entry of every turn."""
    turns = [turn_of(row.event) for row in rows if row.event.kind == "turn"]
    return [
        {"turn": turn.number, "speaker": turn.speaker, "sanitizer": turn.take.sanitized.model_dump(mode="json")}
        for turn in turns
    ]


def latest(journal: Journal) -> str | None:
    """The garden that was played last."""
    last = max((one for one in journal.plates() if one.scenario), key=lambda one: one.newest, default=None)
    return last.id if last else None


def _report(terminal: Terminal, found: Sequence[dict[str, Any]]) -> list[str]:
    """The turns in which something was blocked, and the figures."""
    figures = metrics(found)
    lines = [_entry(terminal, one) for one in found if one["sanitizer"]["triggered"]]
    props = ", ".join(f"{prop} {count}" for prop, count in figures["blocked_props_topN"])
    return [
        *lines,
        terminal.say("logs.rate", rate=f"{figures['action_sanitized_rate']:.1%}"),
        terminal.say("logs.props", props=props or terminal.say("cli.none")),
        terminal.say("logs.removed", count=figures["action_removed_count"]),
        terminal.say("logs.replaced", count=figures["action_replaced_count"]),
    ]


def _entry(terminal: Terminal, entry: dict[str, Any]) -> str:
    what = entry["sanitizer"]
    shown = what["replacement"] or terminal.say("logs.nothing")
    line = terminal.say(
        "logs.entry",
        turn=entry["turn"], who=entry["speaker"], action=what["original_action"], shown=shown,
        props=", ".join(what["blocked_props"]),
    )  # fmt: skip
    return printable(line)
