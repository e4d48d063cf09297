"""/v1/chats/{id}: what was said in a chat is said otherwise: answered anew, chosen among takes, edited, deleted."""

import asyncio
from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse
from pydantic import Field

from hakoniwa.app.chats import chat_at, line_of
from hakoniwa.chat.chat import Chat
from hakoniwa.chat.rewriting import ExchangeTake, kept_takes
from hakoniwa.journal import MAIN
from hakoniwa.service.answering import AnswerTasks, WholeAnswer
from hakoniwa.service.requests import (
    BranchRequest,
    ChatId,
    OnBranch,
    Seq,
    Text,
    get_responses,
    post_responses,
    strict_router,
)
from hakoniwa.service.residents import OpenGhosts
from hakoniwa.service.routes.chats import ANSWER_RESPONSES, BranchPosition, answer_response

MOST_TAKES = 10_000


class RetakeRequest(BranchRequest):
    """The newest exchange is to be answered anew, or its answer to go on.

    An answer that `goes_on` is not stopped by closing the connection."""

    goes_on: bool = False


class TakeChoice(BranchRequest):
    """The take to go on from, by its number."""

    take: Annotated[int, Field(ge=1, le=MOST_TAKES, strict=True)]


class ExchangeEdit(BranchRequest):
    """Other words for what either side said in an exchange; a side that is left out keeps its own."""

    seq: Seq
    user_text: Text | None = None
    assistant_text: Text | None = None


class ExchangeDeletion(BranchRequest):
    """An exchange to be taken out of the conversation."""

    seq: Seq


def retaking_routes(residents: OpenGhosts, answers: AnswerTasks) -> APIRouter:
    router, journal = strict_router("/v1/chats/{id}", "chats"), residents.journal

    async def changed(id: str, branch: str, deed: Callable[[Chat], None]) -> BranchPosition:
        resident = await residents.at(await asyncio.to_thread(chat_at, journal, id), branch)
        async with resident.alone():
            chat = await resident.chat()
            await asyncio.to_thread(deed, chat)
        return BranchPosition(seq=chat.head.seq if chat.head else None, turn=chat.turn)

    @router.post(
        "/retake", operation_id="retake_answer", response_model=WholeAnswer, response_class=JSONResponse,
        responses={**ANSWER_RESPONSES, **post_responses(429, 502)},
    )  # fmt: skip
    async def retake(id: ChatId, wanted: RetakeRequest, request: Request) -> Response:
        """Answer the newest message anew; the answer before is kept as a take."""
        resident = await residents.at(await asyncio.to_thread(chat_at, journal, id), wanted.branch)
        return await answer_response(answers, resident, request, Chat.retake, wanted.goes_on)

    @router.post(
        "/continue", operation_id="continue_answer", response_model=WholeAnswer, response_class=JSONResponse,
        responses={**ANSWER_RESPONSES, **post_responses(429, 502)},
    )  # fmt: skip
    async def go_on(id: ChatId, wanted: RetakeRequest, request: Request) -> Response:
        """Go on with the newest answer; as it was, it is kept as a take."""
        resident = await residents.at(await asyncio.to_thread(chat_at, journal, id), wanted.branch)
        return await answer_response(answers, resident, request, Chat.go_on, wanted.goes_on)

    @router.get("/takes", operation_id="list_takes", responses=get_responses())
    async def takes(id: ChatId, branch: OnBranch = MAIN) -> list[ExchangeTake]:
        """Every way in which the newest exchange went."""
        chat = await asyncio.to_thread(chat_at, journal, id)
        return await asyncio.to_thread(kept_takes, journal, line_of(chat, branch))

    @router.post("/choose", operation_id="choose_answer", responses=post_responses())
    async def choose(id: ChatId, wanted: TakeChoice) -> BranchPosition:
        """Go on from another take of the newest exchange."""
        return await changed(id, wanted.branch, lambda chat: chat.choose(wanted.take))

    @router.post("/edit", operation_id="edit_exchange", responses=post_responses())
    async def edit(id: ChatId, wanted: ExchangeEdit) -> BranchPosition:
        """Put other words in an exchange. The conversation as it was is kept; only the new words are remembered."""
        return await changed(
            id, wanted.branch, lambda chat: chat.edit(wanted.seq, wanted.user_text, wanted.assistant_text)
        )

    @router.post("/delete", operation_id="delete_exchange", responses=post_responses())
    async def delete(id: ChatId, wanted: ExchangeDeletion) -> BranchPosition:
        """Take an exchange out of the conversation and of memory. The conversation as it was is kept."""
        return await changed(id, wanted.branch, lambda chat: chat.delete(wanted.seq))

    return router
