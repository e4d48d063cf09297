"""How much text the model takes in and how fast: a number at the front of a prompt, short, then long, then again."""

import re
from collections.abc import Iterator
from typing import Any

from hakoniwa.llm.bench import ProbeAnswer, ProbeBench, ProbeFinding, unanswered_finding

FRONT = "合言葉の数字は {code} です。覚えておいてください。\n"
FILLER = "庭に風が吹いて、木の葉がさらさらと揺れた。"
QUESTIONS = (
    "\n以上です。はじめに伝えた合言葉の数字だけを答えてください。",
    "\nここまでです。合言葉の数字は何でしたか。数字だけを書いてください。",
)
TOKENS, SHORT, LONG = 12, 24, 7000
NEEDED, GOOD = 4096, 8192
SECONDS = 8.0  # what the long prompt may take, by the speed of the short one
SPOKEN, FRESH = 220, 800  # tokens of one turn: made by the model, and read by it for the first time
BRISK, BEARABLE = 25.0, 90.0
A_TOKEN = 0.7  # of a character; for servers that do not count
ROOM, LESS, MOST, FASTER, NOTICED = 0.9, 0.8, 0.8, 0.6, 0.4
LIMIT = re.compile(r"(?:context|n_ctx)\D{0,40}(\d{3,7})")


def length(bench: ProbeBench) -> Iterator[ProbeFinding]:
    short = _ask_prompt(bench, SHORT, 0)
    if short.failed:
        yield unanswered_finding("speed", short)
        return
    pace = _fresh(bench, short) / max(short.first, 0.001)
    yield _speed(pace, bench.rate)
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
    return bench.ask(_prompt(bench, size, which), tokens=TOKENS, stream=True)


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
    room = min(ROOM * bench.model.context - TOKENS if bench.model.context else LONG, LONG, pace * SECONDS)
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
    if first.first >= NOTICED and again.first <= FASTER * first.first:
        return ProbeFinding(about="cache", grade="ok", key="cache.timed", details=details)
    if again.cached is None and first.first < NOTICED:
        return ProbeFinding(about="cache", grade="info", key="cache.unsure", details=details)
    return ProbeFinding(about="cache", grade="warn", key="cache.off", details=details, fix="cache")
