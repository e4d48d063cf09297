"""A model server on loopback with habits of one's choosing: healthy, or misconfigured in the ways that users meet.

Its model knows a few things: it greets, counts, keeps to a schema, and repeats a number if it got to see one.
A character is a token.
"""

import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

NUMBERS = "一、二、三、四、五、六、七、八、九、十、"
PLAYED = re.compile(r"scene_state|【登場人物】|\[The cast\]|いっしょにいる人: |With you: ")
CODE = re.compile(r"合言葉の数字は (\d+) です")
LOGIN = "<!doctype html><title>Login</title><form>…</form>"


@dataclass
class Habits:
    """How the server behaves; as it stands, well."""

    kind: str = "llamacpp"
    models: tuple[str, ...] = ("gemma-3-4b-it",)
    prefix: str = "/v1"
    key: str = ""
    login: bool = False
    context: int = 8192
    tells_context: bool = True
    refuses_long: bool = True
    counts: bool = True
    counts_cache: bool = True
    caches: bool = True
    obeys_schema: bool = True
    streams: bool = True
    thinks: bool = False
    plays: bool = True
    lines: int = 0
    takes_system: bool = True
    greeting: str = "柿の葉が風に揺れています。"
    takes_turns: bool = True
    obeys_limit: bool = True
    token_seconds: float = 0.001
    reading_seconds: float = 0.00002
    asked: list[dict[str, Any]] = field(default_factory=list)


@contextmanager
def planted(habits: Habits) -> Iterator[str]:
    """The root of a server with these habits."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Planted", (Planted,), {"habits": habits, "read": [""]}))
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Planted(BaseHTTPRequestHandler):
    """One request. `read` is the prompt it has in its cache."""

    habits: Habits
    read: list[str]
    protocol_version = "HTTP/1.1"

    def version_string(self) -> str:
        return "llama.cpp" if self.habits.kind == "llamacpp" else "planted"

    def log_message(self, *_: Any) -> None:
        return

    def do_GET(self) -> None:
        if self.habits.login:
            self._say(200, LOGIN, "text/html")
        elif not self._allowed():
            self._say(401, {"error": {"message": "invalid api key"}})
        elif self.path == f"{self.habits.prefix}/models":
            self._say(200, {"object": "list", "data": [self._model(name) for name in self.habits.models]})
        else:
            self._own(self.path)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.habits.login:
            self._say(200, LOGIN, "text/html")
        elif not self._allowed():
            self._say(401, {"error": {"message": "invalid api key"}})
        elif self.path == f"{self.habits.prefix}/chat/completions":
            self.habits.asked.append(body)
            self._chat(body)
        elif self.path == "/api/show" and self.habits.kind == "ollama":
            self._say(200, {"model_info": {"gemma3.context_length": 131072}, "parameters": "temperature 1"})
        else:
            self._say(404, {"error": {"message": "no such route"}})

    def _allowed(self) -> bool:
        return not self.habits.key or self.headers.get("Authorization") == f"Bearer {self.habits.key}"

    def _model(self, name: str) -> dict[str, Any]:
        row: dict[str, Any] = {"id": name, "object": "model"}
        if self.habits.kind == "vllm":
            return {**row, "owned_by": "vllm", "max_model_len": self.habits.context}
        return {**row, "owned_by": "llamacpp"} if self.habits.kind == "llamacpp" else row

    def _own(self, path: str) -> None:
        """What each kind of server has besides."""
        context, names = self.habits.context if self.habits.tells_context else None, self.habits.models
        known: dict[tuple[str, str], Any] = {
            ("llamacpp", "/props"): {"default_generation_settings": {"n_ctx": context}},
            ("ollama", "/api/tags"): {"models": [{"name": name} for name in names]},
            ("ollama", "/api/ps"): {"models": [{"name": name, "context_length": context} for name in names]},
            ("lmstudio", "/api/v0/models"): {
                "data": [{"id": name, "state": "loaded", "loaded_context_length": context} for name in names]
            },
        }
        found = known.get((self.habits.kind, path))
        self._say(200 if found else 404, found or {"error": "not found"})

    def _chat(self, body: dict[str, Any]) -> None:
        roles = [one["role"] for one in body["messages"]]
        prompt = "".join(one["content"] for one in body["messages"])
        if not self.habits.takes_turns and "assistant" in roles:
            self._say(400, {"error": {"message": "Conversation roles must alternate user/assistant"}})
            return
        if not self.habits.takes_system and "system" in roles:
            self._say(400, {"error": {"message": "System role not supported"}})
            return
        if len(prompt) > self.habits.context and self.habits.refuses_long:
            told = f"request ({len(prompt)} tokens) exceeds the available context size ({self.habits.context} tokens)"
            self._say(400, {"error": {"message": told}})
            return
        seen = prompt[-self.habits.context :]
        usage = self._usage(seen)
        time.sleep(self.habits.reading_seconds * (len(seen) - usage["prompt_tokens_details"]["cached_tokens"]))
        self.read[0] = seen
        pieces = self._pieces(body, seen)
        if self.habits.obeys_limit:
            pieces = pieces[: body["max_tokens"]]
        self._stream(pieces, usage) if body.get("stream") else self._whole(pieces, usage)

    def _usage(self, seen: str) -> dict[str, Any]:
        same = next((place for place, (a, b) in enumerate(zip(seen, self.read[0], strict=False)) if a != b), 0)
        cached = same if self.habits.caches else 0
        return {"prompt_tokens": len(seen), "prompt_tokens_details": {"cached_tokens": cached}}

    def _pieces(self, body: dict[str, Any], seen: str) -> list[dict[str, str]]:
        if self.habits.thinks:
            return [{"reasoning_content": one} for one in "ふむ、庭か。どう答えようか。" * 20]
        if "response_format" in body and self.habits.obeys_schema:
            properties = body["response_format"]["json_schema"]["schema"]["properties"]
            told = {name: self._value(name, one, seen) for name, one in properties.items()}
            return [{"content": json.dumps(told, ensure_ascii=False)}]
        if PLAYED.search(seen):
            return [{"content": one} for one in (self._line(seen) if self.habits.plays else "台詞")]
        if "数えてください" in seen:
            return [{"content": one} for one in NUMBERS * 20]
        if "合言葉" in seen:
            code = CODE.search(seen)
            return [{"content": one} for one in (code[1] if code else "わかりません。")]
        return [{"content": one} for one in self.habits.greeting]

    def _line(self, seen: str) -> str:
        """A line of a play that nobody has said before, in the language of the prompt."""
        self.habits.lines += 1
        if re.search("[ぁ-ん]", seen):
            return f"（うなずく）「それは{NUMBERS[2 * (self.habits.lines % 10)]}つ目の話だったね、たしか」"
        return f'(nods) "I have counted {self.habits.lines} of them, and that is plenty."'

    def _value(self, name: str, schema: dict[str, Any], seen: str) -> Any:
        if schema["type"] == "array":
            return [self._value(name, schema["items"], seen)]
        if "enum" in schema:
            return schema["enum"][0]
        if name != "words":
            return "…"
        return re.split('[「"]', self._line(seen))[1].rstrip("」") if self.habits.plays else "台詞"

    def _whole(self, pieces: list[dict[str, str]], usage: dict[str, Any]) -> None:
        time.sleep(self.habits.token_seconds * len(pieces))
        keys = {key for one in pieces for key in one}
        message = {"content": None, **{key: "".join(one.get(key, "") for one in pieces) for key in keys}}
        finish = "length" if self.habits.thinks else "stop"
        self._say(200, {"choices": [{"message": message, "finish_reason": finish}], **self._counted(usage, pieces)})

    def _counted(self, usage: dict[str, Any], pieces: list[dict[str, str]]) -> dict[str, Any]:
        if not self.habits.counts:
            return {}
        told = usage if self.habits.counts_cache else {"prompt_tokens": usage["prompt_tokens"]}
        return {"usage": {**told, "completion_tokens": len(pieces)}}

    def _stream(self, pieces: list[dict[str, str]], usage: dict[str, Any]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        words = [_event({"choices": [{"delta": one}]}) for one in pieces]
        if not self.habits.streams:
            time.sleep(self.habits.token_seconds * len(words))
            self.wfile.write(b"".join(words))
        for one in words if self.habits.streams else ():
            time.sleep(self.habits.token_seconds)
            self.wfile.write(one)
        self.wfile.write(_event({"choices": [{"delta": {}, "finish_reason": "stop"}]}))
        if self.habits.counts:
            self.wfile.write(_event({"choices": [], **self._counted(usage, pieces)}))
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def _say(self, status: int, body: Any, kind: str = "application/json") -> None:
        content = (body if isinstance(body, str) else json.dumps(body)).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def _event(data: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(data)}\n\n".encode()
