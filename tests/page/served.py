"""`hakoniwa serve` as a process of its own, with a home of its own, that can be killed and started again."""

import multiprocessing
import os
import random
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import httpx

from hakoniwa.cli import main

APART = multiprocessing.get_context("forkserver")  # whoever is forked there has everything loaded, and nothing begun
APART.set_forkserver_preload(["hakoniwa.cli.serve", "hakoniwa.service.run", __name__])
PATIENCE = 120.0
LASTING = range(20_000, 32_000)
LIVELY = {
    "LANG": "ja", "EMBEDDER": "none", "QUIET_HOURS": "03:00-03:01", "CALM_MINUTES": "0", "MESSAGES_PER_DAY": "9",
    "ACTIONS_PER_DAY": "9", "SEED": "1",
}  # fmt: skip


class Served:
    """A server at one address; `api` is somebody with its token."""

    def __init__(self, home: Path, **settings: str) -> None:
        self.home, self.port = home, free_port()
        self.settings = {"HOME": str(home), "MODEL": "auto", **LIVELY, **settings}
        self.url, self.token = f"http://127.0.0.1:{self.port}", ""
        self.process: multiprocessing.process.BaseProcess | None = None
        self.api = httpx.Client(base_url=self.url, timeout=PATIENCE)

    @property
    def entrance(self) -> str:
        """The address that the file for browsers leads to."""
        return f"{self.url}/?token={self.token}"

    def start(self) -> None:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("HAKONIWA_", "XDG_"))}
        own = {f"HAKONIWA_{name}": value for name, value in self.settings.items()}
        self._heard, said = APART.Pipe(duplex=False)
        words, environment = ["serve", "--port", str(self.port)], {**inherited, "HOME": str(self.home), **own}
        self.process = APART.Process(target=_serve, args=(said, words, environment), daemon=True)
        self.process.start()
        said.close()
        with open(self._heard.fileno(), encoding="utf-8", closefd=False) as lines:
            assert self.url in lines.readline()
        self.token = (self.home / "token").read_text(encoding="utf-8").strip()
        self.api.headers["authorization"] = f"Bearer {self.token}"
        until(self._is_up)

    def kill(self) -> None:
        """As a crash would."""
        assert self.process is not None
        self.process.kill()
        self.process.join(PATIENCE)

    def end(self) -> None:
        """As somebody who has had enough would."""
        assert self.process is not None
        assert self.process.pid is not None
        os.kill(self.process.pid, signal.SIGINT)
        self.process.join(PATIENCE)
        self.api.close()
        if self.process.is_alive():
            self.kill()
            raise AssertionError("the server does not end")

    def _is_up(self) -> bool:
        try:
            return self.api.get("/health").status_code == 200
        except httpx.TransportError:
            return False

    # --- what a test prepares ----------------------------------------------------------------------------------------

    def get(self, path: str, language: str = "ja", **query: Any) -> Any:
        return self._answer(self.api.get(path, params=query, headers={"accept-language": language}))

    def post(self, path: str, body: dict[str, Any] | None = None) -> Any:
        return self._answer(self.api.post(path, json=body or {}, headers={"accept": "application/json"}))

    def garden(self, scenario: str, name: str, turns: int = 0) -> str:
        """A garden of that name, played for so many turns."""
        id: str = self.post("/v1/gardens", {"scenario": scenario, "name": name, "seed": 1})["id"]
        for _ in range(turns):
            self.post(f"/v1/gardens/{id}/turn")
        return id

    def _answer(self, response: httpx.Response) -> Any:
        assert response.status_code < 300, f"{response.request.url}: {response.text}"
        return response.json()


def _serve(said: Connection, words: list[str], environment: dict[str, str]) -> None:
    """What the command `hakoniwa` does in such an environment, heard by whoever holds the other end."""
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["hakoniwa", *words]
    with open(said.fileno(), "w", encoding="utf-8", closefd=False) as sys.stdout:
        main()


def free_port() -> int:
    """A port to come back to after a crash: none of those that anybody's outgoing connection may be given meanwhile."""
    for port in random.sample(LASTING, len(LASTING)):
        with socket.socket() as sock, suppress(OSError):
            sock.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no port is free")


@contextmanager
def serving(home: Path, **settings: str) -> Iterator[Served]:
    served = Served(home, **settings)
    served.start()
    try:
        yield served
    finally:
        served.end()


def until(asked: Callable[[], Any], patience: float = PATIENCE) -> Any:
    """What is answered as soon as it is something."""
    deadline = time.monotonic() + patience
    while not (found := asked()):
        assert time.monotonic() < deadline, "nothing came of it"
        time.sleep(0.01)
    return found
