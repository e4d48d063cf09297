"""`hakoniwa autonomy`: let a persona live by itself, see what it does and why, and have it rest."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

import typer
from pydantic import TypeAdapter

from hakoniwa.app import journal_of, model_of
from hakoniwa.app.autonomy import autonomy_log_of, policy_of
from hakoniwa.app.chats import chats
from hakoniwa.autonomy.inspect import (
    AutonomyStatus,
    DeliberationRecord,
    autonomy_status,
    away_since,
    build_digest,
    recent_deliberations,
)
from hakoniwa.autonomy.log import AutonomyLog
from hakoniwa.autonomy.policy import AutonomyPolicy
from hakoniwa.chat.clock import Clock
from hakoniwa.cli.autonomy_view import (
    clock_line,
    future_time,
    hindrance_line,
    page,
    past_time,
    span,
    status_lines,
    why_lines,
)
from hakoniwa.cli.printer import as_json
from hakoniwa.cli.screen import Screen
from hakoniwa.cli.terminal import Terminal
from hakoniwa.errors import ModelError, UnknownName, UsageError
from hakoniwa.journal import MAIN, Garden, Journal
from hakoniwa.settings import Settings

app = typer.Typer(add_completion=False)
CONSIDERED = TypeAdapter(list[DeliberationRecord])
A_DAY = timedelta(days=1)
LONGEST_NOTE = 400

ChatOption = Annotated[str | None, typer.Option("--chat", metavar="ID", help="cli.autonomy.chat")]
BranchOption = Annotated[str, typer.Option("--branch", metavar="NAME", help="cli.branch-of")]
JsonOption = Annotated[bool, typer.Option("--json", help="cli.json")]
JournalOption = Annotated[str | None, typer.Option("--journal", metavar="URL", help="cli.journal")]


@dataclass(frozen=True)
class AutonomyTarget:
    """The persona a command is about, and what it lives by."""

    name: str
    garden: Garden
    doings: AutonomyLog
    clock: Clock
    manners: AutonomyPolicy

    def standing(self) -> AutonomyStatus:
        return autonomy_status(self.doings.follow(), self.manners, self.clock)


@app.callback()
def autonomy() -> None:
    """A persona between exchanges."""


@app.command()
def start(
    context: typer.Context,
    chat: ChatOption = None,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """Let the persona live by itself."""
    terminal: Terminal = context.obj
    settings = terminal.settings(journal=journal)
    with open_autonomy(settings, chat, branch) as life:
        life.doings.control("start", life.clock.now())
        _tell(terminal, life, "autonomy.started", as_data)
    if not as_data:
        terminal.print(terminal.say("autonomy.needs-worker"))
    if not _has_model(settings):
        terminal.complain(terminal.say("autonomy.needs-model"))


@app.command()
def stop(
    context: typer.Context,
    chat: ChatOption = None,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """Let it only answer again."""
    terminal: Terminal = context.obj
    with open_autonomy(terminal.settings(journal=journal), chat, branch) as life:
        life.doings.control("stop", life.clock.now())
        _tell(terminal, life, "autonomy.stopped", as_data)


@app.command()
def pause(
    context: typer.Context,
    until: Annotated[str | None, typer.Option("--until", metavar="TIME", help="cli.autonomy.until")] = None,
    length: Annotated[str | None, typer.Option("--for", metavar="SPAN", help="cli.autonomy.for")] = None,
    chat: ChatOption = None,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """Have it rest, for a while or until it is told to go on."""
    terminal: Terminal = context.obj
    if until and length:
        raise UsageError("autonomy.until-or-for")
    with open_autonomy(terminal.settings(journal=journal), chat, branch) as life:
        now = life.clock.now()
        end = future_time(until, now) if until else now + span(length) if length else None
        life.doings.control("pause", now, end)
        _tell(terminal, life, "autonomy.paused", as_data)


@app.command()
def resume(
    context: typer.Context,
    chat: ChatOption = None,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """Have it go on."""
    terminal: Terminal = context.obj
    with open_autonomy(terminal.settings(journal=journal), chat, branch) as life:
        life.doings.control("resume", life.clock.now())
        _tell(terminal, life, "autonomy.resumed", as_data)


@app.command()
def status(
    context: typer.Context,
    chat: ChatOption = None,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """How things stand."""
    terminal: Terminal = context.obj
    with open_autonomy(terminal.settings(journal=journal), chat, branch) as life:
        now = life.standing()
    for line in [as_json(now.model_dump(mode="json"))] if as_data else status_lines(terminal, life.name, now):
        terminal.print(line)


@app.command()
def why(
    context: typer.Context,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=100, help="cli.autonomy.limit")] = 5,
    chat: ChatOption = None,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """What was decided lately, and why."""
    terminal: Terminal = context.obj
    with open_autonomy(terminal.settings(journal=journal), chat, branch) as life:
        found = recent_deliberations(life.doings, limit)
    if as_data:
        terminal.print(as_json(CONSIDERED.dump_python(found, mode="json")))
    elif not found:
        terminal.print(terminal.say("autonomy.why.none"))
    for one in [] if as_data else reversed(found):
        for line in why_lines(terminal, one):
            terminal.print(line)


@app.command("digest")
def digest_(
    context: typer.Context,
    since: Annotated[str | None, typer.Option("--since", metavar="TIME", help="cli.autonomy.since")] = None,
    chat: ChatOption = None,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """What was done while the user was away."""
    terminal: Terminal = context.obj
    with open_autonomy(terminal.settings(journal=journal), chat, branch) as life:
        now = life.clock.now()
        begin = past_time(since, now) if since else away_since(life.doings, now - A_DAY)
        made = build_digest(life.doings, begin, now)
    console = Screen()
    if as_data:
        terminal.print(as_json(made.model_dump(mode="json")))
    for line in [] if as_data else page(terminal, life.name, made):
        console.print(line, soft_wrap=True)


@app.command()
def trigger(
    context: typer.Context,
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="cli.autonomy.note")] = "",
    chat: ChatOption = None,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """Have it think about what to do as soon as it may."""
    terminal: Terminal = context.obj
    if len(note) > LONGEST_NOTE:
        raise UsageError("autonomy.long-note", found=len(note), limit=LONGEST_NOTE)
    with open_autonomy(terminal.settings(journal=journal), chat, branch) as life:
        life.doings.prompt(life.clock.now(), note)
        _tell(terminal, life, "autonomy.triggered", as_data)


@app.command()
def clock(
    context: typer.Context,
    advance: Annotated[str | None, typer.Option("--advance", metavar="SPAN", help="cli.autonomy.advance")] = None,
    reset: Annotated[bool, typer.Option("--reset", help="cli.autonomy.reset")] = False,
    chat: ChatOption = None,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """What time it is in the chat, and how to move it on."""
    terminal: Terminal = context.obj
    with open_autonomy(terminal.settings(journal=journal), chat, branch) as life:
        if reset:
            life.clock.reset()
        if advance:
            life.clock.advance(span(advance))
        now = life.standing()
    told = {"now": now.now.isoformat(), "clock_ahead": now.clock_ahead}
    terminal.print(as_json(told) if as_data else clock_line(terminal, now))


# --- whose life ---


@contextmanager
def open_autonomy(settings: Settings, chat: str | None, branch: str) -> Iterator[AutonomyTarget]:
    """The chat a command is about; without a name, the one talked in last."""
    with closing(journal_of(settings)) as journal:
        garden = _chat(journal, chat, branch)
        doings = autonomy_log_of(journal, garden, branch)
        name = str(garden.sheets[doings.who]["display_name"])
        yield AutonomyTarget(name, garden, doings, Clock(doings.memories, garden.id, branch), policy_of(settings))


def _chat(journal: Journal, name: str | None, branch: str) -> Garden:
    known = chats(journal)
    found = next((one for one in reversed(known) if name in (None, one.id)), None)
    if found is None and name is None:
        raise UnknownName("unknown.no-chat")
    if found is None:
        raise UnknownName("unknown.chat", name=name, known=", ".join(one.id for one in known))
    branches = [one.name for one in found.branches]
    if branch not in branches:
        raise UnknownName("unknown.branch", name=branch, known=", ".join(branches))
    return journal.garden(found.id)


def _has_model(settings: Settings) -> bool:
    try:
        return model_of(settings).model is not None
    except ModelError:
        return False


def _tell(terminal: Terminal, life: AutonomyTarget, key: str, as_data: bool) -> None:
    """What was done, and what stands against it; or how things stand now, as data."""
    now = life.standing()
    if as_data:
        terminal.print(as_json(now.model_dump(mode="json")))
        return
    terminal.print(terminal.say(key, name=life.name, chat=life.garden.id))
    if key != "autonomy.stopped" and (against := hindrance_line(terminal, now)):
        terminal.print(against)
