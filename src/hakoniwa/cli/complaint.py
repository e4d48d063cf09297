"""How a command ends: with a documented code, and if something went wrong with one clear message.

0 all well · 1 a mistake of ours · 2 usage · 3 scenario, world or unknown name · 4 journal or file · 5 verify found
something · 6 model · 130 interrupted
"""

import errno
import os
import re
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterable
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from typer import Abort, Exit, TyperException

from hakoniwa.cli.terminal import Terminal
from hakoniwa.errors import HakoniwaError, JournalError, JournalFull, UsageError
from hakoniwa.messages import catalogue, say
from hakoniwa.own_files import private_folder
from hakoniwa.problems import explain_error

INTERRUPTED = 130
NAMES_SHOWN = 12
FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
EXTRA = re.compile(r"unexpected extra argument(?:s|\(s\))? \((.+)\)")


def run_command(terminal: Terminal, command: Callable[[], object]) -> int:
    """Run a command and tell what went wrong, if anything did; never with a traceback."""
    try:
        command()
        return 0
    except Exit as end:
        return end.exit_code
    except (KeyboardInterrupt, Abort):
        terminal.complain(terminal.say("cli.interrupted"))
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has gone (`| head`): point the rest of it at nothing, or Python complains at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        return _report_error(terminal, error)


def _report_error(terminal: Terminal, error: Exception) -> int:
    known = _as_own_error(error)
    if known is None:
        terminal.complain(
            terminal.say("cli.unexpected", problem=_summarize_error(error), log=_write_traceback(terminal))
        )
        return 1
    terminal.complain(terminal.say("cli.error", message=error_in_words(known, terminal.lang)))
    return known.exit_code


def _as_own_error(error: Exception) -> HakoniwaError | None:
    if isinstance(error, HakoniwaError):
        return error
    if isinstance(error, TyperException):
        return _usage_error(error)
    return _file_error(error) if isinstance(error, OSError) else None


def error_in_words(error: HakoniwaError, lang: str) -> str:
    """The error in the user's language: long lists of names cut, and what comes from the code said in their words."""
    details = dict(error.details)
    if "known" in details:
        details["known"] = _short_list(str(details["known"]), lang)
    if f"origin.{details.get('origin')}" in catalogue(lang):
        details["origin"] = say(f"origin.{details['origin']}", lang)
    return explain_error(type(error)(error.key, **details), lang)


def _short_list(known: str, lang: str) -> str:
    names = [name for name in known.split(", ") if name]
    if not names:
        return say("cli.none", lang)
    more = [say("cli.and-more", lang, count=len(names) - NAMES_SHOWN)] if len(names) > NAMES_SHOWN else []
    return ", ".join([*names[:NAMES_SHOWN], *more])


def nearest_name(name: str, known: Iterable[str]) -> str:
    """The name that was probably meant, or all there are."""
    names = list(known)
    found = get_close_matches(name, names, n=1, cutoff=0.5)
    return found[0] if found else ", ".join(names)


def _usage_error(error: TyperException) -> HakoniwaError:
    """What the parser of options complains of, as an error with a message of ours."""
    about: Any = error
    parameter = getattr(about, "param", None)
    match type(error).__name__:
        case "NoSuchOption":
            options = [name for one in about.ctx.command.params for name in one.opts] if about.ctx else []
            return UsageError(
                "usage.no-option", name=about.option_name, nearest=nearest_name(about.option_name, options)
            )
        case "MissingParameter" if parameter is not None:
            return UsageError("usage.missing", name=_option_name(parameter))
        case "BadParameter" if parameter is not None:
            return UsageError("usage.bad-value", name=_option_name(parameter), problem=error.message)
        case "BadOptionUsage":
            return UsageError("usage.needs-value", name=about.option_name)
    if extra := EXTRA.search(error.message):
        return UsageError("usage.extra", found=extra[1])
    return UsageError("usage.other", problem=error.format_message())


def _option_name(parameter: Any) -> str:
    return str(parameter.opts[0] if parameter.param_type_name == "option" else parameter.metavar or parameter.name)


def _file_error(error: OSError) -> HakoniwaError:
    path = str(error.filename or "")
    if error.errno in FULL:
        return JournalFull("files.full", path=path)
    return JournalError("files.cannot-use", path=path, problem=error.strerror or str(error))


def _summarize_error(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:200]


def _write_traceback(terminal: Terminal) -> str:
    """Where the traceback was written: in the home of Hakoniwa, or in a temporary place."""
    name = f"error-{datetime.now():%Y%m%d-%H%M%S}-{os.getpid()}.log"
    for folder in (_home(terminal), Path(tempfile.gettempdir())):
        try:
            private_folder(folder)
            (folder / name).write_text(traceback.format_exc(), encoding="utf-8", errors="backslashreplace")
            return str(folder / name)
        except OSError:
            continue
    return "-"


def _home(terminal: Terminal) -> Path:
    try:
        return terminal.settings().home / "logs"
    except HakoniwaError:
        return Path(tempfile.gettempdir())
