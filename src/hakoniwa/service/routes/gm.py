"""POST /v1/gm/step: the referee for anyone's dialogue engine."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hakoniwa.gm.request import checked_request
from hakoniwa.service.body import parsed
from hakoniwa.service.gm_sessions import GMSessions
from hakoniwa.service.problem import documented
from hakoniwa.service.refusal import refusal

PATH = "/v1/gm/step"
STATUSES = (400, 401, 403, 409, 413, 415, 421, 422, 503)


def gm_route(sessions: GMSessions) -> Route:
    """The GM's route on these sessions. It reads and writes its own JSON, which halves what a step costs."""

    async def step(http: Request) -> Response:
        try:
            raw = await http.body()
            request = checked_request(parsed(raw))
            answer = await sessions.step(request, raw)
        except Exception as error:
            return refusal(error)
        return Response(answer, media_type="application/json")

    return Route(PATH, step, methods=["POST"])


def gm_description() -> dict[str, Any]:
    """The route for OpenAPI."""
    return {
        "post": {
            "tags": ["gm"],
            "summary": "Read one reply, judge it against the world, and say what it changes",
            "operationId": "gm_step",
            "requestBody": {"content": _json("GMStepRequest"), "required": True},
            "responses": {
                "200": {"description": "The ruling", "content": _json("Ruling")},
                **{str(status): answer for status, answer in documented(*STATUSES).items()},
            },
        }
    }


def _json(model: str) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{model}"}}}
