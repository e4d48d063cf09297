"""`hakoniwa next-speaker`: who speaks next, one JSON request a line."""

from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Annotated, Any, Literal, TextIO

import typer
from pydantic import Field

from hakoniwa.cli.jsonl import answer_all, read_requests, validate_request
from hakoniwa.cli.terminal import Terminal
from hakoniwa.director.next_speaker import CharacterRegistry, NextPolicy, Resolved, resolve_next_speaker
from hakoniwa.journal import canonical_json
from hakoniwa.turn import Value

app = typer.Typer(add_completion=False)


class SpeakerCandidate(Value):
    """One of those who may speak."""

    internal_id: str
    display_name: str | None = None
    short_name: str | None = None
    aliases: list[str] = []
    hidden: bool = False
    absent: bool = False


class NextSpeakerPolicy(Value):
    """What happens when nobody valid is named."""

    allow_self_nomination: bool = False
    fallback: Literal["round_robin", "random"] = "round_robin"
    fuzzy_threshold: float = Field(default=0.85, ge=0, le=1)


class NextSpeakerRequest(Value):
    """A reply, whose it is, who may be next, and by what policy."""

    response_text: str
    current_id: str
    members: list[SpeakerCandidate]
    policy: NextSpeakerPolicy = NextSpeakerPolicy()


@app.command()
def next_speaker(
    context: typer.Context,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="cli.next-speaker.jsonl")] = False,
    decisions: Annotated[
        Path | None, typer.Option("--decision-log", metavar="FILE", help="cli.next-speaker.decision-log")
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", metavar="N", help="cli.next-speaker.seed")] = None,
) -> None:
    """Resolve who speaks next."""
    terminal: Terminal = context.obj
    dice = Random(seed)
    with ExitStack() as files:
        log = files.enter_context(decisions.open("a", encoding="utf-8", errors="replace")) if decisions else None
        answer_all(terminal, read_requests(by_line=jsonl), lambda data: answer(data, dice, log))


def answer(data: dict[str, Any], dice: Random, log: TextIO | None = None) -> Resolved:
    request = validate_request(NextSpeakerRequest, data)
    members = CharacterRegistry([one.model_dump() for one in request.members])
    policy = NextPolicy(**request.policy.model_dump())
    found = resolve_next_speaker(request.response_text, request.current_id, members, policy, dice)
    if log is not None:
        log.write(canonical_json({"current_id": request.current_id, "policy": asdict(policy), **found}) + "\n")
        log.flush()
    return found
