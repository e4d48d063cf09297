"""`hakoniwa runner`: do the tasks that personas give to programs, each within its limits, until interrupted."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import typer

from hakoniwa.app.autonomy import delegate_of
from hakoniwa.capabilities.confine import SYSTEM, sandbox_version
from hakoniwa.capabilities.means import Command, DelegateMeans
from hakoniwa.capabilities.runner import PATH, become_runner
from hakoniwa.cli.options import command
from hakoniwa.cli.terminal import Terminal
from hakoniwa.errors import UsageError
from hakoniwa.settings import config_file

app = typer.Typer()


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
