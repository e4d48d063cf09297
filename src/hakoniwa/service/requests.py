"""What callers may send, read with care, and the problem they are told of where it cannot be served."""

import asyncio
import errno
import logging
import re
from collections.abc import Callable, Coroutine, Mapping
from http import HTTPStatus
from math import isinf
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import Field
from pydantic_core import from_json, to_json
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import Receive

from hakoniwa.actor.cards.read import MAX_CARD
from hakoniwa.chat.chat import LONGEST
from hakoniwa.errors import (
    CardError,
    ChatFileError,
    GardenFileError,
    HakoniwaError,
    JournalError,
    ModelError,
    PersonaMissing,
    ScenarioError,
    UnknownName,
    UsageError,
    WorldError,
)
from hakoniwa.journal import MAIN
from hakoniwa.messages import LANGUAGES, catalogue, say, tell
from hakoniwa.problems import explain_error, in_other_words
from hakoniwa.service.gm_sessions import AlreadyAnswered
from hakoniwa.stage.world import MAX_NAME, MAX_WORLD
from hakoniwa.turn import Value

MAX_BODY = 1 << 20
MAX_CARD_BODY = -(-MAX_CARD // 3) * 4 + (64 << 10)  # four letters of base64 for three bytes, and what is around them
LARGER = {("POST", "/v1/cards"): MAX_CARD_BODY, ("POST", "/v1/imports"): MAX_CARD_BODY}
MAX_DEPTH = 32
_LARGEST = 2**63


def body_limit(method: str, path: str) -> int:
    """How many bytes a body may have: there are routes that take files."""
    return LARGER.get((method, path), MAX_BODY)


class BodyTooLarge(Exception):
    """More bytes came than were announced or allowed."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.limit = limit


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


OPENAI = re.compile(r"/v1/(?:models(?:/.*)?|chat/completions)")  # paths whose callers are clients of OpenAI
MEDIA_TYPE = "application/problem+json"
LONGEST_DETAIL = 2000


class Problem(Value):
    """What went wrong, in the form of RFC 9457; `key` names an error of Hakoniwa's, where it is one."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str = ""
    key: str = ""


class OpenAIError(Value):
    """What went wrong, as clients of OpenAI read it."""

    message: str
    type: Literal["invalid_request_error", "server_error"]
    param: str | None = None
    code: str | None = None


class OpenAIProblem(Problem):
    """A problem that clients of OpenAI can read as well."""

    error: OpenAIError


def openai_problem(told: Problem) -> OpenAIProblem:
    kind: Literal["invalid_request_error", "server_error"] = (
        "invalid_request_error" if told.status < 500 else "server_error"
    )
    error = OpenAIError(message=told.detail or told.title, type=kind, code=told.key or None)
    return OpenAIProblem(**dict(told), error=error)


def problem(status: int, request: Request, headers: Mapping[str, str] | None = None, **details: Any) -> Response:
    """A status that says it all, in the language of the request."""
    detail = status_text(status, language_of(request), **details)
    told = Problem(title=TITLES.get(status, "Error"), status=status, detail=detail)
    return as_response(told, request, **(headers or {}))


def status_text(status: int, language: str, **details: Any) -> str:
    """What a status means to the one who asked; nothing, where it is for a route to say."""
    told = catalogue(language).get(f"http.{status}", "")
    return told.format(**details)


def as_response(told: Problem, request: Request, **headers: str) -> Response:
    short = told.model_copy(update={"detail": told.detail[:LONGEST_DETAIL]})
    body = openai_problem(short) if OPENAI.fullmatch(request.scope["path"]) else short
    return Response(body.model_dump_json(), status_code=told.status, media_type=MEDIA_TYPE, headers=headers)


def problem_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The statuses of a route for OpenAPI, each answered with a Problem."""
    schema = {"$ref": "#/components/schemas/Problem"}
    return {status: {"description": TITLES[status], "content": {MEDIA_TYPE: {"schema": schema}}} for status in statuses}


TITLES = {
    400: "Bad request",
    401: "Token needed",
    403: "Foreign origin",
    404: "Not found",
    405: "Method not allowed",
    409: "Not now",
    413: "Too large",
    415: "Not application/json",
    421: "Unknown host",
    422: "Not a valid request",
    429: "Too many at once",
    500: "Internal error",
    502: "Model failed",
    503: "Journal unavailable",
}


log = logging.getLogger("hakoniwa.service")

STATUS_OF_KEYS = {
    "journal.no-row": 404,
    "journal.garden-exists": 409,
    "journal.branch-exists": 409,
    "journal.moved-on": 409,
    "chat.cannot-undo": 409,
    "chat.played-on": 409,
    "chat.cannot-retake": 409,
    "chat.busy": 409,
    "chat.too-many": 429,
    "autonomy.too-many-streams": 429,
    "garden.busy": 409,
    "garden.stopped": 409,
    "garden.too-many": 429,
    "play.cannot-undo": 409,
    "play.nobody-spoke": 409,
    "models.examining": 409,
    "shelf.shipped": 409,
    "shelf.full": 409,
    "experiment.busy": 409,
    "experiment.exists": 409,
    "experiment.full": 409,
    "experiment.no-model": 409,
    "experiment.elsewhere": 409,
    "experiment.not-here": 409,
    "card.exists": 409,
    "tavern.known": 409,
    "openai.unsupported": 400,
}
STATUS_OF_ERRORS: dict[type[HakoniwaError], int] = {
    UnknownName: 404,
    UsageError: 422,
    ScenarioError: 422,
    CardError: 422,
    ChatFileError: 422,
    GardenFileError: 422,
    WorldError: 422,
    PersonaMissing: 422,
    ModelError: 502,
    JournalError: 503,
}


def refusal(error: Exception, request: Request) -> Response:
    """The answer to a request that cannot be served, with a line in the log for every fault of the server's side."""
    found = problem_of(error, language_of(request))
    if found.status >= 500:
        log_fault(f"{request.method} {request.scope['path']}", error, found.status)
    return as_response(found, request)


def log_fault(what: str, error: Exception, status: int) -> None:
    """The line in the log that says why something was answered with a 5xx status."""
    explain_error = tell(error, "en") if isinstance(error, HakoniwaError) else str(error)
    key = error.key if isinstance(error, HakoniwaError) else ""
    fields = {"what": what, "status": status, "key": key, "told": explain_error}
    log.warning("%(what)s: %(status)s %(key)s: %(told)s", fields)


def problem_of(error: Exception, language: str = "en") -> Problem:
    """What an error is to the one who asked; what nobody foresaw is raised on."""
    match error:
        case NotJson():
            return _problem(400, say("http.not-json", language, problem=in_other_words(str(error), language)))
        case TooDeep():
            return _problem(422, say("http.too-deep", language, limit=MAX_DEPTH))
        case RequestValidationError():
            return _problem(422, _first_problem(error, language))
        case AlreadyAnswered():
            return _problem(409, say("http.answered", language), title="Already answered")
        case BodyTooLarge():
            return _problem(413, say("http.413", language, limit=error.limit))
        case WorldTooLarge():
            return _problem(413, say("http.world-too-large", language, limit=MAX_WORLD))
        case ClientDisconnect():
            return _problem(400, say("http.broken-off", language))
        case HakoniwaError() if (status := status_of(error)) != 503:
            return _problem(status, explain_error(error, language), key=error.key)
        case HakoniwaError():  # its words may name files of this machine
            return _problem(503, say("http.503", language), key=error.key)
        case OSError() if error.errno in FULL:
            return _problem(503, say("http.full", language), title="Disk full", key="journal.full")
        case HTTPException():
            return _problem(error.status_code, status_text(error.status_code, language) or error.detail)
    raise error


def status_of(error: HakoniwaError) -> int:
    kinds = (STATUS_OF_ERRORS[kind] for kind in type(error).__mro__ if kind in STATUS_OF_ERRORS)
    return STATUS_OF_KEYS.get(error.key) or next(kinds)


def _problem(status: int, detail: str, title: str | None = None, key: str = "") -> Problem:
    explain_error = title or TITLES.get(status) or HTTPStatus(status).phrase
    return Problem(title=explain_error, status=status, detail=detail, key=key)


def _first_problem(error: RequestValidationError, language: str) -> str:
    """Where a request is wrong, and why; what was sent is not sent back."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return say("error.request.invalid", language, where=where, problem=in_other_words(first["msg"], language))


Handler = Callable[[Request], Coroutine[Any, Any, Response]]
GET = (400, 401, 403, 404, 413, 421, 422, 503)
POST = (*GET, 409, 415)
EXPECTED_ERRORS = (
    HakoniwaError,
    RequestValidationError,
    NotJson,
    TooDeep,
    WorldTooLarge,
    BodyTooLarge,
    ClientDisconnect,
    OSError,
)
FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


class StrictRequest(Request):
    """A request whose JSON is read by our own rules: FastAPI's own reader fails on some of what anyone may send."""

    async def json(self) -> Any:
        if not hasattr(self, "_read"):
            raw = await self.body()
            self._read = parse_json(raw) if len(raw) <= MAX_BODY else await asyncio.to_thread(parse_json, raw)
        return self._read


class StrictRoute(APIRoute):
    """A route that answers with a problem where it cannot do what it is for."""

    def get_route_handler(self) -> Handler:
        handle = super().get_route_handler()

        async def strict(request: Request) -> Response:
            careful = StrictRequest(request.scope, request.receive)
            try:
                if request.method == "POST":
                    await careful.json()  # here its own errors are still what they are
                return await handle(careful)
            except EXPECTED_ERRORS as error:
                return refusal(error, request)

        return strict


def strict_router(prefix: str, tag: str) -> APIRouter:
    return APIRouter(prefix=prefix, tags=[tag], route_class=StrictRoute)


def get_responses(*more: int) -> dict[int | str, dict[str, Any]]:
    """Every status that a reading route may answer with, besides its own."""
    return problem_responses(*sorted({*GET, *more}))


def post_responses(*more: int) -> dict[int | str, dict[str, Any]]:
    """The same for a route that does something."""
    return problem_responses(*sorted({*POST, *more}))
