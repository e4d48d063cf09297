"""The referee as a process of its own: real HTTP on loopback, many sessions at once, and kill -9."""

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from hakoniwa.journal.open import open_journal
from tests.service.test_fuzz import patched
from tests.worlds import kitchen

SERVE = [sys.executable, "-c", "from hakoniwa.cli import main; main()", "gm", "serve"]
PATIENCE = 60.0
WRITTEN = 0.5  # the history is written within 100 ms; a busy machine gets more
SESSIONS, TURNS, KILLS = 200, 3, 3
QUESTION = "「今日のごはん何にする？」"


class Server:
    """A running `hakoniwa gm serve`."""

    def __init__(self, process: subprocess.Popen[bytes], url: str) -> None:
        self.process = process
        self.url = url

    def client(self) -> httpx.Client:
        return httpx.Client(base_url=self.url, timeout=PATIENCE, verify=False)  # certificates take long to load

    def step(self, **changes: Any) -> httpx.Response:
        with self.client() as client:
            return client.post("/v1/gm/step", json=request(**changes))

    def kill(self) -> None:
        self.process.kill()
        assert self.process.wait(PATIENCE) == -signal.SIGKILL


def request(**changes: Any) -> dict[str, Any]:
    return {
        "session_id": "朝-1", "turn_number": 0, "speaker": "やな", "raw_output": QUESTION, "world_state": kitchen(),
        **changes,
    }  # fmt: skip


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


@contextmanager
def serving(journal: str, *options: str) -> Iterator[Server]:
    """A server that answers; it is asked to stop at the end, if it still runs."""
    port = free_port()
    command = [*SERVE, "--port", str(port), "--journal", journal, *options]
    log = Path(os.environ["HOME"]) / f"server-{port}.log"
    with log.open("wb") as errors, subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors) as process:
        server = Server(process, f"http://127.0.0.1:{port}")
        try:
            _wait_until_up(server, log)
            yield server
        finally:
            process.terminate()
            process.wait(PATIENCE)
    assert "Traceback" not in log.read_text(encoding="utf-8")


def _wait_until_up(server: Server, log: Path) -> None:
    end = time.monotonic() + PATIENCE
    with server.client() as client:
        while time.monotonic() < end:
            assert server.process.poll() is None, log.read_text(encoding="utf-8")
            try:
                assert client.get("/health").json()["status"] == "ok"
                return
            except httpx.TransportError:
                time.sleep(0.05)
    raise TimeoutError(log.read_text(encoding="utf-8"))


@pytest.fixture
def journal(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/journal.db"


def problems(journal: str) -> list[str]:
    """Everything in the journal that does not add up."""
    with closing(open_journal(journal)) as opened:
        return [problem for garden in opened.gardens() for problem in opened.check(garden.id)]


def test_a_plain_post_is_answered(journal: str) -> None:
    with serving(journal) as server:
        ruling = server.step().json()
        assert (ruling["allowed"], ruling["parsed"]["speech"]) == (True, QUESTION.strip("「」"))
        denied = server.step(turn_number=1, raw_output="（グラスを手に取る）").json()
        assert (denied["denied_reason"], denied["world_delta"]) == ("MISSING_OBJECT", [])


def test_one_connection_serves_many_steps(journal: str) -> None:
    with serving(journal) as server, server.client() as client:
        streams = set()
        for turn in range(20):
            answer = client.post("/v1/gm/step", json=request(turn_number=turn, raw_output=f"「{turn}回目だよ」"))
            assert answer.status_code == 200
            streams.add(answer.extensions["network_stream"].get_extra_info("client_addr"))
        assert len(streams) == 1


def test_strangers_stay_outside(journal: str) -> None:
    with serving(journal) as server, server.client() as client:
        for headers, status in [
            ({"host": "evil.example"}, 421),
            ({"origin": "http://evil.example"}, 403),
            ({"content-type": "text/plain"}, 415),
        ]:
            assert client.post("/v1/gm/step", content=b"{}", headers=headers).status_code == status
        upgrade = {"connection": "upgrade", "upgrade": "websocket", "sec-websocket-version": "13",
                   "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA=="}  # fmt: skip
        assert client.get("/v1/gm/step", headers=upgrade).status_code < 500
        assert client.get("/health").status_code == 200


def test_a_body_without_an_end_is_cut_off(journal: str) -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(10_000):
            yield b" " * 65_536

    with serving(journal) as server, server.client() as client:
        try:
            status = client.post("/v1/gm/step", content=endless(), headers={"content-type": "application/json"})
            assert status.status_code == 413
        except httpx.WriteError:
            pass  # the server hung up before everything was sent
        assert client.get("/health").status_code == 200


def test_a_client_that_hangs_up_leaves_no_trace(journal: str) -> None:
    with serving(journal) as server:
        host, port = re.findall(r"//(.+):(\d+)", server.url)[0]
        for cut in (b"", b'{"session_id": "a', b"\xff"):
            with socket.create_connection((host, int(port))) as sock:
                head = f"POST /v1/gm/step HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n"
                sock.sendall(f"{head}content-length: 1000\r\n\r\n".encode() + cut)
        assert server.step().status_code == 200


def test_the_token_is_asked_for(journal: str) -> None:
    with serving(journal, "--token", "s3cret") as server, server.client() as client:
        assert client.get("/health").status_code == 200
        assert client.post("/v1/gm/step", json=request()).status_code == 401
        known = client.post("/v1/gm/step", json=request(), headers={"authorization": "Bearer s3cret"})
        assert known.status_code == 200


def test_another_address_needs_a_token(journal: str) -> None:
    refused = subprocess.run(
        [*SERVE, "--host", "0.0.0.0", "--port", str(free_port()), "--journal", journal],
        capture_output=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert refused.returncode == 2
    assert b"--token" in refused.stdout + refused.stderr


def test_two_hundred_sessions_at_once(journal: str) -> None:
    async def asked(client: httpx.AsyncClient, body: dict[str, Any]) -> httpx.Response:
        """One answer; a step may be sent again when a connection is lost, since its key makes it happen once."""
        try:
            return await client.post("/v1/gm/step", json=body)
        except httpx.TransportError:
            return await client.post("/v1/gm/step", json=body)

    async def played(client: httpx.AsyncClient, session: str) -> list[str | None]:
        answers = [await asked(client, request(session_id=session, turn_number=turn)) for turn in range(TURNS)]
        assert {answer.status_code for answer in answers} == {200}
        return [answer.json()["denied_reason"] for answer in answers]

    async def everybody(url: str) -> list[list[str | None]]:
        limits = httpx.Limits(max_connections=SESSIONS, max_keepalive_connections=SESSIONS)
        async with httpx.AsyncClient(base_url=url, timeout=PATIENCE, limits=limits) as client:
            return await asyncio.gather(*(played(client, f"部屋-{number}") for number in range(SESSIONS)))

    with serving(journal) as server:
        found = asyncio.run(everybody(server.url))
    assert found == [[None, None, "RATE_LIMITED"]] * SESSIONS
    assert problems(journal) == []
    with closing(open_journal(journal)) as opened:
        assert len(opened.gardens()) == SESSIONS
        kept = [row for garden in opened.gardens() for row in opened.lineage(garden.id, "main")]
        assert sum(len(row.event.payload["steps"]) for row in kept) == SESSIONS * TURNS


def test_what_was_written_before_a_kill_is_there_after_it(journal: str) -> None:
    with serving(journal) as server:
        first = [server.step(turn_number=turn).content for turn in range(2)]
        time.sleep(WRITTEN)
        server.kill()
    assert problems(journal) == []
    with serving(journal) as server:
        assert [server.step(turn_number=turn).content for turn in range(2)] == first
        assert server.step(turn_number=1, raw_output="「おはよう」").status_code == 409
        assert server.step(turn_number=2).json()["denied_reason"] == "RATE_LIMITED"


def test_kills_in_the_middle_of_work_lose_the_newest_answers_at_most(journal: str) -> None:
    def line(turn: int) -> dict[str, Any]:
        return request(turn_number=turn, raw_output=f"「{turn}回目だよ」")

    settled: list[bytes] = []
    for _ in range(KILLS):
        with serving(journal) as server, server.client() as client:
            known = [client.post("/v1/gm/step", json=line(turn)).content for turn in range(len(settled))]
            assert known == settled
            turns = range(len(settled), len(settled) + 30)
            settled += [client.post("/v1/gm/step", json=line(turn)).content for turn in turns]
            time.sleep(WRITTEN)
            for turn in range(30):  # and some more, that nobody waits for
                client.post("/v1/gm/step", json=line(turn) | {"session_id": f"夜-{turns.start}"})
            server.kill()
        assert problems(journal) == []
    assert len(set(settled)) == 30 * KILLS


def test_the_loop_of_the_documentation_runs(
    journal: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "http.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(import httpx.*?)^```", page, re.M | re.S)
    monkeypatch.setitem(sys.modules, "jsonpatch", SimpleNamespace(apply_patch=patched))
    with serving(journal) as server:
        assert "http://127.0.0.1:8787" in code
        exec(compile(code.replace("http://127.0.0.1:8787", server.url), "http.md", "exec"), {})
    told = capsys.readouterr().out.splitlines()
    assert [line.split()[:3] for line in told] == [
        ["やな", "おはよう", "None"], ["あゆ", "お茶でいいか", "None"], ["やな", "お茶でいいか", "None"],
    ]  # fmt: skip


def test_a_server_that_is_asked_to_stop_writes_what_it_has(journal: str) -> None:
    with serving(journal) as server:
        first = [server.step(turn_number=turn, raw_output=f"「{turn}回目だよ」").content for turn in range(3)]
        server.process.terminate()
        assert server.process.wait(PATIENCE) in (0, -signal.SIGTERM)
    with serving(journal) as server:
        assert [server.step(turn_number=turn, raw_output=f"「{turn}回目だよ」").content for turn in range(3)] == first
