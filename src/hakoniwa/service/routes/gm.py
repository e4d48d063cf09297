"""POST /v1/gm/step: the referee for anyone's dialogue engine."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from hakoniwa.errors import JournalError, WorldError
from hakoniwa.gm.request import checked_request
from hakoniwa.service.body import MAX_WORLD, NotJson, TooDeep, parsed
from hakoniwa.service.gm_sessions import AlreadyAnswered, GMSessions
from hakoniwa.service.guard import BodyTooLarge
from hakoniwa.service.problem import TITLES, documented, problem

STATUSES = (400, 401, 403, 409, 413, 415, 421, 422, 503)
BODY = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/GMStepRequest"}}}, "required": True}
OK = {"description": "The ruling", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Ruling"}}}}


def gm_routes(sessions: GMSessions) -> APIRouter:
    """The GM's route on these sessions."""
    router = APIRouter(tags=["gm"])

    @router.post(
        "/v1/gm/step",
        summary="Read one reply, judge it against the world, and say what it changes",
        operation_id="gm_step",
        responses={200: OK, **documented(*STATUSES)},
        openapi_extra={"requestBody": BODY},
        response_class=Response,
    )
    async def step(http: Request) -> Response:
        try:
            raw = await http.body()
            request = checked_request(_world_capped(parsed(raw), raw))
            answer = await sessions.step(request, raw)
        except Exception as error:
            return refusal(error)
        return Response(answer, media_type="application/json")

    return router


def _world_capped(data: object, raw: bytes) -> object:
    """The body, unless it is longer than a world and a reply may be together."""
    if len(raw) > MAX_WORLD + 64 * 1024:
        raise BodyTooLarge
    return data


def refusal(error: Exception) -> Response:
    """The answer to a request that cannot be served; what nobody foresaw is raised on."""
    match error:
        case NotJson():
            return problem(400, TITLES[400], str(error))
        case TooDeep():
            return problem(422, TITLES[422], str(error))
        case WorldError():
            return problem(422, TITLES[422], f"{error.details.get('where', '')}: {error.details.get('problem', error)}")
        case AlreadyAnswered():
            return problem(409, TITLES[409], "this turn was answered and allowed with another body")
        case BodyTooLarge():
            return problem(413, TITLES[413])
        case JournalError():
            return problem(503, TITLES[503], error.key)
    raise error
