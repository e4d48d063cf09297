"""`hakoniwa serve`: the console's page, and everything over HTTP for those who have the token of this installation."""

import html
import importlib
import os
import socket
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Annotated
from urllib.parse import quote, urlsplit

import typer

from hakoniwa.app.token import token_file, token_of
from hakoniwa.cli.options import JournalOption, command
from hakoniwa.cli.terminal import Terminal
from hakoniwa.cli.web_server import serve_app
from hakoniwa.errors import UsageError
from hakoniwa.own_files import PRIVATE, partial_file, private_folder
from hakoniwa.settings import Settings

SCREENS = ("DISPLAY", "WAYLAND_DISPLAY")
FROM_AFAR = ("SSH_CONNECTION", "SSH_TTY")


def can_be_seen() -> bool:
    """Whether whoever typed the command sits before a screen that a browser would come up on."""
    return sys.stdout.isatty() and not _any_set(FROM_AFAR) and (_has_windows() or _any_set(SCREENS))


def open_browser(address: str) -> bool:
    """Show an address, and say whether that worked."""
    try:
        return webbrowser.open(address)
    except (OSError, webbrowser.Error):
        return False


def _has_windows() -> bool:
    return sys.platform in ("darwin", "win32")


def _any_set(names: tuple[str, ...]) -> bool:
    return any(os.environ.get(name) for name in names)


PAGE = """<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}">
<title>Hakoniwa 箱庭</title>
"""


@contextmanager
def entrance(home: Path, address: str, token: str) -> Iterator[Path | None]:
    """The file, as long as the server is open; None where it cannot be written."""
    path = home / f"entrance-{urlsplit(address).port}.html"
    try:
        yield path if _write_page(path, f"{address}?token={quote(token, safe='')}") else None
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _write_page(path: Path, address: str) -> bool:
    try:
        private_folder(path.parent)
        with partial_file(path, PRIVATE) as partial:
            partial.write_text(PAGE.format(address=html.escape(address)), encoding="utf-8")
    except OSError:
        return False
    return True


# The two doors do not know each other: the server is found by its name.
SERVER = "hakoniwa.service.run"
LOOPBACK = ("127.0.0.1", "localhost", "::1")
PORT = 8765
LEAST_TOKEN = 16
SHUTDOWN_SECONDS = 3  # seconds for answers that are on their way when the server is told to end

app = typer.Typer()


@command(app)
def serve(
    terminal: Terminal,
    host: Annotated[str, typer.Option("--host", metavar="ADDRESS", help="cli.serve.host")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", metavar="N", min=0, max=65535, help="cli.serve.port")] = PORT,
    no_open: Annotated[bool, typer.Option("--no-open", help="cli.serve.no-open")] = False,
    no_worker: Annotated[bool, typer.Option("--no-worker", help="cli.serve.no-worker")] = False,
    journal: JournalOption = None,
) -> None:
    """Serve until interrupted."""
    settings = terminal.settings(journal=journal)
    if host not in LOOPBACK and not settings.hosts:
        raise UsageError("serve.no-hosts", host=host)
    check_token(settings, host)
    token = token_of(settings)
    with closing(open_socket(host, port)) as door:
        name = host if host in LOOPBACK else settings.hosts.split(",")[0].strip()
        address = _address(name, door.getsockname()[1])
        with entrance(settings.home, address, token) if host in LOOPBACK else nullcontext() as file:
            _introduce(terminal, settings, address, file)
            os.environ |= {
                "HAKONIWA_JOURNAL": settings.journal_url, "HAKONIWA_TOKEN": token, "HAKONIWA_HOSTS": settings.hosts,
            }  # fmt: skip
            if file and not no_open and can_be_seen():
                _show(terminal, file)
            _run(door, work=not no_worker)


def _introduce(terminal: Terminal, settings: Settings, address: str, file: Path | None) -> None:
    """Where the server is, how a browser gets in, and where the token is; the token itself is not printed, for what is
    printed is clicked, and stands on a command line then."""
    terminal.print(terminal.say("serve.open", address=address))
    if file:
        terminal.print(terminal.say("serve.entrance", file=file.as_uri()))
    kept = terminal.say("serve.token-kept", path=token_file(settings))
    terminal.print(terminal.say("serve.token-set") if settings.token else kept)


def check_token(settings: Settings, host: str) -> None:
    """Refuse a chosen token that strangers could guess, where strangers can reach the server."""
    if settings.token and host not in LOOPBACK and len(settings.token) < LEAST_TOKEN:
        raise UsageError("serve.weak-token", host=host, least=LEAST_TOKEN)


def open_socket(host: str, port: int) -> socket.socket:
    """The socket to serve on; opened here, so that a port in use is told like any other mistake, and a browser that is
    faster than the server waits for it. Only where TCP is named does asyncio switch Nagle's algorithm off
    (TCP_NODELAY), which would keep answers back for 40 ms."""
    door = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        door.bind((host, port))
        door.listen()
    except OSError as error:
        door.close()
        raise UsageError("serve.cannot-listen", host=host, port=port, problem=error.strerror or str(error)) from None
    return door


def _address(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def _show(terminal: Terminal, file: Path) -> None:
    """Open the page in the user's browser; the server, which is about to come, will answer it."""
    opened = open_browser(file.as_uri())
    terminal.print(terminal.say("serve.shown" if opened else "serve.not-shown"))


def _run(door: socket.socket, work: bool) -> None:
    application = importlib.import_module(SERVER).hakoniwa(work)
    serve_app(application, door, timeout_graceful_shutdown=SHUTDOWN_SECONDS)
