"""Servers as processes of their own, each in a home of its own, that end with whoever asked for them."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.under_load.model import NAME

TICKS = os.sysconf("SC_CLK_TCK")
HAKONIWA = [sys.executable, "-c", "from hakoniwa.cli import main; main()"]
TOKEN = "a-token-for-this-run"
PATIENCE = 60.0


class Serving(NamedTuple):
    """A server that is up."""

    port: int
    process: int

    def busy(self) -> float:
        """Seconds of processor time that it has taken so far."""
        fields = Path(f"/proc/{self.process}/stat").read_text(encoding="utf-8").rpartition(") ")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS


@contextmanager
def model(seconds: float) -> Iterator[str]:
    """The address of a model server that takes so long."""
    with _process([sys.executable, "-m", "benchmarks.under_load.model", str(seconds)], {}) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"


@contextmanager
def everything(home: Path, base_url: str) -> Iterator[Serving]:
    """`hakoniwa serve` with a model server behind it."""
    port = free_port()
    words = [*HAKONIWA, "serve", "--port", str(port), "--no-open", "--no-worker"]
    own = {"HAKONIWA_TOKEN": TOKEN, "HAKONIWA_BASE_URL": base_url, "HAKONIWA_MODEL": NAME, "HAKONIWA_EMBEDDER": "none"}
    with _listening(words, {"HAKONIWA_HOME": str(home), **own}, port) as serving:
        yield serving


@contextmanager
def referee(home: Path) -> Iterator[Serving]:
    """`hakoniwa gm serve`."""
    port = free_port()
    with _listening([*HAKONIWA, "gm", "serve", "--port", str(port)], {"HAKONIWA_HOME": str(home)}, port) as serving:
        yield serving


@contextmanager
def empty(_: Path) -> Iterator[Serving]:
    """A FastAPI application that does nothing but read what the referee would."""
    port = free_port()
    words = [sys.executable, "-m", "uvicorn", "benchmarks.http:empty_app", "--factory", "--port", str(port)]
    with _listening([*words, "--log-level", "warning", "--no-access-log"], {}, port) as serving:
        yield serving


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def _process(words: Sequence[str], own: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("HAKONIWA_")}
    with subprocess.Popen(words, env={**plain, **own}, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.terminate()


@contextmanager
def _listening(words: Sequence[str], own: dict[str, str], port: int) -> Iterator[Serving]:
    with _process(words, own) as process:
        deadline = time.monotonic() + PATIENCE
        while not _answers(port):
            assert time.monotonic() < deadline, f"nobody listens: {words}"
            time.sleep(0.1)
        yield Serving(port, process.pid)


def _answers(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0
