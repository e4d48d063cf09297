"""Texts kept once: prompts repeat one another, so they are cut into pieces, and each piece is stored a single time."""

import hashlib
import math
import zlib
from typing import Any

EVERY = 8


def make_legible(text: str) -> str:
    """The text with the halves of surrogate pairs joined, and those left alone marked: UTF-8 cannot hold them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def plain(text: str) -> str:
    """The text for a column that holds no JSON; PostgreSQL has no NUL there."""
    return make_legible(text).replace("\0", "\ufffd")


def make_storable(data: Any) -> Any:
    """The data as JSON can hold it: a reply that came damaged is kept with marks in it, and never lost."""
    match data:
        case str():
            return make_legible(data)
        case float():
            return data if math.isfinite(data) else None
        case dict():
            return {make_storable(name): make_storable(value) for name, value in data.items()}
        case list() | tuple():
            return [make_storable(one) for one in data]
    return data


def pieces(text: str) -> list[str]:
    """The text cut behind lines chosen by what they say, so that texts with lines in common have pieces in common."""
    found: list[str] = []
    start = end = 0
    for line in text.splitlines(keepends=True):
        end += len(line)
        if zlib.crc32(line.encode()) % EVERY == 0:
            found.append(text[start:end])
            start = end
    return [*found, text[start:]] if start < len(text) else found


def hash_text(text: str) -> str:
    """The first half of SHA-256: enough that nobody finds two texts with one hash."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def key_of(text: str) -> str:
    """The text as something to be looked up by, however long it is."""
    return hash_text(make_legible(text))
