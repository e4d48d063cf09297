"""`hakoniwa config` and `token`: the settings in force, with their origins, and the token of callers over HTTP."""

from typing import Annotated

import typer

from hakoniwa.app.token import new_token, token_file
from hakoniwa.cli.options import JsonOption, command
from hakoniwa.cli.screen import cells
from hakoniwa.cli.terminal import Terminal
from hakoniwa.errors import UsageError
from hakoniwa.settings import Setting, config_file, list_settings

app, config, token = typer.Typer(), typer.Typer(), typer.Typer()
app.add_typer(config, name="config")
app.add_typer(token, name="token")


@command(config)
def show(
    terminal: Terminal,
    origin: Annotated[bool, typer.Option("--origin", help="cli.config.show.origin")] = False,
    as_data: JsonOption = False,
) -> None:
    """Every setting with its value."""
    settings = [_translate(one, terminal) for one in list_settings(*terminal.settings_and_origins())]
    data = [one.model_dump(exclude=set() if origin else {"origin"}) for one in settings]
    terminal.show(data, (_line(one, terminal, origin=origin) for one in settings), as_data=as_data)


@command(config)
def path(terminal: Terminal) -> None:
    """Where the settings file is, whether or not it exists."""
    terminal.print(str(config_file()))


@command(token)
def rotate(terminal: Terminal) -> None:
    """Put a new token in the place of the old one."""
    settings, origins = terminal.settings_and_origins()
    if settings.token:
        raise UsageError("token.is-set", origin=origins["token"])
    new_token(settings)
    terminal.print(terminal.say("token.rotated", path=token_file(settings)))


def _translate(setting: Setting, terminal: Terminal) -> Setting:
    """The setting in the user's language."""
    return setting.model_copy(update={"description": terminal.say(f"setting.{setting.name}")})


def _line(setting: Setting, terminal: Terminal, *, origin: bool) -> str:
    left = f"{setting.name} = {setting.value or terminal.say('cli.empty')}"
    source = f"[{terminal.say(f'origin.{setting.origin}')}] " if origin else ""
    return f"{left}{' ' * max(2, 36 - cells(left))}{source}{setting.description}"
