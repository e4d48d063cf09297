"""`hakoniwa doctor`: which model servers there are, whether one can be played with, and what to do if not."""

from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Any

import typer
from rich.status import Status
from rich.text import Text

from hakoniwa.app import doctor, model_of
from hakoniwa.app.doctor import choose, diagnose
from hakoniwa.cli.options import BaseUrlOption, JsonOption, command
from hakoniwa.cli.screen import WIDEST, Screen, cells, printable, wrap_text
from hakoniwa.cli.terminal import Terminal, as_json
from hakoniwa.errors import ModelError, UsageError
from hakoniwa.lab.metrics import BY_KEY
from hakoniwa.lab.prompts import quality
from hakoniwa.llm.bench import ProbeFinding
from hakoniwa.llm.find import ModelServer, OfferedModel, ServerSearch
from hakoniwa.llm.probe import check_address
from hakoniwa.settings import BUILTIN, Settings

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


def diagnosis_data(chosen: ServerSearch, findings: Iterable[ProbeFinding], lang: str) -> dict[str, Any]:
    """Everything that was found out, as one object."""
    told = [{**one.model_dump(mode="json"), "told": finding_text(one, lang),
             "fix": remedy(one, chosen.server, chosen.model, lang)} for one in findings]  # fmt: skip
    return {
        "servers": [{**one.model_dump(mode="json"), "url": one.shown, "asked": one.given} for one in chosen.servers],
        "server": chosen.server.shown if chosen.server else None,
        "model": chosen.model.name if chosen.model else None,
        "findings": told,
    }


class PrintedDiagnosis:
    """Line by line, while it is being found out."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.console = Screen()
        self.width = min(self.console.width, WIDEST) if self.console.is_terminal else None
        self.status: Status | None = None

    def report(self, settings: Settings) -> Counter[str]:
        """Tell what is found while it is looked for; how many findings there are of each grade."""
        self._busy("doctor.looking")
        chosen = choose(settings)
        self._servers(chosen, unused=settings.model == BUILTIN)
        grades: Counter[str] = Counter()
        began = lambda probe: self._busy(f"doctor.running.{probe}")  # noqa: E731
        for finding in diagnose(chosen, settings, began, self.terminal.lang):
            grades[finding.grade] += 1
            self._finding(finding, chosen)
        self._verdict(grades["problem"], grades["warn"])
        return grades

    def _servers(self, chosen: ServerSearch, *, unused: bool) -> None:
        """The servers there are; `unused`: play is not to use any of them."""
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

    def _finding(self, finding: ProbeFinding, chosen: ServerSearch) -> None:
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

    def _verdict(self, problems: int, warnings: int) -> None:
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


app = typer.Typer()


def _print_score(terminal: Terminal, settings: Settings, *, as_data: bool) -> None:
    """The score of the model that would speak, by the set of the user's language."""
    chosen = model_of(settings)
    if chosen.model is None:
        raise UsageError("models.none")
    found = quality(settings, chosen, terminal.lang)
    axes = [f"{getattr(BY_KEY[name].label, terminal.lang)} {score:.2f}" for name, score in found.axes.items()]
    line = terminal.say(
        "doctor.score", model=printable(chosen.model.name), score=found.score, usable=found.usable,
        replies=found.replies, axes=terminal.say("play.comma").join(axes) or "—",
    )  # fmt: skip
    terminal.show({"model": chosen.model.name, **found.model_dump()}, [line], as_data=as_data)


@command(app, "doctor")
def report_servers(
    terminal: Terminal,
    base_url: BaseUrlOption = None,
    model: Annotated[str | None, typer.Option("--model", metavar="NAME", help="cli.doctor.model")] = None,
    with_score: Annotated[bool, typer.Option("--quality", help="cli.doctor.quality")] = False,
    as_data: JsonOption = False,
) -> None:
    """Find servers, try one, and say what is wrong with it."""
    settings = terminal.settings(base_url=base_url, model=model)
    if with_score:
        _print_score(terminal, settings, as_data=as_data)
        return
    if as_data:
        chosen = choose(settings)
        findings = list(diagnose(chosen, settings, language=terminal.lang))
        grades: Counter[str] = Counter(one.grade for one in findings)
        data = diagnosis_data(chosen, findings, terminal.lang)
        terminal.print(as_json({**data, "playable": not grades["problem"]}))
    else:
        grades = PrintedDiagnosis(terminal).report(settings)
    if grades["problem"]:
        raise typer.Exit(ModelError.exit_code)
