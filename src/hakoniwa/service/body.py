"""Reading JSON from strangers: sizes, depth and numbers that other programs could not read are refused."""

from typing import Any

from pydantic_core import from_json

MAX_BODY = 1 << 20
MAX_WORLD = 256 * 1024
MAX_DEPTH = 32
_LARGEST = 2**63


class NotJson(ValueError):
    """The body is not JSON that everyone can read."""


class TooDeep(ValueError):
    """The body is nested deeper than anything that makes sense."""


def parsed(raw: bytes) -> Any:
    """The JSON value in a body."""
    try:
        data = from_json(raw, allow_inf_nan=False)
    except ValueError as error:
        raise NotJson(str(error)) from None
    _sane(data)
    return data


def _sane(data: Any) -> None:
    """Every number fits 64 bits, nothing is infinite, nothing nests too deep."""
    layer = [data]
    for _ in range(MAX_DEPTH + 2):
        below: list[Any] = []
        for value in layer:
            if isinstance(value, dict):
                below += value.values()
            elif isinstance(value, list):
                below += value
            elif isinstance(value, int) and not -_LARGEST <= value < _LARGEST:
                raise NotJson("an integer beyond 64 bits")
            elif isinstance(value, float) and value in (float("inf"), float("-inf")):
                raise NotJson("a number beyond the range of a double")
        if not below:
            return
        layer = below
    raise TooDeep(f"nested deeper than {MAX_DEPTH}")
