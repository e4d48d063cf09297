"""Minds that can be overheard: what a model says is told while it is being said, to whoever watches."""

import importlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from typing import Any

from hakoniwa.actor.builtin import BuiltinMind
from hakoniwa.app import LANGUAGE
from hakoniwa.llm import ChatModel, Message, Usage
from hakoniwa.llm.ledger import Ledger
from hakoniwa.play.session import Mind
from hakoniwa.settings import Settings

Hear = Callable[[str, str], None]  # for which purpose, and the next piece; an empty one as it begins


class Overheard(ChatModel):
    """A model whose every piece is told as it comes, with what it is for."""

    def __init__(self, model: ChatModel, hear: Hear) -> None:
        self.model, self.name, self.context = model, model.name, model.context
        self._hear = hear

    async def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[str | Usage]:
        self._hear(purpose, "")
        stream = self.model.chat(messages, purpose, max_tokens, schema)
        try:
            async for piece in stream:
                if isinstance(piece, str):
                    self._hear(purpose, piece)
                yield piece
        finally:  # whoever stops listening stops the model
            if isinstance(stream, AsyncGenerator):
                await stream.aclose()

    async def aclose(self) -> None:
        """Let go of the model's connections, if it has any."""
        if closing := getattr(self.model, "aclose", None):
            await closing()


def mind_with(model: ChatModel | None, settings: Settings, hear: Hear) -> Mind:
    """A mind that speaks through a model, or with nobody there to speak for it through its phrasebook."""
    if model is None:
        return BuiltinMind()
    inner, budget = (model.model, model.budget) if isinstance(model, Ledger) else (model, None)
    ledger = Ledger(Overheard(inner, hear), budget)
    mind: Mind = importlib.import_module(LANGUAGE).LanguageMind(ledger, settings.acts, settings.one_pass)
    return mind
