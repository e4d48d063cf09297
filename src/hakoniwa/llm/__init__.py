"""Models: one small protocol, and the backends that speak it."""

from collections.abc import AsyncIterator, Sequence
from typing import Any, Literal, Protocol

from hakoniwa.turn import Value


class Message(Value):
    """One message of a prompt."""

    role: Literal["system", "user", "assistant"]
    content: str


class ChatModel(Protocol):
    """Messages in, text out, as a stream. `purpose` names the call in logs, cassettes and scripts."""

    name: str

    def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[str]: ...


async def whole(stream: AsyncIterator[str]) -> str:
    """A stream as one text."""
    return "".join([piece async for piece in stream])
