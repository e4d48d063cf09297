"""OpenAIChat against a real socket: what it sends, what it hands out, when it stops and when it asks again."""

import asyncio
import gzip
import itertools
import json
import time
import tracemalloc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest

from hakoniwa.errors import ModelError, ModelMisbehaved
from hakoniwa.llm import Call, Message, PartialReply, Piece, Usage, join_stream
from hakoniwa.llm.faults import Timeouts
from hakoniwa.llm.ledger import Ledger
from hakoniwa.llm.openai import OpenAIChat
from hakoniwa.llm.wire import LARGEST
from hakoniwa.messages import tell
from tests.llm.contract import ASKED, everything, keeps_the_promises, stops_when_closed
from tests.real import misbehaving
from tests.real.misbehaving import LINE, Exchange, Server, Write, chunk, event, events, healthy, pieces, serving

CALM = Timeouts(connect=600, first=600, idle=600, whole=900, backoff=0.01, longest_wait=0.2)
SOONER = 60.0  # seconds in which a line is closed that was to be: long before it would be for want of patience
SCHEMA = {
    "type": "object",
    "properties": {"act": {"type": "integer"}, "why": {"type": "string"}},
    "required": ["act"],
    "additionalProperties": False,
}
either = pytest.mark.parametrize("streaming", [True, False], ids=["streaming", "at once"])


@asynccontextmanager
async def asking(
    how: str | Write, streaming: bool = True, patience: Timeouts = CALM, key: str | None = None
) -> AsyncIterator[tuple[OpenAIChat, Server]]:
    async with serving(how) as server:
        model = OpenAIChat("gemma3", server.base_url, key, 4096, streaming, patience)
        yield model, server
        await model.aclose()


def answered(how: str | Write, streaming: bool = True, schema: dict[str, Any] | None = None) -> list[Piece]:
    async def through() -> list[Piece]:
        async with asking(how, streaming) as (model, _):
            return [piece async for piece in model.chat(ASKED, "test", 50, schema)]

    return asyncio.run(through())


def failed(how: str | Write, streaming: bool = True, schema: dict[str, Any] | None = None) -> ModelError:
    with pytest.raises(ModelError) as error:
        answered(how, streaming, schema)
    return error.value


@either
def test_sampling_goes_with_every_request_and_a_choice_is_made_without_dice(streaming: bool) -> None:
    fields = {"temperature": 0.9, "min_p": 0.05, "seed": 7}

    async def through() -> list[dict[str, Any]]:
        async with serving(healthy) as server:
            model = OpenAIChat("gemma3", server.base_url, None, 4096, streaming, CALM, fields)
            for purpose in ("test", "ghost.select"):
                await join_stream(model.chat(ASKED, purpose, 50))
            await model.aclose()
            return server.requests

    talk, choice = asyncio.run(through())
    assert {name: talk[name] for name in fields} == fields
    assert (choice["temperature"], choice["min_p"]) == (0, 0.05)


def test_a_name_in_kana_may_be_said_again_and_a_sentence_may_not() -> None:
    """A token is a letter of Japanese and a word of English: what may be said again is counted in tokens."""

    async def through() -> list[dict[str, Any]]:
        async with serving(healthy) as server:
            model = OpenAIChat("qwen", server.base_url, None, 4096, True, CALM, {"dry_multiplier": 0.8})
            for purpose, asked in (
                ("actor.perform", "コーヒーメーカー"),
                ("actor.perform", "a kettle"),
                ("test", "a kettle"),
            ):
                await join_stream(model.chat([Message(role="user", content=asked)], purpose, 50))
            await model.aclose()
            return server.requests

    kana, latin, thought = asyncio.run(through())
    assert kana["dry_allowed_length"] > 2 * latin["dry_allowed_length"]
    assert "dry_multiplier" not in thought


def saying(text: str, **details: Any) -> Write:
    async def write(exchange: Exchange) -> None:
        await exchange.say(exchange.reply(text, **details))

    return write


def sending(*data: bytes) -> Write:
    async def write(exchange: Exchange) -> None:
        await exchange.say(b"".join(data))

    return write


def in_turn(*ways: Write) -> Write:
    """The first way for the first request, and so on; the last one for ever."""
    left = itertools.chain(ways, itertools.repeat(ways[-1]))

    async def write(exchange: Exchange) -> None:
        await next(left)(exchange)

    return write


# --- what it sends and hands out -------------------------------------------------------------------------------------


@either
def test_it_keeps_the_promises_of_a_chat_model(streaming: bool) -> None:
    async def through() -> None:
        async with asking("none", streaming) as (model, _):
            await keeps_the_promises(model, LINE)

    asyncio.run(through())


@either
def test_a_reply_ends_with_what_it_cost(streaming: bool) -> None:
    *texts, usage = answered("none", streaming)
    assert "".join(map(str, texts)) == LINE
    assert usage == Usage(prompt=900, cached=450, completion=len(pieces(LINE)), finish="stop", tries=1)


@either
def test_every_request_has_a_limit_and_nothing_it_need_not(streaming: bool) -> None:
    async def through() -> dict[str, Any]:
        async with asking("none", streaming) as (model, server):
            await join_stream(model.chat(ASKED, "test", 77))
            return server.requests[0]

    streamed = {"stream": True, "stream_options": {"include_usage": True}}
    assert asyncio.run(through()) == {
        "model": "gemma3",
        "messages": [{"role": "user", "content": ASKED[0].content}],
        "max_tokens": 77,
        **(streamed if streaming else {}),
    }


def test_the_key_is_sent_as_the_protocol_wants_it() -> None:
    async def through() -> str:
        async with asking("none", key="sk-canary") as (model, server):
            await join_stream(model.chat(ASKED, "test", 10))
            return server.headers[0]["authorization"]

    assert asyncio.run(through()) == "Bearer sk-canary"


def test_a_server_that_does_not_know_how_to_count_is_asked_without_and_remembered() -> None:
    async def old(exchange: Exchange) -> None:
        if "stream_options" in exchange.request:
            await exchange.refuse("400 Bad Request", "Unrecognized request argument supplied: stream_options")
        else:
            await exchange.say(b"".join(one for one in events(pieces(LINE)) if b"usage" not in one))

    async def through() -> tuple[list[list[str | Usage]], list[bool]]:
        async with asking(old) as (model, server):
            replies = [await everything(model) for _ in range(2)]
            return replies, ["stream_options" in one for one in server.requests]

    replies, asked = asyncio.run(through())
    assert asked == [True, False, False]
    assert ["".join(map(str, reply[:-1])) for reply in replies] == [LINE, LINE]
    assert [reply[-1] for reply in replies] == [Usage(finish="stop")] * 2


FRAMED = [Message(role="system", content="決まり"), *ASKED]


@pytest.mark.parametrize(
    "said", ["System role not supported", "Conversation roles must alternate user/assistant/user/assistant/..."]
)
@either
def test_a_server_that_knows_no_system_message_is_told_by_the_user_and_remembered(said: str, streaming: bool) -> None:
    async def old(exchange: Exchange) -> None:
        if exchange.request["messages"][0]["role"] == "system":
            await exchange.refuse("400 Bad Request", said)
        else:
            await exchange.say(exchange.reply(LINE))

    async def through() -> list[list[tuple[str, str]]]:
        async with asking(old, streaming) as (model, server):
            for _ in range(2):
                assert await join_stream(model.chat(FRAMED, "test", 50)) == LINE
            return [[(one["role"], one["content"]) for one in asked["messages"]] for asked in server.requests]

    folded = [("user", f"決まり\n\n{ASKED[0].content}")]
    assert asyncio.run(through()) == [[("system", "決まり"), ("user", ASKED[0].content)], folded, folded]


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("400 Bad Request", "the grammar is too complex"),
        ("500 Internal Server Error", "model requires more system memory (5.6 GiB) than is available (3.1 GiB)"),
    ],
)
def test_any_other_refusal_leaves_the_system_message_where_it_is(status: str, said: str) -> None:
    async def refusing(exchange: Exchange) -> None:
        await exchange.refuse(status, said)

    async def through() -> set[str]:
        async with asking(refusing) as (model, server):
            with pytest.raises(ModelError):
                await join_stream(model.chat(FRAMED, "test", 50))
            return {asked["messages"][0]["role"] for asked in server.requests}

    assert asyncio.run(through()) == {"system"}


@either
def test_a_model_is_asked_from_one_event_loop_after_another(streaming: bool) -> None:
    """The server keeps its connections open, and each belongs to the loop that opened it."""

    async def through() -> list[str]:
        async with asking(saying(LINE), streaming) as (model, _):
            elsewhere = [await asyncio.to_thread(asyncio.run, everything(model)) for _ in range(2)]
            here = await everything(model)
            return ["".join(map(str, pieces[:-1])) for pieces in [*elsewhere, here]]

    assert asyncio.run(through()) == [LINE] * 3


def test_a_server_that_never_streams_is_understood_all_the_same() -> None:
    async def stubborn(exchange: Exchange) -> None:
        await exchange.answer(misbehaving.whole(LINE))

    assert "".join(map(str, answered(stubborn)[:-1])) == LINE


@pytest.mark.parametrize("halves", [("\\ud83d", "\\ude00"), ("a\\ud83d", "\\ude00b")])
def test_a_character_that_comes_in_halves_is_handed_out_whole(halves: tuple[str, str]) -> None:
    torn = [event({"choices": [{"delta": {"content": "@"}}]}).replace(b"@", half.encode()) for half in halves]
    *texts, _ = answered(sending(*torn, chunk({}, "stop")))
    assert "".join(map(str, texts)).strip("ab") == "😀"
    assert all(str(text).encode() for text in texts)


def test_half_a_character_at_the_end_is_garbled() -> None:
    torn = event({"choices": [{"delta": {"content": "やあ@"}}]}).replace(b"@", b"\\ud83d")
    assert failed(sending(torn, chunk({}, "stop"))).key == "model.garbled"


@either
def test_bytes_that_are_no_text_are_a_fault(streaming: bool) -> None:
    async def write(exchange: Exchange) -> None:
        await exchange.say(exchange.reply(LINE).replace("宝箱".encode(), b"\xe5\xae\xff"))

    assert failed(write, streaming).key == ("model.garbled" if streaming else "model.broken-chunk")


def test_a_stream_that_breaks_after_its_finish_has_lost_nothing() -> None:
    async def abrupt(exchange: Exchange) -> None:
        await exchange.begin()
        await exchange.send(b"".join(events(pieces(LINE))[:-2]))
        await asyncio.sleep(0.1)
        exchange.reset()

    *texts, usage = answered(abrupt)
    assert "".join(map(str, texts)) == LINE
    assert usage == Usage(finish="stop")


def test_a_stream_that_hangs_after_its_finish_is_waited_for_no_longer_than_usual() -> None:
    async def hanging(exchange: Exchange) -> None:
        await exchange.begin()
        await exchange.send(b"".join(events(pieces(LINE))[:-2]))
        await exchange.until_gone()

    async def through() -> list[str | Usage]:
        async with asking(hanging, patience=CALM.model_copy(update={"idle": 0.3})) as (model, _):
            return await everything(model)

    assert asyncio.run(through())[-1] == Usage(finish="stop")


@either
def test_an_error_inside_a_good_answer_is_named_by_its_words(streaming: bool) -> None:
    error = {"error": {"code": 500, "message": "Context size has been exceeded.", "type": "server_error"}}
    body = chunk({"content": "さて"}) + event(error) if streaming else json.dumps(error).encode()
    assert failed(sending(body), streaming).key == "model.context-too-long"


@pytest.mark.parametrize(
    "data", [1, [1], "x", {"choices": 1}, {"choices": [1]}, {"choices": [{"delta": {"content": 1}}]}]
)
@either
def test_json_that_is_no_reply_is_a_broken_one(data: Any, streaming: bool) -> None:
    body = event(data) if streaming else json.dumps(data).encode()
    assert failed(sending(body), streaming).key == "model.broken-chunk"


# --- JSON that was asked for ------------------------------------------------------------------------------------------


@either
def test_a_schema_is_sent_as_strict_and_the_json_handed_out_whole_after_its_parts(streaming: bool) -> None:
    async def through() -> tuple[list[Piece], dict[str, Any]]:
        async with asking(saying('{"act": 3}'), streaming) as (model, server):
            return [piece async for piece in model.chat(ASKED, "test", 50, SCHEMA)], server.requests[0]

    (*parts, whole, usage), request = asyncio.run(through())
    form = {"name": "reply", "strict": True, "schema": SCHEMA}
    assert request["response_format"] == {"type": "json_schema", "json_schema": form}
    assert "".join(one.text for one in parts if isinstance(one, PartialReply)) == '{"act": 3}'
    assert (whole, isinstance(usage, Usage)) == ('{"act": 3}', True)


@pytest.mark.parametrize(
    ("text", "finish", "key"),
    [
        ('{"act": 3, "why": "それ', "length", "model.json-cut"),
        ('{"act": 3, "why": "それ', "stop", "model.json-cut"),
        ('{"act": "三"}', "stop", "model.json-shape"),
        ('{"why": "それは"}', "stop", "model.json-shape"),
        ('{"act": 3, "mood": "good"}', "stop", "model.json-shape"),
        ("三番にします。", "stop", "model.json-shape"),
        ("", "stop", "model.empty"),
        ("<think>三番かな</think>", "stop", "model.only-thinking"),
    ],
)
@either
def test_json_that_is_not_what_was_asked_for(text: str, finish: str, key: str, streaming: bool) -> None:
    assert failed(saying(text, finish=finish), streaming, SCHEMA).key == key


@either
def test_a_whole_reply_that_is_of_no_use_still_says_what_it_cost(streaming: bool) -> None:
    calls: list[Call] = []

    async def record(_: str, call: Call) -> None:
        calls.append(call)

    async def through() -> None:
        async with asking("only thinking", streaming) as (model, _):
            with pytest.raises(ModelMisbehaved):
                await everything(Ledger(model, record=record))

    asyncio.run(through())
    usage = Usage(prompt=900, cached=450, completion=len(pieces(misbehaving.THOUGHT)), finish="length")
    assert [(call.fault, call.usage) for call in calls] == [("model.only-thinking", usage)]


@pytest.mark.parametrize("wrapped", ['```json\n{"act": 3}\n```', '<think>三番かな</think>\n{"act": 3}'])
def test_json_in_its_wrapping_is_taken_out_of_it(wrapped: str) -> None:
    assert [one for one in answered(saying(wrapped), schema=SCHEMA) if isinstance(one, str)] == ['{"act": 3}']


# --- stopping --------------------------------------------------------------------------------------------------------


async def talkative(exchange: Exchange) -> None:
    """A reply that takes its time."""
    await exchange.begin()
    for count in itertools.count():
        await exchange.send(chunk({"content": f"{count}、"}) if exchange.streaming else b" ")
        await asyncio.sleep(0.02)


async def hung_up_on(server: Server) -> bool:
    """Whether the server is let go, while whoever asked is still there."""
    with suppress(TimeoutError):
        async with asyncio.timeout(SOONER):
            while not server.hung_up:
                await asyncio.sleep(0.01)
    return bool(server.hung_up)


def test_closing_the_stream_closes_the_line() -> None:
    async def through() -> bool:
        async with asking(talkative) as (model, server):
            await stops_when_closed(model)
            return await hung_up_on(server)

    assert asyncio.run(through())


@either
@pytest.mark.parametrize("how", [talkative, misbehaving.no_first_token], ids=["in mid-reply", "before a word"])
def test_cancelling_closes_the_line(how: Write, streaming: bool) -> None:
    async def through() -> bool:
        async with asking(how, streaming) as (model, server):
            task = asyncio.create_task(join_stream(model.chat(ASKED, "test", 50)))
            while not server.requests:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return await hung_up_on(server)

    assert asyncio.run(through())


@pytest.mark.parametrize("how", ["repetition", "blanks"])
def test_a_model_in_circles_is_hung_up_on(how: str) -> None:
    async def through() -> bool:
        async with asking(how) as (model, server):
            with pytest.raises(ModelMisbehaved):
                await everything(model)
            return await hung_up_on(server)

    assert asyncio.run(through())


def test_a_stream_without_end_is_cut_at_the_cap() -> None:
    async def endless(exchange: Exchange) -> None:
        await exchange.begin()
        for count in itertools.count():
            await exchange.send(chunk({"content": f"{count * 7919:x}" * 20}))

    assert failed(endless).key == "model.too-long"


A_LOT = 4 * LARGEST


def flooding(unit: bytes, status: str = "200 OK", more: str = "") -> Write:
    """Far more than anybody needs, in units."""

    async def write(exchange: Exchange) -> None:
        await exchange.send(exchange.head(exchange.kind, status, more=more))
        for _ in range(A_LOT // len(unit)):
            await exchange.send(unit)
        exchange.writer.close()

    return write


@either
@pytest.mark.parametrize(
    "flood",
    [
        flooding(b"x" * 65_536),
        flooding(b"data: " + b"x" * 65_000 + b"\n"),
        flooding((b": still here" + b"." * 200 + b"\n\n") * 256),
        flooding(b"x" * 65_536, status="400 Bad Request"),
        flooding(b"x" * 65_536, status="307 Temporary Redirect", more="Location: /elsewhere\r\n"),
    ],
    ids=["one line", "lines", "comments", "a complaint", "on the way elsewhere"],
)
def test_a_flood_is_cut_off_before_it_fills_the_memory(flood: Write, streaming: bool) -> None:
    async def through() -> tuple[ModelError, int]:
        async with asking(flood, streaming) as (model, _):
            tracemalloc.start()
            try:
                with pytest.raises(ModelError) as error:
                    await everything(model)
                return error.value, tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()

    error, peak = asyncio.run(through())
    assert (error.key, error.details["limit"]) == ("model.too-long", LARGEST)
    assert peak < A_LOT
    assert "4194304" in tell(error, "en")


@either
def test_nothing_packed_is_asked_for_or_taken(streaming: bool) -> None:
    async def packed(exchange: Exchange) -> None:
        assert exchange.headers["accept-encoding"] == "identity"
        body = gzip.compress(exchange.reply(LINE))
        await exchange.answer(body, exchange.kind, more="Content-Encoding: gzip\r\n")

    assert failed(packed, streaming).key == "model.broken-chunk"


@either
def test_as_much_as_is_allowed_is_read(streaming: bool) -> None:
    async def large(exchange: Exchange) -> None:
        reply = exchange.reply(LINE)
        blanks = LARGEST - len(reply)
        await exchange.say((b":" + b" " * (blanks - 3) + b"\n\n" if streaming else b" " * blanks) + reply)

    *texts, _ = answered(large, streaming)
    assert "".join(map(str, texts)) == LINE


# --- asking again ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "passing",
    [misbehaving.loading, misbehaving.server_error, misbehaving.busy, misbehaving.reset_before_a_word],
    ids=["loading", "500", "429", "reset"],
)
@either
def test_what_passes_by_itself_is_asked_again(passing: Write, streaming: bool) -> None:
    *texts, usage = answered(in_turn(passing, passing, misbehaving.healthy), streaming)
    assert "".join(map(str, texts)) == LINE
    assert isinstance(usage, Usage)
    assert usage.tries == 3


@pytest.mark.parametrize(
    ("asked", "least"), [("0.15", 0.15), ("3600", 0.2), ("Wed, 21 Oct 2065 07:28:00 GMT", 0.2), ("soon", 0.0)]
)
def test_the_server_says_how_long_to_wait_within_reason(asked: str, least: float) -> None:
    """Out of reason is an hour: no call has the patience for that, and it would end without an answer."""

    async def busy(exchange: Exchange) -> None:
        await exchange.refuse("429 Too Many Requests", "slow down", more=f"Retry-After: {asked}\r\n")

    began = time.monotonic()
    *_, usage = answered(in_turn(busy, misbehaving.healthy))
    assert isinstance(usage, Usage)
    assert usage.tries == 2
    assert time.monotonic() - began >= least


def test_no_try_is_begun_that_the_clock_would_not_let_finish() -> None:
    async def through() -> ModelError:
        short = CALM.model_copy(update={"whole": 100, "backoff": 200, "longest_wait": 900})
        async with asking("503 loading", patience=short) as (model, _):
            with pytest.raises(ModelError) as error:
                await everything(model)
            return error.value

    error = asyncio.run(through())
    assert (error.key, error.details["tries"]) == ("model.loading", 1)


def test_once_a_word_has_come_nothing_is_asked_again() -> None:
    assert failed("reset").details["tries"] == 1


# --- addresses -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("base_url", "key"),
    [("localhost:11434/v1", "model.bad-address"), ("ftp://localhost/v1", "model.bad-address")],
)
def test_an_address_that_is_none_is_said_to_be_none(base_url: str, key: str) -> None:
    async def through() -> ModelError:
        with pytest.raises(ModelError) as error:
            await everything(OpenAIChat("gemma3", base_url, patience=CALM))
        return error.value

    assert asyncio.run(through()).key == key


def test_what_answers_but_is_no_web_server_is_no_model_server() -> None:
    async def ssh(exchange: Exchange) -> None:
        await exchange.send(b"SSH-2.0-OpenSSH_9.6\r\n\r\n")
        exchange.writer.close()

    assert failed(ssh).key == "model.not-a-server"


def test_a_lock_that_does_not_fit_is_told() -> None:
    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    async def through() -> ModelError:
        async with await asyncio.start_server(plain, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            with pytest.raises(ModelError) as error:
                await everything(OpenAIChat("gemma3", f"https://127.0.0.1:{port}/v1", patience=CALM))
            return error.value

    error = asyncio.run(through())
    assert error.key == "model.unreachable"
    assert "SSL" in tell(error, "ja")


def test_a_path_that_is_not_there_is_no_missing_model() -> None:
    async def lost(exchange: Exchange) -> None:
        await exchange.answer(b"404 page not found", "text/plain", "404 Not Found")

    assert failed(lost).key == "model.not-a-server"


@either
@pytest.mark.parametrize("status", ["301 Moved Permanently", "307 Temporary Redirect", "308 Permanent Redirect"])
def test_what_is_said_goes_to_no_other_server(status: str, streaming: bool) -> None:
    async def through() -> tuple[ModelError, int]:
        async with serving("none") as other:
            place = f"{other.base_url.replace('//', '//me:pw@')}/chat/completions?key=secret"

            async def elsewhere(exchange: Exchange) -> None:
                await exchange.answer(b"", "text/plain", f"{status}\r\nLocation: {place}")

            async with asking(elsewhere, streaming) as (model, _):
                with pytest.raises(ModelError) as error:
                    await everything(model)
            return error.value, len(other.requests)

    error, reached = asyncio.run(through())
    told = tell(error, "ja")
    assert (error.key, reached) == ("model.moved", 0)
    assert "/chat/completions" in told
    assert "pw" not in told
    assert "secret" not in told


def test_a_server_on_this_machine_is_asked_without_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert "".join(map(str, answered("none")[:-1])) == LINE
