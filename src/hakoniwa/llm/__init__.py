"""Models: one small protocol, and the backends that speak it."""

from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Any, Literal, Protocol

from pydantic import AfterValidator

from hakoniwa.llm.quoting import make_harmless
from hakoniwa.turn import Value


class Message(Value):
    """One message of a prompt, in which nothing can pose as the beginning of another."""

    role: Literal["system", "user", "assistant"]
    content: Annotated[str, AfterValidator(make_harmless)]


class Usage(Value):
    """What a call cost, as the server counts it; None where it does not say."""

    prompt: int | None = None
    cached: int | None = None
    completion: int | None = None
    finish: str | None = None
    tries: int = 1


class Call(Value):
    """One call to a model as the journal keeps it: what was asked and why, what came, and what it took."""

    purpose: str
    model: str
    messages: tuple[Message, ...]
    max_tokens: int
    chars_per_token: float | None = None  # what was known of the model when it was asked
    reply: str = ""
    usage: Usage = Usage()
    first_ms: float | None = None
    total_ms: float = 0.0
    tries: int = 1
    fault: str | None = None
    warning: str | None = None


class ChatModel(Protocol):
    """Messages in, text out, as a stream that ends with what it cost. `purpose` names the call in logs and scripts.

    Closing the stream stops the model. `context` is how many tokens prompt and reply may have together; 0: unknown.
    """

    name: str
    context: int

    def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[str | Usage]: ...


async def join_stream(stream: AsyncIterator[str | Usage]) -> str:
    """A stream as one text."""
    return "".join([piece async for piece in stream if isinstance(piece, str)])
