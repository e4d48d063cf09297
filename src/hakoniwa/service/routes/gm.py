"""POST /v1/gm/step: the referee for anyone's dialogue engine."""

from typing import Any

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from hakoniwa.gm.request import checked_request
from hakoniwa.service.gm_sessions import GMSessions
from hakoniwa.service.requests import parse_json, problem, problem_responses, read_body, refusal

PATH = "/v1/gm/step"
STATUSES = (400, 401, 403, 409, 413, 415, 421, 422, 503)


class GMRoute:
    """The GM's path, as a layer before all other routes: to find a route and ask it costs as much as to read JSON."""

    def __init__(self, app: ASGIApp, sessions: GMSessions) -> None:
        self.app, self.sessions = app, sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != PATH:
            await self.app(scope, receive, send)
            return
        try:
            answer = await self._answer(scope, receive)
        except Exception:
            await problem(500, Request(scope))(scope, receive, send)
            raise  # for the server's log
        await answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive) -> ASGIApp:
        if scope["method"] != "POST":
            return problem(405, Request(scope), {"Allow": "POST"})
        try:
            raw = await read_body(receive)
            return _in_json(await self.sessions.step(checked_request(parse_json(raw)), raw))
        except Exception as error:
            return refusal(error, Request(scope))


def _in_json(body: bytes) -> ASGIApp:
    """The shortest way to answer."""
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]

    async def answer(_: Scope, __: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return answer


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
                **{str(status): answer for status, answer in problem_responses(*STATUSES).items()},
            },
        }
    }


def _json(model: str) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{model}"}}}
