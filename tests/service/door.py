"""The HTTP door without a network: an application, a client straight into it, and requests to send."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx
from fastapi import FastAPI
from starlette.routing import Route

from hakoniwa.app.autonomy import FindModel
from hakoniwa.journal import Journal
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.service.app import gm_app, hakoniwa_app
from hakoniwa.service.routes.gm import PATH
from hakoniwa.settings import Settings
from tests.service.console import planted
from tests.worlds import kitchen

MORNING = "Thought: (朝のキッチン)\nOutput: おはよう、あゆ。今日のごはん何にする？"
TOKEN = "s3cret"
PATIENCE = 60.0
JSON = {"content-type": "application/json"}
Headers = dict[str, str]
T = TypeVar("T")
_DOCUMENTS: dict[str, dict[str, Any]] = {}


def request(**changes: Any) -> dict[str, Any]:
    """A GM step as another engine sends it: the seed's own example, with changes."""
    return {
        "session_id": "朝-1",
        "turn_number": 0,
        "speaker": "やな",
        "raw_output": MORNING,
        "world_state": kitchen(),
        **changes,
    }


class Door:
    """An application that is open as long as the block runs. Whatever it answers must stand in its OpenAPI."""

    def __init__(self, journal: Journal | None = None, **options: Any) -> None:
        self._open_on(gm_app(journal or MemoryJournal(), **options))

    def _open_on(self, app: FastAPI) -> None:
        self.app = app
        if app.title not in _DOCUMENTS:  # making one takes longer than most tests
            _DOCUMENTS[app.title] = app.openapi()
        self.openapi = _DOCUMENTS[app.title]
        self._life = self.app.router.lifespan_context(self.app)
        self._runner = asyncio.Runner()

    def __enter__(self) -> Self:
        self._runner.__enter__()
        self.wait_for(self._life.__aenter__())
        self.client = httpx.AsyncClient(transport=httpx.ASGITransport(self.app), base_url="http://localhost")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.wait_for(self.client.aclose())
        self.wait_for(self._life.__aexit__(None, None, None))
        self._runner.__exit__(kind, error, at)

    def wait_for(self, work: Awaitable[T]) -> T:
        async def awaited() -> T:
            return await work

        return self._runner.run(awaited())

    def pause(self, seconds: float) -> None:
        """Let the application do what it does behind its answers."""
        self.wait_for(asyncio.sleep(seconds))

    def send(self, content: Any, path: str = PATH, method: str = "POST", **headers: str) -> httpx.Response:
        """Any bytes at all, or an async stream of them."""
        return self.wait_for(self.sending(content, path, method, **headers))

    async def sending(self, content: Any, path: str = PATH, method: str = "POST", **headers: str) -> httpx.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        given = {name: value for name, value in {**JSON, **named}.items() if value}
        response = await self.client.request(method, path, content=content, headers=given)
        self._expects(response, method, path)
        return response

    def step(self, **changes: Any) -> httpx.Response:
        return self.send(json.dumps(request(**changes), ensure_ascii=False).encode())

    def ruling(self, **changes: Any) -> dict[str, Any]:
        """The answer to a step that must be answered."""
        response = self.step(**changes)
        assert response.status_code == 200, response.text
        found: dict[str, Any] = response.json()
        return found

    def _expects(self, response: httpx.Response, method: str, path: str) -> None:
        operation = self._described(path).get(method.lower())
        if operation is not None:
            answers = operation["responses"]
            assert str(response.status_code) in answers, f"{method} {path}: {response.status_code} is not in OpenAPI"
            kind = response.headers["content-type"].partition(";")[0]
            assert kind in answers[str(response.status_code)]["content"]

    def _described(self, path: str) -> dict[str, Any]:
        """What OpenAPI says of a path that is asked for, whatever stands in its places."""
        for pattern, found in self.openapi["paths"].items():
            if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", pattern), path.partition("?")[0]):
                operations: dict[str, Any] = found
                return operations
        return {}


class WholeDoor(Door):
    """The same with everything there is behind it; every request brings the token, unless it says otherwise."""

    def __init__(
        self,
        journal: Journal | None = None,
        find_model: FindModel = lambda: None,
        home: Path | None = None,
        **options: Any,
    ) -> None:
        self._nowhere = TemporaryDirectory(prefix="hakoniwa-")  # what is kept must not land where the tests are run
        settings = Settings(home=home or Path(self._nowhere.name), model="builtin", embedder="none", seed=0)
        served = {"page": planted(Path(self._nowhere.name) / "console"), **options}
        self._open_on(hakoniwa_app(journal or MemoryJournal(), settings, TOKEN, find_model=find_model, **served))

    async def sending(self, content: Any, path: str = PATH, method: str = "POST", **headers: str) -> httpx.Response:
        return await super().sending(content, path, method, **{"authorization": f"Bearer {TOKEN}", **headers})

    def get(self, path: str, **headers: str) -> Any:
        """What a route that must answer has to say."""
        return _said(self.send(b"", path, "GET", **headers))

    def sooner_or_later(self, asked: Callable[[], T]) -> T:
        """What is asked for, as soon as there is any."""
        end = monotonic() + PATIENCE
        while not (found := asked()) and monotonic() < end:
            self.pause(0.01)
        return found

    def post(self, path: str, body: Any, **headers: str) -> Any:
        return _said(self.send(json.dumps(body).encode(), path, **headers))


def _said(response: httpx.Response) -> Any:
    assert response.status_code in (200, 201), response.text
    return response.json()


def routes(door: Door) -> list[tuple[str, str]]:
    """Every method and path that somebody answers."""
    plain = {
        (method, route.path) for route in door.app.routes if isinstance(route, Route) for method in route.methods or ()
    }
    described = {(method.upper(), path) for path, methods in door.openapi["paths"].items() for method in methods}
    return sorted(plain | described)


def refused(response: httpx.Response, status: int) -> dict[str, Any]:
    """The problem that a refusal tells."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    found: dict[str, Any] = response.json()
    assert found["status"] == status
    assert found["title"]
    return found


def together(*work: Coroutine[Any, Any, T]) -> Coroutine[Any, Any, list[T]]:
    """All of it at the same time."""

    async def gathered() -> list[T]:
        return list(await asyncio.gather(*work))

    return gathered()


async def sent(
    door: WholeDoor, method: str, path: str, body: bytes, enough: Callable[[str], bool], query: str = "",
    last: str | None = None,
) -> str:  # fmt: skip
    """What a request is answered with until whoever sent it hangs up."""
    headers = {
        "host": "localhost", "authorization": f"Bearer {TOKEN}", "content-type": "application/json",
        **({"last-event-id": last} if last is not None else {}),
    }  # fmt: skip
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "path": path,
        "raw_path": path.encode(), "query_string": query.encode(), "root_path": "", "scheme": "http",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }  # fmt: skip
    got, gone = bytearray(), asyncio.Event()
    asked = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> dict[str, Any]:
        if asked:
            return asked.pop()
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        got.extend(message.get("body", b""))
        if enough(got.decode("utf-8", "ignore")):
            gone.set()

    await asyncio.wait_for(door.app(scope, receive, send), PATIENCE)
    return got.decode("utf-8", "ignore")
