"""Whether the model speaks at all, without thinking first, and in the language it is spoken to."""

import re
from collections.abc import Iterator

from hakoniwa.llm.bench import ProbeAnswer, ProbeBench, ProbeFinding

GREETING = "こんにちは。今日の庭のようすを、日本語の短い一文で教えてください。"
ECHO = GREETING.split("。")[1]
TOKENS, LOADING = 60, 90.0  # the first answer may have to wait until the model is in memory
KANA = re.compile(r"[ぁ-ゖァ-ヺ]")
LETTER = re.compile(r"\w")
JAPANESE = re.compile(r"[ぁ-ゖァ-ヺ一-鿿々ー]")
HALF, SHOWN = 0.5, 40


def talk(bench: ProbeBench) -> Iterator[ProbeFinding]:
    answer = bench.ask(GREETING, tokens=TOKENS, seconds=LOADING)
    if answer.failed:
        yield _refusal(bench, answer)
    elif not answer.text:
        yield _silence(answer)
    else:
        yield _reply(answer)
        yield _thinking(answer)
        yield _language(answer.text)


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
            about="thinking", grade="problem", key="thinking.silent", details={"tokens": TOKENS}, fix="thinking"
        )
    return ProbeFinding(about="chat", grade="problem", key="chat.empty", fix="template")


def _thinking(answer: ProbeAnswer) -> ProbeFinding:
    if answer.thought:
        return ProbeFinding(about="thinking", grade="warn", key="thinking.aloud", fix="thinking")
    return ProbeFinding(about="thinking", grade="ok", key="thinking.ok")


def _language(text: str) -> ProbeFinding:
    letters = LETTER.findall(text)
    share = len(JAPANESE.findall(text)) / max(1, len(letters))
    said = {"said": " ".join(text.split())[:SHOWN]}
    if KANA.search(text) and share >= HALF:
        return ProbeFinding(about="language", grade="ok", key="language.ok", details=said)
    return ProbeFinding(about="language", grade="problem", key="language.other", details=said, fix="language")
