"""Prompts and other templates: every prompt is a file `who/what.<language>.j2` beside this one."""

from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PackageLoader, StrictUndefined


def environment(package: str, folder: str = "", *, autoescape: bool, keep_trailing_newline: bool = True) -> Environment:
    """The templates in a folder of a package; a name that nothing was given for is an error."""
    return Environment(
        loader=PackageLoader(package, folder),
        autoescape=autoescape,
        undefined=StrictUndefined,
        auto_reload=False,  # looking whether a file has changed takes longer than rendering it
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=keep_trailing_newline,
    )


_files = environment("hakoniwa", "prompts", autoescape=False, keep_trailing_newline=False)


def put_before(folder: Path | None) -> None:
    """From here on in this process, templates that are in a folder too are taken from there."""
    if folder is not None and _files.loader is not None:
        _files.loader = ChoiceLoader([FileSystemLoader(folder), _files.loader])


def render(name: str, language: str, **values: Any) -> str:
    """A prompt in one language."""
    return _files.get_template(f"{name}.{language}.j2").render(**values).strip()
