"""Autonomy from settings: the chats whose personas live by themselves, what they may use outside, and the worker."""

import importlib
import logging
import threading
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from time import monotonic

from sqlalchemy import make_url

from hakoniwa.actor.character import Character
from hakoniwa.app import ledger_of, model_of
from hakoniwa.app.chats import LIVES_IN, chat_ghost, language_of, residence_of
from hakoniwa.autonomy.context import AutonomyContext, AutonomyContexts
from hakoniwa.autonomy.log import AutonomyLog
from hakoniwa.autonomy.policy import AutonomyPolicy
from hakoniwa.autonomy.schedule import Scheduler
from hakoniwa.capabilities.means import CapabilityMeans, DelegateMeans, WebMeans
from hakoniwa.chat.clock import Clock, Now, real_now
from hakoniwa.errors import ModelError, UsageError
from hakoniwa.jobs import Jobs
from hakoniwa.jobs.purge import jobs_beside
from hakoniwa.journal import GardenRecord, Journal
from hakoniwa.journal.open import MEMORY
from hakoniwa.llm import ChatModel
from hakoniwa.memory.store import Memories
from hakoniwa.persona.action import ActionOrder
from hakoniwa.play.errand import GardenResidence, acts_at_hand, believed_at_home, run_errand
from hakoniwa.settings import Settings
from hakoniwa.turn import Ruling

SPOOL = "delegated"  # the folder through which tasks get to the runner


def means_of(settings: Settings, journal: Journal, garden: GardenRecord) -> CapabilityMeans:
    """What the persona of a chat may do; whatever is not configured, it cannot."""
    sheet = Character.model_validate(next(iter(garden.sheets.values())))
    return CapabilityMeans(
        web=WebMeans(search_url=settings.search_url, search_tool=settings.search_tool),
        delegate=delegate_of(settings),
        servers=settings.servers,
        act=_act_function(journal, garden),
        at_hand=_look_function(journal, garden),
        language="en" if language_of(sheet) == "en" else "ja",
    )


def spool_of(settings: Settings) -> Path:
    """The folder through which tasks get to the runner and back."""
    return settings.home / SPOOL


def delegate_of(settings: Settings) -> DelegateMeans:
    """Who tasks may be given to, and the folder through which their runner gets them; nobody and nowhere by default."""
    return DelegateMeans(spool=spool_of(settings), commands=settings.delegate) if settings.delegate else DelegateMeans()


def home_garden_of(garden: GardenRecord) -> GardenResidence | None:
    """The garden in which the persona of a chat lives, if it lives in one."""
    if LIVES_IN in garden.settings:
        return GardenResidence.model_validate(garden.settings[LIVES_IN])
    return residence_of(garden)


def _look_function(journal: Journal, garden: GardenRecord) -> Callable[[], Sequence[str]] | None:
    """How the persona looks around there."""
    home = home_garden_of(garden)
    return partial(acts_at_hand, journal, home) if home else None


def _act_function(journal: Journal, garden: GardenRecord) -> Callable[[ActionOrder, str], Awaitable[Ruling]] | None:
    """How the persona acts there."""
    home = home_garden_of(garden)
    if home is None:
        return None

    async def act(order: ActionOrder, text: str) -> Ruling:
        return await run_errand(journal, home, text, order.key)

    return act


JOBS_MODULE, FLOW_MODULE = "hakoniwa.jobs.dbos", "hakoniwa.autonomy.flow"
FindModel = Callable[[], ChatModel | None]


def policy_of(settings: Settings) -> AutonomyPolicy:
    return AutonomyPolicy(
        heartbeat=timedelta(minutes=settings.heartbeat_minutes),
        quiet=settings.quiet,
        actions_per_day=settings.actions_per_day,
        messages_per_day=settings.messages_per_day,
        tasks_per_day=settings.tasks_per_day,
        megabytes_per_day=settings.megabytes_per_day,
        again_after=timedelta(hours=settings.again_after_hours),
        calm=timedelta(minutes=settings.calm_minutes),
        speak=settings.speak,
    )


def autonomy_log_of(journal: Journal, garden: GardenRecord, branch: str) -> AutonomyLog:
    """What the persona of a chat did by itself, up to now."""
    return AutonomyLog(journal, garden.id, branch, next(iter(garden.sheets))).follow()


def jobs_url(settings: Settings) -> str:
    """Where work under way is kept."""
    return jobs_beside(make_url(settings.journal_url)).render_as_string(hide_password=False)


class ChatContexts(AutonomyContexts):
    """Every chat of a journal; those who live in it are opened when they are first needed, and stay open."""

    def __init__(self, journal: Journal, settings: Settings, find_model: FindModel, real: Now = real_now) -> None:
        self._journal, self._settings, self._find_model, self._real = journal, settings, find_model, real
        self._memories = Memories(journal)
        self._homes: dict[tuple[str, str], AutonomyContext] = {}
        self._guard = threading.Lock()

    def homes(self) -> Iterable[AutonomyContext]:
        return [self.home(*one) for one in self._memories.living()]

    def home(self, garden: str, branch: str) -> AutonomyContext:
        with self._guard:
            if (garden, branch) not in self._homes:
                self._homes[garden, branch] = self._opened(self._journal.garden(garden), branch)
            home = self._homes[garden, branch]
            if home.model is None:
                home.model = self._find_model()
            return home

    def change_sign(self) -> object:
        return self._journal.database.change_sign()

    def _opened(self, garden: GardenRecord, branch: str) -> AutonomyContext:
        ghost = chat_ghost(self._journal, self._settings, garden, branch, next(iter(garden.sheets)))
        clock = Clock(ghost.memories, garden.id, branch, self._real)
        ghost.wake(clock.now())
        home = AutonomyContext(
            ghost=ghost,
            doings=autonomy_log_of(self._journal, garden, branch),
            clock=clock,
            manners=policy_of(self._settings),
            model=None,
            means=means_of(self._settings, self._journal, garden),
        )
        if (residence := home_garden_of(garden)) is not None:
            home.believed = lambda: believed_at_home(self._journal, residence, clock.now())
        home.means = replace(home.means, remind=home.remind)
        return home

    def close(self) -> None:
        """Write down what everybody is in the middle of."""
        with self._guard:
            for home in self._homes.values():
                home.ghost.rest(home.now())
                if home.ghost.index is not None:
                    home.ghost.index.close()


class AutonomyWorker:
    """Looks after everybody who lives by themselves, until it is closed. Any number may work on one journal.

    What durable work needs takes a second or two to load: only a worker does."""

    def __init__(self, journal: Journal, settings: Settings, find_model: FindModel) -> None:
        self.chats = ChatContexts(journal, settings, find_model)
        flow = importlib.import_module(FLOW_MODULE).AutonomyFlow(self.chats).flow()
        self.jobs: Jobs = importlib.import_module(JOBS_MODULE).DbosJobs(jobs_url(settings), [flow])
        self.heart = Scheduler(self.chats, self.jobs)

    def start(self) -> None:
        self.jobs.run()
        self.heart.start()

    def close(self, patience: float = 5.0) -> None:
        self.heart.stop()
        self.jobs.close(patience)
        self.chats.close()


log = logging.getLogger("hakoniwa.autonomy")

RETRY_SECONDS = 30.0  # seconds before a model that was nowhere is looked for again


def worker_of(journal: Journal, settings: Settings) -> AutonomyWorker:
    """A worker for everybody of a journal; UsageError for a journal that is not kept."""
    if settings.journal_url == MEMORY:
        raise UsageError("autonomy.no-journal")
    return AutonomyWorker(journal, settings, ModelFinder(lambda: ledger_of(settings, model_of(settings))))


class ModelFinder:
    """Finds a model; one that was nowhere is not looked for at every beat of a heart, and none is no error."""

    def __init__(self, find: FindModel, again: float = RETRY_SECONDS, clock: Callable[[], float] = monotonic) -> None:
        self._find, self._again, self._clock = find, again, clock
        self._not_before = clock()

    def __call__(self) -> ChatModel | None:
        if self._clock() < self._not_before:
            return None
        found = self._found()
        if found is None:
            self._not_before = self._clock() + self._again
        return found

    def _found(self) -> ChatModel | None:
        try:
            return self._find()
        except ModelError as error:
            log.warning("no model for those who live by themselves: %s", error.key)
            return None
