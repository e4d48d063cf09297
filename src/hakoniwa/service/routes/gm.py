"""POST /v1/gm/step: the referee for anyone's dialogue engine."""

from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from hakoniwa.errors import JournalError, WorldError
from hakoniwa.gm.request import checked_request
from hakoniwa.messages import tell
from hakoniwa.service.body import NotJson, TooDeep, WorldTooLarge, parsed
from hakoniwa.service.gm_sessions import AlreadyAnswered, GMSessions
from hakoniwa.service.guard import BodyTooLarge
from hakoniwa.service.problem import TITLES, documented, problem

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


def refusal(error: Exception) -> Response:
    """The answer to a request that cannot be served; what nobody foresaw is raised on."""
    match error:
        case NotJson():
            return problem(400, TITLES[400], str(error))
        case TooDeep():
            return problem(422, TITLES[422], str(error))
        case WorldError():
            return problem(422, TITLES[422], tell(error, "en"))
        case AlreadyAnswered():
            return problem(409, TITLES[409], "this turn was answered and allowed with another body")
        case BodyTooLarge() | WorldTooLarge():
            return problem(413, TITLES[413], str(error))
        case ClientDisconnect():
            return problem(400, TITLES[400], "the body broke off")
        case JournalError():
            return problem(503, TITLES[503], error.key)
    raise error


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
