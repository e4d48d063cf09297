"""Chats over HTTP without a network: what a stream says, models that can be held up, connections that break off."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

from hakoniwa.llm import ChatModel, Message, Usage
from hakoniwa.llm.scripted import ScriptedModel
from tests.service.door import TOKEN, WholeDoor

NOTHING = '{"selected": []}'
IN_ONE_PIECE = {"accept": "application/json"}


def scripted(*replies: str | Exception, plans: Sequence[str | Exception] = ()) -> ScriptedModel:
    """A model that answers so, calls nothing to mind, and writes down what it is told to."""
    return ScriptedModel({"ghost.reply": replies, "ghost.select": [NOTHING] * 20, "ghost.write_plan": plans})


def plan(fact: str) -> str:
    """A WritePlan as a model writes it: one more fact, and a good feeling."""
    return json.dumps({
        "event_annotations": {
            "about_year_start": None, "about_year_end": None, "life_stage": "unknown", "entities": [],
        },
        "state_updates": [{
            "kind": "fact", "op": "upsert", "state_id": 0, "body_text": fact, "entities": [], "confidence": 0.8,
            "links": [], "reason": "聞いた",
        }],
        "preference_updates": [],
        "event_affect": {"text": "うれしい", "labels": ["joy"], "v": 0.8, "a": 0.4, "d": 0.2, "confidence": 1.0},
        "context_updates": {"threads": ["猫"], "links": []},
    })  # fmt: skip


class Held(ChatModel):
    """A model that says two words and then waits, for ever or until it is let go on."""

    name = "held"
    context = 0

    def __init__(self) -> None:
        self.speaking, self.may_go_on = asyncio.Event(), asyncio.Event()
        self.stopped = False

    async def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[str | Usage]:
        if purpose != "ghost.reply":
            yield NOTHING
            return
        try:
            yield "ええと、"
            self.speaking.set()
            await self.may_go_on.wait()
            yield "それはね。"
        except (GeneratorExit, asyncio.CancelledError):
            self.stopped = True
            raise


def events(text: str) -> list[tuple[str, dict[str, Any]]]:
    """What a stream said, by name."""
    frames = [dict(line.split(": ", 1) for line in frame.split("\n")) for frame in text.strip().split("\n\n") if frame]
    return [(frame["event"], json.loads(frame["data"])) for frame in frames]


def begun(door: WholeDoor, id: str = "c", persona: str = "yana") -> str:
    """A new chat; the path of its messages."""
    door.post("/v1/chats", {"persona": persona, "name": id})
    return f"/v1/chats/{id}/messages"


def said(door: WholeDoor, text: str, id: str = "c", **more: Any) -> dict[str, Any]:
    """Something said and answered."""
    found: dict[str, Any] = door.post(f"/v1/chats/{id}/messages", {"text": text, **more}, **IN_ONE_PIECE)
    return found


async def broken_off(
    door: WholeDoor, path: str, when: asyncio.Event, *, goes_on: bool = False,
    said: dict[str, Any] | None = None, **headers: str,
) -> list[dict[str, Any]]:  # fmt: skip
    """Say something, and hang up once something has happened; what the application sent until then."""
    given = {"host": "localhost", "content-type": "application/json", "authorization": f"Bearer {TOKEN}", **headers}
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "path": path,
        "raw_path": path.encode(), "query_string": b"", "root_path": "", "scheme": "http",
        "headers": [(name.encode(), value.encode()) for name, value in given.items()],
    }  # fmt: skip
    sent: list[dict[str, Any]] = []
    asked = json.dumps(said or {"text": "話して", "goes_on": goes_on}).encode()
    body = [{"type": "http.request", "body": asked, "more_body": False}]

    async def receive() -> dict[str, Any]:
        if body:
            return body.pop()
        await when.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    await door.app(scope, receive, send)
    return sent
