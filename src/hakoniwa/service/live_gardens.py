"""Live gardens: lines of play that are open in this process, at play, looked at and watched."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from typing import Literal, TypeVar

from hakoniwa.app.autonomy import FindModel
from hakoniwa.app.gardens import garden_at
from hakoniwa.errors import HakoniwaError, JournalMovedOn, ModelError, UsageError
from hakoniwa.journal import Journal
from hakoniwa.llm.faults import fault
from hakoniwa.messages import tell
from hakoniwa.play.draft import Draft
from hakoniwa.play.loop import next_turn, resume
from hakoniwa.play.session import Session
from hakoniwa.play.timeline import Timeline
from hakoniwa.service.kept import OpenCache
from hakoniwa.service.lines import HighlightCache
from hakoniwa.service.mind_provider import MindProvider, close_vectors
from hakoniwa.settings import Settings
from hakoniwa.turn import Turn, Value

log = logging.getLogger("hakoniwa.service")

Reason = Literal["asked", "stopped", "turns", "ended", "alone", "unwatched", "fault"]
SLOWEST = 60.0


class Pace(Value):
    """Whether turns come by themselves, how many seconds apart and how many more; if not, why no more come."""

    running: bool = False
    speed: float
    left: int | None = None
    reason: Reason | None = None


PATIENCE = 5.0  # seconds for a play that was stopped to stand still, unless somebody lets it go on
TRIES = 3  # how often something is done anew where another process wrote in between

T = TypeVar("T")
SessionAction = Callable[[Session], Awaitable[T]]


class LiveGarden:
    """One line of play. A look sees the timeline; a change waits until nothing else is being changed."""

    def __init__(self, reel: Timeline, settings: Settings, find_model: FindModel) -> None:
        self.reel, self.settings, self.marks = reel, settings, HighlightCache(reel)
        self.draft = Draft()
        self.pace = Pace(speed=settings.speed)
        self.fault: HakoniwaError | None = None
        self.faults = 0
        self.watchers: set[asyncio.Event] = set()
        self._shown = reel.head
        self._company = MindProvider(settings, find_model, self._hear)
        self._session: Session | None = None
        self._lock = asyncio.Lock()
        self._alone, self._wanted = 0, False
        self._turn: asyncio.Task[Turn] | None = None
        self._run: asyncio.Task[None] | None = None
        self._repaced = asyncio.Event()

    @property
    def busy(self) -> bool:
        return self._lock.locked() or self.running or bool(self.watchers)

    @property
    def running(self) -> bool:
        return self._run is not None and not self._run.done()

    @property
    def _place(self) -> dict[str, str]:
        """Which line of play a line of the log is about."""
        return {"garden": self.reel.garden.id, "branch": self.reel.branch}

    @property
    def model(self) -> str | None:
        """Who speaks for the characters; None while nobody has been looked for."""
        return self._company.name

    # --- those who watch ---------------------------------------------------------------------------------------------

    def wake(self) -> None:
        """Let everybody who watches look again."""
        for one in self.watchers:
            one.set()

    async def follow(self) -> None:
        """Show what has been written since, whoever wrote it."""
        await asyncio.to_thread(self.reel.follow)
        if self.reel.head != self._shown:
            self._shown = self.reel.head
            self.wake()

    def _hear(self, purpose: str, piece: str) -> None:
        self.draft = self.draft.heard(purpose, piece)
        self.wake()

    def _failed(self, error: HakoniwaError) -> None:
        fields = {**self._place, "key": error.key, "told": tell(error, "en")}
        log.warning("garden=%(garden)s branch=%(branch)s fault=%(key)s: %(told)s", fields)
        self.fault, self.faults = error, self.faults + 1
        self.wake()

    # --- changing something ------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[Session]:
        """The garden where it stands; nothing else is done in it meanwhile, and nobody else has a turn."""
        async with self._lock:
            self._alone = 0
            try:
                yield await self._ready()
            finally:
                await self.follow()

    @asynccontextmanager
    async def purged(self) -> AsyncIterator[None]:
        """Nothing happens here meanwhile, and everything is read anew afterwards."""
        async with self._lock:
            yield
            self._leave()
            await asyncio.to_thread(self.reel.read_anew)

    async def change(self, deed: SessionAction[T], before: SessionAction[object] | None = None) -> T:
        """Do something here, once nobody is speaking, perhaps after something that it needs."""
        async with self._lock:
            self._alone = 0
            if before is not None:
                await self._done(before)
            return await self._done(deed)

    async def rewrite(self, deed: Callable[[int], None]) -> None:
        """Do something to the line itself, once nobody is speaking; `deed` is told which turn it stands at."""
        async with self._lock:
            await self.follow()
            await asyncio.to_thread(deed, self.reel.standing.world.time.turn)
            await self.follow()

    async def turn(self, before: SessionAction[object] | None = None) -> Turn:
        """The next turn, perhaps after something that makes it another one; there is none while others speak."""
        if self._wanted or self.running:
            raise UsageError("garden.busy")
        self._wanted = True
        try:
            async with self._lock:
                self._alone = 0
                if before is not None:
                    await self._done(before)
                return await self._done(self._spoken)
        finally:
            self._wanted = False

    async def _done(self, deed: SessionAction[T]) -> T:
        """Do it on what everybody has written; where somebody writes in between, on that."""
        for tries_left in range(TRIES - 1, -1, -1):
            try:
                return await deed(await self._ready())
            except JournalMovedOn:
                if not tries_left:
                    raise
            finally:
                await self.follow()
        raise AssertionError("the last try returns or raises")

    async def _ready(self) -> Session:
        """The garden where it stands now, with the curtain up."""
        if self._session is None:
            reel = self.reel
            self._session = Session(reel.journal, reel.garden, self._company.mind, reel.branch, reel)
        await self._session.follow()
        await self._session.open()
        return self._session

    def _leave(self) -> None:
        if self._session is not None:
            close_vectors(self._session)
            self._session.close()
            self._session = None

    # --- a turn ------------------------------------------------------------------------------------------------------

    async def _spoken(self, session: Session) -> Turn:
        """A turn that can be stopped while it lasts; nothing of one that was has happened."""
        await self._company.cast(session)
        turn = self._turn = asyncio.create_task(self._played(session))
        try:
            await asyncio.wait([turn])
            await self.follow()  # what has happened is seen before the silence after it
        finally:
            turn.cancel()
            with suppress(asyncio.CancelledError, HakoniwaError):
                await turn
            self._turn, self.draft = None, self.draft.silent()
            self.wake()
        if turn.cancelled():
            raise UsageError("garden.stopped")
        return turn.result()

    async def _played(self, session: Session) -> Turn:
        """The next turn that somebody plays; why others miss theirs is told at once."""
        while True:
            await resume(session)
            self.draft = self.draft.of(session.world.time.turn + 1, session.speaker())
            self.wake()
            turn = await next_turn(session)
            if turn is not None:
                return turn
            await self.follow()
            self._failed(error := _model_fault(session))
            if session.standing.ended is not None:
                raise error

    async def stop(self) -> None:
        """Let whoever is speaking be silent at once, and play no more by itself."""
        self.pause("stopped")
        if (turn := self._turn) is not None:
            turn.cancel()
            await asyncio.wait([turn])
        if self._run is not None and not self.pace.running:
            await asyncio.wait([self._run], timeout=PATIENCE)

    # --- playing by itself -------------------------------------------------------------------------------------------

    def run(self, turns: int | None, speed: float | None) -> None:
        """Turn after turn from now on, or so many of them."""
        wait = self.pace.speed if speed is None else speed
        self._repace(Pace(running=True, speed=wait, left=turns))
        self._alone = 0
        if not self.running:
            self._run = asyncio.create_task(self._going_on())

    def pause(self, reason: Reason = "asked") -> None:
        """No turn after the one that is being played."""
        if self.pace.running:
            self._repace(self.pace.with_fields({"running": False, "left": None, "reason": reason}))
            log.info("garden=%(garden)s branch=%(branch)s paused=%(reason)s", {**self._place, "reason": reason})

    def _repace(self, pace: Pace) -> None:
        self.pace = pace
        self._repaced.set()
        self.wake()

    async def _going_on(self) -> None:
        while self.pace.running:
            try:
                async with self._lock:
                    if self.pace.running:  # somebody else may have had the lock, and paused
                        await self._done(self._spoken)
                        self._turned()
            except HakoniwaError as error:
                if error.key != "garden.stopped":
                    self._failed(error)
                    self.pause("fault")
            except Exception:
                log.exception("garden=%(garden)s branch=%(branch)s stands still", self._place)
                self.pause("fault")
            await self._breathe()

    def _turned(self) -> None:
        self._alone += 1
        left = self.pace.left - 1 if self.pace.left is not None else None
        self.pace = self.pace.with_field("left", left)
        if self.reel.standing.ended is not None:
            self.pause("ended")
        elif left == 0:
            self.pause("turns")
        elif left is None and 0 < self.settings.turns_alone <= self._alone and self._unbearable:
            self.pause("alone" if self.watchers else "unwatched")

    @property
    def _unbearable(self) -> bool:
        """Whether a model is paid for what nobody answers, or nobody even watches."""
        return self._company.mind.reminisces or not self.watchers

    async def _breathe(self) -> None:
        """Wait for the next turn's time, or until the pace is another."""
        self._repaced.clear()
        if self.pace.running:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._repaced.wait(), self.pace.speed)

    async def close(self) -> None:
        await self.stop()
        async with self._lock:
            await self._company.close()
            await asyncio.to_thread(self._leave)


def _model_fault(session: Session) -> ModelError:
    """Why the last turn was missed: the model failed."""
    payload = next(row.event.payload for row in reversed(session.rows) if row.event.kind == "fault")
    return fault(payload["fault"], **payload["details"])


OPEN_GARDENS, MOST_RUNNING = 16, 8


class LiveGardens:
    """Every line of play that somebody asked for lately."""

    def __init__(self, journal: Journal, settings: Settings, find_model: FindModel) -> None:
        self.journal, self.settings, self.find_model = journal, settings, find_model
        self._kept: OpenCache[tuple[str, str], LiveGarden] = OpenCache(OPEN_GARDENS)

    async def at(self, garden: str, branch: str) -> LiveGarden:
        """The live garden of a branch, opened if it is not, and up to now."""
        stage = await self._kept.at((garden, branch), partial(self._opened, garden, branch))
        await stage.follow()
        return stage

    async def _opened(self, garden: str, branch: str) -> LiveGarden:
        reel = await asyncio.to_thread(lambda: Timeline(self.journal, garden_at(self.journal, garden), branch))
        return LiveGarden(reel, self.settings, self.find_model)

    @asynccontextmanager
    async def purged(self, garden: str) -> AsyncIterator[None]:
        """Nothing happens in a garden meanwhile; what is open of it is read anew afterwards."""
        async with AsyncExitStack() as stack:
            for one in await self._kept.settled(lambda key: key[0] == garden):
                await stack.enter_async_context(one.purged())
            yield

    async def leave(self, garden: str) -> None:
        """Stop and close whatever is open of a garden."""
        await self._kept.close(lambda key: key[0] == garden)

    def run(self, stage: LiveGarden, turns: int | None, speed: float | None) -> None:
        """Let a garden play by itself, if not too many do."""
        if not stage.running and sum(one.running for one in self._kept.open()) >= MOST_RUNNING:
            raise UsageError("garden.too-many", limit=MOST_RUNNING)
        stage.run(turns, speed)

    def running(self, garden: str) -> list[str]:
        """The branches of a garden that play by themselves."""
        return [one.reel.branch for one in self._kept.open() if one.reel.garden.id == garden and one.running]

    async def close(self) -> None:
        await self._kept.close()
