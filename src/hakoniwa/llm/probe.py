"""What a server can do: one trial after another, each bounded in time, from whether it is there to how fast it is."""

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

from hakoniwa.llm.bench import ProbeAnswer, ProbeBench, ProbeFinding, unanswered_finding
from hakoniwa.llm.find import Kind, ModelServer
from hakoniwa.llm.wire import HERE, send

GREETING = "こんにちは。今日の庭のようすを、日本語の短い一文で教えてください。"
ECHO = GREETING.split("。")[1]
TALK_TOKENS, LOADING = 60, 90.0  # the first answer may have to wait until the model is in memory
KANA = re.compile(r"[ぁ-ゖァ-ヺ]")
LETTER = re.compile(r"\w")
JAPANESE = re.compile(r"[ぁ-ゖァ-ヺ一-鿿々ー]")
HALF, TALK_SHOWN = 0.5, 40


def talk(bench: ProbeBench) -> Iterator[ProbeFinding]:
    answer = bench.ask(GREETING, tokens=TALK_TOKENS, seconds=LOADING)
    if answer.failed:
        yield _refusal(bench, answer)
    elif not answer.text:
        yield _silence(answer)
    else:
        yield _reply(answer)
        yield _thinking(answer)
        yield _language(answer.text, needed=bench.language == "ja")


def _reply(answer: ProbeAnswer) -> ProbeFinding:
    """Words; those it was spoken to with come back from a model that was never taught to converse."""
    if ECHO in answer.text:
        return ProbeFinding(about="chat", grade="warn", key="chat.echo", fix="instruct")
    return ProbeFinding(about="chat", grade="ok", key="chat.ok", details={"seconds": round(answer.seconds, 1)})


def _refusal(bench: ProbeBench, answer: ProbeAnswer) -> ProbeFinding:
    if answer.fault == "timeout":
        return ProbeFinding(
            about="chat", grade="problem", key="chat.timeout", details={"seconds": round(LOADING)}, fix="slow"
        )
    if answer.status in (401, 403):
        details = {"url": bench.server.shown}
        return ProbeFinding(about="chat", grade="problem", key="reach.key", details=details, fix="key")
    return ProbeFinding(
        about="chat", grade="problem", key="chat.failed", details={"problem": answer.problem}, fix="chat"
    )


def _silence(answer: ProbeAnswer) -> ProbeFinding:
    """Not a word: the tokens went into thoughts, shown or not, or there were none."""
    if answer.thought or answer.finish == "length":
        return ProbeFinding(
            about="thinking", grade="problem", key="thinking.silent", details={"tokens": TALK_TOKENS}, fix="thinking"
        )
    return ProbeFinding(about="chat", grade="problem", key="chat.empty", fix="template")


def _thinking(answer: ProbeAnswer) -> ProbeFinding:
    if answer.thought:
        return ProbeFinding(about="thinking", grade="warn", key="thinking.aloud", fix="thinking")
    return ProbeFinding(about="thinking", grade="ok", key="thinking.ok")


def _language(text: str, *, needed: bool) -> ProbeFinding:
    """Whether it answers in Japanese, which only those need who mean to play in it."""
    letters = LETTER.findall(text)
    share = len(JAPANESE.findall(text)) / max(1, len(letters))
    said = {"said": " ".join(text.split())[:TALK_SHOWN]}
    if KANA.search(text) and share >= HALF:
        return ProbeFinding(about="language", grade="ok", key="language.ok", details=said)
    grade: Any = "problem" if needed else "warn"
    return ProbeFinding(about="language", grade=grade, key="language.other", details=said, fix="language")


TURNS = ("庭に何が見えますか。", "（窓の外を見る）「柿の木が見えるよ」", "もう一つ、短く答えてください。")
ROLES_TOKENS = 8


def roles(bench: ProbeBench) -> Iterator[ProbeFinding]:
    answer = bench.ask(*TURNS, tokens=ROLES_TOKENS)
    if answer.fault is not None:
        yield unanswered_finding("roles", answer)
    elif answer.failed:
        yield ProbeFinding(
            about="roles", grade="problem", key="roles.refused", details={"problem": answer.problem}, fix="template"
        )
    else:
        yield ProbeFinding(about="roles", grade="ok", key="roles.ok")


def system(bench: ProbeBench) -> Iterator[ProbeFinding]:
    """Whether the template has a place for a system message, and what stands there is heard."""
    answer = bench.ask(QUESTIONS[1].strip(), tokens=LENGTH_TOKENS, system=FRONT.format(code=bench.code).strip())
    if answer.fault is not None:
        yield unanswered_finding("system", answer)
    elif answer.failed:
        details = {"problem": answer.problem}
        yield ProbeFinding(about="system", grade="warn", key="system.refused", details=details, fix="system")
    else:
        key = "system.ok" if bench.code in answer.text else "system.unsure"
        yield ProbeFinding(about="system", grade="ok" if key == "system.ok" else "info", key=key)


QUESTION = "好きな季節はどれですか。理由も添えて、自由に書いてください。"
ACTS = ("A7", "B2", "C9")
SCHEMA = {
    "type": "object",
    "properties": {"act": {"type": "string", "enum": list(ACTS)}},
    "required": ["act"],
    "additionalProperties": False,
}
FORMAT = {"type": "json_schema", "json_schema": {"name": "choice", "strict": True, "schema": SCHEMA}}
SCHEMA_TOKENS, SCHEMA_SHOWN = 48, 40


def schema(bench: ProbeBench) -> Iterator[ProbeFinding]:
    answer = bench.ask(QUESTION, tokens=SCHEMA_TOKENS, response_format=FORMAT)
    grade: Any = "problem" if bench.choose else "warn"
    if answer.fault is not None:
        yield unanswered_finding("schema", answer)
    elif answer.failed:
        details = {"problem": answer.problem}
        yield ProbeFinding(about="schema", grade=grade, key="schema.refused", details=details, fix="schema")
    elif _obeys_schema(answer):
        yield ProbeFinding(about="schema", grade="ok", key="schema.ok")
    else:
        said = " ".join(answer.text.split())[:SCHEMA_SHOWN]
        yield ProbeFinding(about="schema", grade=grade, key="schema.ignored", details={"said": said}, fix="schema")


def _obeys_schema(answer: ProbeAnswer) -> bool:
    """Whether it is the object that was asked for, or its beginning: small models fill it up with blanks."""
    found = "".join(answer.text.split())
    objects = [json.dumps({"act": act}, separators=(",", ":")) for act in ACTS]
    return found in objects or (len(found) > 1 and any(one.startswith(found) for one in objects))


COUNT = "一から百まで、漢数字で順番に、読点で区切って数えてください。"
STREAM_TOKENS, STREAM_SECONDS = 32, 12.0
FEW, LATE, STREAM_NOTICED = 8, 0.8, 0.4  # pieces; share of time before the first; seconds nobody notices
OVER = 1.5


def stream(bench: ProbeBench) -> Iterator[ProbeFinding]:
    answer = bench.ask(COUNT, tokens=STREAM_TOKENS, seconds=STREAM_SECONDS, stream=True)
    if answer.fault is not None and not answer.pieces:
        yield unanswered_finding("stream", answer)
        return
    if answer.failed:
        details = {"problem": answer.problem}
        yield ProbeFinding(about="stream", grade="problem", key="stream.refused", details=details, fix="stream")
        return
    bench.rate = _rate(answer)
    yield _streaming(answer)
    yield _limit(answer)
    if answer.fault is None and not _ran_away(answer):  # else the end, where it stands, was not read
        yield _usage(answer)


def _rate(answer: ProbeAnswer) -> float:
    """Tokens a second; of an answer that came all at once, over the whole time."""
    if _is_buffered(answer):
        return _tokens(answer) / max(answer.seconds, 0.001)
    return (len(answer.pieces) - 1) / max(answer.pieces[-1] - answer.first, 0.001)


def _tokens(answer: ProbeAnswer) -> int:
    return answer.completion or len(answer.pieces)


def _is_buffered(answer: ProbeAnswer) -> bool:
    if len(answer.pieces) < 2:
        return True
    last = answer.pieces[-1]
    return len(answer.pieces) >= FEW and last >= STREAM_NOTICED and answer.first >= LATE * last


def _streaming(answer: ProbeAnswer) -> ProbeFinding:
    if _is_buffered(answer):
        details = {"seconds": round(answer.seconds, 1)}
        return ProbeFinding(about="stream", grade="warn", key="stream.buffered", details=details, fix="stream")
    return ProbeFinding(about="stream", grade="ok", key="stream.ok", details={"seconds": round(answer.first, 2)})


def _ran_away(answer: ProbeAnswer) -> bool:
    return _tokens(answer) > OVER * STREAM_TOKENS


def _limit(answer: ProbeAnswer) -> ProbeFinding:
    details = {"asked": STREAM_TOKENS, "came": _tokens(answer)}
    if _ran_away(answer):
        return ProbeFinding(about="limit", grade="problem", key="limit.ignored", details=details, fix="limit")
    return ProbeFinding(about="limit", grade="ok", key="limit.ok", details=details)


def _usage(answer: ProbeAnswer) -> ProbeFinding:
    if answer.prompt is None or answer.completion is None:
        return ProbeFinding(about="usage", grade="warn", key="usage.missing", fix="usage")
    return ProbeFinding(about="usage", grade="ok", key="usage.ok")


FRONT = "合言葉の数字は {code} です。覚えておいてください。\n"
FILLER = "庭に風が吹いて、木の葉がさらさらと揺れた。"
QUESTIONS = (
    "\n以上です。はじめに伝えた合言葉の数字だけを答えてください。",
    "\nここまでです。合言葉の数字は何でしたか。数字だけを書いてください。",
)
LENGTH_TOKENS, SHORT, LONG = 12, 24, 7000
NEEDED, GOOD = 4096, 8192
LENGTH_SECONDS = 8.0  # what the long prompt may take, by the speed of the short one
SPOKEN, FRESH = 220, 800  # tokens of one turn: made by the model, and read by it for the first time
BRISK, BEARABLE = 25.0, 90.0
A_TOKEN = 0.7  # of a character; for servers that do not count
ROOM, LESS, MOST, FASTER, LENGTH_NOTICED = 0.9, 0.8, 0.8, 0.6, 0.4
LIMIT = re.compile(r"(?:context|n_ctx)\D{0,40}(\d{3,7})")


def length(bench: ProbeBench) -> Iterator[ProbeFinding]:
    short = _ask_prompt(bench, SHORT, 0)
    if short.failed:
        yield unanswered_finding("speed", short)
        return
    pace = _fresh(bench, short) / max(short.first, 0.001)
    speed = _speed(pace, bench.rate)
    bench.slow = speed.grade != "ok"
    yield speed
    bench.look_again()
    size = _size(bench, short, pace)
    long = _ask_prompt(bench, size, 0)
    yield _context(bench, long, _expected_tokens(bench, short, size))
    if long.failed:
        return
    front = _front(bench, short, long, size)
    yield front
    if front.grade != "problem":  # a prompt that is cut begins anew each time, and no cache can help it
        yield _cache(long, _ask_prompt(bench, size, 1))


def _ask_prompt(bench: ProbeBench, size: int, which: int) -> ProbeAnswer:
    return bench.ask(_prompt(bench, size, which), tokens=LENGTH_TOKENS, stream=True)


def _prompt(bench: ProbeBench, size: int, which: int) -> str:
    """A prompt of so many sentences between the number and the question."""
    return FRONT.format(code=bench.code) + FILLER * size + QUESTIONS[which]


def _fresh(bench: ProbeBench, short: ProbeAnswer) -> int:
    """Tokens the server had to read for the short prompt."""
    return max(_expected_tokens(bench, short, SHORT) - (short.cached or 0), 1)


def _speed(pace: float, rate: float) -> ProbeFinding:
    seconds = FRESH / pace + SPOKEN / max(rate, 0.1)
    details: dict[str, Any] = {"reads": round(pace), "writes": round(rate, 1), "seconds": round(seconds)}
    if seconds <= BRISK:
        return ProbeFinding(about="speed", grade="ok", key="speed.ok", details=details)
    grade: Any = "warn" if seconds <= BEARABLE else "problem"
    return ProbeFinding(about="speed", grade=grade, key="speed.slow", details=details, fix="slow")


def _size(bench: ProbeBench, short: ProbeAnswer, pace: float) -> int:
    """Sentences of the long prompt: what should just fit, if it can be read in good time."""
    room = min(ROOM * bench.model.context - LENGTH_TOKENS if bench.model.context else LONG, LONG, pace * LENGTH_SECONDS)
    return max(int(SHORT * room / _expected_tokens(bench, short, SHORT)), 2 * SHORT)


def _expected_tokens(bench: ProbeBench, short: ProbeAnswer, size: int) -> int:
    """Tokens of a prompt of that size, by what the server counted for the short one."""
    known = len(_prompt(bench, SHORT, 0))
    return round((short.prompt or known * A_TOKEN) * len(_prompt(bench, size, 0)) / known)


def _context(bench: ProbeBench, long: ProbeAnswer, sent: int) -> ProbeFinding:
    """How much fits: as the server tells, or as it complains, or as far as was tried."""
    told = LIMIT.search(long.complaint) if long.failed else None
    tokens = int(told[1]) if told else bench.model.context
    if tokens:
        grade, key = _grade_context(tokens)
        details = {"tokens": tokens, "good": GOOD, "trained": bench.model.trained}
        return ProbeFinding(
            about="context", grade=grade, key=key, details=details, fix="" if grade == "ok" else "context"
        )
    if long.failed:
        details = {"tokens": sent, "problem": long.problem}  # type: ignore[dict-item]
        return ProbeFinding(about="context", grade="problem", key="context.refused", details=details, fix="context")
    return ProbeFinding(about="context", grade="info", key="context.untold", details={"tokens": long.prompt or sent})


def _grade_context(tokens: int) -> tuple[Any, str]:
    if tokens < NEEDED:
        return "problem", "context.small"
    return ("warn", "context.short") if tokens < GOOD else ("ok", "context.ok")


def _front(bench: ProbeBench, short: ProbeAnswer, long: ProbeAnswer, size: int) -> ProbeFinding:
    """Whether the front of the long prompt arrived: by the number there, and by what the server counted."""
    sent = _expected_tokens(bench, short, size)
    details = {"tokens": long.prompt or sent, "sent": sent}
    fewer = long.prompt is not None and long.prompt < LESS * sent
    if bench.code in long.text:
        return ProbeFinding(about="front", grade="ok", key="front.ok", details=details)
    if bench.code not in short.text:  # then the answer says nothing, and a count alone is no proof
        if fewer:
            return ProbeFinding(about="front", grade="warn", key="front.fewer", details=details, fix="context")
        return ProbeFinding(about="front", grade="info", key="front.unsure", details=details)
    if long.prompt is not None and not fewer:
        return ProbeFinding(about="front", grade="warn", key="front.forgotten", details=details, fix="larger")
    key = "front.lost" if long.prompt is None else "front.cut"
    return ProbeFinding(about="front", grade="problem", key=key, details=details, fix="context")


def _cache(first: ProbeAnswer, again: ProbeAnswer) -> ProbeFinding:
    """Whether the beginning of a prompt that was read before is read again."""
    share = (again.cached or 0) / again.prompt if again.prompt else 0.0
    details = {"percent": round(100 * share), "first": round(first.first, 1), "again": round(again.first, 1)}
    if again.failed:
        return ProbeFinding(about="cache", grade="info", key="cache.unsure", details=details)
    if again.cached is not None and share >= MOST:
        return ProbeFinding(about="cache", grade="ok", key="cache.counted", details=details)
    if first.first >= LENGTH_NOTICED and again.first <= FASTER * first.first:
        return ProbeFinding(about="cache", grade="ok", key="cache.timed", details=details)
    if again.cached is None and first.first < LENGTH_NOTICED:
        return ProbeFinding(about="cache", grade="info", key="cache.unsure", details=details)
    return ProbeFinding(about="cache", grade="warn", key="cache.off", details=details, fix="cache")


def threads(bench: ProbeBench) -> Iterator[ProbeFinding]:
    """What a slow server on this machine may gain by: without a GPU, by the right number of threads."""
    if bench.slow and urlsplit(bench.server.url).hostname in HERE:
        yield ProbeFinding(about="threads", grade="info", key="threads.here", details={"cores": os.cpu_count() or 1})


EMBEDDING_SECONDS = 5.0


def embeddings(bench: ProbeBench) -> Iterator[ProbeFinding]:
    name = next((one.name for one in bench.server.models if "embed" in one.name.casefold()), bench.model.name)
    body = {"model": name, "input": "庭"}
    data = send(f"{bench.server.url}/embeddings", body, bench.server.key, EMBEDDING_SECONDS).data
    rows = data.get("data") if isinstance(data, dict) else None
    found = isinstance(rows, list) and bool(rows) and isinstance(rows[0], dict) and bool(rows[0].get("embedding"))
    key = "embeddings.ok" if found else "embeddings.none"
    yield ProbeFinding(about="embeddings", grade="info", key=key, details={"model": name})


Probe = Callable[[ProbeBench], Iterator[ProbeFinding]]
PROBES: tuple[Probe, ...] = (talk, roles, system, schema, stream, length, threads, embeddings)
SILENT = frozenset({"refused", "no-host", "timeout", "reset"})
FIXES = {"key": "key", "loading": "wait", "broken": "log", "tls": "tls"}
SUGGESTED: dict[Kind, str] = {"ollama": "gemma3:4b", "vllm": "google/gemma-3-4b-it"}
ENOUGH = frozenset({"chat", "thinking"})


def check_address(server: ModelServer, others: Sequence[ModelServer] = ()) -> ProbeFinding:
    """Whether the address leads to a model server; if not, what is there instead, and where one is."""
    details = {"url": server.given, "right": server.shown}
    if server.trouble is None:
        fine = server.asked == server.url
        return ProbeFinding(
            about="reach",
            grade="ok" if fine else "warn",
            key="reach.ok" if fine else "reach.no-v1",
            details=details,
            fix="" if fine else "v1",
        )
    key = "reach.key-refused" if server.trouble == "key" and server.key else f"reach.{server.trouble}"
    fix = FIXES.get(server.trouble, "start" if server.trouble in SILENT else "address")
    elsewhere = next((one.shown for one in others if one.trouble is None), "")
    if elsewhere and fix in ("start", "address"):
        fix, details = "elsewhere", {**details, "right": elsewhere}
    return ProbeFinding(about="reach", grade="problem", key=key, details=details, fix=fix)


def check_model(server: ModelServer, name: str) -> ProbeFinding:
    """Whether the server has the model that is named, or any at all if none is."""
    model = server.named(name) if name else server.best()
    if model is not None:
        return ProbeFinding(about="model", grade="ok", key="model.ok", details={"model": model.name})
    nearest = server.nearest(name) if name else ""
    details = {"model": name, "nearest": nearest, "wanted": name or SUGGESTED.get(server.kind, "gemma-3-4b")}
    if nearest:
        return ProbeFinding(about="model", grade="problem", key="model.nearest", details=details, fix="name")
    key = "model.unknown" if name else "model.none"
    return ProbeFinding(about="model", grade="problem", key=key, details=details, fix="pull")


def run_probes(bench: ProbeBench, began: Callable[[str], None] = lambda _: None) -> Iterator[ProbeFinding]:
    """Every trial in turn; a model that does not speak is not asked any more. `began` hears which one is running."""
    for probe in PROBES:
        began(probe.__name__)
        for finding in probe(bench):
            yield finding
            if finding.grade == "problem" and finding.about in ENOUGH:
                return
