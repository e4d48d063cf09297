"""`hakoniwa mcp`: garden, referee and memory for a client of MCP that starts it, over standard input and output."""

import asyncio
import importlib
import os

import typer

from hakoniwa.cli.options import JournalOption, command
from hakoniwa.cli.terminal import Terminal

# The two doors do not know each other: the server is found by its name.
SERVER = "hakoniwa.service.run"

app = typer.Typer()


@command(app)
def mcp(terminal: Terminal, journal: JournalOption = None) -> None:
    """Serve until the client closes its end."""
    os.environ["HAKONIWA_JOURNAL"] = terminal.settings(journal=journal).journal_url
    asyncio.run(importlib.import_module(SERVER).serve_mcp())
