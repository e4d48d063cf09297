"""Whether user and model may take turns, as every prompt of ours has it."""

from collections.abc import Iterator

from hakoniwa.llm.bench import ProbeBench, ProbeFinding, unanswered_finding

TURNS = ("庭に何が見えますか。", "（窓の外を見る）「柿の木が見えるよ」", "もう一つ、短く答えてください。")
TOKENS = 8


def roles(bench: ProbeBench) -> Iterator[ProbeFinding]:
    answer = bench.ask(*TURNS, tokens=TOKENS)
    if answer.fault is not None:
        yield unanswered_finding("roles", answer)
    elif answer.failed:
        yield ProbeFinding(
            about="roles", grade="problem", key="roles.refused", details={"problem": answer.problem}, fix="template"
        )
    else:
        yield ProbeFinding(about="roles", grade="ok", key="roles.ok")
