"""OpenAI's chat completions, as far as a character can give them: what is asked, refused and answered."""

import math
import re
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal
from uuid import uuid4

from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event
from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from hakoniwa.chat.chat import LONGEST
from hakoniwa.errors import UsageError
from hakoniwa.persona.generated import Generated, join_texts, marks
from hakoniwa.service.requests import MAX_ID, PLAIN, Id, Problem, as_response, openai_problem
from hakoniwa.service.streams import CLIENT_GONE, EventStream, stopped_when_gone
from hakoniwa.turn import Value

MOST_MESSAGES = 2_000
LONGEST_TASK = 4 * LONGEST  # characters of a question about a conversation, which quotes much of it
LETTERS = 2  # letters to a token, about
# What a line of a transcript begins with, a heading, and a tag on a line: people who chat write none of them together.
ROLE = re.compile(r"^\W*(?:user|human|assistant|ai|bot|ユーザー|アシスタント)\W*[:：]", re.IGNORECASE | re.MULTILINE)
HEADING = re.compile(r"^#{1,6}\s+\S", re.MULTILINE)
TAG = re.compile(r"^\s*</?\w+>", re.MULTILINE)

Role = Literal["system", "developer", "user", "assistant", "tool", "function"]


class MessagePart(Value, extra="ignore"):
    """A part of what is said: text, or what no character takes in."""

    type: str
    text: str = ""


class ClientMessage(Value, extra="ignore"):
    """One message of the history that a client brings."""

    role: Role
    content: str | tuple[MessagePart, ...] | None = None

    @property
    def text(self) -> str:
        said = self.content or ""
        return (said if isinstance(said, str) else "\n".join(part.text for part in said)).strip()


class StreamOptions(Value, extra="ignore"):
    """Whether a stream ends with a count."""

    include_usage: bool = False


class ResponseFormat(Value, extra="ignore"):
    """In which form an answer is wanted."""

    type: str


class CompletionRequest(Value, extra="ignore"):
    """A question to a character or a garden. How words are drawn is a matter of the settings: fields for that, and
    fields that are not known, are ignored. `user` tells conversations with one character apart."""

    model: Id
    messages: Annotated[tuple[ClientMessage, ...], Field(min_length=1, max_length=MOST_MESSAGES)]
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    user: Annotated[str, Field(max_length=MAX_ID, pattern=PLAIN)] | None = None
    n: int | None = None
    tools: tuple[Any, ...] | None = None
    functions: tuple[Any, ...] | None = None
    response_format: ResponseFormat | None = None
    modalities: tuple[str, ...] | None = None
    logprobs: bool | None = None

    @property
    def said(self) -> str:
        """The one thing that is new."""
        return self.messages[-1].text

    @property
    def earlier(self) -> list[str]:
        """What the user said before, by the client's history."""
        return [one.text for one in self.messages[:-1] if one.role == "user"]


def refuse_unsupported(asked: CompletionRequest) -> None:
    """Raise for the first thing that is asked for and that no character has."""
    wanted = {
        "tools": asked.tools,
        "functions": asked.functions,
        "n": asked.n not in (None, 1),
        "response_format": asked.response_format and asked.response_format.type != "text",
        "modalities": set(asked.modalities or ()) - {"text"},
        "logprobs": asked.logprobs,
    }
    parts = [part.type for one in asked.messages if isinstance(one.content, tuple) for part in one.content]
    roles = [one.role for one in asked.messages if one.role in ("tool", "function")]
    found = [*(name for name, one in wanted.items() if one), *(one for one in parts if one != "text"), *roles]
    if found:
        raise UsageError("openai.unsupported", name=found[0])
    if asked.messages[-1].role == "assistant":
        raise UsageError("openai.last-message")


def is_about_a_conversation(asked: CompletionRequest) -> bool:
    """Whether this is a client's own question (for a title, tags, the next words) and nothing a user says: it comes
    from no user, or it has the marks of a transcript or of a form."""
    text = asked.said
    kinds = sum(bool(sign.search(text)) for sign in (ROLE, HEADING, TAG))
    return asked.messages[-1].role != "user" or kinds > 1 or len(ROLE.findall(text)) > 1


def task_text(asked: CompletionRequest) -> str:
    """The question about a conversation, if it is no book."""
    if len(asked.said) > LONGEST_TASK:
        raise UsageError("chat.too-long", found=len(asked.said), limit=LONGEST_TASK)
    return asked.said


# --- answers ---------------------------------------------------------------------------------------------------------


class TokenCount(Value):
    """About how many tokens were said and answered; what stands in prompts beside that is not counted."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class AnswerMessage(Value):
    role: Literal["assistant"] = "assistant"
    content: Generated
    refusal: None = None


class AnswerChoice(Value):
    index: Literal[0] = 0
    message: AnswerMessage
    finish_reason: Literal["stop"] = "stop"
    logprobs: None = None


class Completion(Value):
    """An answer in one piece."""

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: tuple[AnswerChoice, ...]
    usage: TokenCount


class Delta(Value):
    """What a chunk adds: nothing, whose answer it is, or words."""

    role: Literal["assistant"] | None = None
    content: Generated | None = None


class ChunkChoice(Value):
    index: Literal[0] = 0
    delta: Delta
    finish_reason: Literal["stop"] | None = None
    logprobs: None = None


class CompletionChunk(Value):
    """A piece of an answer; the last one, if a count is wanted, has no choices."""

    id: str
    object: Literal["chat.completion.chunk"] = "chat.completion.chunk"
    created: int
    model: str
    choices: tuple[ChunkChoice, ...]
    usage: TokenCount | None = None


@dataclass(frozen=True)
class AnswerSource:
    """An answer on its way: its pieces, None as a sign of life, a problem if it fails; and what stops it."""

    pieces: AsyncGenerator[Generated | Problem | None]
    leave: Callable[[], Awaitable[None]]


async def completion_response(source: AnswerSource, asked: CompletionRequest, request: Request) -> Response:
    """An answer as the client wants it; closing the connection stops it."""
    if asked.stream:
        return EventStream(_frames(source, asked), source.leave)
    pieces: list[Generated] = []
    try:
        async with stopped_when_gone(request, source.leave):
            async for news in source.pieces:
                if isinstance(news, Problem):
                    return as_response(news, request)
                pieces += [] if news is None else [news]
    finally:
        await source.leave()
    if await request.is_disconnected():
        return Response(status_code=CLIENT_GONE)
    said = AnswerChoice(message=AnswerMessage(content=join_texts(pieces)))
    whole = Completion(**_head(asked), choices=(said,), usage=_count_tokens(asked, pieces))
    return JSONResponse(whole.model_dump(mode="json"))


async def _frames(source: AnswerSource, asked: CompletionRequest) -> AsyncGenerator[bytes]:
    """An answer as OpenAI streams it: chunks, perhaps a count, and the sign of the end; or the fault that ends it."""
    head, pieces = _head(asked), list[Generated]()

    def frame(*choices: ChunkChoice, usage: TokenCount | None = None) -> bytes:
        chunk = CompletionChunk(**head, choices=choices, usage=usage)
        return format_sse_event(data_str=chunk.model_dump_json())

    yield frame(ChunkChoice(delta=Delta(role="assistant", content=Generated(""))))
    async for news in source.pieces:
        if isinstance(news, Problem):
            error = openai_problem(news).model_dump_json(include={"error"})
            yield format_sse_event(data_str=error)
            return
        if news is None:
            yield KEEPALIVE_COMMENT
        else:
            pieces.append(news)
            yield frame(ChunkChoice(delta=Delta(content=news)))
    yield frame(ChunkChoice(delta=Delta(), finish_reason="stop"))
    if asked.stream_options and asked.stream_options.include_usage:
        yield frame(usage=_count_tokens(asked, pieces))
    yield format_sse_event(data_str="[DONE]")


def _head(asked: CompletionRequest) -> dict[str, Any]:
    return {"id": f"chatcmpl-{uuid4().hex}", "created": int(time.time()), "model": asked.model}


def _count_tokens(asked: CompletionRequest, pieces: Sequence[Generated]) -> TokenCount:
    prompt = math.ceil(len(asked.said) / LETTERS)
    completion = math.ceil(len(marks(join_texts(pieces))) / LETTERS)
    return TokenCount(prompt_tokens=prompt, completion_tokens=completion, total_tokens=prompt + completion)
