"""What Hakoniwa tells its user, in the user's language: one catalogue, two files with the same keys."""

import locale
import os
import shlex
import shutil
import sys
from collections.abc import Iterable
from datetime import datetime
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from hakoniwa.errors import HakoniwaError

LANGUAGES = ("ja", "en")
PROGRAM = "hakoniwa"
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same, several times faster where libyaml is there


def read_yaml(package: str, *path: str) -> Any:
    """The data in a YAML file of a package."""
    return yaml.load(files(package).joinpath(*path).read_text(encoding="utf-8"), Loader=LOADER)


@cache
def catalogue(lang: str) -> dict[str, str]:
    """Every message of one language by its dotted key."""
    return dict(_flat("", read_yaml("hakoniwa", "lexicon", f"messages.{lang}.yaml")))


def _flat(prefix: str, node: Any) -> list[tuple[str, str]]:
    if not isinstance(node, dict):
        return [(prefix, str(node))]
    return [pair for name, child in node.items() for pair in _flat(f"{prefix}.{name}" if prefix else name, child)]


def locale_language() -> str:
    """The language of the machine, as far as we speak it."""
    named = next((os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name)), None)
    return "ja" if (named or locale.getlocale()[0] or "").casefold().startswith("ja") else "en"


def say(key: str, lang: str, /, **details: Any) -> str:
    """A message with its details; a command it tells of is one that works here."""
    return catalogue(lang)[key].format(**{"hakoniwa": typed_program(), **details})


@cache
def typed_program() -> str:
    """What to type in this folder for the very program that runs now."""
    own, found = _own_program(), shutil.which(PROGRAM)
    if own is None or (found is not None and Path(found).resolve() == own.resolve()):
        return PROGRAM
    here = Path.cwd()
    return shlex.quote(str(own.relative_to(here) if own.is_relative_to(here) else own))


def _own_program() -> Path | None:
    """The script that was started, or else the one beside this Python."""
    started, beside = Path(sys.argv[0]), Path(sys.executable).with_name(PROGRAM)
    own = started if started.name == PROGRAM else beside
    return own.absolute() if own.is_file() else None


def states_in_words(states: Iterable[str], lang: str) -> list[str]:
    """The states of a thing in a language, where it has words for them; that a thing is as ever goes without saying."""
    known = catalogue(lang)
    return [known.get(f"state.{word}", word) for word in states if word != "default"]


def tell(error: HakoniwaError, lang: str) -> str:
    """The error as one message in the user's language."""
    return say(f"error.{error.key}", lang, **error.details)


def format_recent(at: datetime, now: datetime, language: str) -> str:
    """A moment as people say it: the hour of today and yesterday, else the day."""
    local, days = at.astimezone(), (now.astimezone().date() - at.astimezone().date()).days
    if days in (0, 1):
        return say(f"time.{('today', 'yesterday')[days]}", language, clock=f"{local:%H:%M}")
    return f"{local.month}月{local.day}日" if language == "ja" else f"{local.day} {local:%B}"


def format_time(at: datetime, language: str) -> str:
    """A moment as people of that language write it, in the user's own time."""
    local = at.astimezone()
    day = f"{local.year}年{local.month}月{local.day}日" if language == "ja" else f"{local.day} {local:%B} {local.year}"
    return f"{day} {local:%H:%M}"
