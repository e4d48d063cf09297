"""Strangers who open connections and ask for nothing, or never end: the server stays there for everybody else."""

import os
import re
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx

from tests.processes import running

SERVE = "from hakoniwa.cli import main; main()"
UNFINISHED, FILES = 700, 512
HALL = {
    "location": {"current": "hall"},
    "locations": {"hall": {}},
    "characters": {"Ann": {"location": "hall"}},
    "props": {},
}
REQUEST = {"session_id": "s", "turn_number": 0, "speaker": "Ann", "raw_output": "(waves)", "world_state": HALL}


@contextmanager
def gm_server(*, files: int) -> Iterator[tuple[str, int, int]]:
    """A referee whose process may open so many files: its host, port and process."""
    few = f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({files}, {files})); "
    command = [sys.executable, "-c", few + SERVE, "gm", "serve", "--port", "0", "--journal", "memory:", "--lang", "en"]
    with running(command) as process:
        assert process.stdout is not None
        found = re.search(r"http://([0-9.]+):(\d+)", process.stdout.readline())
        assert found
        yield found[1], int(found[2]), process.pid


def opened(stack: ExitStack, host: str, port: int, text: bytes) -> socket.socket:
    one = stack.enter_context(socket.create_connection((host, port), timeout=60))
    one.sendall(text)
    return one


def test_more_unfinished_requests_than_there_are_files_keep_nobody_out() -> None:
    with gm_server(files=FILES) as (host, port, _), ExitStack() as stack:
        for _ in range(UNFINISHED):
            opened(stack, host, port, b"POST /v1/gm/step HTTP/1.1\r\nHost: localhost\r\n")
        with httpx.Client(base_url=f"http://{host}:{port}", timeout=60) as client:
            assert client.get("/health").status_code == 200
            assert client.post("/v1/gm/step", json=REQUEST).json()["allowed"]


def test_bodies_without_end_take_little_memory() -> None:
    head = b"POST /v1/gm/step HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    head += b"Content-Length: 1000000\r\n\r\n"
    with gm_server(files=1024) as (host, port, process), ExitStack() as stack:
        httpx.get(f"http://{host}:{port}/health", timeout=60)
        before = resident(process)
        sending = [opened(stack, host, port, head) for _ in range(200)]
        for one in sending:
            one.setblocking(False)
        sent = sum(push(one, b" " * 400_000) for one in sending)
        assert httpx.get(f"http://{host}:{port}/health", timeout=60).status_code == 200
        assert sent > 30_000_000
        assert resident(process) - before < 60_000_000  # 200 bodies of a megabyte


def push(one: socket.socket, text: bytes) -> int:
    """As much of a text as the other side takes."""
    done = 0
    for _ in range(20):
        try:
            done += one.send(text[done:])
        except BlockingIOError:
            time.sleep(0.002)
    return done


def resident(process: int) -> int:
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
