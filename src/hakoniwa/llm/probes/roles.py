"""Whether user and model may take turns, as every prompt of ours has it."""

from collections.abc import Iterator

from hakoniwa.llm.bench import Bench, Finding, unanswered

TURNS = ("庭に何が見えますか。", "（窓の外を見る）「柿の木が見えるよ」", "もう一つ、短く答えてください。")
TOKENS = 8


def roles(bench: Bench) -> Iterator[Finding]:
    answer = bench.ask(*TURNS, tokens=TOKENS)
    if answer.fault is not None:
        yield unanswered("roles", answer)
    elif answer.failed:
        yield Finding(
            about="roles", grade="problem", key="roles.refused", details={"problem": answer.problem}, fix="template"
        )
    else:
        yield Finding(about="roles", grade="ok", key="roles.ok")
