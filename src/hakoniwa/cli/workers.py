"""`hakoniwa worker` and `runner`: they look after personas that live by themselves, and do the tasks these delegate."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from signal import SIGINT, SIGTERM, signal
from threading import Event
from typing import Annotated

import typer

from hakoniwa.app import journal_of
from hakoniwa.app.autonomy import delegate_of, worker_of
from hakoniwa.capabilities.confine import SYSTEM, sandbox_version
from hakoniwa.capabilities.means import Command, DelegateMeans
from hakoniwa.capabilities.runner import PATH, become_runner
from hakoniwa.cli.options import BaseUrlOption, JournalOption, command
from hakoniwa.cli.terminal import Terminal
from hakoniwa.errors import JournalError, UsageError
from hakoniwa.journal import Journal
from hakoniwa.memory.store import Memories
from hakoniwa.settings import config_file

app = typer.Typer()
LOOKS = 2.0  # seconds between looks at who lives here

ChatBranch = tuple[str, str]  # garden, branch


@command(app)
def worker(
    terminal: Terminal,
    model: Annotated[str | None, typer.Option("--model", metavar="NAME", help="cli.worker.model")] = None,
    base_url: BaseUrlOption = None,
    journal: JournalOption = None,
) -> None:
    """Work until interrupted."""
    settings = terminal.settings(journal=journal, model=model, base_url=base_url)
    with closing(journal_of(settings)) as source, _stop_signal() as told_to_end:
        working = worker_of(source, settings)
        working.start()
        terminal.print(terminal.say("worker.begun"))
        try:
            _watch(terminal, source, told_to_end)
        finally:
            working.close()
    terminal.print(terminal.say("worker.ended"))


def _watch(terminal: Terminal, journal: Journal, told_to_end: Event) -> None:
    """Say who is looked after, whenever that changes, until it is time to end."""
    memories, known, seen = Memories(journal), None, object()
    while True:
        with suppress(JournalError):  # the heart tells of it, and beats again
            sign = journal.database.change_sign()
            living = known if known is not None and sign == seen else memories.living()
            seen = sign
            if living != known:
                _tell(terminal, journal, living, known or [])
            known = living
        if told_to_end.wait(LOOKS):
            return


def _tell(terminal: Terminal, journal: Journal, living: list[ChatBranch], before: list[ChatBranch]) -> None:
    for one in (one for one in living if one not in before):
        terminal.print(terminal.say("worker.looks-after", **_branch_names(journal, one)))
    for one in (one for one in before if one not in living):
        terminal.print(terminal.say("worker.left", **_branch_names(journal, one)))
    if not living:
        terminal.print(terminal.say("worker.nobody"))


def _branch_names(journal: Journal, line: ChatBranch) -> dict[str, str]:
    garden, branch = line
    (sheet,) = journal.garden(garden).sheets.values()
    return {"name": str(sheet["display_name"]), "chat": garden, "branch": branch}


@contextmanager
def _stop_signal() -> Iterator[Event]:
    """Set once somebody wants it to end, with Ctrl-C or as a service manager asks."""
    told = Event()
    before = {one: signal(one, lambda *_: told.set()) for one in (SIGINT, SIGTERM)}
    try:
        yield told
    finally:
        for one, handler in before.items():
            signal(one, handler)


# --- runner -----------------------------------------------------------------------------------------------------------


@command(app)
def runner(terminal: Terminal) -> None:
    """Run what is delegated until interrupted."""
    delegate = delegate_of(terminal.settings())
    check(delegate, sandboxed=sandbox_version() > 0)
    for line in _introduction(delegate, terminal):
        terminal.print(line)
    become_runner(delegate)


def check(delegate: DelegateMeans, *, sandboxed: bool) -> None:
    """Complain where there is nothing that could be run."""
    if sys.platform != "linux":
        raise UsageError("runner.not-linux")
    if not delegate.commands:
        raise UsageError("runner.nothing", file=str(config_file()))
    if not sandboxed and not any(one.unconfined for one in delegate.commands.values()):
        raise UsageError("runner.no-sandbox")


def _introduction(delegate: DelegateMeans, terminal: Terminal) -> Iterator[str]:
    for name, one in delegate.commands.items():
        yield terminal.say(f"runner.{program_status(one)}", name=name, program=one.argv[0])
    yield terminal.say("runner.sandboxed" if sandbox_version() else "runner.unsandboxed")
    yield terminal.say("runner.waiting", folder=str(delegate.spool))


def program_status(command: Command) -> str:
    """Whether a program can be run, and how."""
    found = shutil.which(command.argv[0], path=PATH)
    if found is None:
        return "absent"
    if command.unconfined:
        return "unconfined"
    places = (*SYSTEM, *command.readable, *command.writable)
    real = Path(found).resolve()
    return "confined" if any(real.is_relative_to(place.resolve()) for place in places) else "out-of-sight"
