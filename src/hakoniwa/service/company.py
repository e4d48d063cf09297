"""Company: who plays the characters of a garden. A model where one is found, with everybody's memory, else none."""

import asyncio
from time import monotonic

from hakoniwa.actor.builtin import BuiltinMind
from hakoniwa.app.chats import ghosts_of
from hakoniwa.app.overheard import Hear, mind_with
from hakoniwa.play.ghosts import Ghosts
from hakoniwa.play.session import Mind, Session
from hakoniwa.service.residents import FindModel
from hakoniwa.settings import Settings

AGAIN = 30.0  # seconds before a model that was nowhere is looked for again


class Company:
    """The mind behind all characters of a stage. It is looked for when it is first needed."""

    def __init__(self, settings: Settings, find_model: FindModel, hear: Hear) -> None:
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
            self.mind = mind_with(model, self._settings, self._hear)
        session.mind = self.mind
        if self.mind.reminisces and session.ghosts is None:
            await asyncio.to_thread(self._prepare, session)

    def _prepare(self, session: Session) -> None:
        """What a model needs and takes a while in a long garden: everybody's memory, and what they have witnessed."""
        session.ghosts = ghosts_of(session, self._settings)
        session.transcript(next(iter(session.cast)))

    @property
    def _may_look(self) -> bool:
        return self._looked is None or monotonic() - self._looked >= AGAIN

    async def close(self) -> None:
        """Let go of the model's connections."""
        if closing := getattr(getattr(self.mind, "model", None), "aclose", None):
            await closing()


def dismiss(session: Session) -> None:
    """Let the vectors of everybody's memory be where they are."""
    if isinstance(session.ghosts, Ghosts):
        for who in session.cast:
            if who in session.ghosts and (index := session.ghosts[who].index) is not None:
                index.close()
