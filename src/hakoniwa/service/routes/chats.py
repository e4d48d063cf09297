"""/v1/chats: conversations with one persona each, who remembers."""

import asyncio
from datetime import datetime
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse

from hakoniwa.app.chats import DEFAULT_SHEETS, chat_as, chat_at, chats, line_of, private_chat, residence_of
from hakoniwa.app.labels import label_of
from hakoniwa.app.user_files import UserFiles, has_portrait, sheet_at
from hakoniwa.app.user_personas import UserPersonas
from hakoniwa.chat.chat import Chat
from hakoniwa.chat.lineage import ME
from hakoniwa.errors import UnknownName
from hakoniwa.journal import MAIN, Branch, GardenRecord, Journal, Row
from hakoniwa.journal.takes import take_of
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.store import MemoryScope, VisibleRows
from hakoniwa.persona.action import OnEnd
from hakoniwa.persona.generated import Generated
from hakoniwa.persona.persona import Persona
from hakoniwa.persona.records import Memory, MemorySource
from hakoniwa.pictures.looks import look_of
from hakoniwa.service.answering import EVENTS, AnswerTasks, Speak, WholeAnswer, answer_stream, in_one_piece
from hakoniwa.service.requests import (
    STREAM,
    BranchRequest,
    ChatId,
    Id,
    Label,
    NewId,
    OnBranch,
    Seq,
    Text,
    get_responses,
    language_of,
    post_responses,
    strict_router,
    wants_json,
)
from hakoniwa.service.residents import OpenGhost, OpenGhosts
from hakoniwa.turn import Value

MOST_CHATS, MOST_EXCHANGES = 200, 200
SPOKEN = (MemorySource.CHAT, MemorySource.AUTONOMY_MESSAGE)
ANSWER_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"description": "The answer as it comes, or in one piece", "content": {STREAM: {"schema": EVENTS.described()}}}
}

FOLLOW_RESPONSES: dict[int | str, dict[str, Any]] = {**ANSWER_RESPONSES, 204: {"description": "No answer is under way"}}


class ChatSummary(Value):
    """One conversation in a list; `turn` and `at` are those of the newest row of its line on `main`. Takes are no
    `branches`.

    `garden` is whose person it is with, if it is with one: that is the line of the garden, and its branches.
    `portrait` is the sheet whose picture the persona has, `look` the face that is drawn of them otherwise, `me` the
    name of the persona the user is."""

    id: str
    garden: str | None = None
    persona: str
    name: str
    turn: int
    at: str | None
    branches: tuple[str, ...]
    portrait: str | None = None
    look: str
    me: str | None = None
    title: str = ""
    tags: tuple[str, ...] = ()
    archived: bool = False


class ChatExchange(Value):
    """What was said by either side; `fault` names what kept an answer from being whole, `run` what came to mind for it.

    What the persona said of its own accord has a `delivery_mode`, which sets a notice apart from the talk."""

    seq: int
    at: datetime
    source: MemorySource
    user_text: str | None
    assistant_text: Generated | None
    fault: str | None
    delivery_mode: OnEnd | None
    run: int | None


class ChatView(Value):
    """A conversation on one line of play, oldest exchange first; `before` asks for what came before these.

    `answering` is what the user said if that is being answered now."""

    id: str
    branch: str
    persona: Persona
    turn: int
    history: tuple[ChatExchange, ...]
    before: int | None
    answering: str | None = None
    garden: str | None = None


class NewChat(Value):
    """A conversation to begin, with the character of a sheet that comes with Hakoniwa or is the user's own.

    With a `garden`, `persona` is somebody there by any of their names: there is one conversation with them, which is
    part of the garden's story and which they alone witness. `me` is the persona of the user's that talks."""

    garden: Id | None = None
    persona: Label = DEFAULT_SHEETS["ja"]
    name: NewId | None = None
    call_me: Label | None = None
    me: Label | None = None


class MessageRequest(BranchRequest):
    """What the user says; an answer that `goes_on` is not stopped by closing the connection."""

    text: Text
    goes_on: bool = False


class NewBranch(BranchRequest):
    """A branch to begin at an exchange; without one, at the newest."""

    name: NewId
    at: Seq | None = None


class BranchPosition(Value):
    """Where a line of play has got to; nothing is there before the first exchange."""

    seq: int | None
    turn: int


def chat_routes(residents: OpenGhosts, answers: AnswerTasks) -> APIRouter:
    router, journal = strict_router("/v1/chats", "chats"), residents.journal
    shelf = UserFiles(residents.settings.home)

    @router.get("", operation_id="list_chats", responses=get_responses())
    async def every(
        limit: Annotated[int, Query(ge=1, le=MOST_CHATS)] = 50, archived: bool = False
    ) -> list[ChatSummary]:
        """Conversations, or with `archived` those that were put away, the one that was talked in last first."""
        return await asyncio.to_thread(_summaries, journal, shelf, limit, archived)

    @router.post("", operation_id="new_chat", status_code=201, responses=post_responses())
    async def begin(asked: NewChat) -> ChatSummary:
        """Begin a conversation."""
        return await asyncio.to_thread(_begin_chat, journal, shelf, asked)

    @router.get("/{id}", operation_id="read_chat", responses=get_responses())
    async def read(
        id: ChatId,
        branch: OnBranch = MAIN,
        before: Annotated[int | None, Query(ge=1, lt=2**63)] = None,
        limit: Annotated[int, Query(ge=1, le=MOST_EXCHANGES)] = 50,
    ) -> ChatView:
        """What was said, page by page from the newest."""
        chat = await asyncio.to_thread(chat_at, journal, id)
        resident = await residents.at(chat, branch)
        answering, home = answers.of(resident), residence_of(chat)
        view = await asyncio.to_thread(_view, journal, id, await resident.seen(), before, limit)
        told = {"answering": answering.text if answering else None, "garden": home.garden if home else None}
        return view.with_fields(told)

    @router.post(
        "/{id}/messages", operation_id="say", response_model=WholeAnswer, response_class=JSONResponse,
        responses={**ANSWER_RESPONSES, **post_responses(429, 502)},
    )  # fmt: skip
    async def say(id: ChatId, said: MessageRequest, request: Request) -> Response:
        """Say something. The answer comes piece by piece; closing the connection stops it unless it `goes_on`."""
        resident = await residents.at(await asyncio.to_thread(chat_at, journal, id), said.branch)
        return await answer_response(answers, resident, request, partial(Chat.say, text=said.text), said.goes_on)

    @router.get(
        "/{id}/answer",
        operation_id="follow_answer",
        response_class=Response,
        responses={**FOLLOW_RESPONSES, **get_responses()},
    )
    async def follow(id: ChatId, branch: OnBranch = MAIN) -> Response:
        """The answer that is under way, from its beginning; nothing if there is none."""
        answering = answers.of(await residents.at(await asyncio.to_thread(chat_at, journal, id), branch))
        return answer_stream(answering, goes_on=True) if answering else Response(status_code=204)

    @router.post("/{id}/stop", operation_id="stop_answer", responses=post_responses())
    async def stop(id: ChatId, line: BranchRequest) -> BranchPosition:
        """Stop the answer that is under way, and keep what came."""
        resident = await residents.at(await asyncio.to_thread(chat_at, journal, id), line.branch)
        if answering := answers.of(resident):
            answering.stop()
            await asyncio.wait([answering.task])
        return await asyncio.to_thread(_position, journal, await resident.seen())

    @router.post("/{id}/undo", operation_id="undo_exchange", responses=post_responses())
    async def undo(id: ChatId, line: BranchRequest) -> BranchPosition:
        """Take the newest exchange back, out of memory too."""
        resident = await residents.at(await asyncio.to_thread(chat_at, journal, id), line.branch)
        async with resident.alone():
            chat = await resident.chat()
            await asyncio.to_thread(chat.undo)
        return BranchPosition(seq=chat.head.seq if chat.head else None, turn=chat.turn)

    @router.post("/{id}/branches", operation_id="fork_chat", status_code=201, responses=post_responses())
    async def fork(id: ChatId, wanted: NewBranch) -> Branch:
        """Begin another line of play, with the memory of everything up to there."""
        chat = await asyncio.to_thread(chat_at, journal, id)
        return await asyncio.to_thread(_fork_chat, journal, line_of(chat, wanted.branch).garden, wanted)

    return router


async def answer_response(
    answers: AnswerTasks, resident: OpenGhost, request: Request, speak: Speak, goes_on: bool
) -> Response:
    """An answer as the caller wants it: as it comes, or in one piece."""
    answering = await answers.start(resident, speak, language_of(request))
    if wants_json(request):
        return await in_one_piece(answering, request, goes_on)
    return answer_stream(answering, goes_on)


def _begin_chat(journal: Journal, shelf: UserFiles, asked: NewChat) -> ChatSummary:
    """Strangers name sheets on the shelf, and no files of this machine."""
    if asked.garden is not None:
        return _summary(journal, shelf, private_chat(journal, asked.garden, asked.persona, asked.name, asked.call_me))
    sheet, _ = sheet_at(shelf, asked.persona)
    me = {ME: UserPersonas(shelf.home).find(asked.me).model_dump(mode="json")} if asked.me else {}
    chat = chat_as(journal, asked.persona, asked.persona, sheet, asked.name, asked.call_me, me)
    return _summary(journal, shelf, chat)


def _summaries(journal: Journal, shelf: UserFiles, limit: int, archived: bool) -> list[ChatSummary]:
    kept = [one for one in chats(journal) if label_of(one.settings).archived == archived]
    return [_summary(journal, shelf, journal.garden(one.id)) for one in kept[: -limit - 1 : -1]]


def _summary(journal: Journal, shelf: UserFiles, garden: GardenRecord) -> ChatSummary:
    line = line_of(garden, MAIN)
    branches = journal.branches(line.garden)
    head = next(one.head for one in branches if one.name == MAIN)
    newest = journal.since(head - 1, 1, line.garden)[0] if head else None
    (sheet,) = garden.sheets.values()
    persona = str(garden.settings.get("persona", ""))
    return ChatSummary(
        id=garden.id,
        garden=line.garden if line.private else None,
        persona=persona,
        portrait=persona if has_portrait(shelf, persona) else None,
        me=garden.settings.get(ME, {}).get("name"),
        look=look_of(*(str(sheet.get(field, "")) for field in ("display_name", "looks", "persona"))).code,
        **label_of(garden.settings).model_dump(),
        name=str(sheet["display_name"]),
        turn=newest.event.turn if newest else 0,
        at=newest.recorded_at if newest else None,
        branches=tuple(one.name for one in branches if take_of(one.name) is None),
    )


def _view(journal: Journal, id: str, ghost: Ghost, before: int | None, limit: int) -> ChatView:
    found = ghost.memories.recent(_scope_before(ghost.scope, before), limit + 1, SPOKEN)
    page = found[:limit][::-1]
    rows = _rows(journal, ghost.garden, [one.seq for one in page] + [ghost.newest or 0])
    newest = rows.get(ghost.newest or 0)
    return ChatView(
        id=id,
        branch=ghost.branch,
        persona=ghost.persona,
        turn=newest.event.turn if newest else 0,
        history=tuple(_exchange(one, rows[one.seq]) for one in page),
        before=page[0].seq if len(found) > limit else None,
    )


def _position(journal: Journal, ghost: Ghost) -> BranchPosition:
    newest = _rows(journal, ghost.garden, [ghost.newest or 0]).get(ghost.newest or 0)
    return BranchPosition(seq=ghost.newest, turn=newest.event.turn if newest else 0)


def _scope_before(scope: MemoryScope, seq: int | None) -> MemoryScope:
    """The same memory, as far as it reaches before an event."""
    spans = scope.line.spans
    cut = spans if seq is None else tuple((start, min(upto, seq - 1)) for start, upto in spans if start < seq)
    return MemoryScope(ghost=scope.ghost, line=VisibleRows(spans=cut))


def _rows(journal: Journal, garden: str, seqs: list[int]) -> dict[int, Row]:
    found = (journal.since(seq - 1, 1, garden) for seq in seqs if seq)
    return {row.seq: row for rows in found for row in rows}


def _exchange(memory: Memory, row: Row) -> ChatExchange:
    return ChatExchange(
        seq=memory.seq,
        at=memory.at,
        source=memory.source,
        user_text=memory.user_text,
        assistant_text=row.event.payload.get("assistant_text"),
        fault=row.event.payload.get("fault"),
        delivery_mode=row.event.payload.get("delivery_mode"),
        run=row.event.payload.get("run"),
    )


def _fork_chat(journal: Journal, id: str, wanted: NewBranch) -> Branch:
    heads = {one.name: one.head for one in journal.branches(id)}
    if wanted.branch not in heads:
        raise UnknownName("unknown.branch", name=wanted.branch, known=", ".join(heads))
    at = heads[wanted.branch] if wanted.at is None else wanted.at
    return journal.fork(id, wanted.branch, wanted.name, at)
