"""ScriptedModel: says what it is told, for tests. A line may be an exception, which it raises."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from hakoniwa.errors import ModelMisbehaved
from hakoniwa.llm import ChatModel, Message, Usage


class ScriptedModel(ChatModel):
    """Replies by purpose, in order; the last one goes on for ever if `loop`."""

    name = "scripted"
    context = 0

    def __init__(self, replies: Mapping[str, Sequence[str | Exception]], loop: bool = False) -> None:
        self.replies = {purpose: list(lines) for purpose, lines in replies.items()}
        self.loop = loop
        self.calls: list[tuple[str, list[Message]]] = []

    async def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[str | Usage]:
        self.calls.append((purpose, list(messages)))
        lines = self.replies.get(purpose, [])
        if not lines:
            raise ModelMisbehaved("model.no-line", purpose=purpose)
        line = lines[0] if self.loop and len(lines) == 1 else lines.pop(0)
        if isinstance(line, Exception):
            raise line
        for start in range(0, len(line), 8):
            yield line[start : start + 8]
