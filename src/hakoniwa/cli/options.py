"""How commands are declared: each is handed the terminal it was typed at, and several take the same options."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, TypeVar, get_args

import typer

from hakoniwa.errors import UsageError

CommandFunction = TypeVar("CommandFunction", bound=Callable[..., None])

GardenArgument = Annotated[str, typer.Argument(metavar="GARDEN", help="cli.garden")]
ChatOption = Annotated[str | None, typer.Option("--chat", metavar="ID", help="cli.autonomy.chat")]
BranchOption = Annotated[str, typer.Option("--branch", metavar="NAME", help="cli.branch-of")]
MeOption = Annotated[str | None, typer.Option("--me", metavar="NAME", help="cli.me.option")]
ModelOption = Annotated[str | None, typer.Option("--model", metavar="NAME", help="cli.play.model")]
BaseUrlOption = Annotated[str | None, typer.Option("--base-url", metavar="URL", help="cli.play.base-url")]
ThoughtsOption = Annotated[bool, typer.Option("--thoughts", help="cli.play.thoughts")]
JsonOption = Annotated[bool, typer.Option("--json", help="cli.json")]
JournalOption = Annotated[str | None, typer.Option("--journal", metavar="URL", help="cli.journal")]


def command(app: typer.Typer, name: str | None = None) -> Callable[[CommandFunction], CommandFunction]:
    """Add a command whose first parameter is the terminal; the others are its arguments and options."""

    def add(function: CommandFunction) -> CommandFunction:
        @wraps(function)
        def run(context: typer.Context, **given: Any) -> None:
            function(context.obj, **given)

        terminal, *options = inspect.signature(function).parameters.values()
        context = terminal.replace(name="context", annotation=typer.Context)
        run.__signature__ = inspect.Signature([context, *options])  # type: ignore[attr-defined]
        app.command(name)(run)
        return function

    return add


def choice(given: str | None, known: Any, complaint: str) -> Any:
    """One of the values of a `Literal`, or None if nothing was given."""
    if given not in (None, *get_args(known)):
        raise UsageError(complaint, found=given, known=", ".join(get_args(known)))
    return given
