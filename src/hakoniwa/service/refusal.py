"""What cannot be served, as a problem, and routes that read JSON from strangers with care."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from hakoniwa.errors import (
    CardError,
    HakoniwaError,
    JournalError,
    ModelError,
    PersonaMissing,
    ScenarioError,
    UnknownName,
    UsageError,
    WorldError,
)
from hakoniwa.messages import say, tell
from hakoniwa.problems import explain_error, in_other_words
from hakoniwa.service.gm_sessions import AlreadyAnswered
from hakoniwa.service.guard import BodyTooLarge
from hakoniwa.service.problem import TITLES, Problem, as_response, problem_responses, status_text
from hakoniwa.service.requests import MAX_BODY, MAX_DEPTH, NotJson, TooDeep, WorldTooLarge, language_of, parse_json
from hakoniwa.stage.world import MAX_WORLD

log = logging.getLogger("hakoniwa.service")

STATUS_OF_KEYS = {
    "journal.no-row": 404,
    "journal.garden-exists": 409,
    "journal.branch-exists": 409,
    "journal.moved-on": 409,
    "chat.cannot-undo": 409,
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
}
STATUS_OF_ERRORS: dict[type[HakoniwaError], int] = {
    UnknownName: 404,
    UsageError: 422,
    ScenarioError: 422,
    CardError: 422,
    WorldError: 422,
    PersonaMissing: 422,
    ModelError: 502,
    JournalError: 503,
}


def refusal(error: Exception, request: Request) -> Response:
    """The answer to a request that cannot be served, with a line in the log for every fault of the server's side."""
    found = problem_of(error, language_of(request))
    if found.status >= 500:
        log_fault(f"{request.method} {request.url.path}", error, found.status)
    return as_response(found)


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
)


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
