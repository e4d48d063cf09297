"""/v1/pictures: what things look like."""

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Response

from hakoniwa.errors import UnknownName
from hakoniwa.pictures.catalogue import svg_of
from hakoniwa.service.page import svg_picture
from hakoniwa.service.requests import Label, get_responses, strict_router

SVG: dict[int | str, dict[str, Any]] = {
    200: {"description": "The picture", "content": {"image/svg+xml": {"schema": {"type": "string"}}}}
}


def picture_routes() -> APIRouter:
    router = strict_router("/v1/pictures", "pictures")

    @router.get("/{name}", operation_id="read_picture", response_class=Response, responses={**SVG, **get_responses()})
    async def read(
        name: Annotated[Label, Path()], state: Annotated[Literal["open", "on"] | None, Query()] = None
    ) -> Response:
        """The picture of a thing, as it is in a state if that looks different."""
        found = await asyncio.to_thread(svg_of, name, state)
        if found is None:
            raise UnknownName("unknown.portrait", name=name)
        return svg_picture(found)

    return router
