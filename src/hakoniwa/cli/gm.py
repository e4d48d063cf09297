"""`hakoniwa gm step`: the referee alone, one JSON request a line and one answer a line."""

import json
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from hakoniwa.cli.complaint import in_words
from hakoniwa.cli.terminal import Terminal
from hakoniwa.errors import HakoniwaError, UsageError
from hakoniwa.gm.sessions import Sessions

app = typer.Typer(add_completion=False)


@app.callback()
def gm() -> None:
    """The referee by itself."""


@app.command()
def step(
    context: typer.Context,
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="cli.gm.step.file")] = None,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="cli.gm.step.jsonl")] = False,
) -> None:
    """Judge requests in the order in which they come."""
    terminal: Terminal = context.obj
    sessions = Sessions()
    with nullcontext(sys.stdin) if file is None or str(file) == "-" else file.open(encoding="utf-8") as source:
        for request in _lines(source) if jsonl else _requests(source):
            if request.strip():
                terminal.print(answered(sessions, request, terminal.lang))


def _lines(source: TextIO) -> Iterator[str]:
    yield from source


def _requests(source: TextIO) -> Iterator[str]:
    """A request a line, as they come; or, where the first line is not a whole one, a single request over many lines."""
    first = source.readline()
    if _is_json(first):
        yield first
        yield from source
    else:
        yield first + source.read()


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def answered(sessions: Sessions, request: str, lang: str) -> str:
    """The answer to one request as one line of JSON; what is wrong with the request is told in its place."""
    try:
        return json.dumps(sessions.answer(_parsed(request)).model_dump(mode="json"), ensure_ascii=False)
    except HakoniwaError as error:
        return _refused(error, lang)


def _parsed(request: str) -> dict[str, Any]:
    try:
        data = json.loads(request)
    except (ValueError, RecursionError) as error:
        raise UsageError("request.not-json", problem=str(error)) from None
    if not isinstance(data, dict):
        raise UsageError("request.not-json", problem=type(data).__name__)
    return data


def _refused(error: HakoniwaError, lang: str) -> str:
    details = {name: str(value) for name, value in error.details.items()}
    return json.dumps(
        {"error": {"key": error.key, "message": in_words(error, lang), "details": details}}, ensure_ascii=False
    )
