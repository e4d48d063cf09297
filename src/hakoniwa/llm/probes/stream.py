"""Whether words come as they are made, whether what they cost is told at the end, and whether the limit is kept."""

from collections.abc import Iterator

from hakoniwa.llm.bench import ProbeAnswer, ProbeBench, ProbeFinding, unanswered_finding

COUNT = "一から百まで、漢数字で順番に、読点で区切って数えてください。"
TOKENS, SECONDS = 32, 12.0
FEW, LATE, NOTICED = 8, 0.8, 0.4  # pieces; share of the time before the first; seconds below which nobody can tell
OVER = 1.5


def stream(bench: ProbeBench) -> Iterator[ProbeFinding]:
    answer = bench.ask(COUNT, tokens=TOKENS, seconds=SECONDS, stream=True)
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
    return len(answer.pieces) >= FEW and last >= NOTICED and answer.first >= LATE * last


def _streaming(answer: ProbeAnswer) -> ProbeFinding:
    if _is_buffered(answer):
        details = {"seconds": round(answer.seconds, 1)}
        return ProbeFinding(about="stream", grade="warn", key="stream.buffered", details=details, fix="stream")
    return ProbeFinding(about="stream", grade="ok", key="stream.ok", details={"seconds": round(answer.first, 2)})


def _ran_away(answer: ProbeAnswer) -> bool:
    return _tokens(answer) > OVER * TOKENS


def _limit(answer: ProbeAnswer) -> ProbeFinding:
    if _ran_away(answer):
        details = {"asked": TOKENS, "came": _tokens(answer)}
        return ProbeFinding(about="limit", grade="problem", key="limit.ignored", details=details, fix="limit")
    return ProbeFinding(about="limit", grade="ok", key="limit.ok", details={"asked": TOKENS, "came": _tokens(answer)})


def _usage(answer: ProbeAnswer) -> ProbeFinding:
    if answer.prompt is None or answer.completion is None:
        return ProbeFinding(about="usage", grade="warn", key="usage.missing", fix="usage")
    return ProbeFinding(about="usage", grade="ok", key="usage.ok")
