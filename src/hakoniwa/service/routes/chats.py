"""/v1/chats: conversations with one persona each, who remembers."""

import asyncio
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse

from hakoniwa.app.cards import sheet_at
from hakoniwa.app.chats import FIRST, chat_as, chats
from hakoniwa.app.shelf import Shelf
from hakoniwa.errors import UnknownName
from hakoniwa.ghost.action import OnEnd
from hakoniwa.ghost.generated import Generated
from hakoniwa.ghost.ghost import Ghost
from hakoniwa.ghost.lineage import CHAT
from hakoniwa.ghost.memory import Memory, Source
from hakoniwa.ghost.persona import Persona
from hakoniwa.ghost.store import Line, Scope
from hakoniwa.journal import MAIN, Branch, Garden, Journal, Row
from hakoniwa.service.answering import Answers
from hakoniwa.service.fields import ChatId, Id, Label, NewId, OnBranch, OnLine, Seq, Text
from hakoniwa.service.residents import Residents
from hakoniwa.service.stream import Answer, Streamed, described_events, in_one_piece
from hakoniwa.service.strict import gets, posts, strict_router
from hakoniwa.service.wishes import STREAM, language_of, wants_json
from hakoniwa.turn import Value

MOST_CHATS, MOST_EXCHANGES = 200, 200
SPOKEN = (Source.CHAT, Source.AUTONOMY_MESSAGE)
ANSWERED: dict[int | str, dict[str, Any]] = {
    200: {"description": "The answer as it comes, or in one piece", "content": {STREAM: {"schema": described_events()}}}
}

FOLLOWED: dict[int | str, dict[str, Any]] = {**ANSWERED, 204: {"description": "No answer is under way"}}


class Summary(Value):
    """One conversation in a list; `turn` and `at` are those of its newest exchange on `main`."""

    id: str
    persona: str
    name: str
    turn: int
    at: str | None
    branches: tuple[str, ...]


class Exchange(Value):
    """What was said by either side; `fault` names what kept an answer from being whole.

    What the persona said of its own accord has a `delivery_mode`, which sets a notice apart from the talk."""

    seq: int
    at: datetime
    source: Source
    user_text: str | None
    assistant_text: Generated | None
    fault: str | None
    delivery_mode: OnEnd | None


class View(Value):
    """A conversation on one line of play, oldest exchange first; `before` asks for what came before these.

    `answering` is what the user said if that is being answered now."""

    id: str
    branch: str
    persona: Persona
    turn: int
    history: tuple[Exchange, ...]
    before: int | None
    answering: str | None = None


class NewChat(Value):
    """A conversation to begin, with the character of a sheet that comes with Hakoniwa or is the user's own."""

    persona: Label = FIRST["ja"]
    name: NewId | None = None
    call_me: Label | None = None


class Said(OnLine):
    """What the user says; an answer that `goes_on` is not stopped by closing the connection."""

    text: Text
    goes_on: bool = False


class NewBranch(OnLine):
    """A branch to begin at an exchange; without one, at the newest."""

    name: NewId
    at: Seq | None = None


class Position(Value):
    """Where a line of play has got to; nothing is there before the first exchange."""

    seq: int | None
    turn: int


def chat_routes(residents: Residents, answers: Answers) -> APIRouter:
    router, journal = strict_router("/v1/chats", "chats"), residents.journal
    shelf = Shelf(residents.settings.home)

    @router.get("", operation_id="list_chats", responses=gets())
    async def every(limit: Annotated[int, Query(ge=1, le=MOST_CHATS)] = 50) -> list[Summary]:
        """Conversations, the one that was talked in last first."""
        return await asyncio.to_thread(_summaries, journal, limit)

    @router.post("", operation_id="new_chat", status_code=201, responses=posts())
    async def begin(asked: NewChat) -> Summary:
        """Begin a conversation."""
        return await asyncio.to_thread(_begun, journal, shelf, asked)

    @router.get("/{id}", operation_id="read_chat", responses=gets())
    async def read(
        id: ChatId,
        branch: OnBranch = MAIN,
        before: Annotated[int | None, Query(ge=1, lt=2**63)] = None,
        limit: Annotated[int, Query(ge=1, le=MOST_EXCHANGES)] = 50,
    ) -> View:
        """What was said, page by page from the newest."""
        resident = await residents.at(await asyncio.to_thread(chat_at, journal, id), branch)
        answering = answers.of(resident)
        view = await asyncio.to_thread(_view, journal, await resident.seen(), before, limit)
        return view.with_field("answering", answering.text if answering else None)

    @router.post(
        "/{id}/messages", operation_id="say", response_model=Answer, response_class=JSONResponse,
        responses={**ANSWERED, **posts(429, 502)},
    )  # fmt: skip
    async def say(id: ChatId, said: Said, request: Request) -> Response:
        """Say something. The answer comes piece by piece; closing the connection stops it unless it `goes_on`."""
        resident = await residents.at(await asyncio.to_thread(chat_at, journal, id), said.branch)
        answering = await answers.start(resident, said.text, language_of(request))
        if wants_json(request):
            return await in_one_piece(answering, request, said.goes_on)
        return Streamed(answering, said.goes_on)

    @router.get(
        "/{id}/answer", operation_id="follow_answer", response_class=Response, responses={**FOLLOWED, **gets()}
    )
    async def follow(id: ChatId, branch: OnBranch = MAIN) -> Response:
        """The answer that is under way, from its beginning; nothing if there is none."""
        answering = answers.of(await residents.at(await asyncio.to_thread(chat_at, journal, id), branch))
        return Streamed(answering, goes_on=True) if answering else Response(status_code=204)

    @router.post("/{id}/stop", operation_id="stop_answer", responses=posts())
    async def stop(id: ChatId, line: OnLine) -> Position:
        """Stop the answer that is under way, and keep what came."""
        resident = await residents.at(await asyncio.to_thread(chat_at, journal, id), line.branch)
        if answering := answers.of(resident):
            answering.stop()
            await asyncio.wait([answering.task])
        return await asyncio.to_thread(_position, journal, await resident.seen())

    @router.post("/{id}/undo", operation_id="undo_exchange", responses=posts())
    async def undo(id: ChatId, line: OnLine) -> Position:
        """Take the newest exchange back, out of memory too."""
        resident = await residents.at(await asyncio.to_thread(chat_at, journal, id), line.branch)
        async with resident.alone():
            chat = await resident.chat()
            await asyncio.to_thread(chat.undo)
        return Position(seq=chat.head.seq if chat.head else None, turn=chat.turn)

    @router.post("/{id}/branches", operation_id="fork_chat", status_code=201, responses=posts())
    async def fork(id: ChatId, wanted: NewBranch) -> Branch:
        """Begin another line of play, with the memory of everything up to there."""
        await asyncio.to_thread(chat_at, journal, id)
        return await asyncio.to_thread(_forked, journal, id, wanted)

    return router


def chat_at(journal: Journal, id: Id) -> Garden:
    """The chat of that id, or UnknownName; a garden is none."""
    found = journal.garden(id)
    if found.settings.get("kind") != CHAT:
        raise UnknownName("unknown.chat", name=id, known=", ".join(one.id for one in chats(journal)))
    return found


def _begun(journal: Journal, shelf: Shelf, asked: NewChat) -> Summary:
    """Strangers name sheets on the shelf, and no files of this machine."""
    sheet, _ = sheet_at(shelf, asked.persona)
    return _summary(journal, chat_as(journal, asked.persona, asked.persona, sheet, asked.name, asked.call_me))


def _summaries(journal: Journal, limit: int) -> list[Summary]:
    return [_summary(journal, journal.garden(one.id)) for one in chats(journal)[: -limit - 1 : -1]]


def _summary(journal: Journal, garden: Garden) -> Summary:
    branches = journal.branches(garden.id)
    head = next(one.head for one in branches if one.name == MAIN)
    newest = journal.since(head - 1, 1, garden.id)[0] if head else None
    (sheet,) = garden.sheets.values()
    return Summary(
        id=garden.id,
        persona=str(garden.settings.get("persona", "")),
        name=str(sheet["display_name"]),
        turn=newest.event.turn if newest else 0,
        at=newest.recorded_at if newest else None,
        branches=tuple(one.name for one in branches),
    )


def _view(journal: Journal, ghost: Ghost, before: int | None, limit: int) -> View:
    found = ghost.memories.recent(_before(ghost.scope, before), limit + 1, SPOKEN)
    page = found[:limit][::-1]
    rows = _rows(journal, ghost.garden, [one.seq for one in page] + [ghost.newest or 0])
    newest = rows.get(ghost.newest or 0)
    return View(
        id=ghost.garden,
        branch=ghost.branch,
        persona=ghost.persona,
        turn=newest.event.turn if newest else 0,
        history=tuple(_exchange(one, rows[one.seq]) for one in page),
        before=page[0].seq if len(found) > limit else None,
    )


def _position(journal: Journal, ghost: Ghost) -> Position:
    newest = _rows(journal, ghost.garden, [ghost.newest or 0]).get(ghost.newest or 0)
    return Position(seq=ghost.newest, turn=newest.event.turn if newest else 0)


def _before(scope: Scope, seq: int | None) -> Scope:
    """The same memory, as far as it reaches before an event."""
    spans = scope.line.spans
    cut = spans if seq is None else tuple((start, min(upto, seq - 1)) for start, upto in spans if start < seq)
    return Scope(ghost=scope.ghost, line=Line(spans=cut))


def _rows(journal: Journal, garden: str, seqs: list[int]) -> dict[int, Row]:
    found = (journal.since(seq - 1, 1, garden) for seq in seqs if seq)
    return {row.seq: row for rows in found for row in rows}


def _exchange(memory: Memory, row: Row) -> Exchange:
    return Exchange(
        seq=memory.seq,
        at=memory.at,
        source=memory.source,
        user_text=memory.user_text,
        assistant_text=row.event.payload.get("assistant_text"),
        fault=row.event.payload.get("fault"),
        delivery_mode=row.event.payload.get("delivery_mode"),
    )


def _forked(journal: Journal, id: str, wanted: NewBranch) -> Branch:
    heads = {one.name: one.head for one in journal.branches(id)}
    if wanted.branch not in heads:
        raise UnknownName("unknown.branch", name=wanted.branch, known=", ".join(heads))
    at = heads[wanted.branch] if wanted.at is None else wanted.at
    return journal.fork(id, wanted.branch, wanted.name, at)
