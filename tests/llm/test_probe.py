"""The trials of a model: what is read off the wire, and what is made of each answer."""

import ast
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hakoniwa import llm
from hakoniwa.app import doctor
from hakoniwa.llm import probe
from hakoniwa.llm.bench import ProbeAnswer, ProbeBench, ProbeFinding, parse_answer
from hakoniwa.llm.find import ModelServer, OfferedModel
from hakoniwa.llm.probe import (
    GREETING,
    PROBES,
    check_address,
    check_model,
    length,
    roles,
    run_probes,
    schema,
    stream,
    system,
    talk,
)
from hakoniwa.llm.wire import BodyLine, HttpReply
from hakoniwa.messages import LANGUAGES, catalogue

CODE = "48213"
SOURCES = [*sorted(Path(llm.__file__).parent.glob("*.py")), Path(doctor.__file__)]
HOME = ModelServer(url="http://127.0.0.1:1/v1", asked="http://127.0.0.1:1/v1", origin="usual", kind="llamacpp")


def said(text: str = "", **more: Any) -> ProbeAnswer:
    return ProbeAnswer(**{"text": text, "status": 200, "pieces": (0.1,), "seconds": 0.1, **more})


class Stub(ProbeBench):
    """A model whose answers are laid out beforehand, one after the other."""

    def __init__(self, *answers: ProbeAnswer, context: int = 0, **more: Any) -> None:
        super().__init__(HOME, OfferedModel(name="m", context=context), CODE, **more)
        self.answers = list(answers)
        self.prompts: list[tuple[str, ...]] = []

    def ask(self, *turns: str, tokens: int, seconds: float = 0.0, stream: bool = False, **more: Any) -> ProbeAnswer:
        self.prompts.append(turns)
        return self.answers.pop(0)

    def look_again(self) -> None:
        return


def keys(
    trial: Callable[[ProbeBench], Iterator[ProbeFinding]], *answers: ProbeAnswer, **more: Any
) -> list[tuple[str, str]]:
    return [(one.key, one.grade) for one in trial(Stub(*answers, **more))]


# --- what comes over the wire ---------------------------------------------------------------------------------------


def streamed(*events: Any, fault: Any = None) -> HttpReply:
    lines = [f"data: {one if isinstance(one, str) else json.dumps(one)}\n" for one in events]
    return HttpReply(
        status=200, lines=tuple(BodyLine(at=at / 10, text=one) for at, one in enumerate(lines, 1)), fault=fault
    )


def test_a_stream_is_put_together_with_the_times_of_its_pieces() -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}}
    answer = parse_answer(streamed(
        {"choices": [{"delta": {"role": "assistant", "content": None}}]},
        {"choices": [{"delta": {"content": "庭"}}]},
        {"choices": [{"delta": {"content": "だ"}, "finish_reason": "length"}]},
        {"choices": [], "usage": usage},
        "[DONE]",
    ))  # fmt: skip
    assert (answer.text, answer.pieces, answer.finish) == ("庭だ", (0.2, 0.3), "length")
    assert (answer.prompt, answer.completion, answer.cached) == (9, 2, 4)
    assert not answer.failed


def test_a_stream_that_breaks_off_keeps_what_came() -> None:
    answer = parse_answer(streamed({"choices": [{"delta": {"content": "庭"}}]}, "{broken", fault="timeout"))
    assert (answer.text, answer.fault, answer.failed) == ("庭", "timeout", False)
    assert parse_answer(HttpReply(fault="timeout")).failed


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_thoughts_are_no_words(name: str) -> None:
    whole = HttpReply(
        status=200, lines=(BodyLine(at=0.1, text=json.dumps({"choices": [{"message": {name: "ふむ"}}]})),)
    )
    assert (parse_answer(whole).text, parse_answer(whole).thought) == ("", "ふむ")
    tagged = streamed({"choices": [{"delta": {"content": "<think>ふむ</think>庭だ"}}]})
    assert (parse_answer(tagged).text, parse_answer(tagged).thought) == ("庭だ", "<think>ふむ</think>")
    unclosed = streamed({"choices": [{"delta": {"content": "<think>ふむ"}}]})
    assert parse_answer(unclosed).text == ""


@pytest.mark.parametrize(
    ("status", "body", "problem"),
    [
        (400, {"error": {"message": "roles must\nalternate"}}, "400 roles must alternate"),
        (500, {"error": "boom"}, "500 boom"),
        (422, {"detail": "no"}, "422 no"),
        (502, "<html>Bad gateway</html>", "502 <html>Bad gateway</html>"),
        (500, "", "HTTP 500"),
        (200, "pong", "200 pong"),
        (200, [1], "200 [1]"),
    ],
)
def test_the_server_complains_in_its_own_words(status: int, body: Any, problem: str) -> None:
    text = body if isinstance(body, str) else json.dumps(body)
    answer = parse_answer(HttpReply(status=status, lines=(BodyLine(at=0.1, text=text),)))
    assert (answer.failed, answer.problem) == (True, problem)


def test_an_error_in_a_stream_is_a_complaint() -> None:
    answer = parse_answer(streamed({"error": {"message": "out of memory"}}))
    assert (answer.failed, answer.problem) == (True, "200 out of memory")


# --- what is made of it ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (said("庭では柿の葉が揺れています。"), [("chat.ok", "ok"), ("thinking.ok", "ok"), ("language.ok", "ok")]),
        (said("庭に猫がいます（cat）。"), [("chat.ok", "ok"), ("thinking.ok", "ok"), ("language.ok", "ok")]),
        (said("Hi! 庭です。 How are you?"), [("chat.ok", "ok"), ("thinking.ok", "ok"), ("language.other", "problem")]),
        (said("今天花园里很安静。"), [("chat.ok", "ok"), ("thinking.ok", "ok"), ("language.other", "problem")]),
        (said("庭です。", thought="ふむ"), [("chat.ok", "ok"), ("thinking.aloud", "warn"), ("language.ok", "ok")]),
        (said(GREETING), [("chat.echo", "warn"), ("thinking.ok", "ok"), ("language.ok", "ok")]),
        (said("", thought="ふむ"), [("thinking.silent", "problem")]),
        (said("", finish="length"), [("thinking.silent", "problem")]),
        (said("", finish="stop"), [("chat.empty", "problem")]),
        (ProbeAnswer(status=401), [("reach.key", "problem")]),
        (ProbeAnswer(status=500, complaint="500 boom"), [("chat.failed", "problem")]),
        (ProbeAnswer(fault="timeout"), [("chat.timeout", "problem")]),
    ],
)  # fmt: skip
def test_talk(answer: ProbeAnswer, found: list[tuple[str, str]]) -> None:
    assert keys(talk, answer) == found


def test_roles() -> None:
    assert keys(roles, said("柿")) == [("roles.ok", "ok")]
    assert keys(roles, ProbeAnswer(status=400, complaint="400 no")) == [("roles.refused", "problem")]
    assert keys(roles, ProbeAnswer(fault="timeout")) == [("unanswered", "problem")]
    bench = Stub(said("柿"))
    list(roles(bench))
    assert len(bench.prompts[0]) == 3


@pytest.mark.parametrize(
    ("answer", "key"),
    [
        (said('{"act": "B2"}'), "schema.ok"),
        (said('{\n\t\t "act" \n:"A7"\n\n'), "schema.ok"),
        (said('{"act": "D1"}'), "schema.ignored"),
        (said('{"act": "A7", "why": "x"}'), "schema.ignored"),
        (said("春が好きです。"), "schema.ignored"),
        (said(""), "schema.ignored"),
        (said("{"), "schema.ignored"),
        (ProbeAnswer(status=400, complaint="400 no"), "schema.refused"),
    ],
)
def test_schema(answer: ProbeAnswer, key: str) -> None:
    assert [one for one, _ in keys(schema, answer)] == [key]
    if key != "schema.ok":
        assert keys(schema, answer, choose=True) == [(key, "problem")]


def ticking(first: float, gap: float, count: int, **more: Any) -> ProbeAnswer:
    pieces = tuple(first + gap * number for number in range(count))
    counts = {"prompt": 20, "completion": count}
    return said("一、二、", **{"pieces": pieces, "seconds": pieces[-1], **counts, **more})


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (ticking(0.2, 0.05, 32), ["stream.ok", "limit.ok", "usage.ok"]),
        (ticking(0.02, 0.001, 32), ["stream.ok", "limit.ok", "usage.ok"]),
        (ticking(0.3, 0.0005, 32), ["stream.ok", "limit.ok", "usage.ok"]),
        (ticking(3.0, 0.001, 32), ["stream.buffered", "limit.ok", "usage.ok"]),
        (said("一、二、", pieces=(2.0,), completion=32, prompt=9), ["stream.buffered", "limit.ok", "usage.ok"]),
        (ticking(0.2, 0.05, 60), ["stream.ok", "limit.ignored"]),
        (ticking(0.2, 0.05, 32, prompt=None), ["stream.ok", "limit.ok", "usage.missing"]),
        (ticking(0.2, 0.5, 24, fault="timeout", completion=None), ["stream.ok", "limit.ok"]),
        (ProbeAnswer(status=400, complaint="400 no"), ["stream.refused"]),
        (ProbeAnswer(status=200, fault="timeout"), ["unanswered"]),
    ],
)
def test_stream(answer: ProbeAnswer, found: list[str]) -> None:
    assert [key for key, _ in keys(stream, answer)] == found


def test_the_rate_of_writing_is_kept_for_later() -> None:
    bench = Stub(ticking(1.0, 0.1, 31))
    list(stream(bench))
    assert bench.rate == pytest.approx(10)


def recalled(text: str, prompt: int | None = 400, first: float = 0.2, **more: Any) -> ProbeAnswer:
    return said(text, **{"prompt": prompt, "pieces": (first,), **more})


@pytest.mark.parametrize(
    ("writes", "first", "key", "grade"),
    [
        (60.0, 0.5, "speed.ok", "ok"),
        (10.0, 1.0, "speed.ok", "ok"),
        (6.0, 2.0, "speed.slow", "warn"),
        (60.0, 20.0, "speed.slow", "warn"),
        (2.0, 1.0, "speed.slow", "problem"),
        (0.0, 1.0, "speed.slow", "problem"),
    ],
)
def test_speed(writes: float, first: float, key: str, grade: str) -> None:
    bench = Stub(recalled(CODE, first=first), *[recalled(CODE, 6000)] * 2)
    bench.rate = writes
    found = next(length(bench))
    assert (found.key, found.grade) == (key, grade)


@pytest.mark.parametrize(
    ("context", "key", "grade"),
    [(1024, "context.small", "problem"), (4096, "context.short", "warn"), (8192, "context.ok", "ok")],
)
def test_context_as_the_server_tells_it(context: int, key: str, grade: str) -> None:
    found = keys(length, recalled(CODE), *[recalled(CODE, 3000)] * 2, context=context)
    assert found[1] == (key, grade)


def test_the_long_prompt_fits_into_the_context() -> None:
    for context in (2048, 4096):
        bench = Stub(recalled(CODE, 400), *[recalled(CODE, 3000)] * 2, context=context)
        list(length(bench))
        short, long, _ = (len(one) for (one,) in bench.prompts)
        assert 0.8 * context < 400 * long / short < context
        assert all(one[0].startswith("合言葉") and CODE in one[0][:20] for one in bench.prompts)


@pytest.mark.parametrize(
    ("complaint", "key", "tokens"),
    [
        ("400 request (7002 tokens) exceeds the available context size (4096 tokens)", "context.short", 4096),
        ("400 This model's maximum context length is 2048 tokens.", "context.small", 2048),
        ("400 too long", "context.refused", None),
    ],
)
def test_context_as_the_server_complains(complaint: str, key: str, tokens: int | None) -> None:
    _, found = length(Stub(recalled(CODE), ProbeAnswer(status=400, complaint=complaint)))
    assert found.key == key
    assert tokens is None or found.details["tokens"] == tokens


LONG = 7000


@pytest.mark.parametrize(
    ("short", "long", "found"),
    [
        (CODE, recalled(CODE, LONG), ("front.ok", "ok")),
        (CODE, recalled("わかりません。", 2050), ("front.cut", "problem")),
        (CODE, recalled("わかりません。", LONG), ("front.forgotten", "warn")),
        ("？", recalled("？", LONG), ("front.unsure", "info")),
        ("？", recalled("？", 2050), ("front.fewer", "warn")),
    ],
)
def test_front(short: str, long: ProbeAnswer, found: tuple[str, str]) -> None:
    front = keys(length, recalled(short), long, long)[2]
    assert front == found


def test_a_front_that_is_lost_where_nothing_is_counted() -> None:
    found = keys(length, recalled(CODE, None), recalled("？", None))
    assert found[1:] == [("context.untold", "info"), ("front.lost", "problem")]


@pytest.mark.parametrize(
    ("first", "again", "found"),
    [
        (recalled(CODE, LONG, 3.0), recalled(CODE, LONG, 0.2, cached=6900), ("cache.counted", "ok")),
        (recalled(CODE, LONG, 3.0), recalled(CODE, LONG, 0.2), ("cache.timed", "ok")),
        (recalled(CODE, LONG, 3.0), recalled(CODE, LONG, 0.2, cached=0), ("cache.timed", "ok")),
        (recalled(CODE, LONG, 3.0), recalled(CODE, LONG, 2.9), ("cache.off", "warn")),
        (recalled(CODE, LONG, 3.0), recalled(CODE, LONG, 2.9, cached=64), ("cache.off", "warn")),
        (recalled(CODE, LONG, 0.1), recalled(CODE, LONG, 0.1), ("cache.unsure", "info")),
        (recalled(CODE, LONG, 3.0), ProbeAnswer(fault="timeout"), ("cache.unsure", "info")),
    ],
)
def test_cache(first: ProbeAnswer, again: ProbeAnswer, found: tuple[str, str]) -> None:
    assert keys(length, recalled(CODE), first, again)[3] == found


# --- all together ----------------------------------------------------------------------------------------------------


def test_a_model_that_does_not_speak_is_asked_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[str] = []
    found = list(run_probes(Stub(said("", thought="ふむ")), begun.append))
    assert ([one.key for one in found], begun) == (["thinking.silent"], ["talk"])


def test_every_trial_is_announced_before_it_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "PROBES", (talk, roles))
    begun: list[str] = []
    list(run_probes(Stub(said("庭です。"), said("柿")), begun.append))
    assert begun == ["talk", "roles"]


def test_an_address_is_judged_with_where_a_server_is() -> None:
    assert (check_address(HOME).key, check_address(HOME).fix) == ("reach.ok", "")
    bare = HOME.model_copy(update={"asked": "http://127.0.0.1:1"})
    assert (check_address(bare).key, check_address(bare).grade, check_address(bare).fix) == (
        "reach.no-v1",
        "warn",
        "v1",
    )
    dead = HOME.model_copy(update={"trouble": "refused"})
    assert (check_address(dead).key, check_address(dead).fix) == ("reach.refused", "start")
    assert (check_address(dead, [HOME]).fix, check_address(dead, [HOME]).details["right"]) == ("elsewhere", HOME.url)
    assert check_address(dead, [dead]).fix == "start"
    locked = HOME.model_copy(update={"trouble": "key"})
    assert (check_address(locked).key, check_address(locked, [HOME]).fix) == ("reach.key", "key")
    assert check_address(locked.model_copy(update={"key": "x"})).key == "reach.key-refused"


def test_a_model_is_judged_with_its_nearest_name() -> None:
    there = HOME.model_copy(update={"models": (OfferedModel(name="gemma-3-4b-it"),)})
    assert check_model(there, "").key == check_model(there, "gemma-3-4b-it").key == "model.ok"
    assert (check_model(there, "gema-3-4b").key, check_model(there, "gema-3-4b").details["nearest"]) == (
        "model.nearest",
        "gemma-3-4b-it",
    )
    assert check_model(there, "zzzz").key == "model.unknown"
    assert (check_model(HOME, "").key, check_model(HOME, "").fix) == ("model.none", "pull")


def literals() -> set[str]:
    """Every text in the code of the trials."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES]
    return {
        node.value
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


@pytest.mark.parametrize("lang", LANGUAGES)
def test_everything_a_trial_may_find_can_be_told(lang: str) -> None:
    texts = literals() | {f"reach.{one}" for one in ("refused", "no-host", "timeout", "reset", "tls", "key", "loading",
        "broken", "web-page", "not-models", "not-found")} | {"reach.nothing", "install"}  # fmt: skip
    told = {key.removeprefix("doctor.said.") for key in catalogue(lang) if key.startswith("doctor.said.")}
    fixes = {key.split(".")[2] for key in catalogue(lang) if key.startswith("doctor.fix.")}
    assert sorted(told - texts) == []
    assert sorted(fixes - texts) == []
    assert [fix for fix in sorted(fixes) if f"doctor.fix.{fix}.any" not in catalogue(lang)] == []
    abouts = {key.split(".")[2] for key in catalogue(lang) if key.startswith("doctor.about.")}
    assert {key.split(".")[0] for key in told} - {"unanswered"} <= abouts
    assert {one.__name__ for one in PROBES} | {"form"} == {
        key.split(".")[2] for key in catalogue(lang) if key.startswith("doctor.running.")
    }


def made() -> Iterator[tuple[dict[str, str], set[str]]]:
    """What findings are made with: the texts that stand in the code as they are, and the names of everything."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "ProbeFinding":
                given = {str(one.arg): one.value for one in node.keywords}
                texts = {name: one.value for name, one in given.items() if isinstance(one, ast.Constant)}
                yield {name: text for name, text in texts.items() if isinstance(text, str)}, set(given)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_finding_has_its_words_and_every_grave_one_its_remedy(lang: str) -> None:
    findings = list(made())
    assert len(findings) > 30
    words = catalogue(lang)
    assert [one for one, _ in findings if "key" in one and f"doctor.said.{one['key']}" not in words] == []
    assert [one for one, _ in findings if one.get("fix") and f"doctor.fix.{one['fix']}.any" not in words] == []
    assert [one for one, given in findings if one.get("grade") in ("warn", "problem") and "fix" not in given] == []


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (said(CODE), ("system.ok", "ok")),
        (said("I do not know."), ("system.unsure", "info")),
        (ProbeAnswer(status=400, complaint="400 System role not supported"), ("system.refused", "warn")),
    ],
)
def test_a_place_for_the_frame(answer: ProbeAnswer, found: tuple[str, str]) -> None:
    assert keys(system, answer) == [found]


def test_japanese_is_only_a_warning_for_who_plays_in_english() -> None:
    english = said("The garden is quiet today.")
    assert ("language.other", "problem") in keys(talk, english)
    assert ("language.other", "warn") in keys(talk, english, language="en")
