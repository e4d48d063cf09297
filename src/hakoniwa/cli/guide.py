"""Help: every command and option in the user's language. What a command declares as help is a key of the catalogue."""

from collections.abc import Iterable, Sequence
from typing import Any

import hakoniwa
from hakoniwa.cli.screen import cells
from hakoniwa.messages import say

COLUMN = 26
LANG = "--lang ja|en"


def version() -> str:
    return f"hakoniwa {hakoniwa.__version__}"


def guide_to_all(commands: Iterable[str], lang: str) -> str:
    """The help of `hakoniwa` itself."""
    rows = [(name, say(f"cli.{name}.help", lang)) for name in commands]
    common = [(LANG, say("cli.lang", lang)), ("--version", say("cli.version", lang)), ("--help", say("cli.help", lang))]
    parts = [
        say("cli.about", lang),
        say("cli.usage", lang, line="hakoniwa COMMAND …"),
        _table(say("cli.commands", lang), rows),
        _table(say("cli.options", lang), common),
        say("cli.start", lang),
    ]
    return "\n\n".join(parts)


def guide(command: Any, path: Sequence[str], lang: str) -> str:
    """The help of one command, or of a group of commands."""
    name = ".".join(path[1:])
    groups = getattr(command, "commands", {})
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    options = [one for one in command.params if one.param_type_name == "option" and one.name != "help"]
    more = [*(["COMMAND"] if groups else []), *map(_argument, arguments), *(["[…]"] if options else [])]
    line = " ".join([*path, *more])
    subcommands = [(inner, say(f"cli.{name}.{inner}.help", lang)) for inner in groups]
    common = [(LANG, say("cli.lang", lang)), ("--help", say("cli.help", lang))]
    parts = [
        say(f"cli.{name}.help", lang),
        say("cli.usage", lang, line=line),
        _table(say("cli.commands", lang), subcommands),
        _table(say("cli.arguments", lang), [(_argument(one), say(one.help, lang)) for one in arguments]),
        _table(say("cli.options", lang), [*((_option(one), say(one.help, lang)) for one in options), *common]),
    ]
    return "\n\n".join(part for part in parts if part)


def _argument(parameter: Any) -> str:
    name = parameter.metavar or parameter.name.upper()
    return name if parameter.required else f"[{name}]"


def _option(parameter: Any) -> str:
    return ", ".join(parameter.opts) + (f" {parameter.metavar}" if parameter.metavar else "")


def _table(title: str, rows: Sequence[tuple[str, str]]) -> str:
    return "\n".join([title, *(_row(left, right) for left, right in rows)]) if rows else ""


def _row(left: str, right: str) -> str:
    gap = COLUMN - 2 - cells(left)
    return f"  {left}{' ' * gap}{right}" if gap > 1 else f"  {left}\n{' ' * COLUMN}{right}"
