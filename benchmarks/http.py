"""What an HTTP step costs in CPU: the route against the referee and an empty route that validates the same body."""

import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

from fastapi import FastAPI

from benchmarks.worlds import WORLD_20
from hakoniwa.gm.history import History
from hakoniwa.gm.request import GMStepRequest, checked_request, step_for
from hakoniwa.journal.open import open_journal
from hakoniwa.service.app import gm_app

REPLIES = (
    "（マグカップを手に取って、テーブルに置く）「おはよう。今日は早いね」",
    "Thought: 眠い。\nOutput: （あくびをする）「ふあ……昨日のニュース、見た？」",
    "（冷蔵庫を開けて中を覗き込む）「何か残ってたかな」",
    "（居間へ移動する）「先に行ってるよ」",
    "（グラスを手に取る）「乾杯しよっか」",
)


class Size(NamedTuple):
    rounds: int
    batch: int


FULL, SMALLEST = Size(30, 20), Size(1, 1)


def request(turn: int) -> dict[str, Any]:
    reply = REPLIES[turn % len(REPLIES)]
    return {
        "session_id": "bench", "turn_number": turn, "speaker": "やな", "raw_output": reply, "world_state": WORLD_20,
    }  # fmt: skip


def empty_app() -> FastAPI:
    """A plain FastAPI route that validates the same body and does nothing."""
    app = FastAPI()

    @app.post("/v1/gm/step")
    async def step(body: GMStepRequest) -> dict[str, str]:
        return {"speaker": body.speaker}

    return app


async def post(app: FastAPI, body: bytes) -> int:
    """One request straight into the ASGI application."""
    status = 0
    length = str(len(body)).encode()
    headers = [(b"host", b"localhost"), (b"content-type", b"application/json"), (b"content-length", length)]
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "path": "/v1/gm/step",
        "raw_path": b"/v1/gm/step", "query_string": b"", "headers": headers, "scheme": "http",
        "server": ("localhost", 80), "client": ("127.0.0.1", 1), "root_path": "",
    }  # fmt: skip

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        nonlocal status
        status = message.get("status", status)

    await app(scope, receive, send)  # type: ignore[arg-type]
    return status


async def cpu_per_call(call: Callable[[int], Awaitable[int]], turns: range) -> float:
    """CPU of the whole process per call, threads included, in microseconds."""
    start = time.process_time_ns()
    for turn in turns:
        assert await call(turn) == 200
    await asyncio.sleep(0.15)  # what the call left to be written belongs to it
    return (time.process_time_ns() - start) / 1e3 / len(turns)


async def measured(folder: Path, size: Size) -> dict[str, float]:
    served, empty = gm_app(open_journal(f"sqlite:///{folder / 'bench.db'}")), empty_app()
    bodies = [json.dumps(request(turn)).encode() for turn in range((size.rounds + 1) * size.batch)]
    checked: dict[int, GMStepRequest] = {}
    history = History()

    async def alone(turn: int) -> int:
        history.add(step_for(checked.pop(turn), history).past)
        return 200

    calls = {
        "gm_step": alone,
        "empty route": lambda turn: post(empty, bodies[turn]),
        "route": lambda turn: post(served, bodies[turn]),
    }
    seen: dict[str, list[float]] = {name: [] for name in calls}
    for place in range(size.rounds + 1):
        turns = range(place * size.batch, (place + 1) * size.batch)
        # As young as in a route: worlds that lie about cost the collector and the caches, and gm_step would pay for it.
        checked.update({turn: checked_request(request(turn)) for turn in turns})
        for name, call in calls.items():
            seen[name].append(await cpu_per_call(call, turns))
    return {name: statistics.median(values[1:]) for name, values in seen.items()}


def main(size: Size) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(measured(Path(folder), size))
    for name, value in found.items():
        print(f"  {name:<22}{value:9.0f} µs CPU")
    over = (found["route"] - found["gm_step"]) / found["empty route"]
    print(f"  (route - gm_step) / empty route = {over:.2f}   (target: at most 1.5)")
