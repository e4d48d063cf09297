"""Stages: gardens at play in this process, one for each line of play that somebody asked for lately."""

import asyncio
from collections import OrderedDict

from hakoniwa.errors import UsageError
from hakoniwa.journal import Garden, Journal
from hakoniwa.service.reel import Reel
from hakoniwa.service.residents import FindModel
from hakoniwa.service.stage import Stage
from hakoniwa.settings import Settings

OPEN_STAGES, MOST_RUNNING = 16, 8


class Stages:
    """Every line of play that somebody asked for lately."""

    def __init__(self, journal: Journal, settings: Settings, find_model: FindModel) -> None:
        self.journal, self.settings, self.find_model = journal, settings, find_model
        self._open: OrderedDict[tuple[str, str], asyncio.Task[Stage]] = OrderedDict()

    async def at(self, garden: Garden, branch: str) -> Stage:
        """The stage of a branch, opened if it is not, and up to now."""
        key = (garden.id, branch)
        if key not in self._open:
            await self._make_room()
        if key not in self._open:
            self._open[key] = asyncio.create_task(self._opened(garden, branch))
        opening = self._open[key]
        self._open.move_to_end(key)
        try:
            stage = await asyncio.shield(opening)
        except Exception:
            if self._open.get(key) is opening:
                del self._open[key]
            raise
        await stage.follow()
        return stage

    async def _opened(self, garden: Garden, branch: str) -> Stage:
        reel = await asyncio.to_thread(Reel, self.journal, garden, branch)
        return Stage(reel, self.settings, self.find_model)

    async def _make_room(self) -> None:
        """Close the one that was idle longest, if there are too many."""
        idle = (key for key, one in self._open.items() if one.done() and not one.result().busy)
        if len(self._open) >= OPEN_STAGES and (key := next(idle, None)):
            await self._open.pop(key).result().close()

    def run(self, stage: Stage, turns: int | None, speed: float | None) -> None:
        """Let a stage play by itself, if not too many do."""
        if not stage.running and sum(one.running for one in self._here()) >= MOST_RUNNING:
            raise UsageError("garden.too-many", limit=MOST_RUNNING)
        stage.run(turns, speed)

    def running(self, garden: str) -> list[str]:
        """The branches of a garden that play by themselves."""
        return [one.reel.branch for one in self._here() if one.reel.garden.id == garden and one.running]

    def _here(self) -> list[Stage]:
        done = [one for one in self._open.values() if one.done() and not one.cancelled() and one.exception() is None]
        return [one.result() for one in done]

    async def close(self) -> None:
        await asyncio.gather(*self._open.values(), return_exceptions=True)
        for one in self._here():
            await one.close()
        self._open.clear()
