"""The terminal door: every command speaks the user's language and ends with a documented code."""

import importlib
import sys
from collections.abc import Sequence
from typing import Any

from typer.main import get_group

from hakoniwa.cli.complaint import nearest_name, run_command
from hakoniwa.cli.guide import guide, guide_to_all, version
from hakoniwa.cli.log_output import logging_of
from hakoniwa.cli.terminal import Terminal, split_language
from hakoniwa.errors import UsageError

COMMANDS = {  # and the module of each
    "play": "play", "chat": "play", "memory": "memory", "autonomy": "autonomy", "serve": "serve", "mcp": "mcp",
    "worker": "workers", "runner": "workers", "doctor": "doctor", "gardens": "journal", "replay": "journal",
    "branch": "journal", "export": "journal", "verify": "journal", "backup": "journal", "lint": "lint", "card": "card",
    "import": "imports", "me": "me", "label": "records", "find": "records", "delete": "records",
    "gm": "gm", "sanitize": "jsonl", "next-speaker": "jsonl", "lab": "lab", "logs": "logs", "calls": "logs",
    "config": "installation", "token": "installation",
}  # fmt: skip
HELP = frozenset({"--help", "-h"})


def main() -> None:
    """The `hakoniwa` command."""
    for stream in (sys.stdout, sys.stderr):
        # Story and messages are full of characters that an old terminal may lack: better a mark than a crash.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    if sys.stdin is not None:  # bytes that are no text become marks where they are read: they could not be recorded
        sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]
    sys.exit(run(sys.argv[1:]))


def run(argv: Sequence[str]) -> int:
    """Carry out one command line and return its exit code."""
    given, words = split_language(argv)
    terminal = Terminal(given)
    return run_command(terminal, lambda: _carry_out(terminal, words))


def _carry_out(terminal: Terminal, words: list[str]) -> None:
    name, *rest = words or ["--help"]
    if name in HELP:
        terminal.print(guide_to_all(COMMANDS, terminal.lang))
    elif name == "--version":
        terminal.print(version())
    elif name not in COMMANDS:
        raise UsageError("usage.no-command", name=name, nearest=nearest_name(name, COMMANDS))
    else:
        _command(terminal, name, rest)


def parser(name: str) -> Any:
    """A command with its options. Only its own module is loaded: a database or a prompt takes half a second."""
    group = get_group(importlib.import_module(f"{__name__}.{COMMANDS[name]}").app)
    return group.commands.get(name, group)


def _command(terminal: Terminal, name: str, words: list[str]) -> None:
    command = parser(name)
    path = ["hakoniwa", name]
    while (inner := getattr(command, "commands", {})) and words and not words[0].startswith("-"):
        if words[0] not in inner:
            raise UsageError(
                "usage.no-command", name=" ".join([*path[1:], words[0]]), nearest=nearest_name(words[0], inner)
            )
        path.append(words[0])
        command, words = inner[words[0]], words[1:]
    if HELP & set(words) or (inner and not words):
        terminal.print(guide(command, path, terminal.lang))
        return
    settings = terminal.settings()  # complains of what cannot be read, before anything is done
    with logging_of(path[-1], settings), command.make_context(" ".join(path), words, obj=terminal) as context:
        command.invoke(context)
