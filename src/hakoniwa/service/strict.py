"""Routes that read JSON from strangers as carefully as the referee does, and tell every error as a problem."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.requests import ClientDisconnect

from hakoniwa.errors import HakoniwaError
from hakoniwa.service.body import MAX_BODY, NotJson, TooDeep, WorldTooLarge, parsed
from hakoniwa.service.guard import BodyTooLarge
from hakoniwa.service.problem import documented
from hakoniwa.service.refusal import refusal

Handler = Callable[[Request], Coroutine[Any, Any, Response]]
GET = (400, 401, 403, 404, 413, 421, 422, 503)
POST = (*GET, 409, 415)
FORESEEN = (HakoniwaError, RequestValidationError, NotJson, TooDeep, WorldTooLarge, BodyTooLarge, ClientDisconnect)


class StrictRequest(Request):
    """A request whose JSON is read by our own rules: FastAPI's own reader fails on some of what anyone may send."""

    async def json(self) -> Any:
        if not hasattr(self, "_read"):
            raw = await self.body()
            self._read = parsed(raw) if len(raw) <= MAX_BODY else await asyncio.to_thread(parsed, raw)
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
            except FORESEEN as error:
                return refusal(error, request)

        return strict


def strict_router(prefix: str, tag: str) -> APIRouter:
    return APIRouter(prefix=prefix, tags=[tag], route_class=StrictRoute)


def gets(*more: int) -> dict[int | str, dict[str, Any]]:
    """Every status that a reading route may answer with, besides its own."""
    return documented(*sorted({*GET, *more}))


def posts(*more: int) -> dict[int | str, dict[str, Any]]:
    """The same for a route that does something."""
    return documented(*sorted({*POST, *more}))
