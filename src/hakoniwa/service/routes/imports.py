"""/v1/imports: what users bring along; and /v1/chats, /v1/cards: what they take back to SillyTavern."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Request, Response
from pydantic import Field

from hakoniwa.actor.cards.book import ImportNote
from hakoniwa.app.chats import chat_at, time_of
from hakoniwa.app.garden_file import import_garden
from hakoniwa.app.imports import ImportKind, export_chat, export_lore, import_chat, import_lore, kind_of, remember
from hakoniwa.app.user_files import UserFiles, import_card
from hakoniwa.app.user_personas import UserPersonas, import_personas
from hakoniwa.errors import UsageError
from hakoniwa.journal import MAIN, Journal
from hakoniwa.messages import say
from hakoniwa.service.page import download
from hakoniwa.service.requests import (
    BranchRequest,
    ChatId,
    Label,
    OnBranch,
    get_responses,
    language_of,
    post_responses,
    strict_router,
)
from hakoniwa.service.residents import OpenGhosts
from hakoniwa.service.routes.cards import SheetName, bytes_of
from hakoniwa.turn import Value

FILE = "file"  # what a file is called in complaints: over HTTP it has no name
LINES = "application/jsonl"


class ForeignFile(Value):
    """A file of another program: its bytes in base64, the sheet it is about, and what you are called in it."""

    data: Annotated[str, Field(min_length=1)]
    sheet: Label | None = None
    call_me: Label | None = None


class ImportedFile(Value):
    """What came of a file: the sheet it made or added to, the chat or garden it became, its new entries, and notes."""

    kind: ImportKind
    sheet: str = ""
    chat: str | None = None
    garden: str | None = None
    entries: int = 0
    notes: tuple[str, ...] = ()


class MemoryProgress(Value):
    """How far memory of a chat has come: exchanges that were worked in just now, and those that wait."""

    settled: int
    waiting: int


def import_routes(residents: OpenGhosts, shelf: UserFiles) -> APIRouter:
    router, journal = strict_router("/v1", "imports"), residents.journal

    @router.post("/imports", operation_id="import_file", status_code=201, responses=post_responses())
    async def bring(file: ForeignFile, request: Request) -> ImportedFile:
        """Take in a garden, or a card, a chat, a lorebook or personas of SillyTavern, told apart by their contents."""
        return await asyncio.to_thread(_import_file, journal, shelf, file, language_of(request))

    @router.post("/chats/{id}/remember", operation_id="remember_chat", responses=post_responses())
    async def work_in(id: ChatId, line: BranchRequest) -> MemoryProgress:
        """Work the next exchanges of an imported chat into memory; ask again until none waits."""
        resident = await residents.at(await asyncio.to_thread(chat_at, journal, id), line.branch)
        ghost = await resident.seen()
        done = await asyncio.to_thread(lambda: remember(ghost, time_of(ghost)))
        return MemoryProgress(settled=done.settled, waiting=done.waiting)

    @router.get(
        "/chats/{id}/export", operation_id="export_chat", response_class=Response,
        responses={200: {"description": "The chat", "content": {LINES: {}}}, **get_responses()},
    )  # fmt: skip
    async def take_back(id: ChatId, branch: OnBranch = MAIN) -> Response:
        """A chat as SillyTavern reads it."""
        return download(await asyncio.to_thread(_chat_file, journal, id, branch), f"{id}.jsonl", LINES)

    @router.get(
        "/cards/{name}/lore", operation_id="export_lore", response_class=Response,
        responses={200: {"description": "The lorebook", "content": {"application/json": {}}}, **get_responses()},
    )  # fmt: skip
    async def lore(name: SheetName) -> Response:
        """The lore of a sheet as a lorebook file of SillyTavern."""
        return download(await asyncio.to_thread(export_lore, shelf, name), f"{name}.json", "application/json")

    return router


def _import_file(journal: Journal, shelf: UserFiles, file: ForeignFile, language: str) -> ImportedFile:
    raw = bytes_of(file.data)
    match kind_of(raw):
        case "card":
            name, imported = import_card(shelf, raw, file.sheet, "", replace=False)
            return ImportedFile(kind="card", sheet=name, notes=_notes(imported.notes, language))
        case "lore":
            if file.sheet is None:
                raise UsageError("tavern.no-sheet")
            count, notes = import_lore(shelf, raw, FILE, file.sheet)
            return ImportedFile(kind="lore", sheet=file.sheet, entries=count, notes=_notes(notes, language))
        case "personas":
            made = import_personas(UserPersonas(shelf.home), raw, FILE)
            return ImportedFile(kind="personas", entries=len(made))
        case "garden":
            return ImportedFile(kind="garden", garden=import_garden(journal, raw, FILE).id)
        case "chat":
            chat = import_chat(journal, shelf, raw, FILE, file.sheet, file.call_me)
            return ImportedFile(kind="chat", sheet=str(chat.settings["persona"]), chat=chat.id)


def _notes(notes: list[ImportNote] | tuple[ImportNote, ...], language: str) -> tuple[str, ...]:
    return tuple(say(f"card.noted.{one.key}", language, **one.details) for one in notes)


def _chat_file(journal: Journal, id: str, branch: str) -> bytes:
    return "".join(f"{line}\n" for line in export_chat(journal, chat_at(journal, id), branch)).encode()
