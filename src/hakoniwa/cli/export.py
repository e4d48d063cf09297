"""`hakoniwa export`: a garden as a script to read or as data to keep."""

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from hakoniwa.app import journal_of, resumed_session
from hakoniwa.atomic_write import write_atomically
from hakoniwa.cli.screen import harmless_json
from hakoniwa.cli.terminal import Terminal
from hakoniwa.errors import UsageError
from hakoniwa.journal import MAIN
from hakoniwa.play.export import to_html, to_jsonl, to_markdown
from hakoniwa.play.session import Session

app = typer.Typer(add_completion=False)
FORMATS = ("md", "html", "jsonl")


@app.command()
def export(
    context: typer.Context,
    garden: Annotated[str, typer.Argument(metavar="GARDEN", help="cli.garden")],
    form: Annotated[str | None, typer.Option("--format", metavar="md|html|jsonl", help="cli.export.format")] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE", help="cli.export.output")] = None,
    branch: Annotated[str, typer.Option("--branch", metavar="NAME", help="cli.branch-of")] = MAIN,
    journal: Annotated[str | None, typer.Option("--journal", metavar="URL", help="cli.journal")] = None,
) -> None:
    """Write a garden out."""
    terminal: Terminal = context.obj
    chosen = form or (format_of(output) if output else None) or "md"
    if chosen not in FORMATS:
        raise UsageError("usage.bad-format", found=chosen, known=", ".join(FORMATS))
    settings = terminal.settings(journal=journal)
    with closing(journal_of(settings)) as source, closing(resumed_session(source, garden, branch)) as session:
        text = render_garden(session, chosen, terminal.lang)
    if output is None:
        terminal.print((harmless_json(text) if chosen == "jsonl" else text).removesuffix("\n"))
    else:
        write_atomically(output, text.encode())
        terminal.complain(terminal.say("export.done", path=output))


def format_of(path: Path) -> str | None:
    """The format a file's name asks for."""
    form = path.suffix.lower().removeprefix(".")
    return form if form in FORMATS else None


def render_garden(session: Session, form: str, lang: str) -> str:
    match form:
        case "html":
            return to_html(session, lang)
        case "jsonl":
            return to_jsonl(session)
    return to_markdown(session, lang)
