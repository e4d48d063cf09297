"""A garden over HTTP without a network: the parlour of two rooms, whose turns are what a test says they are."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from hakoniwa.app.autonomy import FindModel
from hakoniwa.journal import GardenRecord, Journal
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.llm import ChatModel, Message, Usage
from hakoniwa.llm.scripted import ScriptedModel
from hakoniwa.service.app import hakoniwa_app
from hakoniwa.settings import Settings
from tests.play.parlour import SCENARIO, SHEETS
from tests.service.door import TOKEN, WholeDoor, sent

G = "/v1/gardens/g"
IN_ONE_PIECE = {"accept": "application/json"}


class Plot(WholeDoor):
    """Everything there is, with settings of one's own."""

    def __init__(self, book: Journal, find_model: FindModel, **settings: Any) -> None:
        self._nowhere = TemporaryDirectory(prefix="hakoniwa-")
        base = {"home": self._nowhere.name, "model": "builtin", "embedder": "none"}
        known = Settings.model_validate({**base, **settings})
        self._open_on(hakoniwa_app(book, known, TOKEN, find_model=find_model))


@contextmanager
def garden(
    model: ChatModel | None = None, journal: Journal | None = None, scenario: dict[str, Any] = SCENARIO,
    **settings: Any,
) -> Iterator[WholeDoor]:  # fmt: skip
    """An open door to a garden before its first turn."""
    book = journal or MemoryJournal()
    if not any(one.id == "g" for one in book.gardens()):
        book.create(GardenRecord(id="g", scenario=scenario, sheets=SHEETS, seed=1))
    with Plot(book, lambda: model, **settings) as door:
        yield door


def performing(*replies: str | Exception, loop: bool = False) -> ScriptedModel:
    """A model that thinks nothing much, and performs so."""
    thoughts = ["どうしよう。"] * 50
    return ScriptedModel({"actor.think": thoughts, "actor.perform": replies, "actor.retake": replies}, loop)


def acted(door: WholeDoor, who: str, text: str, **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = door.post(f"{G}/act", {"who": who, "text": text, **more})
    return found


def texts(lines: Sequence[dict[str, Any]]) -> list[str]:
    return [line["text"] for line in lines]


class Hesitant(ChatModel):
    """A model that says a few words and then waits until it is let go on, or for ever."""

    name, context = "hesitant", 0

    def __init__(self, reply: Sequence[str] = ("「ええと、", "おはよう」")) -> None:
        self.reply = reply
        self.speaking, self.may_go_on = asyncio.Event(), asyncio.Event()
        self.stopped = 0

    async def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[str | Usage]:
        if purpose == "actor.think":
            yield "どうしよう。"
            return
        first, *rest = self.reply
        try:
            yield first
            self.speaking.set()
            await self.may_go_on.wait()
            for piece in rest:
                yield piece
        except (GeneratorExit, asyncio.CancelledError):
            self.stopped += 1
            raise


class Frame(NamedTuple):
    id: int | None
    event: str
    data: dict[str, Any]


def frames(text: str) -> list[Frame]:
    """The events that came whole; one that was cut off is none, and a comment says nothing."""
    whole = [one for one in text.split("\n\n")[:-1] if one and not one.startswith(":")]
    fields = [dict(line.split(": ", 1) for line in one.split("\n")) for one in whole]
    return [Frame(int(one["id"]) if "id" in one else None, one["event"], json.loads(one["data"])) for one in fields]


async def watched(
    door: WholeDoor, enough: Callable[[list[Frame]], bool], query: str = "", last: str | None = None,
    path: str = f"{G}/events",
) -> list[Frame]:  # fmt: skip
    """What somebody who watches gets until they hang up."""
    return frames(await sent(door, "GET", path, b"", lambda text: enough(frames(text)), query, last))
