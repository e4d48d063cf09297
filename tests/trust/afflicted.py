"""A model server goes wrong while it is asked, at one call site after the other.

As a program it reads cells, each a fault, a site and whether the answer is streamed, from its standard input, tries
some at a time, and prints for each what was wrong with how it ended. It stands in a process of its own, for it needs
sockets, and what would hang it must not hang the tests."""

import asyncio
import json
import logging
import os
import socket
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from io import StringIO
from itertools import pairwise
from typing import Any, NamedTuple
from unittest import mock

from hakoniwa.actor.language import LanguageMind
from hakoniwa.app import doctor
from hakoniwa.autonomy import deliberate
from hakoniwa.errors import ModelError
from hakoniwa.llm import Call, bench, openai
from hakoniwa.llm.bench import ProbeBench
from hakoniwa.llm.faults import KINDS, CallTimer, Timeouts, further_tries
from hakoniwa.llm.ledger import Ledger
from hakoniwa.llm.openai import OpenAIChat
from hakoniwa.llm.probe import run_probes
from hakoniwa.llm.server import ModelServer, OfferedModel
from hakoniwa.memory.embedding.server import ServerEmbedder
from hakoniwa.messages import LANGUAGES, catalogue, tell
from tests.real.misbehaving import FAULTS, Exchange, healthy, look_up, serving
from tests.trust.callsites import DOING, SITES, Came, Site

MUTANT = "TRUST_MUTANT"
BROKEN = MUTANT in os.environ  # what comes to no end then need not be waited for so long
HURRIED = Timeouts(connect=2.0, first=2.8, idle=2.8, whole=3.0 if BROKEN else 6.0, backoff=0.02, longest_wait=0.1)
BACKOFFS = [min(HURRIED.backoff * 2**tries, HURRIED.longest_wait) for tries in range(9)]
MOST_TOKENS = 2_000
SLACK = 1.0 if BROKEN else 10.0  # others use this machine too
KEY = "sk-canary-0123456789"
AT_A_TIME, WAITING_AT_A_TIME = 4, 24
talk, stream, embeddings = (import_module(f"hakoniwa.llm.probes.{name}") for name in ("talk", "stream", "embeddings"))
DONE = "all goes well"
# Every fault, and the name it ends by: one for both, or one for a stream and one for a reply that comes at once.
OUTCOMES: dict[str, str | tuple[str, str]] = {
    "refused": "model.refused",
    "unknown host": "model.unknown-host",
    "connect time-out": "model.connect-timeout",
    "no first token": "model.no-first-token",
    "role only": "model.no-first-token",
    "stall": "model.stalled",
    "reset": "model.reset",
    "reset before a word": "model.reset",
    "no finish": "model.truncated",
    "400 context too long": "model.context-too-long",
    "401": "model.unauthorised",
    "404 model missing": "model.missing",
    "429 with Retry-After": "model.rate-limited",
    "429": "model.rate-limited",
    "500": "model.server-error",
    "503 loading": "model.loading",
    "HTML": "model.not-a-server",
    "broken JSON": "model.broken-chunk",
    "doubled chunks": ("model.mixed-chunks", "model.broken-chunk"),
    "swapped chunks": ("model.mixed-chunks", "model.broken-chunk"),
    "UTF-8 split": DONE,
    "empty": "model.empty",
    "only thinking": "model.only-thinking",
    "only <think>": "model.only-thinking",
    "JSON cut off": "model.json-cut",
    "JSON of the wrong shape": "model.json-shape",
    "blanks": "model.blanks",
    "repetition": "model.repetition",
    "wrong language": "model.wrong-language",
    "one byte a second": "model.too-slow",
    "prompt cut": DONE,
    "none": DONE,
}
OF_JSON = {"wrong language": "model.json-shape"}  # where JSON is asked for, prose is none in any language
WAITING = {"connect time-out", "no first token", "role only", "stall", "one byte a second"}
UNREACHED = {"refused", "unknown host", "connect time-out"}
AT_ONCE_ONLY = {"reset"}  # after some of the answer has come there is no second try


class Cell(NamedTuple):
    """A fault at a call site."""

    fault: str
    site: str
    streaming: bool

    def __str__(self) -> str:
        return f"{self.fault}, {self.site}, {'streamed' if self.streaming else 'at once'}"


def expected(cell: Cell) -> str:
    outcome = OUTCOMES[cell.fault]
    named = outcome if isinstance(outcome, str) else outcome[0 if cell.streaming else 1]
    return OF_JSON.get(cell.fault, named) if SITES[cell.site].json else named


async def tried(cell: Cell) -> list[str]:
    return await (_over_the_wire(cell) if cell.site in WIRED else _in_conversation(cell))


async def _in_conversation(cell: Cell) -> list[str]:
    """A visit to the site while the server is ill, and one after it is healed; what is wrong with them."""
    site, calls = SITES[cell.site], []

    async def record(_: str, call: Call) -> None:
        calls.append(call)

    async with serving(cell.fault, site.answer) as server:
        sick = OpenAIChat("gemma3", server.base_url, KEY, 4096, cell.streaming, HURRIED)
        model = Ledger(sick, record=record, language="ja")
        began = time.monotonic()
        try:
            came = await asyncio.wait_for(site.visit(model), site.asks * HURRIED.whole + SLACK)
        except TimeoutError:
            return ["it came to no end"]
        finally:
            took, asked, made = time.monotonic() - began, list(server.asked_at), list(calls)
        await server.heal()
        after = await site.visit(model)
        await sick.aclose()
    return [
        *_of_ending(cell, site, came), *_of_time(site, took), *_of_tries(cell, site, made, len(asked)),
        *_of_waits(cell, site, asked), *_of_requests(server.requests), *_of_words(came), *_of_secrets(came, calls),
        *([] if after.ended is None and tuple(after.kept) == site.kept else [f"healed, it still ends as {after}"]),
    ]  # fmt: skip


def _of_ending(cell: Cell, site: Site, came: Came) -> Iterator[str]:
    """Whether it ended by its name, and nothing but a whole answer was kept."""
    named = expected(cell)
    if (came.ended or DONE) != named:
        yield f"it ended as {came.ended or DONE} instead of {named}"
    if tuple(came.kept) != (site.kept if named == DONE else site.instead):
        yield f"{came.kept} was kept"
    if came.changed:
        yield "something has changed, and nothing was done"


def _of_time(site: Site, took: float) -> Iterator[str]:
    if took > site.asks * HURRIED.whole + SLACK:
        yield f"it took {took:.1f} s"


def _of_tries(cell: Cell, site: Site, calls: list[Call], asked: int) -> Iterator[str]:
    """Whether it was tried no more often than the fault is worth, and every try was counted."""
    ill = [call for call in calls if call.purpose == site.purpose]
    before = [call for call in ill if call.fault] or ill[:1]
    most = 1 if cell.fault in AT_ONCE_ONLY else 1 + further_tries(expected(cell))
    if not before or any(call.tries > most for call in before) or len(before) > site.asks:
        yield f"asked {[call.tries for call in before]} times, where {site.asks} × {most} is the most"
    if cell.fault not in UNREACHED and asked != sum(call.tries for call in before):
        yield f"{asked} requests came, and {sum(call.tries for call in before)} were counted"
    if cell.fault == "prompt cut" and [call.warning for call in before] != ["model.prompt-cut"]:
        yield "a prompt was cut, and nobody was warned"


def _of_waits(cell: Cell, site: Site, asked: list[float]) -> Iterator[str]:
    """Whether a server was left alone before it was asked again: longer each time, or as long as it wished for."""
    if site.asks > 1 or site.instead:
        return
    wished = [HURRIED.longest_wait] * len(asked) if cell.fault == "429 with Retry-After" else BACKOFFS
    for (one, other), least in zip(pairwise(asked), wished, strict=False):
        if other - one < 0.9 * least:
            yield f"asked again after {other - one:.3f} s, where {least} s is the least"


def _of_requests(requests: list[dict[str, Any]]) -> Iterator[str]:
    """Whether a model was ever asked for words without end."""
    if any(not 0 < one.get("max_tokens", 0) <= MOST_TOKENS for one in requests if "messages" in one):
        yield f"asked for {[one.get('max_tokens') for one in requests]} tokens"


def _of_words(came: Came) -> Iterator[str]:
    """Whether people are told what happened, each in their language, and in no words of a machine."""
    for key in {came.ended} - {None}:
        if f"error.{key}" not in catalogue("ja"):
            yield f"{key!r} has no name that people could be told"
    for error in came.errors:
        if not isinstance(error, KINDS.get(error.key, ())):
            yield f"a fault without a name: {error.key[:100]!r}"
            continue
        japanese, english = (tell(error, lang) for lang in LANGUAGES)
        if japanese == english or any(sign in japanese + english for sign in ("{", "Traceback", "Error(")):
            yield f"{error.key} is told as {japanese!r}, {english!r}"


def _of_secrets(came: Came, calls: list[Call]) -> Iterator[str]:
    told = [text for error in came.errors for text in (repr(error), *traceback.format_exception(error))]
    if any(KEY in text for text in (*told, *(call.model_dump_json() for call in calls))):
        yield "the key is out"


# --- those who ask a server without a conversation --------------------------------------------------------------------


async def _over_the_wire(cell: Cell) -> list[str]:
    """Vectors, and what the doctor looks at: in threads, each with a time limit of its own."""
    ill = FAULTS[cell.fault]

    async def write(exchange: Exchange) -> None:
        await (ill if exchange.streaming or not cell.streaming else healthy)(exchange)

    began = time.monotonic()
    async with serving(cell.fault if cell.fault in UNREACHED else write) as server:
        loop = asyncio.get_running_loop()
        wrong = await loop.run_in_executor(THREADS, WIRED[cell.site], server.base_url, cell)
        asked = len(server.requests)
    took = time.monotonic() - began
    return [
        *wrong,
        *([f"it took {took:.1f} s"] if took > LONGEST else []),
        *([f"it asked {asked} times"] if asked > MOST_ASKED else []),
    ]


def embedding(url: str, _: Cell) -> list[str]:
    """No answer to a conversation is a vector, and neither is a fault."""
    try:
        ServerEmbedder(url, KEY, "gemma3", seconds=SHORTLY).embed(["庭"])
    except ModelError as error:
        return list(_of_words(Came(error.key, errors=[error])))
    return ["what is no vector was taken for one"]


def examining(url: str, cell: Cell) -> list[str]:
    """The doctor names what is wrong with a server, and what to do."""
    server, model = ModelServer(url=url, asked=url, origin="usual", key=KEY), OfferedModel(name="gemma3", context=4096)
    found = list(run_probes(ProbeBench(server, model, "31415")))
    wrong = [one for one in found if one.grade in ("warn", "problem")]
    words = [
        (doctor.describe_finding(one, lang), doctor.remedy(one, server, model, lang))
        for one in wrong
        for lang in LANGUAGES
    ]
    return [
        *([f"{[one.key for one in found]}: nothing was noticed"] if cell.fault in NOTICED and not wrong else []),
        *(f"{told!r}, {what!r}: this is no help" for told, what in words if not told or not what or KEY in told + what),
    ]


WIRED: dict[str, Callable[[str, Cell], list[str]]] = {"vectors": embedding, "the doctor": examining}
THREADS = ThreadPoolExecutor(WAITING_AT_A_TIME)
SHORTLY, LONGEST, MOST_ASKED = 1.5, 30.0, 12
NOTICED = (
    UNREACHED | {"no first token", "role only", "reset before a word", "400 context too long", "401", "empty", "HTML"}
    | {"404 model missing", "429", "429 with Retry-After", "500", "503 loading", "only thinking", "only <think>"}
)  # fmt: skip


@contextmanager
def hurried() -> Iterator[None]:
    """The doctor has less patience here than elsewhere, and names are looked up in our own book."""
    with (
        mock.patch.object(bench, "PATIENCE", SHORTLY), mock.patch.object(talk, "LOADING", SHORTLY),
        mock.patch.object(stream, "SECONDS", SHORTLY), mock.patch.object(embeddings, "SECONDS", SHORTLY),
        mock.patch.object(socket, "getaddrinfo", look_up),
    ):  # fmt: skip
        yield


# --- all of them ------------------------------------------------------------------------------------------------------


async def through(cells: list[Cell], tell: Callable[[Cell, list[str]], None]) -> None:
    """Some at a time. Those that have to wait come last, by themselves: a busy event loop would hear too late."""

    async def one(cell: Cell, room: asyncio.Semaphore) -> None:
        async with room:
            try:
                wrong = await tried(cell)
            except Exception as error:  # whatever it is, it has no name
                wrong = [f"it ended with {error!r:.200}"]
        tell(cell, wrong)

    for waits, many in ((False, AT_A_TIME), (True, WAITING_AT_A_TIME)):
        room = asyncio.Semaphore(many)
        await asyncio.gather(*(one(cell, room) for cell in cells if (cell.fault in WAITING) is waits))


def _heard() -> StringIO:
    """Everything that anybody logs from now on."""
    heard = StringIO()
    logging.basicConfig(stream=heard, level=logging.DEBUG, force=True)
    return heard


# --- mutants: put in by a variable, for it is another process that asks -----------------------------------------------


def _half_is_enough() -> None:
    """What has come of a performance is taken for the whole."""

    async def ask(self: LanguageMind, purpose: str, messages: Any, limit: int, schema: Any = None) -> str:
        said = ""
        try:
            async for piece in self.model.chat(messages, purpose, limit, schema):
                said += piece if isinstance(piece, str) else ""
        except ModelError:
            if not said:
                raise
        return said.strip()

    LanguageMind._ask = ask  # type: ignore[method-assign]


def _raw() -> None:
    told = OpenAIChat._told
    OpenAIChat._told = lambda self, error, tries: ModelError(f"{told(self, error, tries)!r}")  # type: ignore[method-assign]


def _again_and_again() -> None:
    CallTimer.pause = lambda self, *_: 0.01 if self.left > 0.1 else None  # type: ignore[method-assign]


def _without_end() -> None:
    async def over(self: CallTimer, step: Any, *_: Any) -> Any:
        return await step

    CallTimer.over = over  # type: ignore[method-assign]


def _mended() -> None:
    """A decision that was broken off is made one."""

    async def whole(stream: Any) -> str:
        try:
            return "".join([piece async for piece in stream if isinstance(piece, str)])
        except ModelError:
            return DOING

    deliberate.join_stream = whole


def _at_ones_own_pace() -> None:
    """A server that asks to be left alone is asked again as soon as any other."""
    openai.seconds_asked_for = lambda *_: None


MUTANTS: dict[str, Callable[[], None]] = {
    "half a reply is a reply": _half_is_enough,
    "a fault is told as it was raised": _raw,
    "it is tried again without end": _again_and_again,
    "nobody looks at the clock": _without_end,
    "a broken decision is mended": _mended,
    "how long to wait is not heeded": _at_ones_own_pace,
}


def main() -> None:
    if name := os.environ.get(MUTANT):
        MUTANTS[name]()
    cells, log = [Cell(*one) for one in json.load(sys.stdin)], _heard()

    def told(cell: Cell, wrong: list[str]) -> None:
        print(json.dumps([cell, wrong], ensure_ascii=False), flush=True)

    with hurried():
        asyncio.run(through(cells, told))
    print(json.dumps([None, ["the key was logged"] if KEY in log.getvalue() else []]), flush=True)


if __name__ == "__main__":
    main()
