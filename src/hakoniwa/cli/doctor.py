"""`hakoniwa doctor`: which model servers there are, whether one can be played with, and what to do if not."""

import secrets
from collections.abc import Iterator
from typing import Annotated

import typer

from hakoniwa.app import places_of
from hakoniwa.cli.diagnosis import Data, Page, Report
from hakoniwa.cli.terminal import Terminal
from hakoniwa.errors import ModelError
from hakoniwa.llm.bench import Bench, Finding
from hakoniwa.llm.find import Search, visited
from hakoniwa.llm.probe import examined, offered, reached
from hakoniwa.llm.server import Model, Server
from hakoniwa.settings import AUTO, BUILTIN, Settings

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
    for finding in diagnosed(chosen, settings, report):
        findings.append(finding)
        report.finding(finding, chosen)
    problems = [one for one in findings if one.grade == "problem"]
    report.verdict(len(problems), sum(one.grade == "warn" for one in findings))
    if problems:
        raise typer.Exit(ModelError.exit_code)


def choose(settings: Settings) -> Search:
    """Every server there is, and the one to try: the address that is set, or the first that has the model."""
    usual = places_of(settings.model_copy(update={"base_url": ""}))
    named = places_of(settings) if settings.base_url else []
    servers = tuple(visited([*named, *(one for one in usual if one.url not in {place.url for place in named})]))
    candidates = servers[:1] if settings.base_url else [one for one in servers if one.trouble is None]
    with_it = [(one, found) for one in candidates if (found := _wanted(one, settings)) is not None]
    server, model = with_it[0] if with_it else (next(iter(candidates), None), None)
    return Search(servers=servers, server=server, model=model)


def _wanted(server: Server, settings: Settings) -> Model | None:
    return server.named(_name(settings)) if _name(settings) else server.best()


def _name(settings: Settings) -> str:
    """The model that is asked for by name, if any."""
    return "" if settings.model in (AUTO, BUILTIN) else settings.model


def diagnosed(chosen: Search, settings: Settings, report: Report) -> Iterator[Finding]:
    """Everything there is to say about the server that was chosen."""
    if chosen.server is None:
        yield Finding(about="reach", grade="problem", key="reach.nothing", fix="install")
        return
    yield reached(chosen.server, [one for one in chosen.servers if one.url != chosen.server.url])
    if chosen.server.trouble is not None:
        return
    yield offered(chosen.server, _name(settings))
    if chosen.model is not None:
        code = str(secrets.randbelow(80_000) + 10_000)
        bench = Bench(chosen.server, chosen.model, code, choose=settings.acts == "choose")
        yield from examined(bench, report.trying)
