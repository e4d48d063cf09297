"""/v1/personas: who the user is, in chats and in gardens."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Response
from pydantic import Field

from hakoniwa.app.user_personas import KeptPersona, UserPersona, UserPersonas, personas_file
from hakoniwa.service.page import download, picture
from hakoniwa.service.requests import Label, NewId, get_responses, post_responses, strict_router
from hakoniwa.service.routes.cards import PORTRAIT, bytes_of

PersonaId = Annotated[Label, Path()]


class PersonaDraft(UserPersona):
    """A persona to be kept: under an `id`, or a new one; `portrait` is a PNG picture in base64."""

    id: NewId | None = None
    portrait: Annotated[str, Field(min_length=1)] | None = None


def persona_routes(kept: UserPersonas) -> APIRouter:
    router = strict_router("/v1/personas", "personas")

    @router.get("", operation_id="list_personas", responses=get_responses())
    async def every() -> list[KeptPersona]:
        """Every persona of the user."""
        return await asyncio.to_thread(kept.all)

    @router.post("", operation_id="save_persona", status_code=201, responses=post_responses())
    async def save(draft: PersonaDraft) -> KeptPersona:
        """Keep a persona, in place of the one with that id or as a new one; without a portrait it keeps its own."""
        raw = bytes_of(draft.portrait) if draft.portrait else None
        return await asyncio.to_thread(kept.save, draft, draft.id, raw)

    @router.get(
        "/export", operation_id="export_personas", response_class=Response,
        responses={200: {"description": "The personas", "content": {"application/json": {}}}, **get_responses()},
    )  # fmt: skip
    async def export() -> Response:
        """Every persona in a file that SillyTavern restores."""
        return download(await asyncio.to_thread(personas_file, kept), "personas.json", "application/json")

    @router.get(
        "/{id}/portrait", operation_id="read_persona_portrait", response_class=Response,
        responses={**PORTRAIT, **get_responses()},
    )  # fmt: skip
    async def portrait(id: PersonaId) -> Response:
        """The portrait of a persona."""
        return picture(await asyncio.to_thread(kept.portrait, id))

    @router.post("/{id}/delete", operation_id="delete_persona", responses=post_responses())
    async def delete(id: PersonaId) -> list[KeptPersona]:
        """Remove a persona and its portrait; chats and gardens keep what they were begun with. Those that are left."""
        await asyncio.to_thread(kept.delete, id)
        return await asyncio.to_thread(kept.all)

    return router
