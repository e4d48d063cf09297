"""`hakoniwa doctor`: which model servers there are, whether one can be played with, and what to do if not."""

from typing import Annotated

import typer

from hakoniwa.app.doctor import choose, diagnosed
from hakoniwa.cli.diagnosis import Data, Page, Report
from hakoniwa.cli.terminal import Terminal
from hakoniwa.errors import ModelError
from hakoniwa.settings import BUILTIN

app = typer.Typer(add_completion=False)


@app.command()
def doctor(
    context: typer.Context,
    base_url: Annotated[str | None, typer.Option("--base-url", metavar="URL", help="cli.play.base-url")] = None,
    model: Annotated[str | None, typer.Option("--model", metavar="NAME", help="cli.doctor.model")] = None,
    as_data: Annotated[bool, typer.Option("--json", help="cli.json")] = False,
) -> None:
    """Find servers, try one, and say what is wrong with it."""
    terminal: Terminal = context.obj
    settings = terminal.settings(base_url=base_url, model=model)
    report: Report = Data(terminal) if as_data else Page(terminal)
    report.searching()
    chosen = choose(settings)
    report.found(chosen, unused=settings.model == BUILTIN)
    findings = []
    for finding in diagnosed(chosen, settings, report.trying):
        findings.append(finding)
        report.finding(finding, chosen)
    problems = [one for one in findings if one.grade == "problem"]
    report.verdict(len(problems), sum(one.grade == "warn" for one in findings))
    if problems:
        raise typer.Exit(ModelError.exit_code)
