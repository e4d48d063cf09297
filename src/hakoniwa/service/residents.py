"""Ghosts at home in this process: kept open between requests, and at work on their memory when nobody talks to them."""

import asyncio
import copy
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial

from hakoniwa.app.autonomy import FindModel, autonomy_log_of
from hakoniwa.app.chats import chat_with, ghost_of, ghosts_of, private_chat_in, residence_of
from hakoniwa.autonomy.log import AutonomyLog
from hakoniwa.chat.chat import Chat
from hakoniwa.chat.clock import Clock
from hakoniwa.chat.lineage import catch_up
from hakoniwa.errors import HakoniwaError, UsageError
from hakoniwa.journal import GardenRecord, Journal
from hakoniwa.journal.follow import branch_head
from hakoniwa.llm import ChatModel
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.recall import Chooser
from hakoniwa.memory.work import embed, work_off
from hakoniwa.play.errand import GardenResidence
from hakoniwa.play.ghosts import GardenGhosts
from hakoniwa.play.session import Session
from hakoniwa.service.kept import OpenCache
from hakoniwa.service.live_gardens import LiveGardens

log = logging.getLogger("hakoniwa.service")

OPEN_GHOSTS = 64
GhostKey = tuple[str, str, str, str]  # garden, branch, who, and the chat through which they are spoken with
GhostOpener = Callable[[], Ghost]


class OpenGhost:
    """One Ghost, whoever speaks for it, and what it is doing."""

    def __init__(
        self, journal: Journal, garden: GardenRecord, open_ghost: GhostOpener, find_model: FindModel,
        chooser: Chooser = "rule",
    ) -> None:  # fmt: skip
        self.journal, self.garden, self.chooser = journal, garden, chooser
        self.leaving = False  # whoever holds it has been told to stop
        self._open_ghost, self._find_model = open_ghost, find_model
        self._ghost = open_ghost()
        self._model: ChatModel | None = None
        self._doings: AutonomyLog | None = None
        self.clock = Clock(self._ghost.memories, garden.id, self._ghost.branch)
        self._lock = asyncio.Lock()
        self._working: asyncio.Task[None] | None = None
        self._spoken_with: Chat | None = None

    @property
    def _talks(self) -> bool:
        """Whether this is a chat; whoever lives in a garden remembers what is played there, and is only looked at."""
        return not self.garden.scenario

    @property
    def busy(self) -> bool:
        return self._lock.locked()

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Nobody else says or changes anything here meanwhile; waits only for somebody who is about to leave."""
        if self.busy and not self.leaving:
            raise UsageError("chat.busy")
        async with self._lock:
            self.leaving = False
            await self._rest()
            try:
                yield
            finally:
                self._working = asyncio.create_task(self._work())

    async def model(self) -> ChatModel | None:
        """Who speaks; one that was not there is looked for again each time."""
        if self._model is None:
            self._model = await asyncio.to_thread(self._find_model)
        return self._model

    async def chat(self) -> Chat:
        """The conversation where it is now, whoever brought it there; only for somebody alone here."""
        model = await self.model()
        self._spoken_with = await asyncio.to_thread(self._chat, model)
        return self._spoken_with

    def _chat(self, model: ChatModel | None) -> Chat:
        self._ghost.refresh(self._caught_up())
        return chat_with(self.journal, self.garden, self._ghost, model, self.chooser)

    async def seen(self) -> Ghost:
        """The Ghost as it is now, to look at: a copy, so that whoever talks with it is not disturbed."""
        return await asyncio.to_thread(self._seen)

    def _seen(self) -> Ghost:
        if not self._talks:
            return self._played()
        ghost = copy.copy(self._ghost)
        ghost.refresh(self._caught_up())
        return ghost

    async def doings(self) -> AutonomyLog:
        """What the persona of a chat did by itself, up to now."""
        return await asyncio.to_thread(self._followed)

    def _followed(self) -> AutonomyLog:
        if self._doings is None:
            self._doings = autonomy_log_of(self.journal, self.garden, self._ghost.branch)
        return self._doings.follow()

    def _caught_up(self) -> int | None:
        return catch_up(self._ghost.memories, self.journal, self.garden.id, self._ghost.branch)

    def _played(self) -> Ghost:
        """Somebody in a garden; opened anew where it was played on, for only the garden knows what they witnessed."""
        if branch_head(self.journal, self._ghost.garden, self._ghost.branch) != self._ghost.newest:
            self._ghost = self._open_ghost()
        return self._ghost

    # --- between messages --------------------------------------------------------------------------------------------

    async def _work(self) -> None:
        """Choose what serves the next answer, then work what was lived through into memory, piece by piece, so that a
        message need not wait for much. What is lived through in a garden, the garden works off."""
        try:
            if self._spoken_with is not None:
                await self._spoken_with.recall_ahead()
            while self._talks and await work_off(self._ghost, self._model, self.clock.now(), limit=1):
                pass
            if self._talks:
                await embed(self._ghost)
        except HakoniwaError as error:
            log.warning("memory of %s waits: %s", self.garden.id, error.key)

    async def _rest(self) -> None:
        if self._working is not None:
            self._working.cancel()
            with suppress(asyncio.CancelledError):
                await self._working
            self._working = None

    async def close(self) -> None:
        await self._rest()
        if self._ghost.index is not None:
            self._ghost.index.close()
        closing: Callable[[], Awaitable[None]] | None = getattr(self._model, "aclose", None)
        if closing is not None:
            await closing()


class OpenPrivateGhost(OpenGhost):
    """The Ghost of a person of a garden, for a chat with them: it is spoken with in the garden as it is open here."""

    def __init__(
        self, gardens: LiveGardens, chat: GardenRecord, home: GardenResidence, open_ghost: GhostOpener
    ) -> None:
        super().__init__(gardens.journal, chat, open_ghost, gardens.find_model, gardens.settings.recall)
        self._gardens, self._home = gardens, home
        self._session: Session | None = None

    @property
    def _talks(self) -> bool:
        return False  # what follows words in a garden is the garden's own work

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """The garden stands still as well: whoever talks with somebody has them for that long."""
        async with super().alone():
            garden = await self._gardens.at(self._home.garden, self._ghost.branch)
            async with garden.alone() as self._session:
                yield

    def _chat(self, model: ChatModel | None) -> Chat:
        session = self._session
        assert session is not None, "nobody is spoken with but by whoever is alone with them"
        if not isinstance(session.ghosts, GardenGhosts):
            session.ghosts = ghosts_of(session, self._gardens.settings)
        chat = private_chat_in(session, session.ghosts, self.garden, self._home.who, model, self.chooser)
        chat.catch_up()
        return chat


class OpenGhosts:
    """Every Ghost that somebody asked for lately."""

    def __init__(self, gardens: LiveGardens) -> None:
        self.journal, self.settings, self.find_model = gardens.journal, gardens.settings, gardens.find_model
        self._gardens = gardens
        self._kept: OpenCache[GhostKey, OpenGhost] = OpenCache(OPEN_GHOSTS)

    async def at(self, garden: GardenRecord, branch: str, who: str | None = None) -> OpenGhost:
        """The Ghost of somebody on a branch, opened if it is not."""
        name, home = who or next(iter(garden.sheets)), residence_of(garden)
        key = (home.garden if home else garden.id, branch, name, garden.id)
        return await self._kept.at(key, partial(self._opened, garden, branch, name))

    async def _opened(self, garden: GardenRecord, branch: str, who: str) -> OpenGhost:
        open_ghost = partial(ghost_of, self.journal, self.settings, garden, branch, who)
        if home := residence_of(garden):
            return await asyncio.to_thread(OpenPrivateGhost, self._gardens, garden, home, open_ghost)
        chooser = self.settings.recall
        return await asyncio.to_thread(OpenGhost, self.journal, garden, open_ghost, self.find_model, chooser)

    @asynccontextmanager
    async def all_alone(self, garden: str) -> AsyncIterator[None]:
        """Nobody of a garden says or changes anything meanwhile; what they hold is read anew afterwards."""
        async with AsyncExitStack() as stack:
            for one in await self._kept.settled(lambda key: key[0] == garden):
                await stack.enter_async_context(OpenGhost.alone(one))
            await stack.enter_async_context(self._gardens.purged(garden))
            yield
        await self._kept.close(lambda key: key[0] == garden)

    async def leave(self, garden: str) -> None:
        """Stop and close whatever is open of a garden or a chat: it is about to be deleted."""
        await self._kept.close(lambda key: garden in (key[0], key[3]))
        await self._gardens.leave(garden)

    async def close(self) -> None:
        await self._kept.close()
