"""`hakoniwa chat`: talk with one persona, who remembers."""

import importlib
from typing import Annotated

import typer

from hakoniwa.cli.terminal import Terminal
from hakoniwa.journal import MAIN

app = typer.Typer(add_completion=False)
CHAT_LOOP = "hakoniwa.cli.live.chat_loop"


@app.command()
def chat(
    context: typer.Context,
    persona: Annotated[str | None, typer.Option("--persona", metavar="NAME", help="cli.chat.persona")] = None,
    new: Annotated[bool, typer.Option("--new", help="cli.chat.new")] = False,
    name: Annotated[str | None, typer.Option("--chat", metavar="ID", help="cli.chat.chat")] = None,
    branch: Annotated[str, typer.Option("--branch", metavar="NAME", help="cli.branch-of")] = MAIN,
    garden: Annotated[str | None, typer.Option("--garden", metavar="ID", help="cli.chat.garden")] = None,
    call_me: Annotated[str | None, typer.Option("--call-me", metavar="NAME", help="cli.chat.call-me")] = None,
    model: Annotated[str | None, typer.Option("--model", metavar="NAME", help="cli.play.model")] = None,
    base_url: Annotated[str | None, typer.Option("--base-url", metavar="URL", help="cli.play.base-url")] = None,
    journal: Annotated[str | None, typer.Option("--journal", metavar="URL", help="cli.journal")] = None,
) -> None:
    """Talk, going on where it was left."""
    terminal: Terminal = context.obj
    settings = terminal.settings(journal=journal, model=model, base_url=base_url)
    importlib.import_module(CHAT_LOOP).talk(terminal, settings, persona, name, branch, call_me, garden, new=new)
