"""GET /health: whether the server is up, and which version it is; GET /ready: whether it can do its work."""

import asyncio
from typing import Literal

from fastapi import APIRouter

from hakoniwa import __version__
from hakoniwa.errors import JournalError
from hakoniwa.journal import Journal, Row
from hakoniwa.service.requests import problem_responses, strict_router
from hakoniwa.turn import Value

PATIENCE, NO_ROW = 2.0, 2**62


class Health(Value):
    status: str = "ok"
    version: str


class Ready(Value):
    status: Literal["ready"] = "ready"


class Readiness:
    """Whether the journal answers. It is asked once at a time, however many want to know and however long it takes."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._asking: asyncio.Task[list[Row]] | None = None

    async def require(self) -> None:
        """Raise JournalError unless the journal answers soon."""
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(asyncio.to_thread(self._journal.since, NO_ROW, 1))
        try:
            await asyncio.wait_for(asyncio.shield(self._asking), PATIENCE)
        except TimeoutError:
            raise JournalError("journal.silent", seconds=PATIENCE) from None


def health_routes(readiness: Readiness) -> APIRouter:
    router = strict_router("", "health")

    @router.get("/health", operation_id="health", responses=problem_responses(400, 403, 413, 421))
    async def health() -> Health:
        """The server answers."""
        return Health(version=__version__)

    @router.get("/ready", operation_id="ready", responses=problem_responses(400, 403, 413, 421, 503))
    async def ready() -> Ready:
        """The journal answers as well."""
        await readiness.require()
        return Ready()

    return router
