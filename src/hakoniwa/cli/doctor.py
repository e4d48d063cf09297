"""`hakoniwa doctor`: which model servers there are, whether one can be played with, and what to do if not."""

from typing import Annotated, Any, Protocol

import typer
from rich.status import Status
from rich.text import Text

from hakoniwa.app import doctor
from hakoniwa.app.doctor import choose, diagnose
from hakoniwa.cli.printer import as_json
from hakoniwa.cli.screen import WIDEST, Screen, cells, printable, wrap_text
from hakoniwa.cli.terminal import Terminal
from hakoniwa.errors import ModelError
from hakoniwa.llm.bench import ProbeFinding
from hakoniwa.llm.find import ModelServer, OfferedModel, ServerSearch
from hakoniwa.llm.probe import check_address
from hakoniwa.settings import BUILTIN

STYLES = {"ok": "green", "info": "dim", "warn": "yellow", "problem": "bold red"}
USUAL = "usual"
LABEL = 15
MODELS_SHOWN = 8


def finding_text(finding: ProbeFinding, lang: str) -> str:
    """A finding in words, for a terminal."""
    return printable(doctor.describe_finding(finding, lang))


def remedy(finding: ProbeFinding, server: ModelServer | None, model: OfferedModel | None, lang: str) -> str:
    return printable(doctor.remedy(finding, server, model, lang))


def _worth_telling(server: ModelServer) -> bool:
    """Whether a server that cannot be used is one that somebody meant to be there."""
    return server.trouble is not None and (server.origin != USUAL or server.trouble == "key")


class DiagnosisReport(Protocol):
    """Where the findings go."""

    def searching(self) -> None: ...

    def found(self, chosen: ServerSearch, *, unused: bool) -> None:
        """The servers there are; `unused`: play is not to use any of them."""
        ...

    def trying(self, probe: str) -> None: ...

    def finding(self, finding: ProbeFinding, chosen: ServerSearch) -> None: ...

    def verdict(self, problems: int, warnings: int) -> None: ...


class JsonDiagnosis(DiagnosisReport):
    """One JSON object at the end."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.data: dict[str, Any] = {"servers": [], "server": None, "model": None, "findings": []}

    def searching(self) -> None:
        return

    def found(self, chosen: ServerSearch, *, unused: bool) -> None:
        self.data["servers"] = [
            {**one.model_dump(mode="json"), "url": one.shown, "asked": one.given} for one in chosen.servers
        ]
        self.data["server"] = chosen.server.shown if chosen.server else None
        self.data["model"] = chosen.model.name if chosen.model else None

    def trying(self, probe: str) -> None:
        return

    def finding(self, finding: ProbeFinding, chosen: ServerSearch) -> None:
        lang = self.terminal.lang
        words = {"told": finding_text(finding, lang), "fix": remedy(finding, chosen.server, chosen.model, lang)}
        self.data["findings"].append({**finding.model_dump(mode="json"), **words})

    def verdict(self, problems: int, warnings: int) -> None:
        self.terminal.print(as_json({**self.data, "playable": not problems}))


class PrintedDiagnosis(DiagnosisReport):
    """Line by line, while it is being found out."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.console = Screen()
        self.width = min(self.console.width, WIDEST) if self.console.is_terminal else None
        self.status: Status | None = None

    def searching(self) -> None:
        self._busy("doctor.looking")

    def trying(self, probe: str) -> None:
        self._busy(f"doctor.running.{probe}")

    def found(self, chosen: ServerSearch, *, unused: bool) -> None:
        self._quiet()
        lines = [self._server(one) for one in chosen.servers if one.trouble is None]
        lines += [self._trouble(one) for one in chosen.servers if _worth_telling(one) and one != chosen.server]
        if lines:
            self._line(Text(self.terminal.say("doctor.servers"), "bold"))
        for line in lines:
            self._line(Text(printable(f"  {line}")), 4)
        if unused:
            self._line(Text(self.terminal.say("doctor.builtin")))
        if lines or unused:
            self._line(Text())
        if chosen.server is not None:
            self._line(Text(self._trying(chosen.server, chosen.model), "bold"))

    def _server(self, server: ModelServer) -> str:
        names = [self._model(one) for one in server.models[:MODELS_SHOWN]] or [self.terminal.say("doctor.no-models")]
        more = len(server.models) - MODELS_SHOWN
        rest = [self.terminal.say("cli.and-more", count=more)] if more > 0 else []
        return f"{self._title(server)}  {server.shown}  {self.terminal.say('play.comma').join([*names, *rest])}"

    def _model(self, model: OfferedModel) -> str:
        if not model.context:
            return model.name
        return self.terminal.say("doctor.tokens", name=model.name, tokens=model.context)

    def _trouble(self, server: ModelServer) -> str:
        words = finding_text(check_address(server), self.terminal.lang)
        if server.origin == USUAL:
            return words
        return self.terminal.say("doctor.troubled", origin=server.origin, told=words)

    def _title(self, server: ModelServer) -> str:
        return server.title or self.terminal.say("play.openai")

    def _trying(self, server: ModelServer, model: OfferedModel | None) -> str:
        if model is None:
            return self.terminal.say("doctor.trying-server", url=server.given)
        name, title = printable(model.name), self._title(server)
        return self.terminal.say("doctor.trying", model=name, server=title, url=server.shown)

    def finding(self, finding: ProbeFinding, chosen: ServerSearch) -> None:
        self._quiet()
        lang = self.terminal.lang
        label = self.terminal.say(f"doctor.about.{finding.about}")
        mark = self.terminal.say(f"doctor.mark.{finding.grade}")
        line = Text.assemble(
            (f"  {mark} ", STYLES[finding.grade]),
            label + " " * max(1, LABEL - cells(label)),
            finding_text(finding, lang),
        )
        self._line(line, LABEL + 4)
        if fix := remedy(finding, chosen.server, chosen.model, lang):
            arrow = self.terminal.say("doctor.mark.fix")
            self._line(Text(f"{' ' * (LABEL + 4)}{arrow} {fix}", STYLES[finding.grade]), LABEL + 6)

    def verdict(self, problems: int, warnings: int) -> None:
        self._quiet()
        self._line(Text())
        if problems:
            self._line(Text(self.terminal.say("doctor.unfit", count=problems), STYLES["problem"]))
        elif warnings:
            self._line(Text(self.terminal.say("doctor.warned", count=warnings), STYLES["warn"]))
        else:
            self._line(Text(self.terminal.say("doctor.fine"), STYLES["ok"]))

    def _line(self, text: Text, indent: int = 0) -> None:
        for line in wrap_text(text, self.width, indent):
            self.console.print(line, soft_wrap=True)

    def _busy(self, key: str) -> None:
        """Say what is going on, where there is a terminal to say it on and take it back."""
        self._quiet()
        if self.console.is_terminal:
            self.status = self.console.status(self.terminal.say(key), spinner="line")
            self.status.start()

    def _quiet(self) -> None:
        if self.status is not None:
            self.status.stop()
            self.status = None


app = typer.Typer(add_completion=False)


@app.command()
def report_servers(
    context: typer.Context,
    base_url: Annotated[str | None, typer.Option("--base-url", metavar="URL", help="cli.play.base-url")] = None,
    model: Annotated[str | None, typer.Option("--model", metavar="NAME", help="cli.doctor.model")] = None,
    as_data: Annotated[bool, typer.Option("--json", help="cli.json")] = False,
) -> None:
    """Find servers, try one, and say what is wrong with it."""
    terminal: Terminal = context.obj
    settings = terminal.settings(base_url=base_url, model=model)
    report: DiagnosisReport = JsonDiagnosis(terminal) if as_data else PrintedDiagnosis(terminal)
    report.searching()
    chosen = choose(settings)
    report.found(chosen, unused=settings.model == BUILTIN)
    findings = []
    for finding in diagnose(chosen, settings, report.trying):
        findings.append(finding)
        report.finding(finding, chosen)
    problems = [one for one in findings if one.grade == "problem"]
    report.verdict(len(problems), sum(one.grade == "warn" for one in findings))
    if problems:
        raise typer.Exit(ModelError.exit_code)
