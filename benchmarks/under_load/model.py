"""A model server that costs nothing: whatever it is asked, it answers after so many seconds, and never the same.

As a program it is told how many seconds, and prints the port on which it listens."""

import asyncio
import json
import sys
from itertools import count
from typing import Any

NAME = "at-once"
DEEDS = ("窓の外を見る", "頷く", "肩をすくめる", "目を伏せる", "笑う", "首をかしげる", "腕を組む")
TOPICS = ("天気", "朝ごはん", "古い本", "庭の花", "昨日の夢", "遠い町", "猫", "手紙", "雨音", "星", "お茶")
numbers = count()


def reply() -> str:
    number = next(numbers)
    deed, topic = DEEDS[number % len(DEEDS)], TOPICS[number % len(TOPICS)]
    return f"（{deed}）「{topic}の話、{number}回目だね」"


def streamed() -> bytes:
    """A reply as a stream of two pieces and its counts."""
    text, chunk = reply(), {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": NAME}
    said = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}
    over = {"index": 0, "delta": {}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020}
    chunks: list[dict[str, Any]] = [{"choices": [said]}, {"choices": [over]}, {"choices": [], "usage": usage}]
    lines = [f"data: {json.dumps({**chunk, **one})}\n\n" for one in chunks]
    return "".join([*lines, "data: [DONE]\n\n"]).encode()


MODELS = json.dumps({"object": "list", "data": [{"id": NAME, "object": "model", "max_model_len": 8192}]}).encode()


class Served(asyncio.Protocol):
    """One connection: every request is read to its end and answered in its time."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._unread = seconds, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._unread += data
        head, found, rest = self._unread.partition(b"\r\n\r\n")
        length = _length(head)
        if found and len(rest) >= length:
            self._unread = rest[length:]
            self._answer(head)

    def _answer(self, head: bytes) -> None:
        if head.startswith(b"POST"):
            asyncio.get_running_loop().call_later(self._seconds, self._send, "text/event-stream", streamed())
        else:
            self._send("application/json", MODELS)

    def _send(self, kind: str, body: bytes) -> None:
        self._transport.write(
            f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body
        )


def _length(head: bytes) -> int:
    lines = (line.partition(b":") for line in head.split(b"\r\n"))
    return next((int(value) for name, _, value in lines if name.lower() == b"content-length"), 0)


async def _serve(seconds: float) -> None:
    server = await asyncio.get_running_loop().create_server(lambda: Served(seconds), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(float(sys.argv[1])))
