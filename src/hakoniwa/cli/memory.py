"""`hakoniwa memory`: what a persona remembers, why, and how to make it forget."""

import asyncio
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Annotated

import typer
from pydantic import TypeAdapter

from hakoniwa.app import journal_of, ledger_of, model_of
from hakoniwa.app.chats import chats, ghost_of, someone, time_of
from hakoniwa.app.means import spool_of
from hakoniwa.cli.printer import as_json
from hakoniwa.cli.recollection import counted, entry, event_line, farewell, in_lines, short, side_by_side
from hakoniwa.cli.terminal import Terminal
from hakoniwa.errors import UnknownName, UsageError
from hakoniwa.ghost.candidate import Candidate
from hakoniwa.ghost.ghost import Ghost
from hakoniwa.ghost.inspect import compare, in_place, inner_life, remembered, search, trace
from hakoniwa.ghost.inspect import forget as purge
from hakoniwa.ghost.memory import Memory
from hakoniwa.journal import MAIN, Journal
from hakoniwa.settings import Settings

app = typer.Typer(add_completion=False)
FOUND = TypeAdapter(tuple[Candidate, ...])

Of = Annotated[str | None, typer.Option("--of", metavar="ID", help="cli.memory.of")]
Who = Annotated[str | None, typer.Option("--who", metavar="NAME", help="cli.memory.who")]
Branch = Annotated[str, typer.Option("--branch", metavar="NAME", help="cli.branch-of")]
AsJson = Annotated[bool, typer.Option("--json", help="cli.json")]
Where = Annotated[str | None, typer.Option("--journal", metavar="URL", help="cli.journal")]


@app.callback()
def memory() -> None:
    """What a persona remembers."""


@app.command("search")
def search_(
    context: typer.Context,
    words: Annotated[str, typer.Argument(metavar="WORDS", help="cli.memory.words")],
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=100, help="cli.memory.limit")] = 12,
    of: Of = None,
    who: Who = None,
    branch: Branch = MAIN,
    as_data: AsJson = False,
    journal: Where = None,
) -> None:
    """What there is about something."""
    terminal: Terminal = context.obj
    with opened(terminal.settings(journal=journal), of, who, branch) as ghost:
        found = asyncio.run(search(ghost, words, time_of(ghost), limit))
    if as_data:
        terminal.print(as_json(FOUND.dump_python(tuple(found), mode="json")))
    elif not found:
        terminal.print(terminal.say("chat.memory-none"))
    for one in () if as_data else found:
        terminal.print(entry(terminal, one))


@app.command()
def show(
    context: typer.Context,
    event: Annotated[int | None, typer.Argument(metavar="EVENT", min=1, help="cli.memory.event")] = None,
    of: Of = None,
    who: Who = None,
    branch: Branch = MAIN,
    as_data: AsJson = False,
    journal: Where = None,
) -> None:
    """What a persona holds to be so, or one event and all that hangs on it."""
    terminal: Terminal = context.obj
    with opened(terminal.settings(journal=journal), of, who, branch) as ghost:
        found = inner_life(ghost, time_of(ghost)) if event is None else trace(ghost, event)
    for line in [as_json(found.model_dump(mode="json"))] if as_data else in_lines(terminal, found):
        terminal.print(line)


@app.command()
def stats(
    context: typer.Context,
    of: Of = None,
    who: Who = None,
    branch: Branch = MAIN,
    as_data: AsJson = False,
    journal: Where = None,
) -> None:
    """How much is remembered."""
    terminal: Terminal = context.obj
    with opened(terminal.settings(journal=journal), of, who, branch) as ghost:
        found = ghost.memories.stats(ghost.scope).model_dump(mode="json")
    if as_data:
        terminal.print(as_json(found))
        return
    for name, value in found.items():
        terminal.print(terminal.say(f"memory.stats.{name}", count=counted(value)))


@app.command()
def forget(
    context: typer.Context,
    events: Annotated[list[int], typer.Argument(metavar="EVENT...", min=1, help="cli.memory.events")],
    yes: Annotated[bool, typer.Option("--yes", help="cli.memory.yes")] = False,
    of: Of = None,
    who: Who = None,
    branch: Branch = MAIN,
    as_data: AsJson = False,
    journal: Where = None,
) -> None:
    """Purge events, for good, and say what was removed."""
    terminal: Terminal = context.obj
    settings = terminal.settings(journal=journal)
    with opened(settings, of, who, branch) as ghost:
        if not yes and not _confirmed(terminal, remembered(ghost, events)):
            terminal.print(terminal.say("memory.kept"))
            return
        gone = purge(ghost, events, spool_of(settings))
    for line in [as_json(gone.model_dump(mode="json"))] if as_data else farewell(terminal, gone):
        terminal.print(line)


@app.command("compare")
def compare_(
    context: typer.Context,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="cli.memory.text")],
    persona: Annotated[list[str], typer.Option("--persona", metavar="NAME", help="cli.memory.persona")],
    of: Of = None,
    who: Who = None,
    branch: Branch = MAIN,
    model: Annotated[str | None, typer.Option("--model", metavar="NAME", help="cli.play.model")] = None,
    base_url: Annotated[str | None, typer.Option("--base-url", metavar="URL", help="cli.play.base-url")] = None,
    as_data: AsJson = False,
    journal: Where = None,
) -> None:
    """One input, two personas: what each would call to mind, side by side."""
    terminal: Terminal = context.obj
    settings = terminal.settings(journal=journal, model=model, base_url=base_url)
    if not 1 <= len(persona) <= 2:
        raise UsageError("memory.two-personas")
    found = model_of(settings)
    with closing(journal_of(settings)) as source:
        ghost = _ghost(source, settings, of, who, branch)
        sides = [in_place(ghost, *someone(source, settings, one)) for one in persona]
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
def opened(settings: Settings, of: str | None, who: str | None, branch: str) -> Iterator[Ghost]:
    """The memory a command is about; without a name, that of the chat talked in last."""
    with closing(journal_of(settings)) as journal:
        yield _ghost(journal, settings, of, who, branch)


def _ghost(journal: Journal, settings: Settings, of: str | None, who: str | None, branch: str) -> Ghost:
    name = of or next((one.id for one in reversed(chats(journal))), None)
    if name is None:
        raise UnknownName("unknown.no-chat")
    return ghost_of(journal, settings, journal.garden(name), branch, who)


def _confirmed(terminal: Terminal, events: Mapping[int, Memory]) -> bool:
    """Whether the user means it, with the events before their eyes; where nobody can be asked, --yes is needed."""
    for seq, one in events.items():
        terminal.complain(event_line(terminal, seq, one.at, short(one.text)))
    if not sys.stdin.isatty():
        raise UsageError("memory.needs-yes")
    return input(terminal.say("memory.really", count=len(events))).strip().casefold() in ("y", "yes", "はい")
