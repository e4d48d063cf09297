"""`hakoniwa worker`: looks after everybody who lives by themselves, until it is told to end."""

from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from signal import SIGINT, SIGTERM, signal
from threading import Event
from typing import Annotated

import typer

from hakoniwa.app import journal_of
from hakoniwa.app.autonomy import worker_of
from hakoniwa.cli.terminal import Terminal
from hakoniwa.errors import JournalError
from hakoniwa.journal import Journal
from hakoniwa.memory.store import Memories

app = typer.Typer(add_completion=False)
LOOKS = 2.0  # seconds between looks at who lives here

ChatBranch = tuple[str, str]  # garden, branch


@app.command()
def worker(
    context: typer.Context,
    model: Annotated[str | None, typer.Option("--model", metavar="NAME", help="cli.worker.model")] = None,
    base_url: Annotated[str | None, typer.Option("--base-url", metavar="URL", help="cli.play.base-url")] = None,
    journal: Annotated[str | None, typer.Option("--journal", metavar="URL", help="cli.journal")] = None,
) -> None:
    """Work until interrupted."""
    terminal: Terminal = context.obj
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
