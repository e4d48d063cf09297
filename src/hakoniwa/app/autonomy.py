"""Autonomy from settings: every chat whose persona lives by itself, and the worker that looks after them."""

import importlib
import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import timedelta

from sqlalchemy import make_url

from hakoniwa.app.chats import ghost_of
from hakoniwa.app.means import means_of
from hakoniwa.ghost.autonomy.clock import Clock, Now, real_now
from hakoniwa.ghost.autonomy.doings import Doings
from hakoniwa.ghost.autonomy.heart import Heart
from hakoniwa.ghost.autonomy.home import Home, Household
from hakoniwa.ghost.autonomy.manners import Manners
from hakoniwa.ghost.store import Memories
from hakoniwa.jobs import Jobs
from hakoniwa.jobs.purge import jobs_beside
from hakoniwa.journal import Garden, Journal
from hakoniwa.llm import ChatModel
from hakoniwa.settings import Settings

JOBS, LINE = "hakoniwa.jobs.dbos", "hakoniwa.ghost.autonomy.line"
FindModel = Callable[[], ChatModel | None]


def manners_of(settings: Settings) -> Manners:
    return Manners(
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


def doings_of(journal: Journal, garden: Garden, branch: str) -> Doings:
    """What the persona of a chat did by itself, up to now."""
    return Doings(journal, garden.id, branch, next(iter(garden.sheets))).follow()


def jobs_url(settings: Settings) -> str:
    """Where work under way is kept."""
    return jobs_beside(make_url(settings.journal_url)).render_as_string(hide_password=False)


class Chats(Household):
    """Every chat of a journal; those who live in it are opened when they are first needed, and stay open."""

    def __init__(self, journal: Journal, settings: Settings, find_model: FindModel, real: Now = real_now) -> None:
        self._journal, self._settings, self._find_model, self._real = journal, settings, find_model, real
        self._memories = Memories(journal)
        self._homes: dict[tuple[str, str], Home] = {}
        self._guard = threading.Lock()

    def homes(self) -> Iterable[Home]:
        return [self.home(*one) for one in self._memories.living()]

    def home(self, garden: str, branch: str) -> Home:
        with self._guard:
            if (garden, branch) not in self._homes:
                self._homes[garden, branch] = self._opened(self._journal.garden(garden), branch)
            home = self._homes[garden, branch]
            if home.model is None:
                home.model = self._find_model()
            return home

    def _opened(self, garden: Garden, branch: str) -> Home:
        ghost = ghost_of(self._journal, self._settings, garden, branch)
        clock = Clock(ghost.memories, garden.id, branch, self._real)
        ghost.wake(clock.now())
        home = Home(
            ghost=ghost,
            doings=doings_of(self._journal, garden, branch),
            clock=clock,
            manners=manners_of(self._settings),
            model=None,
            means=means_of(self._settings, self._journal, garden),
        )
        home.means = replace(home.means, remind=home.remind)
        return home

    def close(self) -> None:
        """Write down what everybody is in the middle of."""
        with self._guard:
            for home in self._homes.values():
                home.ghost.rest(home.now())
                if home.ghost.index is not None:
                    home.ghost.index.close()


class Worker:
    """Looks after everybody who lives by themselves, until it is closed. Any number may work on one journal.

    What durable work needs takes a second or two to load: only a worker does."""

    def __init__(self, journal: Journal, settings: Settings, find_model: FindModel) -> None:
        self.chats = Chats(journal, settings, find_model)
        flow = importlib.import_module(LINE).Life(self.chats).flow()
        self.jobs: Jobs = importlib.import_module(JOBS).DbosJobs(jobs_url(settings), [flow])
        self.heart = Heart(self.chats, self.jobs)

    def start(self) -> None:
        self.jobs.run()
        self.heart.start()

    def close(self, patience: float = 5.0) -> None:
        self.heart.stop()
        self.jobs.close(patience)
        self.chats.close()
