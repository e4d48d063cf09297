"""Prompts are files: `render("actor/think", "ja", …)`. A value that a template needs and does not get is an error."""

from typing import Any

from hakoniwa.templates import environment

_files = environment("hakoniwa", "prompts", autoescape=False, keep_trailing_newline=False)


def render(name: str, language: str, **values: Any) -> str:
    """A prompt in one language."""
    return _files.get_template(f"{name}.{language}.j2").render(**values).strip()
