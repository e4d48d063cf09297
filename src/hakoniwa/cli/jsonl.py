"""`hakoniwa sanitize` and `next-speaker`, and requests on a pipe: one JSON object a line in, one line of JSON out."""

import json
import sys
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Annotated, Any, TextIO, TypeVar

import typer
from pydantic import BaseModel, Field, ValidationError

from hakoniwa.cli.complaint import error_in_words
from hakoniwa.cli.options import JsonOption, command
from hakoniwa.cli.screen import harmless_json
from hakoniwa.cli.terminal import Terminal
from hakoniwa.director.next_speaker import CharacterRegistry, NextPolicy, Resolved, resolve_next_speaker
from hakoniwa.director.sanitize import ActionSanitizer, OnBlock, SanitizerResult
from hakoniwa.errors import HakoniwaError, UsageError
from hakoniwa.journal import canonical_json
from hakoniwa.turn import Value

app = typer.Typer()
POLICIES: dict[str, OnBlock] = {"replace": "replace", "remove": "remove"}

RequestModel = TypeVar("RequestModel", bound=BaseModel)
AnswerFunction = Callable[[dict[str, Any]], object]


def answer_all(terminal: Terminal, requests: Iterable[str], answer: AnswerFunction) -> None:
    """Answer requests as they come, each before the next is read."""
    for request in requests:
        if request.strip():
            terminal.print(harmless_json(answer_line(request, answer, terminal.lang)))


def read_requests(*, by_line: bool) -> Iterable[str]:
    """The requests on standard input: one a line, or a single one over many lines."""
    sys.stdin.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    return sys.stdin if by_line else [sys.stdin.read()]


def answer_line(request: str, answer: AnswerFunction, lang: str) -> str:
    """The answer to one request as one line of JSON."""
    try:
        return json.dumps(answer(parse_request(request)), ensure_ascii=False)
    except HakoniwaError as error:
        return error_line(error, lang)


def parse_request(request: str) -> dict[str, Any]:
    try:
        data = json.loads(request.rstrip())
        # Half a character, as in "\\ud800", is no text that could be recorded: a mark takes its place.
        data = json.loads(json.dumps(data, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise UsageError("request.not-json", problem=str(error)) from None
    if not isinstance(data, dict):
        raise UsageError("request.not-json", problem="Input should be an object")
    return data


def validate_request(model: type[RequestModel], data: dict[str, Any]) -> RequestModel:
    """A request as a value; fields it does not know are ignored, what is wrong is named."""
    try:
        return model.model_validate(data, extra="ignore")
    except ValidationError as error:
        first = error.errors()[0]
        where = "/".join(map(str, first["loc"])) or "-"
        raise UsageError("request.invalid", where=where, problem=first["msg"]) from None


def error_line(error: HakoniwaError, lang: str) -> str:
    details = {name: str(value) for name, value in error.details.items()}
    return json.dumps(
        {"error": {"key": error.key, "message": error_in_words(error, lang), "details": details}}, ensure_ascii=False
    )


# --- the sanitizer ---------------------------------------------------------------------------------------------------


class SanitizeRequest(Value):
    """A line of output, and what is in the scene."""

    output_text: str
    scene_items: list[str] = []


@command(app)
def sanitize(
    terminal: Terminal,
    line: Annotated[str | None, typer.Argument(metavar="LINE", help="cli.sanitize.line")] = None,
    scene: Annotated[list[str] | None, typer.Option("--scene", metavar="ITEM", help="cli.sanitize.scene")] = None,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="cli.sanitize.jsonl")] = False,
    policy: Annotated[
        str, typer.Option("--on-block", metavar="replace|remove", help="cli.sanitize.on-block")
    ] = "replace",
    as_data: JsonOption = False,
) -> None:
    """Turn stage directions that use what is not there into gestures."""
    if policy not in POLICIES:
        raise UsageError("usage.bad-format", found=policy, known=", ".join(POLICIES))
    sanitizer = ActionSanitizer(POLICIES[policy])
    if jsonl:
        answer_all(terminal, read_requests(by_line=True), lambda data: answer_sanitize(sanitizer, data))
    elif line is None:
        raise UsageError("usage.missing", name="LINE")
    else:
        _show(terminal, sanitizer.sanitize(line, scene or []), as_data=as_data)


def answer_sanitize(sanitizer: ActionSanitizer, data: dict[str, Any]) -> dict[str, Any]:
    request = validate_request(SanitizeRequest, data)
    return asdict(sanitizer.sanitize(request.output_text, request.scene_items))


def _show(terminal: Terminal, result: SanitizerResult, *, as_data: bool) -> None:
    terminal.show(asdict(result), [result.sanitized_text], as_data=as_data)
    if result.blocked_props and not as_data:
        terminal.complain(terminal.say("sanitize.blocked", props=", ".join(result.blocked_props)))


# --- the next speaker ------------------------------------------------------------------------------------------------


class SpeakerCandidate(Value):
    """One of those who may speak."""

    internal_id: str
    display_name: str | list[str] | None = None
    short_name: str | None = None
    aliases: list[str] = []
    hidden: bool = False
    absent: bool = False


class NextSpeakerRequest(Value):
    """A reply, whose it is, who may be next, and by what policy."""

    response_text: str
    current_id: str
    members: list[SpeakerCandidate]
    policy: NextPolicy = Field(default_factory=NextPolicy)


@command(app)
def next_speaker(
    terminal: Terminal,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="cli.next-speaker.jsonl")] = False,
    decisions: Annotated[
        Path | None, typer.Option("--decision-log", metavar="FILE", help="cli.next-speaker.decision-log")
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", metavar="N", help="cli.next-speaker.seed")] = None,
) -> None:
    """Resolve who speaks next."""
    dice = Random(seed)
    with ExitStack() as files:
        log = files.enter_context(decisions.open("a", encoding="utf-8", errors="replace")) if decisions else None
        answer_all(terminal, read_requests(by_line=jsonl), lambda data: answer_next_speaker(data, dice, log))


def answer_next_speaker(data: dict[str, Any], dice: Random, log: TextIO | None = None) -> Resolved:
    request = validate_request(NextSpeakerRequest, data)
    members = CharacterRegistry([one.model_dump() for one in request.members])
    found = resolve_next_speaker(request.response_text, request.current_id, members, request.policy, dice)
    if log is not None:
        log.write(canonical_json({"current_id": request.current_id, "policy": asdict(request.policy), **found}) + "\n")
        log.flush()
    return found
