"""GET /health: whether the server is up, and which version it is."""

from fastapi import APIRouter

from hakoniwa import __version__
from hakoniwa.service.requests import problem_responses
from hakoniwa.turn import Value


class Health(Value):
    status: str = "ok"
    version: str


def health_routes() -> APIRouter:
    router = APIRouter(tags=["health"])

    @router.get("/health", operation_id="health", responses=problem_responses(400, 403, 413, 421))
    async def health() -> Health:
        """The server answers."""
        return Health(version=__version__)

    return router
