"""Reading JSON from strangers: sizes, depth and numbers that other programs could not read are refused."""

from math import isinf
from typing import Any

from pydantic_core import from_json, to_json
from starlette.requests import ClientDisconnect
from starlette.types import Receive

from hakoniwa.actor.cards.read import MAX_CARD
from hakoniwa.stage.world import MAX_WORLD

MAX_BODY = 1 << 20
MAX_CARD_BODY = -(-MAX_CARD // 3) * 4 + (64 << 10)  # four letters of base64 for three bytes, and what is around them
LARGER = {("POST", "/v1/cards"): MAX_CARD_BODY}
MAX_DEPTH = 32
_LARGEST = 2**63


def most(method: str, path: str) -> int:
    """How many bytes a body may have: there is one route that takes files."""
    return LARGER.get((method, path), MAX_BODY)


class NotJson(ValueError):
    """The body is not JSON that everyone can read."""


class TooDeep(ValueError):
    """The body is nested deeper than anything that makes sense."""


class WorldTooLarge(ValueError):
    """The world in the body has more bytes than a world may have."""


async def received(receive: Receive) -> bytes:
    """The bytes of a body, all of them."""
    parts, more = [], True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        parts.append(message.get("body", b""))
        more = message.get("more_body", False)
    return b"".join(parts)


def parsed(raw: bytes) -> Any:
    """The JSON value in a body."""
    try:
        data = from_json(raw, allow_inf_nan=False)
    except ValueError as error:
        raise NotJson(str(error)) from None
    _sane(data)
    if len(raw) > MAX_WORLD:  # a shorter body cannot hold a world that is too large
        _small_enough(data)
    return data


def _small_enough(data: Any) -> None:
    if isinstance(data, dict) and len(to_json(data.get("world_state"))) > MAX_WORLD:
        raise WorldTooLarge


def _sane(data: Any) -> None:
    """Every number fits 64 bits, nothing is infinite, nothing nests too deep; the body is a layer around its world."""
    layer = [data]
    for _ in range(MAX_DEPTH + 1):
        layer = _below(layer)
        if not layer:
            return
    if any(isinstance(value, dict | list) for value in layer):
        raise TooDeep
    _below(layer)


def _below(layer: list[Any]) -> list[Any]:
    """All that the values of one layer hold."""
    below: list[Any] = []
    for value in layer:
        kind = type(value)
        if kind is str:  # as most of them are
            continue
        if kind is dict:
            below += value.values()
        elif kind is list:
            below += value
        elif kind is int and not -_LARGEST <= value < _LARGEST:
            raise NotJson("an integer beyond 64 bits")
        elif kind is float and isinf(value):
            raise NotJson("a number beyond the range of a double")
    return below
