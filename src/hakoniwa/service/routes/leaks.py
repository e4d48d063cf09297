"""POST /v1/gm/leaks: what a line says that its speaker cannot know, for anyone's dialogue engine."""

from fastapi import APIRouter

from hakoniwa.gm.leak_request import LeakReport, LeakRequest, leaks_of
from hakoniwa.service.requests import post_responses, strict_router


def leak_routes() -> APIRouter:
    router = strict_router("/v1/gm", "gm")

    @router.post("/leaks", operation_id="gm_leaks", responses=post_responses())
    def gm_leaks(asked: LeakRequest) -> LeakReport:
        """Find what a line says that its speaker neither witnessed nor was told."""
        return leaks_of(asked)

    return router
