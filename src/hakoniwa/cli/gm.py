"""`hakoniwa gm`: the referee alone, one JSON request a line and one answer a line, or over HTTP."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from hakoniwa.cli.jsonl import answer_all
from hakoniwa.cli.options import JournalOption, command
from hakoniwa.cli.serve import LOOPBACK, check_token, open_socket
from hakoniwa.cli.terminal import Terminal
from hakoniwa.cli.web_server import serve_app
from hakoniwa.errors import UsageError
from hakoniwa.gm.request import checked_request
from hakoniwa.gm.sessions import SessionCache
from hakoniwa.gm.typed import read_typed

# The two doors do not know each other: the server is found by its name.
GM = "hakoniwa.service.run:gm"

app = typer.Typer()


@command(app)
def step(
    terminal: Terminal,
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="cli.gm.step.file")] = None,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="cli.gm.step.jsonl")] = False,
) -> None:
    """Judge requests in the order in which they come."""
    sessions = SessionCache()
    with nullcontext(sys.stdin) if file is None or str(file) == "-" else _open_file(file) as source:
        answer_all(terminal, source if jsonl else _requests(source), lambda data: answer(sessions, data))


@command(app)
def typed(
    terminal: Terminal,
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="cli.gm.typed.file")] = None,
) -> None:
    """Say of lines that a person types what is said in them and what is done."""
    with nullcontext(sys.stdin) if file is None or str(file) == "-" else _open_file(file) as source:
        answer_all(terminal, _requests(source), as_typed)


@command(app)
def serve(
    terminal: Terminal,
    host: Annotated[str, typer.Option("--host", metavar="ADDRESS", help="cli.gm.serve.host")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", metavar="N", min=0, max=65535, help="cli.gm.serve.port")] = 8787,
    journal: JournalOption = None,
) -> None:
    """Serve the referee over HTTP."""
    settings = terminal.settings(journal=journal)
    if host not in LOOPBACK and not settings.token:
        raise UsageError("serve.no-token", host=host)
    check_token(settings, host)
    hosts = ",".join(name for name in (settings.hosts, host) if name)
    os.environ |= {"HAKONIWA_JOURNAL": settings.journal_url, "HAKONIWA_TOKEN": settings.token, "HAKONIWA_HOSTS": hosts}
    with closing(open_socket(host, port)) as door:
        terminal.print(terminal.say("serve.listening", host=host, port=door.getsockname()[1]))
        serve_app(GM, door, factory=True)


def _open_file(file: Path) -> TextIO:
    return file.open(encoding="utf-8", errors="replace")


def answer(sessions: SessionCache, data: dict[str, Any]) -> dict[str, Any]:
    return sessions.answer(data).model_dump(mode="json")


def as_typed(data: dict[str, Any]) -> dict[str, Any]:
    """What a typed line comes to, where it is a request's reply."""
    request = checked_request(data)
    line = read_typed(request.raw_output, request.world_state, request.speaker)
    return line.model_dump(mode="json")


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
