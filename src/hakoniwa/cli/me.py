"""`hakoniwa me`: who the user is, in chats and in gardens."""

from pathlib import Path
from typing import Annotated

import typer

from hakoniwa.actor.cards.read import limited_bytes
from hakoniwa.app.user_personas import KeptPersona, UserPersona, UserPersonas
from hakoniwa.cli.memory import shorten
from hakoniwa.cli.options import JsonOption, command
from hakoniwa.cli.screen import printable
from hakoniwa.cli.terminal import Terminal
from hakoniwa.errors import UsageError
from hakoniwa.persona.generated import Generated

app = typer.Typer()
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="cli.me.name")]


@command(app, "list")
def list_(terminal: Terminal, as_data: JsonOption = False) -> None:
    """Every persona of the user."""
    found = UserPersonas(terminal.settings().home).all()
    lines = [_line(one) for one in found] or [terminal.say("me.none")]
    terminal.show(found, lines, as_data=as_data)


@command(app)
def save(
    terminal: Terminal,
    name: NameArgument,
    description: Annotated[
        str | None, typer.Option("--description", metavar="TEXT", help="cli.me.save.description")
    ] = None,
    portrait: Annotated[Path | None, typer.Option("--portrait", metavar="FILE", help="cli.me.save.portrait")] = None,
    new: Annotated[bool, typer.Option("--new", help="cli.me.save.new")] = False,
) -> None:
    """Keep a persona, or change the one of that name."""
    kept = UserPersonas(terminal.settings().home)
    before = None if new else next((one for one in kept.all() if name in (one.id, one.name)), None)
    told = description if description is not None else before.description if before else ""
    if not name.strip() or len(name) > 64:
        raise UsageError("persona.bad-name", name=name)
    persona = UserPersona(name=before.name if before else name, description=told)
    made = kept.save(persona, before.id if before else None, limited_bytes(portrait) if portrait else None)
    terminal.print(terminal.say("me.saved", id=made.id, command=terminal.command("chat", "--me", made.id)))


@command(app)
def delete(terminal: Terminal, name: NameArgument) -> None:
    """Remove a persona."""
    kept = UserPersonas(terminal.settings().home)
    found = kept.find(name)
    kept.delete(found.id)
    terminal.print(terminal.say("me.deleted", name=printable(found.name)))


def _line(one: KeptPersona) -> str:
    told = shorten(Generated(one.description), 80)
    return f"{one.id}  {printable(one.name)}  {told}".rstrip()
