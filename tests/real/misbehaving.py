"""A model server on a real socket that goes wrong in one chosen way, until it is healed."""

import asyncio
import itertools
import json
import socket
import struct
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

LINE = "（宝箱をじっと見る）「さて、どうしたものか」"
THOUGHT = "まず状況を整理する。宝箱がある。罠かもしれない。"
CHINESE = "我们先看看这个箱子里面到底有什么东西，然后再决定要不要打开它。"
A_SECOND = 0.1  # tests have no time for real ones

Write = Callable[["Exchange"], Awaitable[None]]
FAULTS: dict[str, Write] = {}


def fault(name: str) -> Callable[[Write], Write]:
    def add(write: Write) -> Write:
        FAULTS[name] = write
        return write

    return add


@dataclass
class Exchange:
    """One request, and the means to answer it well or badly."""

    request: dict[str, Any]
    headers: dict[str, str]
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    line: str = LINE  # what a good answer would be

    @property
    def streaming(self) -> bool:
        return bool(self.request.get("stream"))

    @property
    def kind(self) -> str:
        return "text/event-stream" if self.streaming else "application/json"

    def head(self, kind: str, status: str = "200 OK", length: int | None = None, more: str = "") -> bytes:
        """A response head; without a length the body lasts until the connection closes."""
        frame = "Connection: close" if length is None else f"Content-Length: {length}"
        return f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{frame}\r\n{more}\r\n".encode()

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def answer(self, body: bytes, kind: str = "application/json", status: str = "200 OK", more: str = "") -> None:
        await self.send(self.head(kind, status, len(body), more) + body)

    async def refuse(self, status: str, message: str, more: str = "", **details: Any) -> None:
        await self.answer(json.dumps({"error": {"message": message, **details}}).encode(), status=status, more=more)

    def reply(self, text: str, **details: Any) -> bytes:
        """A whole good reply, as events or as one object."""
        return b"".join(events(pieces(text), **details)) if self.streaming else whole(text, **details)

    async def begin(self) -> None:
        """The head of a good reply whose length nobody knows yet."""
        await self.send(self.head(self.kind))

    async def say(self, data: bytes) -> None:
        """A body in one piece, to its end."""
        await self.answer(data, self.kind)

    def reset(self) -> None:
        """Slam the door: RST instead of FIN."""
        sock = self.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()

    async def until_gone(self) -> None:
        """Wait until the other side hangs up."""
        with suppress(ConnectionError):
            await self.reader.read()


def pieces(text: str) -> list[str]:
    return [text[start : start + 3] for start in range(0, len(text), 3)]


def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return event({"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [choice], **more})


def event(data: Any) -> bytes:
    return b"data: " + json.dumps(data, ensure_ascii=False).encode() + b"\n\n"


def counts(completion: int, prompt: int = 900) -> dict[str, Any]:
    cached = {"cached_tokens": prompt // 2}
    return {"prompt_tokens": prompt, "completion_tokens": completion, "prompt_tokens_details": cached}


def events(
    texts: Sequence[str], finish: str = "stop", thought: str = "", usage: dict[str, Any] | None = None
) -> list[bytes]:
    """A stream as the usual servers send it: role, words, finish, counts, done. Every piece is a token."""
    usage = usage or counts(completion=len(pieces(thought)) + len(texts))
    return [
        chunk({"role": "assistant", "content": ""}),
        *(chunk({"reasoning_content": one}) for one in pieces(thought)),
        *(chunk({"content": one}) for one in texts),
        chunk({}, finish),
        event({"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [], "usage": usage}),
        b"data: [DONE]\n\n",
    ]


def whole(text: str, finish: str = "stop", thought: str = "", usage: dict[str, Any] | None = None) -> bytes:
    message = {"role": "assistant", "content": text, **({"reasoning_content": thought} if thought else {})}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    usage = usage or counts(completion=len(pieces(thought)) + len(pieces(text)))
    data = {"id": "chatcmpl-1", "object": "chat.completion", "choices": [choice], "usage": usage}
    return json.dumps(data, ensure_ascii=False).encode()


# --- the ways to go wrong --------------------------------------------------------------------------------------------


@fault("refused")
@fault("unknown host")
@fault("connect time-out")
async def never_reached(_: Exchange) -> None:
    raise AssertionError("nobody can have come this far")


@fault("no first token")
async def no_first_token(exchange: Exchange) -> None:
    await exchange.until_gone()


@fault("role only")
async def role_only(exchange: Exchange) -> None:
    await exchange.begin()
    await exchange.send(chunk({"role": "assistant", "content": ""}) if exchange.streaming else b"")
    await exchange.until_gone()


@fault("stall")
async def stall(exchange: Exchange) -> None:
    await _half(exchange)
    await exchange.until_gone()


@fault("reset")
async def reset(exchange: Exchange) -> None:
    await _half(exchange)
    await asyncio.sleep(A_SECOND)  # what was sent must have arrived, or the reset overtakes it
    exchange.reset()


@fault("reset before a word")
async def reset_before_a_word(exchange: Exchange) -> None:
    exchange.reset()


@fault("no finish")
async def no_finish(exchange: Exchange) -> None:
    if exchange.streaming:
        await exchange.begin()
        await exchange.send(b"".join(events(pieces(exchange.line))[:-3]))
    else:
        await _half(exchange)
    exchange.writer.close()


async def _half(exchange: Exchange) -> None:
    body = exchange.reply(exchange.line)
    await exchange.send(exchange.head(exchange.kind, length=len(body)))
    await exchange.send(body[: len(body) // 2])


@fault("400 context too long")
async def context_too_long(exchange: Exchange) -> None:
    said = "request (5391 tokens) exceeds the available context size (4096 tokens), try increasing it"
    await exchange.refuse("400 Bad Request", said, type="exceed_context_size_error", n_ctx=4096)


@fault("401")
async def unauthorised(exchange: Exchange) -> None:
    said = f"Incorrect API key provided: {exchange.headers.get('authorization')}"
    await exchange.refuse("401 Unauthorized", said)


@fault("404 model missing")
async def model_missing(exchange: Exchange) -> None:
    await exchange.refuse("404 Not Found", f"model '{exchange.request['model']}' not found, try pulling it first")


@fault("429 with Retry-After")
async def busy_for_a_while(exchange: Exchange) -> None:
    await exchange.refuse("429 Too Many Requests", "slow down", more="Retry-After: 3600\r\n")


@fault("429")
async def busy(exchange: Exchange) -> None:
    await exchange.refuse("429 Too Many Requests", "slow down")


@fault("500")
async def server_error(exchange: Exchange) -> None:
    await exchange.refuse("500 Internal Server Error", "CUDA error: out of memory")


@fault("503 loading")
async def loading(exchange: Exchange) -> None:
    await exchange.refuse("503 Service Unavailable", "Loading model", type="unavailable_error")


@fault("HTML")
async def html(exchange: Exchange) -> None:
    page = "<!DOCTYPE html>\n<html><body>\n\n<h1>Welcome to nginx!</h1>\n\n</body></html>"
    await exchange.answer(page.encode(), "text/html")


@fault("broken JSON")
async def broken_json(exchange: Exchange) -> None:
    body = exchange.reply(exchange.line)
    broken = body.replace(b'"finish_reason": null', b'"finish_reason: nul') if exchange.streaming else body[:-9] + b"]]"
    await exchange.say(broken)


@fault("doubled chunks")
async def doubled_chunks(exchange: Exchange) -> None:
    twice = [one for one in events(pieces(exchange.line)) for _ in range(2)]
    await exchange.say(b"".join(twice) if exchange.streaming else exchange.reply(exchange.line) * 2)


@fault("swapped chunks")
async def swapped_chunks(exchange: Exchange) -> None:
    role, *words, last, finish, usage, done = events(pieces(exchange.line))
    swapped = b"".join([role, *words, finish, last, usage, done])
    body = exchange.reply(exchange.line)
    await exchange.say(swapped if exchange.streaming else body[len(body) // 2 :] + body[: len(body) // 2])


@fault("UTF-8 split")
async def utf8_split(exchange: Exchange) -> None:
    body = exchange.reply(exchange.line)
    within = [place for place, byte in enumerate(body) if byte & 0xC0 == 0x80]  # never the first of a character
    cuts = [0, *within[:: max(1, len(within) // 10)], len(body)]
    await exchange.begin()
    for start, end in itertools.pairwise(cuts):
        await exchange.send(body[start:end])
        await asyncio.sleep(0.01)
    exchange.writer.close()


@fault("empty")
async def empty(exchange: Exchange) -> None:
    await exchange.say(exchange.reply(""))


@fault("only thinking")
async def only_thinking(exchange: Exchange) -> None:
    await exchange.say(exchange.reply("", finish="length", thought=THOUGHT))


@fault("only <think>")
async def only_think_tag(exchange: Exchange) -> None:
    await exchange.say(exchange.reply("<think>まず状況を整理する。宝箱がある。罠かも", finish="length"))


@fault("JSON cut off")
async def json_cut_off(exchange: Exchange) -> None:
    await exchange.say(exchange.reply('{"action": "宝箱を見る", "speech": "さて、どうし', finish="length"))


@fault("JSON of the wrong shape")
async def json_of_the_wrong_shape(exchange: Exchange) -> None:
    await exchange.say(exchange.reply('{"tool": "search", "arguments": ["宝箱"]}'))


@fault("blanks")
async def blanks(exchange: Exchange) -> None:
    await _endless(exchange, "\n \n　\n", 40)


@fault("repetition")
async def repetition(exchange: Exchange) -> None:
    await _endless(exchange, "宝箱を開ける前に、罠がないかどうかをもう一度よく確かめてみなければならない。", 40)


async def _endless(exchange: Exchange, unit: str, times: int) -> None:
    """The same for ever; a server that does not stream gives up some day."""
    if not exchange.streaming:
        return await exchange.say(whole(unit * times, finish="length"))
    await exchange.begin()
    with suppress(ConnectionError):
        while not exchange.writer.is_closing():
            await exchange.send(b"".join(chunk({"content": one}) for one in pieces(unit)))
            await asyncio.sleep(0.001)
    return None


@fault("wrong language")
async def wrong_language(exchange: Exchange) -> None:
    await exchange.say(exchange.reply(CHINESE))


@fault("one byte a second")
async def one_byte_a_second(exchange: Exchange) -> None:
    await exchange.begin()
    with suppress(ConnectionError):
        for place in exchange.reply(exchange.line):
            await exchange.send(bytes([place]))
            await asyncio.sleep(A_SECOND)


@fault("prompt cut")
async def prompt_cut(exchange: Exchange) -> None:
    await exchange.say(exchange.reply(exchange.line, usage=counts(len(pieces(exchange.line)), prompt=12)))


@fault("none")
async def healthy(exchange: Exchange) -> None:
    await exchange.say(exchange.reply(exchange.line))


# --- the server ------------------------------------------------------------------------------------------------------


@dataclass
class Server:
    """Where it is, how it goes wrong now, and what it saw."""

    write: Write
    socket: socket.socket
    line: str = LINE
    host: str = "127.0.0.1"
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    asked_at: list[float] = field(default_factory=list)
    hung_up: list[float] = field(default_factory=list)
    crowd: list[socket.socket] = field(default_factory=list)
    listening: asyncio.Server | None = None
    busy: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def base_url(self) -> str:
        return f"http://{self.host}:{self.socket.getsockname()[1]}/v1"

    async def heal(self) -> None:
        """From now on all is well."""
        self.write = healthy
        unknown.discard(self.host)
        for one in self.crowd:
            one.close()
        if self.listening is None:
            await self.listen()

    async def listen(self) -> None:
        self.listening = await asyncio.start_server(self._welcome, sock=self.socket)

    def _welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.busy.add(asyncio.create_task(self._serve(reader, writer)))

    async def close(self) -> None:
        unknown.discard(self.host)
        if self.listening:
            self.listening.close()
        for one in (self.socket, *self.crowd):
            one.close()
        for task in self.busy:
            task.cancel()
        await asyncio.gather(*self.busy, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while not writer.is_closing():
                exchange = await _received(reader, writer, self.line)
                self.requests.append(exchange.request)
                self.headers.append(exchange.headers)
                self.asked_at.append(time.monotonic())
                await self.write(exchange)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self.hung_up.append(time.monotonic())
            writer.close()


async def _received(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, line: str) -> Exchange:
    lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")[1:]
    headers = {name.casefold(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Exchange(json.loads(body or b"{}"), headers, reader, writer, line)


@asynccontextmanager
async def serving(how: str | Write, line: str = LINE) -> AsyncIterator[Server]:
    """A server that goes wrong in this way; where nothing is wrong, it says that line."""
    server = Server(FAULTS[how] if isinstance(how, str) else how, _bound(), line)
    if how == "unknown host":
        server.host = f"model-{server.socket.getsockname()[1]}.test"
        unknown.add(server.host)
    elif how == "connect time-out":
        server.crowd = _crowd_before(server.socket)
    elif how != "refused":
        await server.listen()
    try:
        yield server
    finally:
        await server.close()


def _bound() -> socket.socket:
    """A port of our own, at which nobody listens yet."""
    sock = socket.socket()
    sock.bind(("127.0.0.1", 0))
    return sock


def _crowd_before(sock: socket.socket) -> list[socket.socket]:
    """Fill the queue at the door, so that whoever comes now is left waiting."""
    sock.listen(0)
    crowd = [socket.socket() for _ in range(4)]
    for one in crowd:
        one.setblocking(False)
        one.connect_ex(sock.getsockname())
    return crowd


unknown: set[str] = set()
_look_up = socket.getaddrinfo


def look_up(host: Any, *details: Any, **more: Any) -> Any:
    """A resolver for names that end in .test: those that are unknown, and those that are here."""
    name = host.decode() if isinstance(host, bytes) else str(host)
    if name in unknown:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
    return _look_up("127.0.0.1" if name.endswith(".test") else host, *details, **more)
