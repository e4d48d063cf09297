"""What it costs to take a turn of a garden of 10,000 back: in process, and over HTTP from the request to its answer."""

import asyncio
import gc
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import httpx

from benchmarks.fold import BATCH, long_garden
from benchmarks.fold import Size as Length
from hakoniwa.actor.builtin import BuiltinMind
from hakoniwa.journal import GardenRecord
from hakoniwa.journal.follow import rows_after
from hakoniwa.journal.open import open_journal
from hakoniwa.play.session import Session
from hakoniwa.service.app import hakoniwa_app
from hakoniwa.settings import Settings

TOKEN, IN_PROCESS, OVER_HTTP = "bench", 20, 100


class Size(NamedTuple):
    length: Length
    undone: int  # turns, one at a time


FULL, SMALLEST = Size(Length(10_000, 150), 50), Size(Length(20, 5), 2)


def on_disk(length: Length, url: str) -> GardenRecord:
    """A long garden in a file; nothing of it stays in memory."""
    journal, garden = long_garden(length)
    copy, head, rows = open_journal(url), None, rows_after(journal, garden.id, 0)
    copy.create(garden)
    while some := [row.event for row in islice(rows, BATCH)]:
        head = copy.append(garden.id, "main", some, head)[-1].seq
    copy.close()
    return garden


async def each(count: int, undo: Callable[[], Awaitable[object]], clock: Callable[[], float]) -> list[float]:
    """What each of so many undos took, in milliseconds."""
    took = []
    for _ in range(count):
        start = clock()
        await undo()
        took.append((clock() - start) * 1e3)
    return took


async def in_process(url: str, garden: GardenRecord, count: int) -> list[float]:
    """The CPU of each undo in an open session."""
    session = Session(open_journal(url), garden, BuiltinMind())
    took = await each(count, session.undo, time.process_time)
    session.close()
    session.journal.close()
    return took


async def over_http(url: str, garden: GardenRecord, home: Path, count: int) -> list[float]:
    """How long each undo takes that is clicked on the page of a garden."""
    app = hakoniwa_app(open_journal(url), Settings(model="builtin", home=home), TOKEN)
    client = httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://localhost", headers={"authorization": f"Bearer {TOKEN}"}
    )
    path = f"/v1/gardens/{garden.id}"

    async def undo() -> None:
        (await client.post(f"{path}/undo", json={})).raise_for_status()

    async with app.router.lifespan_context(app), client:
        (await client.get(path)).raise_for_status()
        return await each(count, undo, time.perf_counter)


def main(size: Size) -> None:
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'bench.db'}"
        garden = on_disk(size.length, url)
        gc.collect()
        here = asyncio.run(in_process(url, garden, size.undone))
        there = asyncio.run(over_http(url, garden, Path(folder), size.undone))
    for what, unit, took, target in (
        ("in process", "ms CPU", here, IN_PROCESS), ("over HTTP", "ms", there, OVER_HTTP),
    ):  # fmt: skip
        print(
            f"  {what:<12}{statistics.median(took):8.1f} {unit} a turn at the median, {max(took):.1f} at most"
            f"   (target: at most {target})"
        )
