"""A model server that goes wrong in every way we know, at every call, streaming or not: each cell has a named end."""

import asyncio
import itertools
import logging
import socket
import time
import traceback
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from io import StringIO
from typing import Any
from unittest import mock

import pytest

from hakoniwa.actor.language import LanguageMind
from hakoniwa.errors import ModelError
from hakoniwa.llm import Call, ChatModel, Message, Usage
from hakoniwa.llm.faults import KINDS, further_tries
from hakoniwa.llm.ledger import Ledger
from hakoniwa.llm.openai import OpenAIChat
from hakoniwa.llm.patience import Patience
from hakoniwa.messages import LANGUAGES, tell
from hakoniwa.play.loop import next_turn, play
from hakoniwa.play.session import Session
from hakoniwa.play.standing import turn_of
from hakoniwa.turn import Event, Turn
from tests.gardens import opened, shipped_garden
from tests.real.misbehaving import FAULTS, LINE, look_up, serving

HURRIED = Patience(connect=2.0, first=2.8, idle=2.8, whole=7.0, backoff=0.02, longest_wait=0.1)
SLACK = 2.0  # others use this machine too
KEY = "sk-canary-0123456789"
AT_A_TIME = 12

GARDEN = shipped_garden("treasure_chest", 1)
PLAYED = "the turn is played"
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
    "UTF-8 split": PLAYED,
    "empty": "model.empty",
    "only thinking": "model.only-thinking",
    "only <think>": "model.only-thinking",
    "JSON cut off": "model.json-cut",
    "JSON of the wrong shape": "model.json-shape",
    "blanks": "model.blanks",
    "repetition": "model.repetition",
    "wrong language": "model.wrong-language",
    "one byte a second": "model.too-slow",
    "prompt cut": PLAYED,
    "none": PLAYED,
}
PHASES = {"think": {"actor.think"}, "perform": {"actor.perform", "actor.retake"}}
Cell = tuple[str, str, bool]
RETRIED = {"refused", "reset before a word", "429 with Retry-After", "429", "500", "503 loading"}
UNREACHED = {"refused", "unknown host", "connect time-out"}
CELLS: list[Cell] = list(itertools.product(FAULTS, PHASES, (True, False)))


class Patient(ChatModel):
    """Asks a sick model for some purposes and a well one for the rest."""

    def __init__(self, sick: ChatModel, well: ChatModel, purposes: set[str]) -> None:
        self.name, self.context = sick.name, sick.context
        self.sick, self.well, self.purposes = sick, well, purposes

    def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[str | Usage]:
        chosen = self.sick if purpose in self.purposes else self.well
        return chosen.chat(messages, purpose, max_tokens, schema)


class Overheard(ChatModel):
    """Keeps the faults that the game passes over."""

    def __init__(self, model: ChatModel) -> None:
        self.name, self.context, self.model = model.name, model.context, model
        self.faults: list[ModelError] = []

    async def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[str | Usage]:
        try:
            async for piece in self.model.chat(messages, purpose, max_tokens, schema):
                yield piece
        except ModelError as error:
            self.faults.append(error)
            raise


@dataclass
class Seen:
    """What became of one cell."""

    before: str
    after: str = ""
    events: list[Event] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    faults: list[ModelError] = field(default_factory=list)
    requests: int = 0
    seconds: float = 0.0
    next_turn: Turn | None = None

    @property
    def kinds(self) -> list[str]:
        return [event.kind for event in self.events]

    @property
    def fault(self) -> str | None:
        return next((event.payload["fault"] for event in self.events if event.kind == "fault"), None)


async def played(cell: Cell) -> Seen:
    """A turn against a server that goes wrong, and one after it is healed."""
    how, phase, streaming = cell
    async with serving(how) as bad, serving("none") as good:
        sick, well = (OpenAIChat("gemma3", one.base_url, KEY, 4096, streaming, HURRIED) for one in (bad, good))
        with closing(opened(GARDEN)) as session:
            await session.open()
            seen = Seen(before=session.world.hash)

            async def record(_: str, call: Call) -> None:
                seen.calls.append(call)

            model = Overheard(Ledger(Patient(sick, well, PHASES[phase]), record=record, language="ja"))
            session.mind = LanguageMind(model)
            await _go_wrong(session, seen)
            seen.requests, seen.faults = len(bad.requests), list(model.faults)
            await bad.heal()
            seen.next_turn = await next_turn(session)
        await sick.aclose()
        await well.aclose()
    return seen


async def _go_wrong(session: Session, seen: Seen) -> None:
    written, began = len(session.rows), time.monotonic()
    await next_turn(session)
    seen.seconds = time.monotonic() - began
    seen.events = [row.event for row in session.rows[written:]]
    seen.after = session.world.hash


@pytest.fixture(scope="module")
def log() -> Iterator[StringIO]:
    """Everything that anybody logs meanwhile."""
    heard, root = StringIO(), logging.getLogger()
    handler, level = logging.StreamHandler(heard), root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield heard
    root.setLevel(level)
    root.removeHandler(handler)


@pytest.fixture(scope="module")
def matrix(log: StringIO) -> dict[Cell, Seen]:
    """All cells, some at a time, in one event loop: that it comes to an end shows that none takes the process along."""

    async def all_of_them() -> dict[Cell, Seen]:
        room = asyncio.Semaphore(AT_A_TIME)

        async def one(cell: Cell) -> tuple[Cell, Seen]:
            async with room:
                return cell, await played(cell)

        return dict(await asyncio.gather(*map(one, CELLS)))

    with mock.patch.object(socket, "getaddrinfo", look_up):
        return asyncio.run(all_of_them())


def named(cell: Cell) -> str:
    how, phase, streaming = cell
    return f"{how}, {phase}, {'streaming' if streaming else 'at once'}"


def expected(cell: Cell) -> str:
    outcome = OUTCOMES[cell[0]]
    return outcome if isinstance(outcome, str) else outcome[0 if cell[2] else 1]


every_cell = pytest.mark.parametrize("cell", CELLS, ids=named)


def test_every_fault_has_its_outcome() -> None:
    assert set(OUTCOMES) == set(FAULTS)
    assert set(OUTCOMES) >= RETRIED


@every_cell
def test_a_fault_ends_by_its_name(matrix: dict[Cell, Seen], cell: Cell) -> None:
    seen = matrix[cell]
    assert (seen.fault or PLAYED) == expected(cell)
    assert [error.key for error in seen.faults] == ([] if seen.fault is None else [seen.fault])


@every_cell
def test_the_turn_is_played_whole_or_not_at_all(matrix: dict[Cell, Seen], cell: Cell) -> None:
    seen = matrix[cell]
    if expected(cell) == PLAYED:
        turns = [turn_of(event) for event in seen.events if event.kind == "turn"]
        assert [turn.take.performance.text for turn in turns] == [LINE]
    else:
        assert seen.kinds == ["fault"]
        assert seen.after == seen.before


@every_cell
def test_it_ends_in_time(matrix: dict[Cell, Seen], cell: Cell) -> None:
    assert matrix[cell].seconds < HURRIED.whole + SLACK


@every_cell
def test_every_call_is_on_record_with_how_it_ended(matrix: dict[Cell, Seen], cell: Cell) -> None:
    _, phase, _ = cell
    seen, outcome = matrix[cell], expected(cell)
    purposes = ["actor.think"] if phase == "think" and outcome != PLAYED else ["actor.think", "actor.perform"]
    calls = seen.calls[: len(purposes)]
    assert [call.purpose for call in calls] == purposes
    assert [call.fault for call in calls[:-1]] == [None] * (len(calls) - 1)
    assert calls[-1].fault == (None if outcome == PLAYED else outcome)
    warned = [call.warning for call in calls if call.purpose in PHASES[phase]]
    assert warned == (["model.prompt-cut"] if cell[0] == "prompt cut" else [None])


@every_cell
def test_tries_are_bounded_and_counted(matrix: dict[Cell, Seen], cell: Cell) -> None:
    seen, outcome = matrix[cell], expected(cell)
    call = next(call for call in seen.calls if call.purpose in PHASES[cell[1]])
    assert call.tries == (1 + further_tries(outcome) if cell[0] in RETRIED else 1)
    if cell[0] not in UNREACHED:
        assert seen.requests == call.tries


@every_cell
def test_the_user_reads_what_happened(matrix: dict[Cell, Seen], cell: Cell) -> None:
    for error in matrix[cell].faults:
        assert isinstance(error, KINDS[error.key])
        japanese, english = (tell(error, lang) for lang in LANGUAGES)
        assert japanese != english


@every_cell
def test_the_next_turn_is_played(matrix: dict[Cell, Seen], cell: Cell) -> None:
    turn = matrix[cell].next_turn
    assert turn is not None
    assert turn.take.performance.text == LINE


def test_the_key_is_nowhere(matrix: dict[Cell, Seen], log: StringIO) -> None:
    kept = [
        text
        for seen in matrix.values()
        for text in (
            *(call.model_dump_json() for call in seen.calls),
            *(event.model_dump_json() for event in seen.events),
            *(f"{error!r} {error} {tell(error, lang)}" for error in seen.faults for lang in LANGUAGES),
            *("".join(traceback.format_exception(error)) for error in seen.faults),
        )
    ]
    assert any("model.unauthorised" in text for text in kept)
    assert [text for text in kept if KEY in text] == []
    assert "counted 12 tokens" in log.getvalue()
    assert KEY not in log.getvalue()


def test_a_model_that_keeps_failing_ends_the_garden() -> None:
    async def through() -> tuple[int, str | None]:
        async with serving("500") as bad:
            model = OpenAIChat("gemma3", bad.base_url, patience=HURRIED)
            with closing(opened(GARDEN)) as session:
                session.mind = LanguageMind(model)
                turns = [turn async for turn in play(session, 10)]
            await model.aclose()
        return len(turns), session.standing.ended

    assert asyncio.run(through()) == (0, "model")
