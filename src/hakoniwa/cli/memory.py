"""`hakoniwa memory`: what a persona remembers, why, and how to make it forget."""

import asyncio
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Annotated

import typer
from pydantic import TypeAdapter

from hakoniwa.app import journal_of, ledger_of, model_of
from hakoniwa.app.autonomy import spool_of
from hakoniwa.app.chats import chats, ghost_of, persona_by_name, time_of
from hakoniwa.app.memory_inspection import compare, inner_life, load_events, search, substitute_persona, trace
from hakoniwa.app.memory_inspection import forget as purge
from hakoniwa.cli.memory_view import count_text, entry, event_line, forgotten_lines, memory_lines, shorten, side_by_side
from hakoniwa.cli.printer import as_json
from hakoniwa.cli.terminal import Terminal
from hakoniwa.errors import UnknownName, UsageError
from hakoniwa.journal import MAIN, Journal
from hakoniwa.memory.candidate import Candidate
from hakoniwa.memory.ghost import Ghost
from hakoniwa.persona.records import Memory
from hakoniwa.settings import Settings

app = typer.Typer(add_completion=False)
CANDIDATES = TypeAdapter(tuple[Candidate, ...])

OfOption = Annotated[str | None, typer.Option("--of", metavar="ID", help="cli.memory.of")]
WhoOption = Annotated[str | None, typer.Option("--who", metavar="NAME", help="cli.memory.who")]
BranchOption = Annotated[str, typer.Option("--branch", metavar="NAME", help="cli.branch-of")]
JsonOption = Annotated[bool, typer.Option("--json", help="cli.json")]
JournalOption = Annotated[str | None, typer.Option("--journal", metavar="URL", help="cli.journal")]


@app.callback()
def memory() -> None:
    """What a persona remembers."""


@app.command("search")
def search_(
    context: typer.Context,
    words: Annotated[str, typer.Argument(metavar="WORDS", help="cli.memory.words")],
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=100, help="cli.memory.limit")] = 12,
    of: OfOption = None,
    who: WhoOption = None,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """What there is about something."""
    terminal: Terminal = context.obj
    with open_memory(terminal.settings(journal=journal), of, who, branch) as ghost:
        found = asyncio.run(search(ghost, words, time_of(ghost), limit))
    if as_data:
        terminal.print(as_json(CANDIDATES.dump_python(tuple(found), mode="json")))
    elif not found:
        terminal.print(terminal.say("chat.memory-none"))
    for one in () if as_data else found:
        terminal.print(entry(terminal, one))


@app.command()
def show(
    context: typer.Context,
    event: Annotated[int | None, typer.Argument(metavar="EVENT", min=1, help="cli.memory.event")] = None,
    of: OfOption = None,
    who: WhoOption = None,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """What a persona holds to be so, or one event and all that hangs on it."""
    terminal: Terminal = context.obj
    with open_memory(terminal.settings(journal=journal), of, who, branch) as ghost:
        found = inner_life(ghost, time_of(ghost)) if event is None else trace(ghost, event)
    for line in [as_json(found.model_dump(mode="json"))] if as_data else memory_lines(terminal, found):
        terminal.print(line)


@app.command()
def stats(
    context: typer.Context,
    of: OfOption = None,
    who: WhoOption = None,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """How much is remembered."""
    terminal: Terminal = context.obj
    with open_memory(terminal.settings(journal=journal), of, who, branch) as ghost:
        found = ghost.memories.stats(ghost.scope).model_dump(mode="json")
    if as_data:
        terminal.print(as_json(found))
        return
    for name, value in found.items():
        terminal.print(terminal.say(f"memory.stats.{name}", count=count_text(value)))


@app.command()
def forget(
    context: typer.Context,
    events: Annotated[list[int], typer.Argument(metavar="EVENT...", min=1, help="cli.memory.events")],
    yes: Annotated[bool, typer.Option("--yes", help="cli.memory.yes")] = False,
    of: OfOption = None,
    who: WhoOption = None,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """Purge events, for good, and say what was removed."""
    terminal: Terminal = context.obj
    settings = terminal.settings(journal=journal)
    with open_memory(settings, of, who, branch) as ghost:
        if not yes and not _confirm(terminal, load_events(ghost, events)):
            terminal.print(terminal.say("memory.kept"))
            return
        gone = purge(ghost, events, spool_of(settings))
    for line in [as_json(gone.model_dump(mode="json"))] if as_data else forgotten_lines(terminal, gone):
        terminal.print(line)


@app.command("compare")
def compare_(
    context: typer.Context,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="cli.memory.text")],
    persona: Annotated[list[str], typer.Option("--persona", metavar="NAME", help="cli.memory.persona")],
    of: OfOption = None,
    who: WhoOption = None,
    branch: BranchOption = MAIN,
    model: Annotated[str | None, typer.Option("--model", metavar="NAME", help="cli.play.model")] = None,
    base_url: Annotated[str | None, typer.Option("--base-url", metavar="URL", help="cli.play.base-url")] = None,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """One input, two personas: what each would call to mind, side by side."""
    terminal: Terminal = context.obj
    settings = terminal.settings(journal=journal, model=model, base_url=base_url)
    if not 1 <= len(persona) <= 2:
        raise UsageError("memory.two-personas")
    found = model_of(settings)
    with closing(journal_of(settings)) as source:
        ghost = _ghost(source, settings, of, who, branch)
        sides = [substitute_persona(ghost, *persona_by_name(source, settings, one)) for one in persona]
        one, other = sides if len(sides) == 2 else (ghost, *sides)
        made = asyncio.run(compare(one, other, text, time_of(one), ledger_of(settings, found)))
        names = (one.persona.name, other.persona.name)
    if as_data:
        terminal.print(as_json({"overlap": made.overlap, **made.model_dump(mode="json")}))
    else:
        for line in side_by_side(terminal, made, names):
            terminal.print(line)


# --- which memory ---


@contextmanager
def open_memory(settings: Settings, of: str | None, who: str | None, branch: str) -> Iterator[Ghost]:
    """The memory a command is about; without a name, that of the chat talked in last."""
    with closing(journal_of(settings)) as journal:
        yield _ghost(journal, settings, of, who, branch)


def _ghost(journal: Journal, settings: Settings, of: str | None, who: str | None, branch: str) -> Ghost:
    name = of or next((one.id for one in reversed(chats(journal))), None)
    if name is None:
        raise UnknownName("unknown.no-chat")
    return ghost_of(journal, settings, journal.garden(name), branch, who)


def _confirm(terminal: Terminal, events: Mapping[int, Memory]) -> bool:
    """Whether the user means it, with the events before their eyes; where nobody can be asked, --yes is needed."""
    for seq, one in events.items():
        terminal.complain(event_line(terminal, seq, one.at, shorten(one.text)))
    if not sys.stdin.isatty():
        raise UsageError("memory.needs-yes")
    return input(terminal.say("memory.really", count=len(events))).strip().casefold() in ("y", "yes", "はい")
