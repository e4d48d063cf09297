"""A key goes to the server it is for: whatever listens where model servers usually are is sent none."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from hakoniwa.app import doctor, model_of
from hakoniwa.llm import find
from hakoniwa.settings import Settings

KEY = "CANARY-KEY-5d0b"
MODELS = {"object": "list", "data": [{"id": "gemma3:4b", "object": "model"}]}


class Listener(ThreadingHTTPServer):
    """A model server that keeps everything it is sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Asked)
        self.heard: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Asked(BaseHTTPRequestHandler):
    server: Listener

    def do_GET(self) -> None:
        length = int(self.headers.get("content-length", 0))
        self.server.heard.append(f"{self.requestline}\n{self.headers}{self.rfile.read(length)!r}")
        body = json.dumps(MODELS).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def listening() -> Iterator[Listener]:
    with Listener() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def usual(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Listener]]:
    """Listeners at all the usual places."""
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "OLLAMA_HOST"):
        monkeypatch.delenv(name, raising=False)
    with ExitStack() as stack:
        servers = [stack.enter_context(listening()) for _ in find.USUAL]
        monkeypatch.setattr(
            find, "USUAL", {kind: one.server_port for kind, one in zip(find.USUAL, servers, strict=True)}
        )
        yield servers


def test_the_usual_places_stand_for_all_that_are_tried(usual: list[Listener]) -> None:
    assert [one.url for one in find.places({})] == [one.url for one in usual]


@pytest.mark.parametrize("look", [doctor.choose, model_of], ids=["doctor", "play"])
@pytest.mark.parametrize("addressed", [True, False], ids=["base_url", "no base_url"])
def test_no_server_at_a_usual_place_is_sent_the_key(
    usual: list[Listener], tmp_path: Path, look: Callable[[Settings], find.ServerSearch], addressed: bool
) -> None:
    with listening() as own:
        look(Settings(home=tmp_path, api_key=KEY, base_url=own.url if addressed else ""))
        assert (KEY in "".join(own.heard)) == addressed
    heard = [request for one in usual for request in one.heard]
    assert heard or (addressed and look is model_of)  # which asks nobody else
    assert KEY not in "".join(heard)
