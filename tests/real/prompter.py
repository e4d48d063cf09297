"""A model server on a real socket that answers as it was told to, by the shape of what it is asked for.

A persona that is reminded of a wish decides to do just that, tells of it in a sentence of its own, and has nothing to
note about it in its memory.
"""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.autonomy.cottage import SKIP, doing

NAME = "prompter"
SAID = "きみに知らせておくね。さっきの用事はひとつ片づいたよ。"
NEUTRAL = {"action_threshold_bias": "neutral", "defer_bias": "neutral"}
_WISH = re.compile(r"いま することは (\w+) (\w+)")


def wish(deed: str, name: str) -> str:
    """What a persona is to be reminded of, so that it does this."""
    return f"いま することは {deed} {name}"


def decision(prompt: str) -> dict[str, Any]:
    """What a persona decides on that is reminded of a wish; nothing without one."""
    wished = _WISH.search(prompt)
    return in_full(_meant(*wished.groups()) if wished else SKIP)


def _meant(deed: str, name: str) -> dict[str, Any]:
    if deed == "remind":
        return doing("schedule_action", {"at": "P300D", "note": name})
    return doing("leave_keepsake", {"what": name, "how": deed})


def in_full(decision: dict[str, Any]) -> dict[str, Any]:
    """With everything that the schema wants of a server."""
    return {
        **decision,
        "persona_influence": {**decision["persona_influence"], "concerns": []},
        "mood_influence": {**decision["mood_influence"], **NEUTRAL},
    }


def least(schema: dict[str, Any]) -> Any:
    """The emptiest thing a schema allows."""
    if "enum" in schema:
        return schema["enum"][0]
    match schema["type"]:
        case "object":
            return {name: least(schema["properties"][name]) for name in schema["required"]}
        case "array":
            return []
        case "string":
            return ""
    return None


class Prompter(ThreadingHTTPServer):
    """While it is not `free`, whoever wants to say something waits for the words."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Door)
        self.free = threading.Event()
        self.free.set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def answer(self, asked: dict[str, Any]) -> str:
        schema = asked.get("response_format", {}).get("json_schema", {}).get("schema")
        if schema is None:
            self.free.wait()
            return SAID
        prompt = "\n".join(one["content"] for one in asked["messages"])
        return json.dumps(decision(prompt) if "anyOf" in schema else least(schema), ensure_ascii=False)

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # whoever asked has been killed


class _Door(BaseHTTPRequestHandler):
    server: Prompter

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        message = {"role": "assistant", "content": self.server.answer(asked)}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        self._say({"id": "1", "object": "chat.completion", "created": 0, "model": NAME, "choices": [choice]})

    def do_GET(self) -> None:
        if self.path == "/v1/models":
            self._say({"object": "list", "data": [{"id": NAME, "object": "model"}]})
        else:
            self.send_error(404)

    def _say(self, body: Any) -> None:
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def prompter() -> Iterator[Prompter]:
    with Prompter() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        yield server
        server.free.set()
        server.shutdown()
