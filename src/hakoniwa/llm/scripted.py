"""Stand-ins for a model: one says what it is told, one plays a cassette, which is a YAML list of calls."""

from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from hakoniwa.errors import ModelMisbehaved
from hakoniwa.llm import Call, ChatModel, Message, Piece
from hakoniwa.llm.faults import fault
from hakoniwa.messages import LOADER


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
    ) -> AsyncIterator[Piece]:
        self.calls.append((purpose, list(messages)))
        lines = self.replies.get(purpose, [])
        if not lines:
            raise ModelMisbehaved("model.no-line", purpose=purpose)
        line = lines[0] if self.loop and len(lines) == 1 else lines.pop(0)
        if isinstance(line, Exception):
            raise line
        for start in range(0, len(line), 8):
            yield line[start : start + 8]


_PIECE = 8


class RecordedModel(ChatModel):
    """Plays a cassette: a call recorded with its messages answers those very messages, one without them comes in order.

    With `loop` the calls that come in order begin anew when they are used up."""

    context = 0

    def __init__(self, cassette: Path, loop: bool = False) -> None:
        self.name = cassette.stem
        self.loop = loop
        self._all = read_cassette(cassette)
        self._left = list(self._all)

    async def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[Piece]:
        call = self._next(purpose, tuple(messages))
        for start in range(0, len(call.reply), _PIECE):
            yield call.reply[start : start + _PIECE]
        if call.fault:
            raise fault(call.fault, model=self.name, said="", server=self.name, seconds=0.0)
        yield call.usage

    def _next(self, purpose: str, messages: tuple[Message, ...]) -> Call:
        found = self._matching(purpose, messages)
        if found is None and self.loop:
            self._left += [call for call in self._all if call.purpose == purpose and not call.messages]
            found = self._matching(purpose, messages)
        if found is None:
            raise ModelMisbehaved("model.no-line", purpose=purpose)
        self._left.remove(found)
        return found

    def _matching(self, purpose: str, messages: tuple[Message, ...]) -> Call | None:
        fitting = [call for call in self._left if call.purpose == purpose and call.messages in ((), messages)]
        return next((call for call in fitting if call.messages), next(iter(fitting), None))


def read_cassette(cassette: Path) -> list[Call]:
    """The calls of a cassette, in order."""
    lines = yaml.load(cassette.read_text(encoding="utf-8"), Loader=LOADER) or []
    return [Call.model_validate({"model": cassette.stem, "messages": (), "max_tokens": 0, **line}) for line in lines]
