"""A model server on a real socket that decides: asked what to do, it sets a reminder; asked to tell of it, it does."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.autonomy.cottage import doing
from tests.real.misbehaving import events, pieces, whole

NAME = "decider"
NOTHING = json.dumps({"selected": []})


def decision(note: str, **delivery: str) -> dict[str, Any]:
    """A decision with everything that a model is held to."""
    made = doing("schedule_action", {"at": "PT2H", "note": note}, **delivery)
    made["persona_influence"] = {**made["persona_influence"], "concerns": []}
    made["mood_influence"] = {**made["mood_influence"], "action_threshold_bias": "lower", "defer_bias": "neutral"}
    return made


@dataclass
class Mind:
    """What it says; every decision is another one, or it would be a repetition."""

    delivery: Mapping[str, str] = field(default_factory=dict)
    decided: int = 0
    told: int = 0

    def answer(self, request: Mapping[str, Any]) -> str:
        prompt = "\n".join(one["content"] for one in request["messages"])
        schema = json.dumps(request.get("response_format", {}))
        if "decision_outcome" in schema:
            self.decided += 1
            return json.dumps(decision(f"{self.decided}つ目の覚え書き", **self.delivery), ensure_ascii=False)
        if "【記録】" in prompt:
            self.told += 1
            return f"ねえ、{self.told}回目の知らせだよ。あとでまた思い出すことにしたんだ。"
        return NOTHING if "selected" in schema else "{}" if schema != "{}" else "うん、聞いてるよ。"


@dataclass
class Deciding:
    """The server, and the mind behind it."""

    base_url: str
    mind: Mind


@contextmanager
def deciding(port: int = 0, **delivery: str) -> Iterator[Deciding]:
    """A server that is there as long as the block runs."""
    mind = Mind(delivery)
    server = ThreadingHTTPServer(("127.0.0.1", port), _handler(mind))
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield Deciding(f"http://127.0.0.1:{server.server_address[1]}/v1", mind)
    finally:
        server.shutdown()
        server.server_close()


def _handler(mind: Mind) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            listed = {"object": "list", "data": [{"id": NAME, "object": "model", "owned_by": "tests"}]}
            self._send(json.dumps(listed).encode() if self.path == "/v1/models" else b"{}", "application/json")

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            text = mind.answer(request)
            if request.get("stream"):
                self._send(b"".join(events(pieces(text))), "text/event-stream")
            else:
                self._send(whole(text), "application/json")

        def _send(self, body: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Nothing: the test says what went wrong."""

    return Handler
