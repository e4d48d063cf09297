"""Every call to a model is in the journal; a restart does not ask again what a crash kept from being used."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from hakoniwa.actor.language import LanguageMind
from hakoniwa.errors import JournalFull
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.llm import ChatModel, Message, Usage
from hakoniwa.llm.ledger import Budget, Ledger
from hakoniwa.llm.scripted import ScriptedModel
from hakoniwa.play.loop import next_turn, play
from hakoniwa.play.session import Session
from hakoniwa.play.turn import user_turn
from tests.actor.chatter import Chatter
from tests.gardens import FREE, first_asked, shipped_garden

GARDEN = shipped_garden("treasure_chest", 1)
LINES = {"actor.think": "箱の中が気になる。", "actor.perform": "（宝箱をじっと見る）"}


class Counting(ChatModel):
    """Says the same for each purpose, and counts how often it is asked."""

    name, context = "counting", 0

    def __init__(self) -> None:
        self.asked = 0

    async def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[str | Usage]:
        self.asked += 1
        yield LINES[purpose]
        yield Usage(prompt=900, completion=30, finish="stop")


class Slow(Counting):
    """Never gets to the end of its line."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.closed = asyncio.Event(), False

    async def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[str | Usage]:
        try:
            yield "（宝箱を"
            self.begun.set()
            await asyncio.Event().wait()
        finally:
            self.closed = True


@pytest.fixture
def journal() -> MemoryJournal:
    made = MemoryJournal()
    made.create(GARDEN)
    return made


def session_of(journal: MemoryJournal, model: ChatModel, budget: Budget | None = None) -> Session:
    return Session(journal, GARDEN, LanguageMind(Ledger(model, budget), FREE))


def test_a_turn_leaves_its_calls_in_the_journal(journal: MemoryJournal) -> None:
    async def through() -> None:
        session = session_of(journal, Counting())
        await session.open()
        await next_turn(session)

    asyncio.run(through())
    rows = journal.calls(GARDEN.id, "main", prompts=True)
    assert [(row.turn, row.speaker, row.call["purpose"]) for row in rows] == [
        (1, "盗賊", "actor.think"), (1, "盗賊", "actor.perform"),
    ]  # fmt: skip
    assert [row.call["reply"] for row in rows] == list(LINES.values())
    assert "<scene_state" in rows[0].call["messages"][1]["content"]


def test_what_was_answered_before_a_crash_is_not_asked_again(
    journal: MemoryJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = Counting(), Counting()

    async def crash() -> None:
        session = session_of(journal, first)
        await session.open()
        with monkeypatch.context() as broken:
            broken.setattr(journal, "append", _full)
            with pytest.raises(JournalFull):
                await next_turn(session)

    async def again() -> None:
        await next_turn(session_of(journal, second))
        await next_turn(session_of(journal, second))

    asyncio.run(crash())
    asyncio.run(again())
    assert (first.asked, second.asked) == (2, 2)
    assert [row.event.turn for row in journal.lineage(GARDEN.id, "main") if row.event.kind == "turn"] == [1, 2]


def test_what_a_model_says_was_meant_is_a_call_of_the_turn_and_asked_once(
    journal: MemoryJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ScriptedModel(
        {"actor.think": ["さて。"], "actor.perform": ["（宝箱をこねくり回す）"], "gm.second": ['{"meant": 1}']}
    )

    async def crash_and_again() -> Session:
        session = session_of(journal, model)
        await session.open()
        with monkeypatch.context() as broken:
            broken.setattr(journal, "append", _full)
            with pytest.raises(JournalFull):
                await next_turn(session)
        session = session_of(journal, model)
        await next_turn(session)
        return session

    session = asyncio.run(crash_and_again())
    assert session.standing.turns[-1].deeds == (("OPEN", "宝箱"),)
    purposes = [row.call["purpose"] for row in journal.calls(GARDEN.id, "main", 1)]
    assert purposes == ["actor.think", "actor.perform", "gm.second"]


def test_nobody_but_the_user_says_what_the_user_meant(journal: MemoryJournal) -> None:
    async def through() -> Session:
        session = session_of(journal, ScriptedModel({}))
        await session.open()
        await user_turn(session, "盗賊", "（宝箱をこねくり回す）")
        return session

    assert asyncio.run(through()).standing.turns[-1].take.ruling.parsed.unread == ("宝箱をこねくり",)


@pytest.mark.parametrize("per_token", [1.2, 3.0])
def test_what_was_learnt_of_a_models_tokens_is_not_forgotten_in_a_crash(
    per_token: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal, garden = MemoryJournal(), shipped_garden("kitchen_morning", 1)
    journal.create(garden)
    first, second = Chatter("ja", 4096, per_token), Chatter("ja", 4096, per_token)

    async def crash() -> None:
        session = Session(journal, garden, LanguageMind(Ledger(first), FREE))
        await session.open()
        for _ in range(30):
            await next_turn(session)
        with monkeypatch.context() as broken:
            broken.setattr(journal, "append", _full)
            with pytest.raises(JournalFull):
                await next_turn(session)

    async def again() -> None:
        session = Session(journal, garden, LanguageMind(Ledger(second), FREE))
        await next_turn(session)
        assert second.calls == []
        await next_turn(session)

    asyncio.run(crash())
    asyncio.run(again())
    begins = [first_asked(messages).partition("【いま】")[0] for _, messages in (first.calls[-1], second.calls[0])]
    assert begins[1].startswith(begins[0].strip())


def _full(*_: Any) -> None:
    raise JournalFull("journal.full", path="journal.db")


def test_a_turn_taken_back_is_asked_anew(journal: MemoryJournal) -> None:
    model = Counting()

    async def through() -> None:
        session = session_of(journal, model)
        await session.open()
        await next_turn(session)
        await session.undo()
        await next_turn(session)

    asyncio.run(through())
    assert model.asked == 4


def test_a_stopped_turn_closes_the_stream_and_has_not_happened(journal: MemoryJournal) -> None:
    model = Slow()

    async def through() -> Session:
        session = session_of(journal, model)
        await session.open()
        turn = asyncio.ensure_future(next_turn(session))
        await model.begun.wait()
        turn.cancel()
        await asyncio.wait([turn])
        assert turn.cancelled()
        return session

    session = asyncio.run(through())
    assert model.closed
    assert session.world.time.turn == 0
    assert [row.call["fault"] for row in journal.calls(GARDEN.id, "main")] == ["model.stopped"]


def test_a_turn_that_is_being_written_is_taken_in_even_if_it_is_stopped(journal: MemoryJournal) -> None:
    async def through() -> Session:
        session = session_of(journal, Counting())
        await session.open()
        append = journal.append

        def slow(*details: Any) -> Any:
            loop.call_soon_threadsafe(turn.cancel)
            return append(*details)

        loop = asyncio.get_running_loop()
        journal.append = slow  # type: ignore[method-assign]
        turn = asyncio.ensure_future(next_turn(session))
        await asyncio.wait([turn])
        journal.append = append  # type: ignore[method-assign]
        await next_turn(session)
        return session

    session = asyncio.run(through())
    assert session.world.time.turn == 2
    assert [row.seq for row in session.rows] == [row.seq for row in journal.lineage(GARDEN.id, "main")]


def test_a_garden_ends_when_its_tokens_are_spent(journal: MemoryJournal) -> None:
    async def through() -> Session:
        session = session_of(journal, Counting(), Budget(session_tokens=3000))
        async for _ in play(session, 10):
            pass
        return session

    session = asyncio.run(through())
    assert session.standing.ended == "budget"
    assert [row.event.payload["fault"] for row in session.rows if row.event.kind == "fault"] == ["model.session-budget"]
