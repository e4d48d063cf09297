"""/v1/models and /v1/chat/completions: characters and gardens as models, for programs that know OpenAI's."""

import asyncio
import secrets
from collections.abc import AsyncGenerator
from functools import partial
from hashlib import blake2s
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import JSONResponse

from hakoniwa.app.chats import chat_as, chat_at, chats
from hakoniwa.app.gardens import played_gardens
from hakoniwa.app.user_files import UserFiles, sheet_at
from hakoniwa.chat.chat import Chat, check_text
from hakoniwa.errors import HakoniwaError, ModelUnavailable, UnknownName
from hakoniwa.journal import MAIN, GardenRecord, Journal
from hakoniwa.llm import ChatModel, Message, join_stream
from hakoniwa.persona.generated import Generated
from hakoniwa.service.answering import AnswerPiece, AnswerTask, AnswerTasks
from hakoniwa.service.client_history import enter_garden, place_in_chat
from hakoniwa.service.completions import (
    AnswerSource,
    Completion,
    CompletionRequest,
    completion_response,
    is_about_a_conversation,
    refuse_unsupported,
    task_text,
)
from hakoniwa.service.garden_events import RowNews, TurnTask
from hakoniwa.service.lines import ScriptLine
from hakoniwa.service.live_gardens import LiveGardens
from hakoniwa.service.requests import (
    MAX_ID,
    STREAM,
    Problem,
    get_responses,
    language_of,
    post_responses,
    problem_of,
    strict_router,
)
from hakoniwa.service.residents import OpenGhosts
from hakoniwa.service.streams import QUIET
from hakoniwa.turn import Value

CHATS, GARDENS = "chat:", "garden:"  # what stands before the name of one
MOST_LISTED = 100  # chats, and gardens; others go by their names all the same
TASK_TOKENS = 500
COMPLETION_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The answer in one piece, or as it comes",
        "content": {STREAM: {"schema": {"type": "string"}}},
    }
}


class ListedModel(Value):
    """Somebody to talk to: a sheet by its name, a chat or a garden."""

    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: Literal["hakoniwa"] = "hakoniwa"


class ModelList(Value):
    object: Literal["list"] = "list"
    data: tuple[ListedModel, ...]


class TaskModel:
    """The model that answers what a client asks about a conversation; nothing of that is kept."""

    def __init__(self, residents: OpenGhosts) -> None:
        self._find_model = residents.find_model
        self._model: ChatModel | None = None

    async def ask(self, text: str) -> str:
        if self._model is None:
            self._model = await asyncio.to_thread(self._find_model)
        if self._model is None:
            raise ModelUnavailable("openai.no-model")
        message = Message(role="user", content=text)
        return await join_stream(self._model.chat([message], "service.task", TASK_TOKENS))

    async def close(self) -> None:
        if closing := getattr(self._model, "aclose", None):
            await closing()


def model_routes(residents: OpenGhosts, answers: AnswerTasks, stages: LiveGardens, tasks: TaskModel) -> APIRouter:
    router, journal = strict_router("/v1", "openai"), residents.journal
    shelf, beginning = UserFiles(residents.settings.home), asyncio.Lock()

    @router.get("/models", operation_id="list_models", responses=get_responses())
    async def every() -> ModelList:
        """Everybody to talk to, as models: characters, and chats and gardens, the newest of each."""
        return await asyncio.to_thread(_list_models, journal, shelf)

    @router.get("/models/{model}", operation_id="read_model", responses=get_responses())
    async def one(model: Annotated[str, Path(max_length=2 * MAX_ID)]) -> ListedModel:
        """One of them."""
        await asyncio.to_thread(_require, journal, shelf, model)
        return ListedModel(id=model)

    @router.post(
        "/chat/completions", operation_id="complete_chat", response_model=Completion, response_class=JSONResponse,
        responses={**COMPLETION_RESPONSES, **post_responses(429, 502)},
    )  # fmt: skip
    async def complete(asked: CompletionRequest, request: Request) -> Response:
        """Say something to a character or in a garden. Only the last message is new: the journal is the history. The
        same history again is a retake; a question about the conversation is answered and not kept."""
        refuse_unsupported(asked)
        await asyncio.to_thread(_require, journal, shelf, asked.model)
        if is_about_a_conversation(asked):
            source = _task_source(asyncio.create_task(tasks.ask(task_text(asked))), language_of(request))
        elif asked.model.startswith(GARDENS):
            source = await in_garden(asked, request)
        else:
            source = await in_chat(asked, request)
        return await completion_response(source, asked, request)

    async def in_chat(asked: CompletionRequest, request: Request) -> AnswerSource:
        said = check_text(asked.said)
        async with beginning:
            garden = await asyncio.to_thread(_chat_of, journal, shelf, asked)
            place = await asyncio.to_thread(place_in_chat, journal, garden.id, asked.earlier, said)
            branch = place.branch
            if place.after is not None:
                branch = f"client-{secrets.token_hex(3)}"
                await asyncio.to_thread(journal.fork, garden.id, place.branch, branch, place.after)
        resident = await residents.at(garden, branch)
        speak = Chat.retake if place.again else partial(Chat.say, text=said)
        answering = await answers.start(resident, speak, language_of(request))
        return AnswerSource(_pieces_of(answering), answering.leave)

    async def in_garden(asked: CompletionRequest, request: Request) -> AnswerSource:
        said = check_text(asked.said)
        stage = await stages.at(asked.model.removeprefix(GARDENS), MAIN)
        turn = TurnTask(stage, stage.turn(lambda session: enter_garden(session, said)), language_of(request))
        await turn.begun()
        return AnswerSource(_lines_of(turn), turn.stop)

    return router


# --- models ----------------------------------------------------------------------------------------------------------


def _list_models(journal: Journal, shelf: UserFiles) -> ModelList:
    gardens = sorted(played_gardens(journal), key=lambda one: one.newest)[: -MOST_LISTED - 1 : -1]
    return ModelList(
        data=(
            *(ListedModel(id=name) for name, _ in shelf.sheets()),
            *(ListedModel(id=CHATS + one.id) for one in chats(journal)[: -MOST_LISTED - 1 : -1]),
            *(ListedModel(id=GARDENS + one.id) for one in gardens),
        )
    )


def _require(journal: Journal, shelf: UserFiles, model: str) -> None:
    """Raise if there is nobody of that name."""
    try:
        if model.startswith(CHATS):
            chat_at(journal, model.removeprefix(CHATS))
        elif not model.startswith(GARDENS):
            shelf.sheet_path(model)
        elif not journal.garden(model.removeprefix(GARDENS)).scenario:
            raise UnknownName("unknown.model", name=model)
    except UnknownName:
        raise UnknownName("unknown.model", name=model) from None


def _chat_of(journal: Journal, shelf: UserFiles, asked: CompletionRequest) -> GardenRecord:
    """The chat that a model is: a chat by its name, or the one that clients have with a character, begun if it is not;
    every `user` has one of their own."""
    if asked.model.startswith(CHATS):
        return chat_at(journal, asked.model.removeprefix(CHATS))
    user = f"-{blake2s(asked.user.encode(), digest_size=4).hexdigest()}" if asked.user else ""
    id = f"client-{asked.model}{user}"
    try:
        return chat_at(journal, id)
    except UnknownName:
        sheet, _ = sheet_at(shelf, asked.model)
        return chat_as(journal, asked.model, asked.model, sheet, id, None)


# --- answers ---------------------------------------------------------------------------------------------------------


async def _pieces_of(answering: AnswerTask) -> AsyncGenerator[Generated | Problem | None]:
    async for news in answering.happenings(QUIET):
        if news is None or isinstance(news, Problem):
            yield news
        elif isinstance(news, AnswerPiece):
            yield news.text


async def _lines_of(turn: TurnTask) -> AsyncGenerator[Generated | Problem | None]:
    """What a turn brings, line by line as it comes to pass."""
    async for news in turn.told():
        if news is None or isinstance(news, Problem):
            yield news
        elif isinstance(news, RowNews) and news.origin != "user":
            for line in news.lines:
                if told := in_words(line):
                    yield Generated(f"{told}\n")


def in_words(line: ScriptLine) -> str:
    """A line of a script as plain text; headings are left out."""
    if line.kind == "scene":
        return ""
    aside = f"({line.direction})" if line.direction else ""
    words = " ".join(part for part in (aside, line.text) if part)
    return f"{line.name}: {words}" if line.name and words else words


def _task_source(task: "asyncio.Task[str]", language: str) -> AnswerSource:
    async def pieces() -> AsyncGenerator[Generated | Problem | None]:
        while not (await asyncio.wait([task], timeout=QUIET))[0]:
            yield None
        try:
            yield Generated(task.result())
        except HakoniwaError as error:
            yield problem_of(error, language)

    async def leave() -> None:
        task.cancel()

    return AnswerSource(pieces(), leave)
