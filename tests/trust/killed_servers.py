"""Whole servers, killed while their gardens play and consoles watch; and what those see who come back."""

import asyncio
import os
import random
import signal
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path

from hakoniwa.journal import MAIN
from hakoniwa.journal.open import open_journal
from tests.trust.aftermath import left_behind
from tests.trust.promise import Tries, Try
from tests.trust.served import Console, Door

SCENARIO = "hermit"
GARDENS = ("one", "two")
WATCHED = ("one", "one", "one", "two", "two")
LIVES = 5  # servers that one house of gardens outlives
LATEST = 0.3  # seconds that gardens play before the kill, at the latest
PATIENCE = 180.0


def killed_servers(count: int, chance: random.Random, home: Path) -> Tries:
    """Kill a server, begin another and let everybody come back, again and again."""
    url = f"sqlite:///{home}/journal.db"
    open_journal(url).close()
    with closing(Door(home, url)) as door:
        server, house = door.serve(), House(door, url, 0)
        try:
            for number in range(count):
                if number % LIVES == 0:
                    house = House(door, url, number)
                    asyncio.run(house.begin(chance.randrange(1 << 31)))
                asyncio.run(house.play(server, chance.uniform(0, LATEST)))
                os.waitpid(server, 0)
                server = door.serve()
                yield Try("a server", [f"server {number}: {one}" for one in house.come_back()])
        finally:
            os.kill(server, signal.SIGKILL)
            os.waitpid(server, 0)


class House:
    """Some gardens, and those who watch them as long as there is a server, whichever it is."""

    def __init__(self, door: Door, url: str, number: int) -> None:
        self._door, self._url = door, url
        self._gardens = [f"{name}-{number}" for name in GARDENS]
        self._consoles = [Console(door, f"{name}-{number}") for name in WATCHED]

    async def begin(self, seed: int) -> None:
        async with asyncio.timeout(PATIENCE):
            for name in self._gardens:
                await self._door.post("/v1/gardens", scenario=SCENARIO, name=name, seed=seed)

    async def play(self, server: int, seconds: float) -> None:
        """Have all gardens play while everybody watches, and kill the server in the middle of it."""
        async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as watching:
            for one in self._consoles:
                watching.create_task(one.watch())
            for name in self._gardens:
                await self._door.post(f"/v1/gardens/{name}/run", speed=0.0)
            await asyncio.sleep(seconds)
            os.kill(server, signal.SIGKILL)

    def come_back(self) -> Iterator[str]:
        """What is not as it was seen, before anybody comes back and after everybody has."""
        with closing(open_journal(self._url)) as journal:
            for one in self._consoles:
                yield from left_behind(journal, one.garden, one.rows)
            lines = {name: [row.seq for row in journal.lineage(name, MAIN)] for name in self._gardens}
        try:
            asyncio.run(self._caught_up(lines))
        except TimeoutError:
            yield "somebody who came back does not get what they missed"
        for one in self._consoles:
            if (got := [row["seq"] for row in one.rows]) != lines[one.garden]:
                yield f"somebody has seen {got} of {lines[one.garden]}"
        yield from _disagreements(self._consoles)

    async def _caught_up(self, lines: dict[str, list[int]]) -> None:
        async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as watching:
            for one in self._consoles:
                watching.create_task(one.watch(until=lines[one.garden][-1]))


def _disagreements(consoles: Sequence[Console]) -> Iterator[str]:
    for one, other in pairwise(consoles):
        if one.garden == other.garden and one.rows != other.rows:
            yield "two who watch the same garden have seen different things"
