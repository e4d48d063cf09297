"""Generated: text a model made on a persona path. It can be kept, shown and prompted with, not compared or searched."""

import hashlib
import unicodedata
from collections.abc import Iterable
from typing import Any, Final, NoReturn, final

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema


@final
class Generated:
    """A sealed text. Whoever would decide by its wording finds no way in: not equal to any string, not a container.

    `unsealed` lets it out for those who write it down or put it before somebody; a test names the few who may."""

    __slots__ = ("_marks", "_text")

    def __init__(self, text: str) -> None:
        self._text: Final = text
        self._marks: tuple[bytes, ...] | None = None

    def __repr__(self) -> str:
        return f"Generated({len(self._text)} characters)"

    __str__ = __repr__

    def __format__(self, spec: str) -> NoReturn:
        raise TypeError("a generated text is rendered by whoever may unseal it")

    def __bool__(self) -> NoReturn:
        raise TypeError("whether a generated text is there is asked with `is None`")

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """In JSON it is a plain string, both ways."""
        return core_schema.no_info_plain_validator_function(
            _seal,
            serialization=core_schema.plain_serializer_function_ser_schema(
                unseal, return_schema=core_schema.str_schema()
            ),
            json_schema_input_schema=core_schema.str_schema(),
        )


def unseal(text: Generated) -> str:
    """The words, for a page, a prompt, a database or an index: places that pass them on without looking."""
    return text._text


def join_texts(pieces: Iterable[Generated]) -> Generated:
    """The pieces of a stream as one text."""
    return Generated("".join(piece._text for piece in pieces))


def marks(text: Generated) -> tuple[bytes, ...]:
    """The hashes kept beside a text, one for its beginning up to each letter; signs, blanks and widths do not count.

    The last is the same for the same words, and any of them is among those of a text that begins likewise."""
    if text._marks is None:
        running, found = hashlib.blake2b(digest_size=16), []
        for letter in filter(str.isalnum, unicodedata.normalize("NFKC", text._text).casefold()):
            running.update(letter.encode("utf-8", "surrogatepass"))
            found.append(running.digest())
        text._marks = tuple(found)
    return text._marks


def _seal(value: Any) -> Generated:
    if isinstance(value, Generated):
        return value
    if isinstance(value, str):
        return Generated(value)
    raise ValueError("a text is wanted")
