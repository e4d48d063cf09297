"""The ledger: every call on record before its caller goes on, budgets kept, and nothing asked twice after a crash."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from hakoniwa.errors import JournalFull, ModelError, ModelSpent
from hakoniwa.llm import Call, ChatModel, Message, Usage, join_stream
from hakoniwa.llm.faults import fault
from hakoniwa.llm.ledger import FIRST_GUESS, HOUR, Budget, Ledger, question
from hakoniwa.llm.scripted import ScriptedModel
from tests.llm.contract import ASKED, PURPOSE, everything, keeps_the_promises

LINE = "（宝箱を見る）「さて、どうしたものか」"


class Counting(ChatModel):
    """Says one line and counts as it is told."""

    name = "counting"
    context = 4096

    def __init__(self, usage: Usage | None = None, line: str = LINE, error: ModelError | None = None) -> None:
        self.usage, self.line, self.error = usage or Usage(finish="stop"), line, error
        self.asked = 0
        self.closed = 0

    async def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[str | Usage]:
        self.asked += 1
        try:
            yield self.line[:4]
            await asyncio.sleep(0)
            if self.error:
                raise self.error
            yield self.line[4:]
            yield self.usage
        finally:
            self.closed += 1


class Book:
    """A record in memory, as a journal would keep it."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Call]] = []

    async def record(self, key: str, call: Call) -> None:
        self.calls.append((key, call))

    async def reuse(self, key: str) -> Call | None:
        return next((call for known, call in reversed(self.calls) if known == key and not call.fault), None)


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def ask(ledger: Ledger, text: str = "やあ", purpose: str = PURPOSE, **more: Any) -> str:
    return asyncio.run(join_stream(ledger.chat([Message(role="user", content=text)], purpose, 100, **more)))


# --- on record -------------------------------------------------------------------------------------------------------


def test_it_keeps_the_promises_of_a_chat_model() -> None:
    asyncio.run(keeps_the_promises(Ledger(Counting()), LINE))


def test_a_call_is_on_record_with_all_there_is_to_know() -> None:
    book, clock = Book(), Clock()

    class Slow(Counting):
        async def chat(self, *asked: Any, **more: Any) -> AsyncIterator[str | Usage]:
            clock.now += 0.25
            async for piece in super().chat(*asked, **more):
                yield piece
                clock.now += 0.5

    usage = Usage(prompt=30, cached=20, completion=12, finish="stop", tries=2)
    ledger = Ledger(Slow(usage), record=book.record, clock=clock)
    assert asyncio.run(everything(ledger))[-1] == usage
    ((key, call),) = book.calls
    assert call == Call(
        purpose=PURPOSE,
        model="counting",
        messages=tuple(ASKED),
        max_tokens=100,
        chars_per_token=2.0,
        reply=LINE,
        usage=usage,
        first_ms=250.0,
        total_ms=1750.0,
        tries=2,
    )
    assert key == question(call, None, "")


def test_it_is_on_record_before_the_caller_knows_the_end() -> None:
    book = Book()

    async def through() -> list[int]:
        return [len(book.calls) async for _ in Ledger(Counting(), record=book.record).chat(ASKED, PURPOSE, 100)]

    assert asyncio.run(through()) == [0, 0, 1]


def test_a_call_that_failed_is_on_record_too() -> None:
    book, model = Book(), Counting(error=fault("model.stalled", seconds=1.0, tries=3))
    with pytest.raises(ModelError) as error:
        ask(Ledger(model, record=book.record))
    assert error.value.details["model"] == "counting"
    ((_, call),) = book.calls
    assert (call.fault, call.tries, call.reply) == ("model.stalled", 3, LINE[:4])
    assert model.closed == 1


@pytest.mark.parametrize("cancelled", [True, False])
def test_a_call_that_was_stopped_is_on_record_after_the_model_was_stopped(cancelled: bool) -> None:
    class Watching(Book):
        async def record(self, key: str, call: Call) -> None:
            assert model.closed == 1
            await super().record(key, call)

    book, model = Watching(), Counting()

    async def through() -> None:
        stream = Ledger(model, record=book.record).chat(ASKED, PURPOSE, 100)
        await anext(stream)
        if cancelled:
            rest = asyncio.create_task(join_stream(stream))
            await asyncio.sleep(0)
            rest.cancel()
            with pytest.raises(asyncio.CancelledError):
                await rest
        else:
            await stream.aclose()  # type: ignore[attr-defined]

    asyncio.run(through())
    assert [(call.fault, call.reply) for _, call in book.calls] == [("model.stopped", LINE[:4])]


def test_a_journal_that_is_full_does_not_keep_a_call_from_being_stopped(caplog: pytest.LogCaptureFixture) -> None:
    async def full(key: str, call: Call) -> None:
        raise JournalFull("journal.full", path="garden.db", problem="no space left")

    async def through() -> None:
        stream = Ledger(Counting(), record=full).chat(ASKED, PURPOSE, 100)
        await anext(stream)
        rest = asyncio.create_task(join_stream(stream))
        await asyncio.sleep(0)
        rest.cancel()
        await rest

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(through())
    assert "not on record" in caplog.text


def test_a_journal_that_is_full_is_told_to_whoever_waits_for_the_answer() -> None:
    async def full(key: str, call: Call) -> None:
        raise JournalFull("journal.full", path="garden.db", problem="no space left")

    with pytest.raises(JournalFull):
        asyncio.run(join_stream(Ledger(Counting(), record=full).chat(ASKED, PURPOSE, 100)))


def test_closing_it_closes_the_model_if_that_can_be_closed() -> None:
    class Closing(Counting):
        async def aclose(self) -> None:
            self.closed += 1

    model = Closing()
    asyncio.run(Ledger(model).aclose())
    asyncio.run(Ledger(Counting()).aclose())
    assert model.closed == 1


def test_words_in_another_language_are_a_fault_of_the_call() -> None:
    book = Book()
    ledger = Ledger(Counting(line="Well, what have we got here, my friend?"), record=book.record, language="ja")
    with pytest.raises(ModelError) as error:
        ask(ledger)
    assert error.value.key == book.calls[0][1].fault == "model.wrong-language"
    assert ask(ledger, schema={"type": "string"})


# --- reuse -----------------------------------------------------------------------------------------------------------


def test_a_question_is_known_by_everything_that_was_asked() -> None:
    call = Call(purpose="a", model="m", messages=tuple(ASKED), max_tokens=9)
    others = [
        (call.model_copy(update={"purpose": "b"}), None, "1"),
        (call.model_copy(update={"messages": ()}), None, "1"),
        (call.model_copy(update={"max_tokens": 8}), None, "1"),
        (call, {"type": "object"}, "1"),
        (call, None, "2"),
    ]
    keys = [question(*one) for one in [(call, None, "1"), *others]]
    assert len(set(keys)) == len(keys)
    assert question(call.model_copy(update={"reply": "x", "total_ms": 3.0}), None, "1") == keys[0]
    assert all(len(key) == 64 for key in keys)


def test_what_is_on_record_is_not_asked_again_nor_paid_again() -> None:
    book, usage = Book(), Usage(prompt=30, completion=12, finish="stop")
    before, after = (Ledger(Counting(usage), record=book.record, reuse=book.reuse) for _ in range(2))
    before.scope = after.scope = "garden/main/3"
    assert ask(before) == ask(after) == LINE
    assert (before.model.asked, after.model.asked) == (1, 0)  # type: ignore[attr-defined]
    assert (before.spent, after.spent, len(book.calls)) == (42, 0, 1)
    after.scope = "garden/main/4"
    ask(after)
    assert after.model.asked == 1  # type: ignore[attr-defined]


def test_the_same_question_again_in_one_scope_wants_a_new_answer_and_both_come_back() -> None:
    book = Book()
    before = Ledger(ScriptedModel({PURPOSE: ["一", "二"]}), record=book.record, reuse=book.reuse)
    assert [ask(before), ask(before)] == ["一", "二"]
    after = Ledger(ScriptedModel({PURPOSE: ["三"]}), record=book.record, reuse=book.reuse)
    assert [ask(after), ask(after), ask(after)] == ["一", "二", "三"]


def test_a_reply_that_failed_is_asked_for_again() -> None:
    book = Book()
    with pytest.raises(ModelError):
        ask(Ledger(Counting(error=fault("model.stalled")), record=book.record, reuse=book.reuse))
    assert ask(Ledger(Counting(), record=book.record, reuse=book.reuse)) == LINE


# --- budgets ---------------------------------------------------------------------------------------------------------

TEN = Usage(prompt=7, completion=3, finish="stop")


@pytest.mark.parametrize(("limit", "calls"), [(0, 30), (1, 1), (10, 1), (11, 2), (30, 3), (31, 4)])
def test_a_session_spends_what_it_may_and_no_more(limit: int, calls: int) -> None:
    model = Counting(TEN)
    ledger = Ledger(model, Budget(session_tokens=limit))
    for _ in range(calls):
        ask(ledger)
    if limit:
        with pytest.raises(ModelSpent) as error:
            ask(ledger)
        assert error.value.key == "model.session-budget"
        assert error.value.details == {"model": "counting", "limit": limit, "spent": calls * 10}
    assert model.asked == calls


def test_what_was_spent_before_counts() -> None:
    with pytest.raises(ModelSpent):
        ask(Ledger(Counting(TEN), Budget(session_tokens=100), spent=100))
    assert ask(Ledger(Counting(TEN), Budget(session_tokens=100), spent=99))


def test_an_hour_later_there_is_more_to_spend() -> None:
    clock = Clock()
    ledger = Ledger(Counting(TEN), Budget(hour_tokens=20), clock=clock)
    ask(ledger)
    clock.now += HOUR / 2
    ask(ledger)
    with pytest.raises(ModelSpent) as error:
        ask(ledger)
    assert error.value.key == "model.hour-budget"
    clock.now += HOUR / 2
    assert ask(ledger)
    with pytest.raises(ModelSpent):
        ask(ledger)


def test_calls_are_paid_by_guess_where_nobody_counts_and_not_at_all_where_nobody_answers() -> None:
    guessed = Ledger(Counting(), language="ja")
    ask(guessed, "や" * 300)
    assert guessed.spent == guessed.tokens("や" * 300) + guessed.tokens(LINE) == 200 + 13
    broken = Ledger(Counting(error=fault("model.stalled")), language="ja")
    refused = Ledger(Counting(error=fault("model.refused")), language="ja")
    for ledger in (broken, refused):
        with pytest.raises(ModelError):
            ask(ledger, "や" * 300)
    assert (broken.spent > 200, refused.spent) == (True, 0)


# --- tokens ----------------------------------------------------------------------------------------------------------


def test_how_much_a_token_holds_is_learnt() -> None:
    model = Counting(Usage(prompt=150, completion=1))
    ledger = Ledger(model, language="ja")
    assert ledger.chars_per_token == FIRST_GUESS["ja"]
    ask(ledger, "や" * 300)
    assert ledger.chars_per_token == 2.0
    model.usage = Usage(prompt=120, completion=1)
    for _ in range(20):
        ask(ledger, "や" * 300)
    assert ledger.chars_per_token == pytest.approx(2.5, abs=0.01)
    assert ledger.tokens("や" * 11) == 5


@pytest.mark.parametrize(("model", "known"), [("counting", 2.5), ("another", FIRST_GUESS["ja"])])
def test_what_was_known_of_a_model_when_it_was_asked_is_taken_up_again(model: str, known: float) -> None:
    book = Book()
    before = Ledger(Counting(Usage(prompt=120, completion=1)), record=book.record, language="ja")
    ask(before, "や" * 300)
    ask(before, "や" * 300)
    (_, first), (_, second) = book.calls
    assert (first.chars_per_token, second.chars_per_token) == (FIRST_GUESS["ja"], 2.5)
    after = Ledger(Counting(), language="ja")
    after.go_on_from(second.model_copy(update={"model": model}))
    assert after.chars_per_token == known


def test_a_short_prompt_teaches_nothing() -> None:
    ledger = Ledger(Counting(Usage(prompt=12, completion=1)), language="ja")
    ask(ledger)
    assert ledger.chars_per_token == FIRST_GUESS["ja"]


def test_a_prompt_that_was_cut_warns_teaches_nothing_and_does_not_fail(caplog: pytest.LogCaptureFixture) -> None:
    book, model = Book(), Counting(Usage(prompt=200, completion=1))
    ledger = Ledger(model, record=book.record, language="ja")
    with caplog.at_level(logging.WARNING, "hakoniwa.llm"):
        ask(ledger, "や" * 300)
        model.usage = Usage(prompt=40, completion=1)
        assert [ask(ledger, "や" * 300) for _ in range(2)] == [LINE, LINE]
    assert [call.warning for _, call in book.calls] == [None, "model.prompt-cut", "model.prompt-cut"]
    assert ledger.chars_per_token == 1.5
    assert len(caplog.records) == 1


@pytest.mark.parametrize(
    ("text", "counted", "cut"),
    [("や" * 3000, 999, True), ("や" * 3000, 1001, False), ("word " * 1400, 999, True), ("word " * 1400, 1001, False)],
)
def test_the_first_prompt_is_held_against_the_fullest_tokens_there_are(text: str, counted: int, cut: bool) -> None:
    book = Book()
    ask(Ledger(Counting(Usage(prompt=counted, completion=1)), record=book.record), text)
    assert book.calls[0][1].warning == ("model.prompt-cut" if cut else None)
