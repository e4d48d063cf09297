"""/v1/pictures and /v1/faces: what things and people look like."""

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Response

from hakoniwa.errors import UnknownName
from hakoniwa.pictures.catalogue import svg_of
from hakoniwa.pictures.faces import Expression, Pose, figure_svg
from hakoniwa.pictures.looks import Look
from hakoniwa.service.page import svg_picture
from hakoniwa.service.requests import Label, get_responses, strict_router

SVG: dict[int | str, dict[str, Any]] = {
    200: {"description": "The picture", "content": {"image/svg+xml": {"schema": {"type": "string"}}}},
    **get_responses(),
}


def picture_routes() -> APIRouter:
    router = strict_router("/v1", "pictures")

    @router.get("/pictures/{name}", operation_id="read_picture", response_class=Response, responses=SVG)
    async def read(
        name: Annotated[Label, Path()], state: Annotated[Literal["open", "on"] | None, Query()] = None
    ) -> Response:
        """The picture of a thing, as it is in a state if that looks different."""
        found = await asyncio.to_thread(svg_of, name, state)
        if found is None:
            raise UnknownName("unknown.portrait", name=name)
        return svg_picture(found)

    @router.get("/faces/{look}", operation_id="read_face", response_class=Response, responses=SVG)
    async def face(
        look: Annotated[Label, Path()], expression: Expression = "neutral", pose: Pose = "face", speaking: bool = False
    ) -> Response:
        """A drawn face, or all of somebody in a pose; `look` is what a garden, a chat or a sheet says of them."""
        known = Look.read(look)
        found = await asyncio.to_thread(figure_svg, known, expression, pose, speaking) if known else None
        if found is None:
            raise UnknownName("unknown.portrait", name=look)
        return svg_picture(found)

    return router
