"""What callers may send: bounded JSON, the shapes of names and numbers, and the language and form of the answer."""

from math import isinf
from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import Field
from pydantic_core import from_json, to_json
from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive

from hakoniwa.actor.cards.read import MAX_CARD
from hakoniwa.chat.chat import LONGEST
from hakoniwa.journal import MAIN
from hakoniwa.messages import LANGUAGES
from hakoniwa.stage.world import MAX_NAME, MAX_WORLD
from hakoniwa.turn import Value

MAX_BODY = 1 << 20
MAX_CARD_BODY = -(-MAX_CARD // 3) * 4 + (64 << 10)  # four letters of base64 for three bytes, and what is around them
LARGER = {("POST", "/v1/cards"): MAX_CARD_BODY}
MAX_DEPTH = 32
_LARGEST = 2**63


def body_limit(method: str, path: str) -> int:
    """How many bytes a body may have: there is one route that takes files."""
    return LARGER.get((method, path), MAX_BODY)


class NotJson(ValueError):
    """The body is not JSON that everyone can read."""


class TooDeep(ValueError):
    """The body is nested deeper than anything that makes sense."""


class WorldTooLarge(ValueError):
    """The world in the body has more bytes than a world may have."""


async def read_body(receive: Receive) -> bytes:
    """The bytes of a body, all of them."""
    parts, more = [], True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        parts.append(message.get("body", b""))
        more = message.get("more_body", False)
    return b"".join(parts)


def parse_json(raw: bytes) -> Any:
    """The JSON value in a body."""
    try:
        data = from_json(raw, allow_inf_nan=False)
    except ValueError as error:
        raise NotJson(str(error)) from None
    _check_values(data)
    if len(raw) > MAX_WORLD:  # a shorter body cannot hold a world that is too large
        _check_world_size(data)
    return data


def _check_world_size(data: Any) -> None:
    if isinstance(data, dict) and len(to_json(data.get("world_state"))) > MAX_WORLD:
        raise WorldTooLarge


def _check_values(data: Any) -> None:
    """Every number fits 64 bits, nothing is infinite, nothing nests too deep; the body is a layer around its world."""
    layer = [data]
    for _ in range(MAX_DEPTH + 1):
        layer = _child_values(layer)
        if not layer:
            return
    if any(isinstance(value, dict | list) for value in layer):
        raise TooDeep
    _child_values(layer)


def _child_values(layer: list[Any]) -> list[Any]:
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


MAX_ID = 128
MAX_QUERY = 400
MAX_FORGOTTEN = 1_000
LARGEST = 2**63 - 1
PLAIN = r"^[^\x00-\x1f\x7f]*$"
LINES = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$"
NEW = r"^\w[\w.-]*$"
TITLE = r"^\w[\w .、。・！？「」『』-]*$"

Id = Annotated[str, Field(min_length=1, max_length=MAX_ID, pattern=PLAIN)]
NewId = Annotated[str, Field(min_length=1, max_length=MAX_NAME, pattern=NEW)]
Title = Annotated[str, Field(min_length=1, max_length=MAX_NAME, pattern=TITLE)]
Label = Annotated[str, Field(min_length=1, max_length=MAX_NAME, pattern=PLAIN)]
Text = Annotated[str, Field(min_length=1, max_length=LONGEST, pattern=LINES)]
Seq = Annotated[int, Field(ge=1, le=LARGEST, strict=True)]

ChatId = Annotated[Id, Path(alias="id")]
GardenId = Annotated[Id, Path()]
Who = Annotated[Id, Path()]
OnBranch = Annotated[Id, Query(description="The line of play")]


class BranchRequest(Value):
    """A request about one line of play."""

    branch: Id = MAIN


JSON, STREAM = "application/json", "text/event-stream"
LONGEST_HEADER = 1_000


def language_of(request: Request) -> str:
    """The language of ours that is wanted most; English where nobody says."""
    wishes = _wishes(request.headers.get("accept-language", ""))
    known = {name.partition("-")[0]: much for name, much in sorted(wishes.items(), key=lambda pair: pair[1])}
    return max(LANGUAGES, key=lambda one: (known.get(one, 0.0), one == "en"))


def wants_json(request: Request) -> bool:
    """Whether an answer is wanted in one piece rather than as it comes."""
    wishes = _wishes(request.headers.get("accept", ""))
    return _wish(wishes, JSON) > _wish(wishes, STREAM)


def _wish(wishes: dict[str, float], kind: str) -> tuple[float, int]:
    """How much a kind is wanted, and how exactly it is named."""
    names = (kind, f"{kind.partition('/')[0]}/*", "*/*")
    found = ((wishes[name], -place) for place, name in enumerate(names) if name in wishes)
    return next(found, (0.0, -len(names)))


def _wishes(header: str) -> dict[str, float]:
    """The entries of such a header with their weights; a weight that is none counts nothing."""
    found: dict[str, float] = {}
    for entry in header[:LONGEST_HEADER].split(","):
        name, *details = (part.strip().casefold() for part in entry.split(";"))
        found[name] = next((_weight(one[2:]) for one in details if one.startswith("q=")), 1.0)
    return found


def _weight(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
