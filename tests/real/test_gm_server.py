"""The referee as a process of its own: real HTTP on loopback, many sessions at once, and kill -9."""

import asyncio
import os
import re
import signal
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from secrets import token_hex
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from hakoniwa.journal.open import open_journal
from tests.jobs.contract import until
from tests.service.rulings import patched
from tests.trust.scratch import scratch
from tests.worlds import kitchen

SERVE = [sys.executable, "-c", "from hakoniwa.cli import main; main()", "gm", "serve"]
PATIENCE = 180.0
SESSIONS, TURNS = 50, 3
LIVES, STEPS = ("killed", "stopped"), 10  # how each life of a server ends, and how busy it is
QUESTION = "「今日のごはん何にする？」"
NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # they take long to load


class Server:
    """A running `hakoniwa gm serve`."""

    def __init__(self, process: subprocess.Popen[bytes], url: str) -> None:
        self.process = process
        self.url = url

    def client(self) -> httpx.Client:
        return httpx.Client(base_url=self.url, timeout=PATIENCE, verify=NO_CERTIFICATES)

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


@contextmanager
def serving(journal: str, *options: str) -> Iterator[Server]:
    """A server that answers; it is asked to stop at the end, if it still runs."""
    command = [*SERVE, "--port", "0", "--journal", journal, *options]
    log = Path(os.environ["HOME"]) / f"server-{token_hex(4)}.log"
    with log.open("wb") as errors, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors) as process:
        assert process.stdout is not None
        told = re.search(rb"http://127[.]0[.]0[.]1:[0-9]+", process.stdout.readline())
        assert told, log.read_text(encoding="utf-8")
        server = Server(process, told[0].decode())
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
def journal() -> Iterator[str]:
    """A journal in memory if there is room: neither a kill nor a crowd is another one for want of a slow disk."""
    with scratch() as folder:
        yield f"sqlite:///{folder}/journal.db"


@pytest.fixture(scope="module")
def open_server() -> Iterator[Server]:
    """One for all who do not end it; each has a session of its own."""
    with scratch() as folder, pytest.MonkeyPatch.context() as patched:
        patched.setenv("HOME", str(folder))
        with serving(f"sqlite:///{folder}/journal.db") as server:
            yield server


def written(journal: str) -> int:
    """How many steps are in the journal, of all sessions."""
    with closing(open_journal(journal)) as opened:
        rows = [row for garden in opened.gardens() for row in opened.lineage(garden.id, "main")]
    return sum(len(row.event.payload["steps"]) for row in rows)


def problems(journal: str) -> list[str]:
    """Everything in the journal that does not add up."""
    with closing(open_journal(journal)) as opened:
        return [problem for garden in opened.gardens() for problem in opened.check(garden.id)]


def test_a_plain_post_is_answered(open_server: Server) -> None:
    ruling = open_server.step(session_id="plain").json()
    assert (ruling["allowed"], ruling["parsed"]["speech"]) == (True, QUESTION.strip("「」"))
    denied = open_server.step(session_id="plain", turn_number=1, raw_output="（グラスを手に取る）").json()
    assert (denied["denied_reason"], denied["world_delta"]) == ("MISSING_OBJECT", [])


def test_one_connection_serves_many_steps(open_server: Server) -> None:
    with open_server.client() as client:
        streams = set()
        for turn in range(20):
            line = request(session_id="many", turn_number=turn, raw_output=f"「{turn}回目だよ」")
            answer = client.post("/v1/gm/step", json=line)
            assert answer.status_code == 200
            streams.add(answer.extensions["network_stream"].get_extra_info("client_addr"))
        assert len(streams) == 1


def test_strangers_stay_outside(open_server: Server) -> None:
    with open_server.client() as client:
        for headers, status in [
            ({"host": "evil.example"}, 421),
            ({"origin": "http://evil.example"}, 403),
            ({"content-type": "text/plain"}, 415),
        ]:
            assert client.post("/v1/gm/step", content=b"{}", headers=headers).status_code == status
        assert client.get("/health").status_code == 200


def test_the_token_is_asked_for(journal: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAKONIWA_TOKEN", "s3cret")
    with serving(journal) as server, server.client() as client:
        assert client.get("/health").status_code == 200
        assert client.post("/v1/gm/step", json=request()).status_code == 401
        known = client.post("/v1/gm/step", json=request(), headers={"authorization": "Bearer s3cret"})
        assert known.status_code == 200


def test_another_address_needs_a_token(journal: str) -> None:
    refused = subprocess.run(
        [*SERVE, "--host", "0.0.0.0", "--port", "0", "--journal", journal],
        capture_output=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert refused.returncode == 2
    assert b"HAKONIWA_TOKEN" in refused.stdout + refused.stderr


def test_many_sessions_at_once(journal: str) -> None:
    async def asked(client: httpx.AsyncClient, body: dict[str, Any]) -> httpx.Response:
        """One answer; a step may be sent again when a connection is lost, since its key makes it happen once."""
        try:
            return await client.post("/v1/gm/step", json=body)
        except httpx.TransportError:
            return await client.post("/v1/gm/step", json=body)

    async def played(url: str, session: str) -> list[str | None]:
        async with httpx.AsyncClient(base_url=url, timeout=PATIENCE, verify=NO_CERTIFICATES) as client:
            answers = [await asked(client, request(session_id=session, turn_number=turn)) for turn in range(TURNS)]
        assert {answer.status_code for answer in answers} == {200}
        return [answer.json()["denied_reason"] for answer in answers]

    async def everybody(url: str) -> list[list[str | None]]:
        return await asyncio.gather(*(played(url, f"部屋-{number}") for number in range(SESSIONS)))

    with serving(journal) as server:
        found = asyncio.run(everybody(server.url))
    assert found == [[None, None, "RATE_LIMITED"]] * SESSIONS
    assert problems(journal) == []
    with closing(open_journal(journal)) as opened:
        assert len(opened.gardens()) == SESSIONS
    assert written(journal) == SESSIONS * TURNS


def test_however_a_server_ends_what_was_written_is_there_after_it(journal: str) -> None:
    def line(turn: int) -> dict[str, Any]:
        return request(turn_number=turn, raw_output=f"「{turn}回目だよ」")

    settled: list[bytes] = []
    for life, end in enumerate(LIVES):
        with serving(journal) as server, server.client() as client:
            known = [client.post("/v1/gm/step", json=line(turn)).content for turn in range(len(settled))]
            assert known == settled
            turns = range(len(settled), len(settled) + STEPS)
            settled += [client.post("/v1/gm/step", json=line(turn)).content for turn in turns]
            said = len(settled)
            repeated = server.step(session_id="繰り返し", turn_number=life).json()
            assert repeated["denied_reason"] == (None if life < 2 else "RATE_LIMITED")
            if end == "killed":
                until(lambda said=said: written(journal) > said, PATIENCE)  # and what was repeated
                for turn in range(STEPS):  # and some more, that nobody waits for
                    client.post("/v1/gm/step", json=line(turn) | {"session_id": f"夜-{life}"})
                server.kill()
            else:
                assert server.step(turn_number=0, raw_output="「おはよう」").status_code == 409
                server.process.terminate()
                assert server.process.wait(PATIENCE) in (0, -signal.SIGTERM)
        assert problems(journal) == []
    assert len(set(settled)) == STEPS * len(LIVES)


def test_the_loop_of_the_documentation_runs(
    open_server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "http.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(import httpx.*?)^```", page, re.M | re.S)
    monkeypatch.setitem(sys.modules, "jsonpatch", SimpleNamespace(apply_patch=patched))
    assert "http://127.0.0.1:8787" in code
    exec(compile(code.replace("http://127.0.0.1:8787", open_server.url), "http.md", "exec"), {})
    told = capsys.readouterr().out.splitlines()
    assert [line.split()[:3] for line in told] == [
        ["やな", "おはよう", "None"], ["あゆ", "お茶でいいか", "None"], ["やな", "お茶でいいか", "None"],
    ]  # fmt: skip
