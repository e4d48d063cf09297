"""Lint for texts: whether a scenario can be played, and what its author may have overlooked, each with its place."""

from collections.abc import Iterator
from typing import Literal

from hakoniwa.app.oversights import Oversight, oversights
from hakoniwa.app.shelf import Shelf
from hakoniwa.errors import HakoniwaError, ScenarioError, UnknownName
from hakoniwa.messages import say, tell
from hakoniwa.problems import told
from hakoniwa.stage.document import Document
from hakoniwa.stage.scenario import Scenario, scenario_in
from hakoniwa.turn import Value


class Flaw(Value):
    """What is wrong, or only looks wrong, and where: in the text itself, or in a sheet that it names."""

    grade: Literal["error", "warning"]
    file: str
    line: int
    column: int
    key: str
    message: str


def lint(text: str, file: str, shelf: Shelf, language: str) -> list[Flaw]:
    """Everything there is to say about a scenario; after an error nothing more can be said."""
    try:
        document = Document(text, file)
        scenario = scenario_in(document)
        missing = list(_missing(scenario, document, shelf, text, language))
        found = [] if missing else list(oversights(scenario, document, shelf.sheet))
    except ScenarioError as error:
        return [_error(error, file, text, language)]
    return missing or [_warning(one, text if one.file == file else "", language) for one in found]


def _missing(scenario: Scenario, document: Document, shelf: Shelf, text: str, language: str) -> Iterator[Flaw]:
    """Sheets that are nowhere."""
    for who, role in scenario.cast.items():
        try:
            shelf.sheet_path(role.sheet)
        except UnknownName as error:
            line = document.line(("cast", who, "sheet"))
            yield _flaw("error", document.file, line, text, "sheet", error.key, tell(error, language))


def _error(error: HakoniwaError, file: str, text: str, language: str) -> Flaw:
    details = error.details
    where, line = str(details.get("file", file)), int(details.get("line", 1))
    key = str(details.get("key", "")).rpartition(".")[2]
    return _flaw("error", where, line, text if where == file else "", key, error.key, told(error, language))


def _warning(one: Oversight, text: str, language: str) -> Flaw:
    message = say(f"lint.{one.key}", language, **one.details)
    return _flaw("warning", one.file, one.line, text, "", f"lint.{one.key}", message)


def _flaw(
    grade: Literal["error", "warning"], file: str, line: int, text: str, word: str, key: str, message: str
) -> Flaw:
    return Flaw(grade=grade, file=file, line=line, column=_column(text, line, word), key=key, message=message)


def _column(text: str, line: int, word: str) -> int:
    """Where in a line a word stands; where the line begins, if it does not."""
    lines = text.splitlines()
    written = lines[line - 1] if 0 < line <= len(lines) else ""
    found = written.find(word) if word else -1
    return (found if found >= 0 else len(written) - len(written.lstrip())) + 1
