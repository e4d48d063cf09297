"""`hakoniwa config`: the settings in force, and where each comes from."""

import json
from typing import Annotated

import typer

from hakoniwa.cli.screen import cells, harmless_json
from hakoniwa.cli.terminal import Terminal
from hakoniwa.settings import Setting, config_file, list_settings

app = typer.Typer(add_completion=False)


@app.callback()
def config() -> None:
    """The settings of this installation."""


@app.command()
def show(
    context: typer.Context,
    origin: Annotated[bool, typer.Option("--origin", help="cli.config.show.origin")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="cli.json")] = False,
) -> None:
    """Every setting with its value."""
    terminal: Terminal = context.obj
    settings = [_translate(one, terminal) for one in list_settings(*terminal.settings_and_origins())]
    if as_json:
        plain = [one.model_dump(exclude=set() if origin else {"origin"}) for one in settings]
        terminal.print(harmless_json(json.dumps(plain, ensure_ascii=False, indent=2)))
        return
    for one in settings:
        terminal.print(_line(one, terminal, origin=origin))


@app.command()
def path(context: typer.Context) -> None:
    """Where the settings file is, whether or not it exists."""
    context.obj.print(str(config_file()))


def _translate(setting: Setting, terminal: Terminal) -> Setting:
    """The setting in the user's language."""
    return setting.model_copy(update={"description": terminal.say(f"setting.{setting.name}")})


def _line(setting: Setting, terminal: Terminal, *, origin: bool) -> str:
    left = f"{setting.name} = {setting.value or terminal.say('cli.empty')}"
    source = f"[{terminal.say(f'origin.{setting.origin}')}] " if origin else ""
    return f"{left}{' ' * max(2, 36 - cells(left))}{source}{setting.description}"
