"""A glance at a YAML file: what it says of itself at its top level, without reading all of it."""

import re
from collections.abc import Collection, Iterator

import yaml

from hakoniwa.stage.document import Loader

MOST = 8_000  # characters of what a key says
_KEY = re.compile(r"(\w+):(?:\s|$)")


def glance(text: str, wanted: Collection[str]) -> dict[str, str]:
    """The words under some keys; what cannot be read so is left out, as whoever opens the file is told why."""
    said = {}
    for key, block in _blocks(text):
        if key in wanted and (words := _words(block, key)):
            said[key] = words
    return said


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Every key at the margin, with its lines up to the next."""
    key, lines = "", list[str]()
    for line in text.splitlines():
        found = _KEY.match(line)
        if found:
            yield key, "\n".join(lines)
            key, lines = found[1], []
        lines.append(line)
    yield key, "\n".join(lines)


def _words(block: str, key: str) -> str:
    try:
        read = yaml.load(block[:MOST], Loader=Loader)
    except (yaml.YAMLError, ValueError, LookupError):
        return ""
    value = read.get(key) if isinstance(read, dict) else None
    return value.strip() if isinstance(value, str) else ""
