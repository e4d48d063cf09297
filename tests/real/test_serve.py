"""`hakoniwa serve` as a process of its own, and Stop over real sockets all the way to the model server."""

import asyncio
import json
import os
import re
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path

import httpx
import pytest
import uvicorn

from hakoniwa.cli.serve import open_socket
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.llm.faults import Timeouts
from hakoniwa.llm.openai import OpenAIChat
from hakoniwa.service.app import hakoniwa_app
from hakoniwa.settings import Settings
from tests.processes import running
from tests.real.misbehaving import Server, serving

SERVE = [sys.executable, "-c", "from hakoniwa.cli import main; main()", "serve", "--port", "0", "--lang", "en"]
PATIENCE = 180.0
ENDLESS = Timeouts(first=3600, idle=3600, whole=3600)
TOKEN = {"authorization": "Bearer s3cret"}


@contextmanager
def serving_home() -> Iterator[httpx.Client]:
    """A server of this home; it ends by itself when it is interrupted."""
    with running(SERVE) as process:
        assert process.stdout is not None
        address = re.search(r"http://\S+:\d+", process.stdout.readline())
        assert address
        url, token = address[0], (Path(os.environ["HAKONIWA_HOME"]) / "token").read_text(encoding="utf-8").strip()
        with httpx.Client(base_url=url, headers={"authorization": f"Bearer {token}"}, timeout=PATIENCE) as client:
            _wait_until_up(client)
            yield client
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0


def _wait_until_up(client: httpx.Client) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            assert client.get("/health").status_code == 200
            return
        except httpx.ConnectError:
            assert time.monotonic() < deadline
            time.sleep(0.1)


def test_a_chat_goes_on_after_a_restart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HAKONIWA_MODEL", "builtin")
    monkeypatch.setenv("HAKONIWA_HOME", str(tmp_path))
    with serving_home() as client:
        assert client.post("/v1/chats", json={"name": "c"}).status_code == 201
        with client.stream("POST", "/v1/chats/c/messages", json={"text": "猫を飼いはじめたよ"}) as response:
            names = [line.removeprefix("event: ") for line in response.iter_lines() if line.startswith("event: ")]
        assert names == ["recall", "piece", "done"]
        assert client.get("/v1/chats", headers={"authorization": ""}).status_code == 401
    with serving_home() as client:
        whole = {"accept": "application/json"}
        answer = client.post("/v1/chats/c/messages", json={"text": "猫、覚えてる？"}, headers=whole).json()
        assert answer["turn"] == 2
        assert [one["key"] for one in answer["recall"]["selected"]] == [1]


def test_no_answer_is_kept_back_until_it_is_worth_a_packet() -> None:
    accepted: asyncio.Future[int]

    class Look(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            connection = transport.get_extra_info("socket")
            accepted.set_result(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    async def met(door: socket.socket) -> int:
        nonlocal accepted
        loop = asyncio.get_running_loop()
        accepted = loop.create_future()
        server = await loop.create_server(Look, sock=door)
        async with server:
            _, writer = await asyncio.open_connection(*door.getsockname()[:2])
            found = await accepted
            writer.close()
        return found

    with closing(open_socket("127.0.0.1", 0)) as door:
        assert asyncio.run(met(door)) != 0


@asynccontextmanager
async def open_door(model: Server) -> AsyncIterator[httpx.AsyncClient]:
    """The whole application on a socket, with a model server behind it."""
    settings = Settings(home=Path(), embedder="none")
    talker = OpenAIChat("m", model.base_url, "", 8192, patience=ENDLESS)
    app = hakoniwa_app(MemoryJournal(), settings, "s3cret", find_model=lambda: talker)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", timeout_graceful_shutdown=1))
    task = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", headers=TOKEN, timeout=PATIENCE) as client:
        yield client
    server.should_exit = True
    await task


def test_closing_the_connection_hangs_up_on_the_model_server() -> None:
    async def through() -> tuple[str, str]:
        async with serving("stall") as model, open_door(model) as client:
            await client.post("/v1/chats", json={"name": "c"})
            async with client.stream("POST", "/v1/chats/c/messages", json={"text": "話して"}) as response:
                async for line in response.aiter_lines():
                    if line == "event: piece":
                        break
                hung_up_before = len(model.hung_up)
            async with asyncio.timeout(PATIENCE):
                while len(model.hung_up) == hung_up_before:
                    await asyncio.sleep(0.01)
            while not (history := (await client.get("/v1/chats/c")).json()["history"]):
                await asyncio.sleep(0.01)
            return history[0]["fault"], json.dumps(history[0]["assistant_text"], ensure_ascii=False)

    fault, text = asyncio.run(through())
    assert fault == "model.stopped"
    assert "宝箱" in text
