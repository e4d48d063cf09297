"""/v1/records: gardens and chats as their user keeps them, whatever they are: called, put away, searched, deleted."""

import asyncio
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query

from hakoniwa.app.labels import RecordLabel, relabel
from hakoniwa.app.records import (
    FoundLine,
    RecordContents,
    delete_record,
    find_lines,
    record_contents,
)
from hakoniwa.service.requests import MAX_QUERY, PLAIN, Id, get_responses, post_responses, strict_router
from hakoniwa.service.residents import OpenGhosts
from hakoniwa.turn import Value

MOST_FOUND = 100
RecordId = Annotated[Id, Path(alias="id")]


class DeletionRequest(Value):
    """A garden or a chat is to be deleted, which its user has been told all about and means."""

    confirm: Literal[True]


def record_routes(residents: OpenGhosts) -> APIRouter:
    router, journal = strict_router("/v1/records", "records"), residents.journal

    @router.get("", operation_id="search_records", responses=get_responses())
    async def search(
        q: Annotated[str, Query(min_length=1, max_length=MAX_QUERY, pattern=PLAIN)],
        limit: Annotated[int, Query(ge=1, le=MOST_FOUND)] = 30,
    ) -> list[FoundLine]:
        """Where these words were said, in any garden or chat, the newest first."""
        return await asyncio.to_thread(find_lines, journal, q, limit)

    @router.post("/{id}/label", operation_id="label_record", responses=post_responses())
    async def label(id: RecordId, wanted: RecordLabel) -> RecordLabel:
        """Keep what a garden or chat is called, its tags, and whether it is put away."""
        return await asyncio.to_thread(relabel, journal, id, wanted)

    @router.get("/{id}", operation_id="read_record", responses=get_responses())
    async def read(id: RecordId) -> RecordContents:
        """What goes along when a garden or chat is deleted."""
        return await asyncio.to_thread(record_contents, journal, id)

    @router.post("/{id}/delete", operation_id="delete_record", responses=post_responses())
    async def delete(id: RecordId, _: DeletionRequest) -> RecordContents:
        """Delete a garden or chat for good, with what goes along."""
        contents = await asyncio.to_thread(record_contents, journal, id)
        for one in (*contents.chats, id):
            await residents.leave(one)
        return await asyncio.to_thread(delete_record, journal, id)

    return router
