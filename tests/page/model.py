"""A model server on a real socket that says what a test wants, as slowly as it wants, and sees who hangs up on it."""

import json
import re
import select
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from hakoniwa.actor.language import THINK_TOKENS
from tests.real.deciding import decision
from tests.real.misbehaving import chunk, counts, event, pieces, whole
from tests.real.prompter import least

NAME = "understudy"
FELT = {"v": 0.5, "a": 0.1, "d": 0.2}
A_LOOK = 0.01  # seconds between two looks at whether a stream may go on
_CANDIDATE = re.compile(r'"number": ?([1-9]\d*), "type"')


class Model(ThreadingHTTPServer):
    """While it may not go on, whoever speaks stops after the first piece; whoever only thinks does not. `lines` are
    said before anything else. So many turns as `prose` says it keeps to no form."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Door)
        self.may_go_on = threading.Event()
        self.decided = 0
        self.forget()

    def forget(self) -> None:
        """Say and do as ever again."""
        self.lines: deque[str] = deque()
        self.thought, self.line, self.answer, self.telling = (
            "…",
            "「そうだね。」",
            "うん、聞いてるよ。",
            "ねえ、聞いて。",
        )
        self.note, self.reason = "", "気になる / worth a thought"
        self.delivery: Mapping[str, str] = {}
        self.breaks = False
        self.prose = 0
        self.acts = [0]  # numbers of what was offered; 0: nothing
        self.asked = ""  # the newest prompt of an answer in a chat
        self.first_pieces: list[float] = []  # milliseconds of the clock that pages have too
        self.hung_up: list[float] = []
        self.may_go_on.set()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def reply(self, asked: Mapping[str, Any]) -> str:
        """What is said to a request, by its form: a line on stage, an answer in a chat, a choice, a decision."""
        prompt = "\n".join(one["content"] for one in asked["messages"])
        schema = asked.get("response_format", {}).get("json_schema", {}).get("schema")
        if schema is not None:
            if self.prose and "acts" in schema.get("properties", {}):
                self.prose -= 1
                return self.thought if _only_thinks(asked) else self._line()
            return json.dumps(self._structured(schema, prompt), ensure_ascii=False)
        if asked.get("max_tokens", asked.get("max_completion_tokens")) == THINK_TOKENS:
            return self.thought
        if "result_payload" in prompt:
            return self.telling
        if _on_stage(prompt):
            return self._line()
        self.asked = prompt
        return self.answer

    def _line(self) -> str:
        return self.lines.popleft() if self.lines else self.line

    def _structured(self, schema: Mapping[str, Any], prompt: str) -> Any:
        told = json.dumps(schema)
        if "decision_outcome" in told:
            self.decided += 1
            return {**decision(self.note or f"{self.decided}", **self.delivery), "reason": self.reason}
        if "selected" in told:
            return {"selected": _selected(prompt)}
        made = least(dict(schema))
        if "acts" in made:
            words = {"words": self._line()} if "words" in made else {}
            return {**made, "thought": self.thought, "acts": self.acts, **words}
        return {**made, "event_affect": {**made["event_affect"], **FELT}} if "event_affect" in made else made

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # whoever asked is gone


def _pieces(text: str) -> list[str]:
    """The pieces of a reply; the first one of a turn as data has the beginning of its words in it."""
    begun = text.partition('"words": "')
    return [*(["".join(begun[:2]) + begun[2][:3]] if begun[1] else []), *pieces(begun[2][3:] if begun[1] else text)]


def _only_thinks(asked: Mapping[str, Any]) -> bool:
    """Whether it is the first call of two: the words of the turn are asked for after it."""
    properties = asked.get("response_format", {}).get("json_schema", {}).get("schema", {}).get("properties", {})
    return "acts" in properties and "words" not in properties


def _on_stage(prompt: str) -> bool:
    return "いっしょにいる人: " in prompt or "With you: " in prompt


def _selected(prompt: str) -> list[int]:
    """The first two things that may come to mind."""
    return [int(number) for number in _CANDIDATE.findall(prompt)[:2]]


class _Door(BaseHTTPRequestHandler):
    server: Model

    def do_GET(self) -> None:
        listed = {"object": "list", "data": [{"id": NAME, "object": "model", "owned_by": "tests"}]}
        self._send(json.dumps(listed if self.path == "/v1/models" else {}).encode())

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        text = self.server.reply(asked)
        if asked.get("stream"):
            self._stream(text, at_once=_only_thinks(asked))
        else:
            self._send(whole(text))

    def _send(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, text: str, at_once: bool) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        self.wfile.write(chunk({"role": "assistant", "content": ""}))
        with suppress(ConnectionError):
            for number, piece in enumerate(_pieces(text)):
                if number and not at_once and not self._goes_on():
                    return
                if number == 0:
                    self.server.first_pieces.append(time.time() * 1_000)
                self.wfile.write(chunk({"content": piece}))
            usage = counts(len(_pieces(text)))
            done = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [], "usage": usage}
            self.wfile.write(chunk({}, "stop") + event(done) + b"data: [DONE]\n\n")

    def _goes_on(self) -> bool:
        """Wait until it may go on; false if the other side hung up meanwhile, or if the line breaks here."""
        if self.server.breaks:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            return False
        while not self.server.may_go_on.is_set():
            readable, _, _ = select.select([self.connection], [], [], A_LOOK)
            if readable and not self.connection.recv(1, socket.MSG_PEEK):
                self.server.hung_up.append(time.time() * 1_000)
                return False
        return True

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def modelling() -> Iterator[Model]:
    """A model server that is there as long as the block runs."""
    with Model() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        yield server
        server.may_go_on.set()
        server.shutdown()
