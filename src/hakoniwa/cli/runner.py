"""`hakoniwa runner`: do the tasks that personas give to programs, each within its limits, until interrupted."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import typer

from hakoniwa.app.means import delegate_of
from hakoniwa.cli.terminal import Terminal
from hakoniwa.errors import UsageError
from hakoniwa.ghost.capabilities.allowed import Command
from hakoniwa.ghost.capabilities.confine import SYSTEM, sandbox_version
from hakoniwa.ghost.capabilities.means import Delegate
from hakoniwa.ghost.runner import PATH, become
from hakoniwa.settings import config_file

app = typer.Typer(add_completion=False)


@app.command()
def runner(context: typer.Context) -> None:
    """Run what is delegated until interrupted."""
    terminal: Terminal = context.obj
    delegate = delegate_of(terminal.settings())
    check(delegate, sandboxed=sandbox_version() > 0)
    for line in _introduction(delegate, terminal):
        terminal.print(line)
    become(delegate)


def check(delegate: Delegate, *, sandboxed: bool) -> None:
    """Complain where there is nothing that could be run."""
    if sys.platform != "linux":
        raise UsageError("runner.not-linux")
    if not delegate.commands:
        raise UsageError("runner.nothing", file=str(config_file()))
    if not sandboxed and not any(one.unconfined for one in delegate.commands.values()):
        raise UsageError("runner.no-sandbox")


def _introduction(delegate: Delegate, terminal: Terminal) -> Iterator[str]:
    for name, command in delegate.commands.items():
        yield terminal.say(f"runner.{standing(command)}", name=name, program=command.argv[0])
    yield terminal.say("runner.sandboxed" if sandbox_version() else "runner.unsandboxed")
    yield terminal.say("runner.waiting", folder=str(delegate.spool))


def standing(command: Command) -> str:
    """Whether a program can be run, and how."""
    found = shutil.which(command.argv[0], path=PATH)
    if found is None:
        return "absent"
    if command.unconfined:
        return "unconfined"
    places = (*SYSTEM, *command.readable, *command.writable)
    real = Path(found).resolve()
    return "confined" if any(real.is_relative_to(place.resolve()) for place in places) else "out-of-sight"
