"""Whether words come as they are made, whether what they cost is told at the end, and whether the limit is kept."""

from collections.abc import Iterator

from hakoniwa.llm.bench import Answer, Bench, Finding, unanswered

COUNT = "一から百まで、漢数字で順番に、読点で区切って数えてください。"
TOKENS, SECONDS = 32, 12.0
FEW, LATE, NOTICED = 8, 0.8, 0.4  # pieces; share of the time before the first; seconds below which nobody can tell
OVER = 1.5


def stream(bench: Bench) -> Iterator[Finding]:
    answer = bench.ask(COUNT, tokens=TOKENS, seconds=SECONDS, stream=True)
    if answer.fault is not None and not answer.pieces:
        yield unanswered("stream", answer)
        return
    if answer.failed:
        details = {"problem": answer.problem}
        yield Finding(about="stream", grade="problem", key="stream.refused", details=details, fix="stream")
        return
    bench.rate = _rate(answer)
    yield _streaming(answer)
    yield _limit(answer)
    if answer.fault is None and not _ran_away(answer):  # else the end, where it stands, was not read
        yield _usage(answer)


def _rate(answer: Answer) -> float:
    """Tokens a second; of an answer that came all at once, over the whole time."""
    if _buffered(answer):
        return _tokens(answer) / max(answer.seconds, 0.001)
    return (len(answer.pieces) - 1) / max(answer.pieces[-1] - answer.first, 0.001)


def _tokens(answer: Answer) -> int:
    return answer.completion or len(answer.pieces)


def _buffered(answer: Answer) -> bool:
    if len(answer.pieces) < 2:
        return True
    last = answer.pieces[-1]
    return len(answer.pieces) >= FEW and last >= NOTICED and answer.first >= LATE * last


def _streaming(answer: Answer) -> Finding:
    if _buffered(answer):
        details = {"seconds": round(answer.seconds, 1)}
        return Finding(about="stream", grade="warn", key="stream.buffered", details=details, fix="stream")
    return Finding(about="stream", grade="ok", key="stream.ok", details={"seconds": round(answer.first, 2)})


def _ran_away(answer: Answer) -> bool:
    return _tokens(answer) > OVER * TOKENS


def _limit(answer: Answer) -> Finding:
    if _ran_away(answer):
        details = {"asked": TOKENS, "came": _tokens(answer)}
        return Finding(about="limit", grade="problem", key="limit.ignored", details=details, fix="limit")
    return Finding(about="limit", grade="ok", key="limit.ok", details={"asked": TOKENS, "came": _tokens(answer)})


def _usage(answer: Answer) -> Finding:
    if answer.prompt is None or answer.completion is None:
        return Finding(about="usage", grade="warn", key="usage.missing", fix="usage")
    return Finding(about="usage", grade="ok", key="usage.ok")
