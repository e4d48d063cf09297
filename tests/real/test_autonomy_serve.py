"""A persona that lives by itself behind a real server, with a real model server: what it says reaches everybody who
watches, over sockets that break and in a terminal, and the processes end when they are told to."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from hakoniwa.cli import run
from tests.processes import running
from tests.real.deciding import Deciding, deciding
from tests.real.test_terminal import Screen

HAKONIWA = [sys.executable, "-c", "from hakoniwa.cli import main; main()"]
PATIENCE = 180.0
TOLD = re.compile(r"ねえ、(\d+)回目の知らせだよ。")


@pytest.fixture
def model() -> Iterator[Deciding]:
    with deciding() as server:
        yield server


@pytest.fixture(autouse=True)
def lively(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, model: Deciding) -> None:
    """Settings with which something happens within seconds, at any hour."""
    for name, value in {
        "HOME": str(tmp_path), "MODEL": "auto", "BASE_URL": model.base_url, "EMBEDDER": "none", "LANG": "ja",
        "QUIET_HOURS": "03:00-03:01", "CALM_MINUTES": "0", "MESSAGES_PER_DAY": "0", "ACTIONS_PER_DAY": "0",
    }.items():  # fmt: skip
        monkeypatch.setenv(f"HAKONIWA_{name}", value)


class Served(httpx.Client):
    """Somebody who talks with a server, and can interrupt it."""

    process: subprocess.Popen[str]


@contextmanager
def serving(*argv: str) -> Iterator[Served]:
    """`hakoniwa serve`, which must end by itself once it is interrupted."""
    with running([*HAKONIWA, "serve", "--port", "0", *argv]) as process:
        assert process.stdout is not None
        address = re.search(r"http://\S+:\d+", process.stdout.readline())
        assert address
        url, token = address[0], (Path(os.environ["HAKONIWA_HOME"]) / "token").read_text(encoding="utf-8").strip()
        with Served(base_url=url, headers={"authorization": f"Bearer {token}"}, timeout=PATIENCE) as client:
            client.process = process
            until(lambda: _up(client))
            yield client
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0


def _up(client: httpx.Client) -> bool:
    try:
        return client.get("/health").status_code == 200
    except httpx.ConnectError:
        return False


def until(asked: Any) -> Any:
    deadline = time.monotonic() + PATIENCE
    while not (found := asked()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return found


def messages(client: httpx.Client, last: int, count: int) -> tuple[int, list[str]]:
    """So many messages after an id, after which the connection is dropped; the newest id, and what was said."""
    said: list[str] = []
    with client.stream("GET", "/v1/chats/c/events", headers={"last-event-id": str(last)}) as response:
        frame: dict[str, str] = {}
        for line in response.iter_lines():
            if not line and frame:
                last = int(frame["id"])
                said += [json.loads(frame["data"])["message"]] if frame["event"] == "autonomy.message" else []
                frame = {}
                if len(said) == count:
                    break
            elif line and not line.startswith(":"):
                name, _, value = line.partition(": ")
                frame[name] = value
    return last, said


def begun(client: httpx.Client) -> str:
    """A chat in which somebody lives by themselves, looked after by nobody."""
    id: str = client.post("/v1/chats", json={}).raise_for_status().json()["id"]
    assert ask(client, f"{id}/autonomy/start", {})["care"] == "elsewhere"
    return id


def ask(client: httpx.Client, path: str, body: dict[str, Any]) -> Any:
    return client.post(f"/v1/chats/{path}", json=body).raise_for_status().json()


def test_what_it_says_reaches_whoever_watches_again_and_again_and_is_in_the_history(model: Deciding) -> None:
    with serving() as client:
        client.post("/v1/chats", json={"name": "c"})
        assert ask(client, "c/autonomy/start", {})["on"]
        last, heard = 0, []
        for number in range(3):
            ask(client, "c/autonomy/trigger", {"note": f"{number}"})
            last, said = messages(client, last, 1)
            heard += said
        assert client.get("/v1/chats/c/autonomy").json()["care"] == "working"
        history = client.get("/v1/chats/c").json()["history"]
    assert [TOLD.search(one)[1] for one in heard] == ["1", "2", "3"]  # type: ignore[index]
    assert [(one["source"], one["assistant_text"]) for one in history] == [("autonomy_message", one) for one in heard]
    assert model.mind.told == 3


def test_a_server_with_somebody_watching_lets_them_go_when_it_is_told_to_end() -> None:
    """Answers that are on their way would be waited for, and then broken off in their midst."""
    with serving("--no-worker") as client, client.stream("GET", f"/v1/chats/{begun(client)}/events") as response:
        lines = response.iter_lines()
        assert next(lines) == "event: hello"
        client.process.send_signal(signal.SIGINT)
        assert [one for one in lines if one.startswith("event")] == []


def test_a_message_arrives_in_a_terminal_while_the_user_types(tmp_path: Path) -> None:
    screen = Screen("chat", "--new", "--chat", "c", home=tmp_path)
    try:
        screen.wait_for("新しい会話 c です。")
        screen.type("まだ書いている")
        screen.wait_for("まだ書いている")
        with running([*HAKONIWA, "worker"]) as process:
            for argv in (["start"], ["trigger", "--note", "天気"]):
                assert run(["autonomy", *argv]) == 0
            screen.wait_for("1回目の知らせだよ。")
            screen.wait_for("まだ書いている")
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE) == 0
        screen.type("\r")
        screen.wait_for("うん、聞いてるよ。")
        screen.wait_for(">")
        screen.type("\x04")
        assert screen.ended() == 0
    finally:
        screen.close()
