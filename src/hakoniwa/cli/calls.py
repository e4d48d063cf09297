"""`hakoniwa calls`: what a model was asked in a garden, what it said, and what that cost."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from textwrap import indent
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from hakoniwa.app import journal_of
from hakoniwa.cli.logs import latest_garden
from hakoniwa.cli.printer import as_json
from hakoniwa.cli.screen import cells, printable
from hakoniwa.cli.terminal import Terminal
from hakoniwa.errors import JournalBroken
from hakoniwa.journal import MAIN, CallRow
from hakoniwa.llm import Call

app = typer.Typer(add_completion=False)
COLUMNS = ("turn", "speaker", "purpose", "model", "prompt", "cached", "completion", "first", "total", "tries", "notes")
WORDS = frozenset({"speaker", "purpose", "model", "notes"})
UNKNOWN = "-"
RULE = 72

RecordedCall = tuple[CallRow, Call]


@app.command()
def calls(
    context: typer.Context,
    garden: Annotated[str | None, typer.Argument(metavar="GARDEN", help="cli.calls.garden")] = None,
    turn: Annotated[int | None, typer.Option("--turn", metavar="N", min=0, help="cli.calls.turn")] = None,
    purpose: Annotated[str | None, typer.Option("--purpose", metavar="P", help="cli.calls.purpose")] = None,
    full: Annotated[bool, typer.Option("--full", help="cli.calls.full")] = False,
    branch: Annotated[str, typer.Option("--branch", metavar="NAME", help="cli.branch-of")] = MAIN,
    as_data: Annotated[bool, typer.Option("--json", help="cli.json")] = False,
    journal: Annotated[str | None, typer.Option("--journal", metavar="URL", help="cli.journal")] = None,
) -> None:
    """A table of calls with totals, or every prompt and reply."""
    terminal: Terminal = context.obj
    with closing(journal_of(terminal.settings(journal=journal))) as source:
        name = garden or latest_garden(source)
        rows = source.calls(name, branch, turn, prompts=full) if name else []
    found = [(row, call) for row in rows if serves(call := parse_call(row), purpose)]
    if as_data:
        terminal.print(as_json({"calls": [call_data(*one, full) for one in found], "totals": totals(found)}))
    elif not found:
        terminal.print(terminal.say("calls.none" if name else "gardens.none"))
    else:
        for line in [*(pages(terminal, found) if full else table(terminal, found)), *summary(terminal, found)]:
            terminal.print(line)


def parse_call(row: CallRow) -> Call:
    try:
        return Call.model_validate(row.call, extra="ignore")
    except ValidationError as error:
        raise JournalBroken("journal.broken", path=row.garden, problem=f"call {row.id} cannot be read") from error


def serves(call: Call, purpose: str | None) -> bool:
    """Whether a call is for this purpose: `actor` covers `actor.think`."""
    return purpose is None or f"{call.purpose}.".startswith(f"{purpose}.")


def call_data(row: CallRow, call: Call, full: bool) -> dict[str, Any]:
    """A call for programs, in the words of the code."""
    said = call.model_dump(mode="json", exclude=None if full else {"messages", "reply"})
    return {**row.model_dump(mode="json", exclude={"call"}), **said}


def totals(found: Sequence[RecordedCall]) -> dict[str, Any]:
    """What the calls came to; tokens that no server counted are not in it."""
    made = [call for _, call in found]
    shared = [call.usage for call in made if call.usage.cached is not None and call.usage.prompt]
    counted = sum(usage.prompt or 0 for usage in shared)
    cached = sum(usage.cached or 0 for usage in shared)
    return {
        "calls": len(made),
        "faults": sum(call.fault is not None for call in made),
        "tries": sum(call.tries for call in made),
        "prompt": sum(call.usage.prompt or 0 for call in made),
        "cached": cached,
        "cached_share": round(cached / counted, 4) if counted else None,
        "completion": sum(call.usage.completion or 0 for call in made),
        "total_ms": round(sum(call.total_ms for call in made), 1),
    }


# --- for people ------------------------------------------------------------------------------------------------------


def table(terminal: Terminal, found: Sequence[RecordedCall]) -> Iterator[str]:
    """One line a call, under a head; words to the left, numbers to the right."""
    rows = [
        {name: terminal.say(f"calls.column.{name}") for name in COLUMNS},
        *(row_of(terminal, *one) for one in found),
    ]
    widths = {name: max(cells(row[name]) for row in rows) for name in COLUMNS}
    for row in rows:
        yield "  ".join(_align(name, row[name], widths[name]) for name in COLUMNS).rstrip()


def _align(name: str, text: str, width: int) -> str:
    gap = " " * (width - cells(text))
    return text + gap if name in WORDS else gap + text


def row_of(terminal: Terminal, row: CallRow, call: Call) -> dict[str, str]:
    """A call in the columns of the table."""
    figures = {
        "turn": row.turn,
        "prompt": call.usage.prompt,
        "cached": call.usage.cached,
        "completion": call.usage.completion,
        "first": None if call.first_ms is None else round(call.first_ms),
        "total": round(call.total_ms),
        "tries": call.tries,
    }
    words = {"speaker": row.speaker, "purpose": call.purpose, "model": call.model, "notes": notes(terminal, row, call)}
    shown = {name: UNKNOWN if value is None else f"{value}" for name, value in figures.items()}
    return {**shown, **{name: printable(word or UNKNOWN).replace("\n", " ") for name, word in words.items()}}


def notes(terminal: Terminal, row: CallRow, call: Call) -> str:
    """What went wrong with a call, and whether its turn was taken back."""
    undone = terminal.say("calls.undone") if row.undone else None
    return ", ".join(note for note in (call.fault, call.warning, undone) if note)


def pages(terminal: Terminal, found: Sequence[RecordedCall]) -> Iterator[str]:
    """Every call with its whole prompt and reply."""
    for row, call in found:
        figures = row_of(terminal, row, call)
        yield _title_rule(terminal.say("calls.page", **figures))
        yield terminal.say("calls.figures", **figures)
        for message in call.messages:
            yield f"[{message.role}]"
            yield _indent_text(message.content)
        yield terminal.say("calls.reply")
        yield _indent_text(call.reply)
        yield ""


def _indent_text(text: str) -> str:
    """Text set apart, so that nothing in it can pass for a line of ours."""
    return indent(printable(text), "  ")


def _title_rule(title: str) -> str:
    return f"── {title} " + "─" * max(RULE - cells(title), 2)


def summary(terminal: Terminal, found: Sequence[RecordedCall]) -> Iterator[str]:
    sums = totals(found)
    share = UNKNOWN if sums["cached_share"] is None else f"{sums['cached_share']:.0%}"
    yield terminal.say("calls.totals", **{**sums, "share": share, "seconds": f"{sums['total_ms'] / 1000:.1f}"})
