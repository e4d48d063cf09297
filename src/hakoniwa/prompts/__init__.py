"""Prompts are files: `render("actor/think", "ja", …)`. A value that a template needs and does not get is an error."""

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

_files = Environment(
    loader=PackageLoader("hakoniwa", "prompts"),
    undefined=StrictUndefined,
    autoescape=False,
    auto_reload=False,  # looking whether a file has changed takes longer than rendering it
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=False,
)


def render(name: str, language: str, **values: Any) -> str:
    """A prompt in one language."""
    return _files.get_template(f"{name}.{language}.j2").render(**values).strip()
