"""`hakoniwa token`: the token of this installation."""

import typer

from hakoniwa.app.token import new_token, token_file
from hakoniwa.cli.terminal import Terminal
from hakoniwa.errors import UsageError

app = typer.Typer(add_completion=False)


@app.callback()
def token() -> None:
    """What callers over HTTP must send."""


@app.command()
def rotate(context: typer.Context) -> None:
    """Put a new token in the place of the old one."""
    terminal: Terminal = context.obj
    settings, origins = terminal.settings_and_origins()
    if settings.token:
        raise UsageError("token.is-set", origin=origins["token"])
    new_token(settings)
    terminal.print(terminal.say("token.rotated", path=token_file(settings)))
