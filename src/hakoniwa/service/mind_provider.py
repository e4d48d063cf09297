"""MindProvider: who plays the characters of a garden, a model or the built-in mind, overheard by those who watch."""

import asyncio
from time import monotonic

from hakoniwa.actor.builtin import BuiltinMind
from hakoniwa.app import director_of, observed_mind
from hakoniwa.app.autonomy import FindModel
from hakoniwa.app.chats import ghosts_of
from hakoniwa.play.draft import PieceListener
from hakoniwa.play.ghosts import GardenGhosts
from hakoniwa.play.session import Mind, Session
from hakoniwa.settings import Settings

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
            self.mind = observed_mind(model, self._settings, self._hear)
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
