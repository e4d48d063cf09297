"""Errors over HTTP: problem+json, with a title a program can match and a detail a person can act on."""

from typing import Any

from starlette.responses import Response

from hakoniwa.turn import Value

MEDIA_TYPE = "application/problem+json"


class Problem(Value):
    """What went wrong, in the form of RFC 9457."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str = ""


def problem(status: int, title: str, detail: str = "", **headers: str) -> Response:
    body = Problem(title=title, status=status, detail=detail[:2000]).model_dump_json()
    return Response(body, status_code=status, media_type=MEDIA_TYPE, headers=headers)


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The statuses of a route for OpenAPI, each answered with a Problem."""
    schema = {"$ref": "#/components/schemas/Problem"}
    return {status: {"description": TITLES[status], "content": {MEDIA_TYPE: {"schema": schema}}} for status in statuses}


TITLES = {
    400: "Not JSON",
    401: "Token needed",
    403: "Foreign origin",
    404: "No such route",
    405: "Method not allowed",
    409: "Already answered",
    413: "Too large",
    415: "Not application/json",
    421: "Unknown host",
    422: "Not a valid request",
    500: "Internal error",
    503: "Journal unavailable",
}
