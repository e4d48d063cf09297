"""`hakoniwa lint`: whether scenarios and sheets can be played, and what their authors may have overlooked."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
from pydantic import BaseModel

from hakoniwa.actor import character
from hakoniwa.actor.character import Character
from hakoniwa.app.lint import Oversight, oversights, sheet_oversights
from hakoniwa.cli.complaint import error_in_words
from hakoniwa.cli.options import JsonOption, command
from hakoniwa.cli.terminal import Terminal
from hakoniwa.errors import HakoniwaError, ScenarioError
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
    as_data: JsonOption = False,
) -> None:
    """Check files, or print the schema they follow."""
    if schema:
        print_schema(terminal, names or ["scenario"])
        return
    findings = [_finding(path, terminal) for path in _paths(names or [])]
    terminal.show(findings, _finding_lines(terminal, findings), as_data=as_data)
    if not all(one.ok for one in findings):
        raise typer.Exit(ScenarioError.exit_code)


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
