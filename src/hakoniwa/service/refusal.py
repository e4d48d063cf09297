"""What cannot be served, as a problem: which status an error has, and what it says to the one who asked."""

import logging
from http import HTTPStatus

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

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
from hakoniwa.problems import in_other_words, told
from hakoniwa.service.body import MAX_DEPTH, NotJson, TooDeep, WorldTooLarge
from hakoniwa.service.gm_sessions import AlreadyAnswered
from hakoniwa.service.guard import BodyTooLarge
from hakoniwa.service.problem import TITLES, Problem, as_response, explained
from hakoniwa.service.wishes import language_of
from hakoniwa.stage.world import MAX_WORLD

log = logging.getLogger("hakoniwa.service")

OF_KEYS = {
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
OF_KINDS: dict[type[HakoniwaError], int] = {
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
    told = tell(error, "en") if isinstance(error, HakoniwaError) else str(error)
    key = error.key if isinstance(error, HakoniwaError) else ""
    fields = {"what": what, "status": status, "key": key, "told": told}
    log.warning("%(what)s: %(status)s %(key)s: %(told)s", fields)


def problem_of(error: Exception, language: str = "en") -> Problem:
    """What an error is to the one who asked; what nobody foresaw is raised on."""
    match error:
        case NotJson():
            return _problem(400, say("http.not-json", language, problem=in_other_words(str(error), language)))
        case TooDeep():
            return _problem(422, say("http.too-deep", language, limit=MAX_DEPTH))
        case RequestValidationError():
            return _problem(422, _first(error, language))
        case AlreadyAnswered():
            return _problem(409, say("http.answered", language), title="Already answered")
        case BodyTooLarge():
            return _problem(413, say("http.413", language, limit=error.limit))
        case WorldTooLarge():
            return _problem(413, say("http.world-too-large", language, limit=MAX_WORLD))
        case ClientDisconnect():
            return _problem(400, say("http.broken-off", language))
        case HakoniwaError() if (status := status_of(error)) != 503:
            return _problem(status, told(error, language), key=error.key)
        case HakoniwaError():  # its words may name files of this machine
            return _problem(503, say("http.503", language), key=error.key)
        case HTTPException():
            return _problem(error.status_code, explained(error.status_code, language) or error.detail)
    raise error


def status_of(error: HakoniwaError) -> int:
    kinds = (OF_KINDS[kind] for kind in type(error).__mro__ if kind in OF_KINDS)
    return OF_KEYS.get(error.key) or next(kinds)


def _problem(status: int, detail: str, title: str | None = None, key: str = "") -> Problem:
    told = title or TITLES.get(status) or HTTPStatus(status).phrase
    return Problem(title=told, status=status, detail=detail, key=key)


def _first(error: RequestValidationError, language: str) -> str:
    """Where a request is wrong, and why; what was sent is not sent back."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return say("error.request.invalid", language, where=where, problem=in_other_words(first["msg"], language))
