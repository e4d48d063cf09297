"""OpenAIChat: any server that speaks the OpenAI protocol (Ollama, LM Studio, llama.cpp, vLLM and others)."""

import asyncio
import ipaddress
import json
import re
import socket
import ssl
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Iterator, Mapping, Sequence
from contextlib import aclosing
from functools import cache
from typing import Any, TypeVar
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import httpx2
from openai import (
    APIConnectionError,
    APIError,
    APIStatusError,
    AsyncOpenAI,
    AsyncStream,
    DefaultAsyncHttpxClient,
    Timeout,
)

from hakoniwa.address import bare_address, hide_secrets, sent_forms, split_login
from hakoniwa.errors import ModelError
from hakoniwa.llm import ChatModel, Message, PartialReply, Piece, Usage
from hakoniwa.llm.bounded import PLAIN, bound_response
from hakoniwa.llm.faults import CallTimer, Timeouts, fault, fault_key, seconds_asked_for
from hakoniwa.llm.reply import ReplyReader

T = TypeVar("T")
_PATH = "/chat/completions"
_NO_KEY = "none"  # the package wants one, home servers do not
_QUOTED = 200
# What is to be said aloud: anything else may have to copy names and numbers out of the prompt.
SPOKEN = frozenset({"actor.perform", "actor.retake", "ghost.reply", "ghost.autonomy_message_render"})
DRY = "dry_multiplier"
DRY_REACH = {"dry_penalty_last_n": 2048, "dry_sequence_breakers": ["\n", ":", '"', "*", "「"]}
# Tokens that may be said again as they were. A token of Japanese is about a letter, and a name has eight of them.
SAID_AGAIN, SAID_AGAIN_IN_KANA = 3, 10
_KANA = re.compile("[ぁ-ヿ]")
STEADY = frozenset({"ghost.select"})  # a choice, in which dice would make a persona differ from itself


class OpenAIChat(ChatModel):
    """A chat model behind an address. It asks again where that may help, and raises faults that have names."""

    def __init__(
        self,
        name: str,
        base_url: str,
        api_key: str | None = None,
        context: int = 0,
        streaming: bool = True,
        patience: Timeouts | None = None,
        sampling: Mapping[str, Any] | None = None,
    ) -> None:
        self.name = name
        self.context = context
        self.server = bare_address(base_url)
        self.streaming = streaming
        self.patience = patience or Timeouts()
        self.sampling = dict(sampling or {})
        self._key = api_key or ""
        self._counts_asked = self._knows_system = True
        self._url, self._login = split_login(base_url)
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncOpenAI] = WeakKeyDictionary()

    @property
    def _client(self) -> AsyncOpenAI:
        """A connection belongs to the event loop that opened it: work between turns has a loop of its own."""
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            self._clients[loop] = self._new_client()
        return self._clients[loop]

    def _new_client(self) -> AsyncOpenAI:
        timeout = Timeout(None, connect=self.patience.connect)
        # What runs on this machine is not asked through a proxy.
        web = DefaultAsyncHttpxClient(
            auth=self._login,
            headers=PLAIN,
            event_hooks={"response": [bound_response]},
            follow_redirects=False,  # what is said goes to the server the user chose, and nowhere else
            timeout=timeout,
            verify=_certificates(),
            trust_env=not _is_local(self._url),
        )
        return AsyncOpenAI(
            base_url=self._url, api_key=self._key or _NO_KEY, max_retries=0, timeout=timeout, http_client=web
        )

    async def aclose(self) -> None:
        """Let go of every connection of this event loop."""
        if client := self._clients.pop(asyncio.get_running_loop(), None):
            await client.close()

    async def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[Piece]:
        watch, tries = CallTimer(self.patience), 1
        request = self._request(messages, purpose, max_tokens, schema)
        while True:
            try:
                async with aclosing(self._answer(request, ReplyReader(schema), watch)) as answer:
                    async for piece in answer:
                        yield piece.with_field("tries", tries) if isinstance(piece, Usage) else piece
                return
            except ModelError as error:
                if self._knows_system and not watch.begun and _refuses_system(messages, error):
                    self._knows_system = False
                    request = self._request(messages, purpose, max_tokens, schema)
                    continue
                pause = watch.pause(error, tries)
                if pause is None:
                    raise self._told(error, tries) from None
            await asyncio.sleep(pause)
            tries += 1

    def _request(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None
    ) -> dict[str, Any]:
        form = {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": schema}}
        return {
            "model": self.name,
            "messages": [one.model_dump() for one in (messages if self._knows_system else _fold_system(messages))],
            "max_tokens": max_tokens,
            **({"response_format": form} if schema else {}),
            **self._drawing(purpose, messages),
            **({"temperature": 0} if purpose in STEADY else {}),
        }

    def _drawing(self, purpose: str, messages: Sequence[Message]) -> Mapping[str, Any]:
        """How the words of a call are drawn."""
        if DRY not in self.sampling:
            return self.sampling
        if purpose in SPOKEN:
            kana = _KANA.search(messages[-1].content)
            reach = {**DRY_REACH, "dry_allowed_length": SAID_AGAIN_IN_KANA if kana else SAID_AGAIN}
            return {**self.sampling, **reach}
        return {name: value for name, value in self.sampling.items() if name != DRY}

    def _told(self, error: ModelError, tries: int) -> ModelError:
        """The fault with all that its message may speak of, and nothing that is secret."""
        said = hide_secrets(str(error.details.get("said") or "—"), self._key, *sent_forms(self._login))[:_QUOTED]
        own = {"server": self.server, "model": self.name, "said": said, "tries": tries}
        return type(error)(error.key, **{**error.details, **own})

    # --- one try -----------------------------------------------------------------------------------------------------

    async def _answer(
        self, request: dict[str, Any], reading: ReplyReader, watch: CallTimer
    ) -> AsyncGenerator[Piece]:
        """One try: the text as far as it is whole, then what it cost, even if it was for nothing."""
        chunks = self._stream(request, reading, watch) if self.streaming else self._at_once(request, watch)
        async with aclosing(chunks):
            async for data in chunks:
                text = reading.take(data)
                watch.begun = watch.begun or reading.begun
                if text:
                    yield PartialReply(text=text) if reading.schema else text
        try:
            rest = reading.end()
        except ModelError:
            yield reading.usage
            raise
        if rest:
            yield rest
        yield reading.usage

    async def _stream(self, request: dict[str, Any], reading: ReplyReader, watch: CallTimer) -> AsyncGenerator[Any]:
        """The chunks of a stream. Once the reply is finished, a stream that breaks off has only its counts to lose."""
        stream = await self._opened(request, watch)
        response = stream.response
        try:
            if "json" in _kind(response):  # it does not stream, whatever we ask
                yield await self._body(response, watch)
                return
            while True:
                silence = self.patience.idle if watch.begun else self.patience.first
                yield await _name_fault(watch.over(anext(stream), silence, lambda: response.num_bytes_downloaded))
        except StopAsyncIteration:
            pass
        except ModelError:
            if reading.finish is None:
                raise
        finally:
            await stream.close()

    async def _opened(self, request: dict[str, Any], watch: CallTimer) -> AsyncStream[object]:
        """The stream, with its counts asked for, unless this server is known not to understand that.

        Its chunks come as they are: the package's own way through its types costs many times as much."""
        counts: dict[str, Any] = {"stream_options": {"include_usage": True}} if self._counts_asked else {}
        body = {**request, **counts, "stream": True}
        try:
            asked = self._client.post(_PATH, cast_to=object, body=body, stream=True, stream_cls=AsyncStream[object])
            return await _name_fault(watch.over(asked, self.patience.first))
        except ModelError as error:
            if not self._counts_asked or "stream_options" not in str(error.details.get("said")):
                raise
        self._counts_asked = False
        return await self._opened(request, watch)

    async def _at_once(self, request: dict[str, Any], watch: CallTimer) -> AsyncGenerator[Any]:
        """The one chunk of a call that does not stream."""
        # In the body: the package knows no names but its own.
        known = {name: request[name] for name in ("model", "messages")}
        asked = self._client.chat.completions.with_streaming_response.create(**known, extra_body=request)
        answer = await _name_fault(watch.over(asked.__aenter__(), self.patience.whole))
        try:
            yield await self._body(answer.http_response, watch)
        finally:
            await answer.close()

    async def _body(self, response: httpx2.Response, watch: CallTimer) -> Any:
        """A body as JSON. Until it begins, only the clock can tell that it will not."""
        if "html" in _kind(response):
            raise fault("model.not-a-server")
        parts, body = response.aiter_bytes(), bytearray()
        try:
            while True:
                body += await _name_fault(watch.over(anext(parts), self.patience.idle if body else self.patience.whole))
                watch.begun = True
        except StopAsyncIteration:
            pass
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            raise fault("model.broken-chunk" if "json" in _kind(response) else "model.not-a-server") from None


_NO_SYSTEM = re.compile(r"system (?:role|message|prompt)|roles? must alternate", re.IGNORECASE)


def _refuses_system(messages: Sequence[Message], error: ModelError) -> bool:
    """Whether a template has no place for a system message, as those of older Gemma and Mistral have none."""
    if [one.role for one in messages[:2]] != ["system", "user"]:
        return False
    known = error.key in ("model.bad-request", "model.server-error")
    return known and _NO_SYSTEM.search(str(error.details.get("said"))) is not None


def _fold_system(messages: Sequence[Message]) -> Sequence[Message]:
    """The messages with what the system says at the head of the first user's."""
    if [one.role for one in messages[:2]] != ["system", "user"]:
        return messages
    frame, first, *rest = messages
    return [first.with_field("content", f"{frame.content}\n\n{first.content}"), *rest]


@cache
def _certificates() -> ssl.SSLContext:
    """Whom to trust; read once, since it takes as long as ten turns."""
    return httpx2.create_ssl_context()


def _is_local(base_url: str) -> bool:
    """Whether an address is on this machine."""
    host = urlsplit(base_url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _kind(response: httpx2.Response) -> str:
    return str(response.headers.get("content-type", "")).casefold()


# --- what the packages below raise, by our names ---------------------------------------------------------------------


async def _name_fault(step: Awaitable[T]) -> T:
    """A step whose failure has one of our names."""
    try:
        return await step
    except (APIError, httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
        raise _fault(error) from None


def _fault(error: Exception) -> ModelError:
    if isinstance(error, APIStatusError):
        if error.response.has_redirect_location:
            return fault("model.moved", said=bare_address(error.response.headers["location"]))
        said = _words(error.body)
        wait = seconds_asked_for(error.response.headers.get("retry-after"), time.time())
        return fault(fault_key(error.status_code, f"{said} {error.body}"), said=said, wait=wait)
    if isinstance(error, APIError) and not isinstance(error, APIConnectionError):
        return fault(fault_key(500, f"{error.message} {error.body}"), said=error.message)
    if isinstance(error, UnicodeDecodeError):
        return fault("model.garbled")
    if isinstance(error, ValueError):
        return fault("model.broken-chunk")
    causes = list(_causes(error))
    ours = next((cause for cause in causes if isinstance(cause, ModelError)), None)
    return ours or _line_fault(causes)


def _words(body: Any) -> str:
    """What the server says is wrong; a page of HTML says nothing."""
    if isinstance(body, dict):
        return str(body.get("message") or body.get("detail") or body.get("error") or body)
    return "" if str(body).lstrip().startswith("<") else str(body)


def _line_fault(causes: list[BaseException]) -> ModelError:
    """A fault of the line, from the error and all that led to it."""

    def one(*kinds: type[BaseException]) -> BaseException | None:
        return next((cause for cause in causes if isinstance(cause, kinds)), None)

    if one(httpx2.UnsupportedProtocol, httpx2.InvalidURL, httpx2.LocalProtocolError):
        return fault("model.bad-address")
    if one(httpx2.TimeoutException):
        return fault("model.connect-timeout")
    if one(socket.gaierror, UnicodeError):
        return fault("model.unknown-host")
    if one(ConnectionRefusedError):
        return fault("model.refused")
    if broken := one(httpx2.RemoteProtocolError):
        return fault(next((key for sign, key in _BROKEN_LINES.items() if sign in str(broken)), "model.not-a-server"))
    if one(httpx2.ReadError, httpx2.WriteError, httpx2.CloseError, ConnectionError) and not one(ssl.SSLError):
        return fault("model.reset")
    return fault("model.unreachable", said=str(causes[-1]))


_BROKEN_LINES = {"peer closed": "model.truncated", "disconnected": "model.reset"}


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what led to it; a name with several addresses fails once for each."""
    while error is not None:
        yield error
        for inner in getattr(error, "exceptions", ()):
            yield from _causes(inner)
        error = error.__cause__ or error.__context__
