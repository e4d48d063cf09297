"""`hakoniwa gardens`, `branch`, `replay`, `export`, `backup`, `verify`: the gardens of a journal."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from hakoniwa.app import journal_of, resumed_session
from hakoniwa.app.chats import chat_at
from hakoniwa.app.garden_file import GardenWriter
from hakoniwa.app.gardens import garden_at
from hakoniwa.app.imports import export_chat
from hakoniwa.cli.options import BranchOption, GardenArgument, JournalOption, JsonOption, ThoughtsOption, command
from hakoniwa.cli.printer import HEADING, JsonPrinter, PlayPrinter, Printer
from hakoniwa.cli.screen import cells, harmless_json, printable
from hakoniwa.cli.terminal import Terminal, as_json
from hakoniwa.errors import JournalBroken, UsageError
from hakoniwa.journal import MAIN, Branch, GardenRecord, GardenSummary, Journal, Row
from hakoniwa.own_files import write_atomically
from hakoniwa.play.export import to_html, to_jsonl, to_markdown
from hakoniwa.play.highlights import highlights
from hakoniwa.play.session import Session
from hakoniwa.play.state_hash import verify as problems_of

app = typer.Typer()
FORMATS = ("md", "html", "jsonl")
TAVERN, SHARED = "sillytavern", "hakoniwa"  # the format of a chat, and of a garden to hand on


# --- gardens ---------------------------------------------------------------------------------------------------------


@command(app)
def gardens(terminal: Terminal, as_data: JsonOption = False, journal: JournalOption = None) -> None:
    """Every garden of the journal, the one played last at the end."""
    with closing(journal_of(terminal.settings(journal=journal))) as source:
        played = [_garden_data(source, one) for one in source.plates() if one.scenario]
    found = sorted(played, key=lambda one: one["played_at"] or "")
    terminal.show(found, _garden_lines(terminal, found), as_data=as_data)


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


def latest_garden(journal: Journal, scenario: str | None = None) -> str | None:
    """The garden that was played last, of a scenario or of any: rows are numbered across all gardens as they come."""
    played = (one for one in journal.plates() if one.scenario and scenario in (None, one.scenario))
    last = max(played, key=lambda one: one.newest, default=None)
    return last.id if last else None


def last_row(journal: Journal, head: int | None) -> Row | None:
    """The row a head is at."""
    return next(iter(journal.since(head - 1, limit=1)), None) if head else None


def _garden_lines(terminal: Terminal, found: list[dict[str, Any]]) -> Iterator[str]:
    if not found:
        yield terminal.say("gardens.none")
    column = max((cells(one["garden"]) for one in found), default=0)
    for one in found:
        name = one["garden"] + " " * (column - cells(one["garden"]))
        when = f"{datetime.fromisoformat(one['played_at']).astimezone():%Y-%m-%d %H:%M}" if one["played_at"] else "-"
        turns = terminal.say("gardens.turns", turn=one["turn"])
        branches = terminal.say("gardens.branches", count=len(one["branches"]))
        yield f"{name}  {when}  {turns}  {branches}  {one['title']}"


# --- branch ----------------------------------------------------------------------------------------------------------


@command(app)
def branch(
    terminal: Terminal,
    garden: GardenArgument,
    new: Annotated[str | None, typer.Option("--new", metavar="NAME", help="cli.branch.new")] = None,
    at: Annotated[int | None, typer.Option("--at", metavar="TURN", min=0, help="cli.branch.at")] = None,
    source: Annotated[str, typer.Option("--from", metavar="BRANCH", help="cli.branch.from")] = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """List the branches, or fork one off."""
    with closing(journal_of(terminal.settings(journal=journal))) as book:
        if new is not None:
            made = book.fork(garden, source, new, row_at(book.lineage(garden, source), at))
            play = terminal.command("play", "--garden", garden, "--branch", new)
            terminal.print(terminal.say("branch.made", branch=new, turn=made.turn, command=play))
        else:
            terminal.show(book.branches(garden), tree(book, garden, terminal), as_data=as_data)


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


# --- export and backup -----------------------------------------------------------------------------------------------


@command(app)
def export(
    terminal: Terminal,
    garden: GardenArgument,
    form: Annotated[
        str | None, typer.Option("--format", metavar="FORMAT", help="cli.export.format")
    ] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE", help="cli.export.output")] = None,
    branch: BranchOption = MAIN,
    journal: JournalOption = None,
) -> None:
    """Write a garden out, as a script to read or as data to keep."""
    chosen = form or (format_of(output) if output else None) or "md"
    known = (*FORMATS, TAVERN, SHARED)
    if chosen not in known:
        raise UsageError("usage.bad-format", found=chosen, known=", ".join(known))
    if chosen == SHARED:
        _share_garden(terminal, garden, output, journal)
        return
    with closing(journal_of(terminal.settings(journal=journal))) as source:
        text = _exported_text(source, garden, branch, chosen, terminal.lang)
    if output is None:
        terminal.print((harmless_json(text) if chosen in ("jsonl", TAVERN) else text).removesuffix("\n"))
    else:
        write_atomically(output, text.encode())
        terminal.complain(terminal.say("export.done", path=output))


def _share_garden(terminal: Terminal, garden: str, output: Path | None, journal: str | None) -> None:
    """Write a garden file, and say what goes along and what stays at home."""
    if output is None:
        raise UsageError("usage.missing", name="--output")
    with closing(journal_of(terminal.settings(journal=journal))) as source:
        shared = GardenWriter(source, garden_at(source, garden))
    write_atomically(output, shared.archive())
    told = shared.contents
    counts = told.model_dump(exclude={"people", "branches"}) | {"branches": len(told.branches)}
    terminal.complain(terminal.say("export.shared", path=output, people=", ".join(told.people), **counts))


def _exported_text(journal: Journal, garden: str, branch: str, form: str, lang: str) -> str:
    if form == TAVERN:
        return "".join(f"{line}\n" for line in export_chat(journal, chat_at(journal, garden), branch))
    with closing(resumed_session(journal, garden, branch)) as session:
        return render_garden(session, form, lang)


def format_of(path: Path) -> str | None:
    """The format a file's name asks for."""
    form = path.suffix.lower().removeprefix(".")
    return form if form in (*FORMATS, SHARED) else None


def render_garden(session: Session, form: str, lang: str) -> str:
    match form:
        case "html":
            return to_html(session, lang)
        case "jsonl":
            return to_jsonl(session)
    return to_markdown(session, lang)


@command(app)
def backup(
    terminal: Terminal,
    path: Annotated[Path, typer.Argument(metavar="PATH", help="cli.backup.path")],
    journal: JournalOption = None,
) -> None:
    """Copy the whole journal into a new SQLite file."""
    with closing(journal_of(terminal.settings(journal=journal))) as source:
        source.backup(path)
    terminal.print(terminal.say("backup.done", path=path))


# --- verify ----------------------------------------------------------------------------------------------------------


@command(app)
def verify(
    terminal: Terminal,
    garden: Annotated[str | None, typer.Argument(metavar="GARDEN", help="cli.garden")] = None,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """Check whether one garden, or all, can be trusted."""
    with closing(journal_of(terminal.settings(journal=journal))) as source:
        gardens = source.gardens() if garden is None else [source.garden(garden)]
        found = {one.id: _problems(source, one) for one in gardens}
    terminal.show(found, _verdicts(terminal, found), as_data=as_data)
    if any(found.values()):
        raise typer.Exit(JournalBroken.exit_code)


def _problems(journal: Journal, garden: GardenRecord) -> list[str]:
    """Rows of the referee alone belong to no scenario: there is no world to be refolded."""
    return problems_of(journal, garden.id) if garden.scenario else journal.check(garden.id)


def _verdicts(terminal: Terminal, found: dict[str, list[str]]) -> Iterator[str]:
    if not found:
        yield terminal.say("verify.none")
    for name, problems in found.items():
        yield terminal.say("verify.found" if problems else "verify.fine", garden=name, count=len(problems))
        yield from (f"  {one}" for one in problems)


# --- replay -----------------------------------------------------------------------------------------------------------


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
