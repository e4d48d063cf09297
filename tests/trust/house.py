"""A house with people in it behind the HTTP door, asked as a server asks it: request by request, below any client."""

import asyncio
import json
import signal
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self
from unittest import mock

from fastapi import FastAPI
from starlette.types import ASGIApp, Message

from hakoniwa.app import connection
from hakoniwa.journal import GardenRecord, Journal
from hakoniwa.llm.find import ModelServer, ServerPlace
from hakoniwa.service.app import gm_app, hakoniwa_app
from hakoniwa.service.guard import AccessKey
from hakoniwa.settings import Settings
from tests.play.parlour import SCENARIO, SHEETS
from tests.service.console import planted

TOKEN = "s3cret-of-the-house"
HOST = "localhost:8765"
ORIGIN = f"http://{HOST}"
COOKIE = AccessKey(TOKEN).cookie(HOST).partition(";")[0]
SAID = "合言葉は瑠璃色の鯨"  # in a garden and in a chat: whoever reads this has read something of ours
STREAM = "text/event-stream"
TINY = """id: tiny
title: 庵
world: {location: {current: 庵}, locations: {庵: {}}, characters: {やな: {location: 庵}}, props: {杯: {location: 庵}}}
cast: {やな: {sheet: yana}}
"""
DEADLINE = 60.0  # seconds until an answer must be there, on a machine that others use too
BUSY = 10.0  # seconds of the processor after which no event loop gets its turn again by itself

Header = tuple[str, str]


class Asked(NamedTuple):
    """A request as it comes in: a body that is not `whole` breaks off; who does not stay leaves a stream at once."""

    method: str
    path: str
    headers: Sequence[Header] = ()
    pieces: Sequence[bytes] = (b"",)
    query: bytes = b""
    whole: bool = True
    stays: bool = True


class Answer(NamedTuple):
    """What came back; 0 is no answer at all, and `fault` what the server's log would tell."""

    status: int
    headers: dict[str, str]
    body: bytes
    fault: str = ""

    @property
    def kind(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0]


async def answered(app: ASGIApp, asked: Asked) -> Answer:
    """What an application answers before the deadline."""
    sent: list[Message] = []
    left, fault = asyncio.Event(), ""
    coming: list[Message] = [{"type": "http.request", "body": one, "more_body": True} for one in asked.pieces]
    coming[-1]["more_body"] = not asked.whole

    async def receive() -> Message:
        if coming:
            return coming.pop(0)
        if asked.whole:
            await left.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)
        if not (asked.stays and asked.method == "POST") and STREAM in str(message.get("headers")):
            left.set()

    try:
        async with asyncio.timeout(DEADLINE):
            await app(scope(asked), receive, send)
    except TimeoutError:
        fault = f"no end within {DEADLINE} s, or {BUSY} s of the processor"
    except Exception as error:
        fault = f"{type(error).__name__}: {error}"
    return _collected(sent, fault)


def scope(asked: Asked, kind: str = "http") -> dict[str, Any]:
    return {
        "type": kind, "asgi": {"version": "3.0"}, "http_version": "1.1", "method": asked.method, "path": asked.path,
        "raw_path": asked.path.encode("utf-8", "replace"), "query_string": asked.query, "root_path": "",
        "scheme": "http", "client": ("127.0.0.1", 5), "server": ("127.0.0.1", 8765), "subprotocols": [],
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in asked.headers],
    }  # fmt: skip


def _collected(sent: Sequence[Message], fault: str) -> Answer:
    begun = next((one for one in sent if one["type"] == "http.response.start"), None)
    if begun is None:
        return Answer(0, {}, b"", fault)
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in begun["headers"]}
    return Answer(begun["status"], headers, b"".join(one.get("body", b"") for one in sent), fault)


def nobody_at(at: ServerPlace) -> ModelServer:
    """What is found where nothing is asked."""
    return ModelServer(url=at.url, asked=at.url, origin=at.origin, trouble="refused", key=at.key)


class House:
    """An application that is open as long as the block runs."""

    def __init__(self, app: FastAPI) -> None:
        self.app = app
        self.document = _document(app)
        self._life = app.router.lifespan_context(app)
        self._runner = asyncio.Runner()

    def __enter__(self) -> Self:
        self._elsewhere = mock.patch.object(connection, "visit", nobody_at)  # addresses are made up here
        self._elsewhere.start()
        self._runner.run(self._life.__aenter__())
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._runner.run(self._life.__aexit__(None, None, None))
        self._runner.close()
        self._elsewhere.stop()

    def ask(self, asked: Asked) -> Answer:
        with _broken_off():
            answer: Answer = self.do(answered(self.app, asked))
        return answer

    def ask_at_once(self, all_asked: Sequence[Asked]) -> list[Answer]:
        async def gathered() -> list[Answer]:
            return await asyncio.gather(*(answered(self.app, one) for one in all_asked))

        with _broken_off():
            answers: list[Answer] = self.do(gathered())
        return answers

    def do(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Wait for something, without the care that asyncio's own runner takes of every keystroke."""
        return self._runner.get_loop().run_until_complete(work)


@contextmanager
def _broken_off() -> Iterator[None]:
    """Whatever keeps the processor too long, be it a regular expression, ends in a time-out."""

    def over(*_: Any) -> None:
        raise TimeoutError

    signal.signal(signal.SIGVTALRM, over)
    signal.setitimer(signal.ITIMER_VIRTUAL, BUSY)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


_DOCUMENTS: dict[str, dict[str, Any]] = {}


def _document(app: FastAPI) -> dict[str, Any]:
    """The application's OpenAPI, which takes longer to make than everything else here."""
    if app.title not in _DOCUMENTS:
        _DOCUMENTS[app.title] = app.openapi()
    return _DOCUMENTS[app.title]


def posted(path: str, data: Any, *headers: Header) -> Asked:
    """What somebody who may come in wants done."""
    given = (("host", HOST), ("authorization", f"Bearer {TOKEN}"), ("content-type", "application/json"), *headers)
    return Asked("POST", path, given, (json.dumps(data, ensure_ascii=False).encode(),))


@contextmanager
def furnished(journal: Journal, home: Path) -> Iterator[House]:
    """Everything there is, with a garden `g` and a chat `c` in which something happened, and a scenario `tiny`."""
    settings = Settings(home=home, model="builtin", embedder="none", speed=60, turns_alone=2, seed=0)
    journal.create(GardenRecord(id="g", scenario=SCENARIO, sheets=SHEETS, seed=1))
    app = hakoniwa_app(journal, settings, TOKEN, find_model=lambda: None, page=planted(home / "console"))
    with House(app) as house:
        for path, data in (
            ("/v1/scenarios", {"name": "tiny", "text": TINY}),
            ("/v1/gardens/g/act", {"who": "やな", "text": "（カップを手に取る）"}),
            ("/v1/gardens/g/act", {"who": "あゆ", "text": f"「{SAID}」"}),
            ("/v1/chats", {"persona": "yana", "name": "c"}),
            ("/v1/chats/c/messages", {"text": f"{SAID}だよ"}),
            ("/v1/chats/c/messages", {"text": "犬の話"}),
        ):  # fmt: skip
            answer = house.ask(posted(path, data))
            assert answer.status in (200, 201), answer
        yield house


@contextmanager
def referee(journal: Journal, token: str | None = None) -> Iterator[House]:
    """The referee alone."""
    with House(gm_app(journal, token=token)) as house:
        yield house
