"""Stages: gardens at play in this process, one for each line of play that somebody asked for lately."""

import asyncio
from functools import partial

from hakoniwa.app.gardens import garden_at
from hakoniwa.errors import UsageError
from hakoniwa.journal import Journal
from hakoniwa.play.timeline import Timeline
from hakoniwa.service.kept import OpenCache
from hakoniwa.service.residents import FindModel
from hakoniwa.service.stage import LiveGarden
from hakoniwa.settings import Settings

OPEN_GARDENS, MOST_RUNNING = 16, 8


class LiveGardens:
    """Every line of play that somebody asked for lately."""

    def __init__(self, journal: Journal, settings: Settings, find_model: FindModel) -> None:
        self.journal, self.settings, self.find_model = journal, settings, find_model
        self._kept: OpenCache[tuple[str, str], LiveGarden] = OpenCache(OPEN_GARDENS)

    async def at(self, garden: str, branch: str) -> LiveGarden:
        """The stage of a branch, opened if it is not, and up to now."""
        stage = await self._kept.at((garden, branch), partial(self._opened, garden, branch))
        await stage.follow()
        return stage

    async def _opened(self, garden: str, branch: str) -> LiveGarden:
        reel = await asyncio.to_thread(lambda: Timeline(self.journal, garden_at(self.journal, garden), branch))
        return LiveGarden(reel, self.settings, self.find_model)

    def run(self, stage: LiveGarden, turns: int | None, speed: float | None) -> None:
        """Let a stage play by itself, if not too many do."""
        if not stage.running and sum(one.running for one in self._kept.open()) >= MOST_RUNNING:
            raise UsageError("garden.too-many", limit=MOST_RUNNING)
        stage.run(turns, speed)

    def running(self, garden: str) -> list[str]:
        """The branches of a garden that play by themselves."""
        return [one.reel.branch for one in self._kept.open() if one.reel.garden.id == garden and one.running]

    async def close(self) -> None:
        await self._kept.close()
