"""MindProvider: who plays the characters of a garden, a model or the built-in mind, overheard by those who watch."""

import asyncio
import importlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from time import monotonic
from typing import Any

from hakoniwa.actor.builtin import BuiltinMind
from hakoniwa.app import LANGUAGE, director_of
from hakoniwa.app.autonomy import FindModel
from hakoniwa.app.chats import ghosts_of
from hakoniwa.llm import ChatModel, Message, Usage
from hakoniwa.llm.ledger import Ledger
from hakoniwa.play.ghosts import GardenGhosts
from hakoniwa.play.session import Mind, Session
from hakoniwa.settings import Settings

PieceListener = Callable[[str, str], None]  # for which purpose, and the next piece; an empty one as it begins


class ObservedModel(ChatModel):
    """A model whose every piece is told as it comes, with what it is for."""

    def __init__(self, model: ChatModel, hear: PieceListener) -> None:
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


def build_mind(model: ChatModel | None, settings: Settings, hear: PieceListener) -> Mind:
    """A mind that speaks through a model, or with nobody there to speak for it through its phrasebook."""
    if model is None:
        return BuiltinMind()
    inner, budget = (model.model, model.budget) if isinstance(model, Ledger) else (model, None)
    ledger = Ledger(ObservedModel(inner, hear), budget)
    mind: Mind = importlib.import_module(LANGUAGE).LanguageMind(ledger, settings.acts, settings.one_pass)
    return mind


RETRY_SECONDS = 30.0  # seconds before a model that was nowhere is looked for again


class MindProvider:
    """The mind behind all characters of a stage. It is looked for when it is first needed."""

    def __init__(self, settings: Settings, find_model: FindModel, hear: PieceListener) -> None:
        self._settings, self._find_model, self._hear = settings, find_model, hear
        self._looked: float | None = None
        self.mind: Mind = BuiltinMind()

    @property
    def name(self) -> str | None:
        """Who speaks; None while nobody has been looked for."""
        return None if self._looked is None else self.mind.name

    async def cast(self, session: Session) -> None:
        """See to it that somebody speaks here, and remembers."""
        if isinstance(self.mind, BuiltinMind) and self._may_look:
            model = await asyncio.to_thread(self._find_model)
            self._looked = monotonic()
            self.mind = build_mind(model, self._settings, self._hear)
        session.mind = self.mind
        session.director = director_of(self._settings, session)
        if self.mind.reminisces and session.ghosts is None:
            await asyncio.to_thread(self._prepare, session)

    def _prepare(self, session: Session) -> None:
        """What a model needs and takes a while in a long garden: everybody's memory, and what they have witnessed."""
        session.ghosts = ghosts_of(session, self._settings)
        session.transcript(next(iter(session.cast)))

    @property
    def _may_look(self) -> bool:
        return self._looked is None or monotonic() - self._looked >= RETRY_SECONDS

    async def close(self) -> None:
        """Let go of the model's connections."""
        if closing := getattr(getattr(self.mind, "model", None), "aclose", None):
            await closing()


def close_vectors(session: Session) -> None:
    """Let the vectors of everybody's memory be where they are."""
    if isinstance(session.ghosts, GardenGhosts):
        for who in session.cast:
            if who in session.ghosts and (index := session.ghosts[who].index) is not None:
                index.close()
