"""Errors over HTTP: problem+json, with a title a program can match and a detail a person can act on."""

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from hakoniwa.messages import catalogue
from hakoniwa.turn import Value

MEDIA_TYPE = "application/problem+json"
LONGEST_DETAIL = 2000


class Problem(Value):
    """What went wrong, in the form of RFC 9457; `key` names an error of Hakoniwa's, where it is one."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str = ""
    key: str = ""


def problem(status: int, language: str, headers: Mapping[str, str] | None = None, **details: Any) -> Response:
    """A status that says it all, in somebody's language."""
    detail = status_text(status, language, **details)
    return as_response(Problem(title=TITLES.get(status, "Error"), status=status, detail=detail), **(headers or {}))


def status_text(status: int, language: str, **details: Any) -> str:
    """What a status means to the one who asked; nothing, where it is for a route to say."""
    told = catalogue(language).get(f"http.{status}", "")
    return told.format(**details)


def as_response(told: Problem, **headers: str) -> Response:
    body = told.model_copy(update={"detail": told.detail[:LONGEST_DETAIL]}).model_dump_json()
    return Response(body, status_code=told.status, media_type=MEDIA_TYPE, headers=headers)


def problem_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The statuses of a route for OpenAPI, each answered with a Problem."""
    schema = {"$ref": "#/components/schemas/Problem"}
    return {status: {"description": TITLES[status], "content": {MEDIA_TYPE: {"schema": schema}}} for status in statuses}


TITLES = {
    400: "Not JSON",
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
