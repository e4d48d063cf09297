"""`hakoniwa lint`: whether scenarios and sheets can be played, and what their authors may have overlooked."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
from pydantic import BaseModel

from hakoniwa.actor import character
from hakoniwa.actor.character import Character
from hakoniwa.app.lint import Oversight, oversights, sheet_oversights, solved_goals
from hakoniwa.cli.complaint import error_in_words
from hakoniwa.cli.options import JsonOption, command
from hakoniwa.cli.terminal import Terminal
from hakoniwa.errors import HakoniwaError, ScenarioError
from hakoniwa.play.relaxation import NAMEABLE
from hakoniwa.play.solve import TOGETHER, Solution, SolverBudget
from hakoniwa.stage import scenario as scenarios
from hakoniwa.stage.document import Document
from hakoniwa.stage.import_xml import read_scene
from hakoniwa.stage.scenario import Scenario
from hakoniwa.stage.schema import schema_of
from hakoniwa.turn import Value

app = typer.Typer()
MODELS: dict[str, type[BaseModel]] = {"scenario": Scenario, "sheet": Character}


class LintResult(Value):
    """What lint has to say about one file: nothing wrong, an error, or warnings."""

    file: str
    ok: bool
    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@command(app)
def lint(
    terminal: Terminal,
    names: Annotated[list[str] | None, typer.Argument(metavar="NAME…", help="cli.lint.names")] = None,
    schema: Annotated[bool, typer.Option("--schema", help="cli.lint.schema")] = False,
    solving: Annotated[bool, typer.Option("--solve", help="cli.lint.solve")] = False,
    states: Annotated[int, typer.Option("--states", metavar="N", min=1, help="cli.lint.states")] = TOGETHER,
    as_data: JsonOption = False,
) -> None:
    """Check files, or print the schema they follow."""
    if schema:
        print_schema(terminal, names or ["scenario"])
        return
    if solving:
        solve_scenarios(terminal, names or _stories(), states, as_data=as_data)
        return
    findings = [_finding(path, terminal) for path in _paths(names or [])]
    terminal.show(findings, _finding_lines(terminal, findings), as_data=as_data)
    if not all(one.ok for one in findings):
        raise typer.Exit(ScenarioError.exit_code)


def solve_scenarios(terminal: Terminal, names: Sequence[str], states: int, *, as_data: bool) -> None:
    """Whether every goal of these scenarios can be reached; an act or an ending that cannot is a fault."""
    faulty = False
    for name in names:
        found = []
        for one in solved_goals(name, SolverBudget(together=states)):
            found.append(one)
            faulty |= one.verdict == "unreachable" and one.kind != "desire"
            if not as_data:
                terminal.print("\n".join(_solution_lines(terminal, name, one)))
        if as_data:
            terminal.show(found, [], as_data=True)
    if faulty:
        raise typer.Exit(ScenarioError.exit_code)


def _stories() -> list[str]:
    return [name for name in scenarios.shipped_scenarios() if scenarios.load(scenarios.find(name)).shelf == "story"]


def _solution_lines(terminal: Terminal, name: str, one: Solution) -> Iterator[str]:
    """The verdict on a goal, the way to it, and what loses it."""
    goal = terminal.say(f"lint.goal.{one.kind}", name=one.name, people=terminal.say("play.comma").join(one.people))
    way = "at-once" if one.verdict == "reachable" and not one.way else one.verdict
    details = {"file": name, "goal": goal, "count": len(one.way), "states": one.states, "why": _why_not(terminal, one)}
    yield terminal.say(f"lint.solve.{way}", **details)
    yield from (f"    {line}" for line in one.way)
    yield from (f"  {terminal.say('lint.solve.dead-end', deed=end.deed, after=len(end.way))}" for end in one.dead_ends)


def _why_not(terminal: Terminal, one: Solution) -> str:
    """What can never be, and is needed."""
    if not one.missing:
        return terminal.say("lint.never.tried")
    fact, *names = one.missing
    known = fact if fact in NAMEABLE else "other"
    return terminal.say(
        f"lint.never.{known}",
        one=names[0] if names else "",
        other=names[1] if len(names) > 1 else "",
        last=names[-1] if names else "",
    )


def print_schema(terminal: Terminal, names: Sequence[str]) -> None:
    for name in names:
        if name not in MODELS:
            raise typer.BadParameter(f"{name!r}: {', '.join(MODELS)}")
        terminal.print(schema_text(name))


def schema_text(name: str) -> str:
    """The published schema of scenarios or sheets."""
    return json.dumps(schema_of(MODELS[name]), ensure_ascii=False, indent=2)


def _paths(names: Sequence[str]) -> list[Path]:
    """The files that are meant; with no names, everything that comes with Hakoniwa."""
    if names:
        return [_path(name) for name in names]
    return [*map(scenarios.find, scenarios.shipped_scenarios()), *map(_shipped_sheet, character.shipped_sheets())]


def _path(name: str) -> Path:
    """A file, or what comes with Hakoniwa under that name: a scenario before a sheet."""
    if name in character.shipped_sheets() and name not in scenarios.shipped_scenarios():
        return _shipped_sheet(name)
    return scenarios.find(name)


def _shipped_sheet(name: str) -> Path:
    return character.find(name, scenarios.find(scenarios.shipped_scenarios()[0]).parent)


def _finding(path: Path, terminal: Terminal) -> LintResult:
    try:
        warnings = tuple(_warning_line(one, terminal) for one in _check_file(path))
    except HakoniwaError as error:
        return LintResult(file=str(path), ok=False, errors=(error_in_words(error, terminal.lang),))
    return LintResult(file=str(path), ok=True, warnings=warnings)


def _check_file(path: Path) -> Iterator[Oversight]:
    """Load a file as the play would; what only looks wrong comes back as oversights."""
    if path.suffix == ".xml":
        read_scene(path)
        return
    document = Document.read(path)
    if isinstance(document.data, dict) and "display_name" in document.data and "world" not in document.data:
        yield from sheet_oversights(document.to(Character), document)
    else:
        yield from oversights(scenarios.load(path), document, lambda name: _sheet_beside(name, path))


def _sheet_beside(name: str, path: Path) -> Document:
    return Document.read(character.find(name, path.parent))


def _warning_line(one: Oversight, terminal: Terminal) -> str:
    message = terminal.say(f"lint.{one.key}", **one.details)
    return terminal.say("lint.warning", file=one.file, line=one.line, message=message)


def _finding_lines(terminal: Terminal, findings: Sequence[LintResult]) -> Iterator[str]:
    for one in findings:
        yield from (*one.errors, *one.warnings)
        if one.ok:
            yield terminal.say("lint.ok", file=one.file)
    if wrong := sum(not one.ok for one in findings):
        yield terminal.say("lint.failed", count=wrong)
