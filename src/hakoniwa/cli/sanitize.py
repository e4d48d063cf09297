"""`hakoniwa sanitize`: the sanitizer alone, for one line or for one JSON request a line."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from hakoniwa.cli.jsonl import answer_all, read_requests, validate_request
from hakoniwa.cli.printer import as_json
from hakoniwa.cli.terminal import Terminal
from hakoniwa.director.sanitize import ActionSanitizer, OnBlock, SanitizerResult
from hakoniwa.errors import UsageError
from hakoniwa.turn import Value

app = typer.Typer(add_completion=False)
POLICIES: dict[str, OnBlock] = {"replace": "replace", "remove": "remove"}


class SanitizeRequest(Value):
    """A line of output, and what is in the scene."""

    output_text: str
    scene_items: list[str] = []


@app.command()
def sanitize(
    context: typer.Context,
    line: Annotated[str | None, typer.Argument(metavar="LINE", help="cli.sanitize.line")] = None,
    scene: Annotated[list[str] | None, typer.Option("--scene", metavar="ITEM", help="cli.sanitize.scene")] = None,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="cli.sanitize.jsonl")] = False,
    policy: Annotated[
        str, typer.Option("--on-block", metavar="replace|remove", help="cli.sanitize.on-block")
    ] = "replace",
    as_data: Annotated[bool, typer.Option("--json", help="cli.json")] = False,
) -> None:
    """Turn stage directions that use what is not there into gestures."""
    terminal: Terminal = context.obj
    if policy not in POLICIES:
        raise UsageError("usage.bad-format", found=policy, known=", ".join(POLICIES))
    sanitizer = ActionSanitizer(POLICIES[policy])
    if jsonl:
        answer_all(terminal, read_requests(by_line=True), lambda data: answer(sanitizer, data))
    elif line is None:
        raise UsageError("usage.missing", name="LINE")
    else:
        _show(terminal, sanitizer.sanitize(line, scene or []), as_data=as_data)


def answer(sanitizer: ActionSanitizer, data: dict[str, Any]) -> dict[str, Any]:
    request = validate_request(SanitizeRequest, data)
    return asdict(sanitizer.sanitize(request.output_text, request.scene_items))


def _show(terminal: Terminal, result: SanitizerResult, *, as_data: bool) -> None:
    if as_data:
        terminal.print(as_json(asdict(result)))
        return
    terminal.print(result.sanitized_text)
    if result.blocked_props:
        terminal.complain(terminal.say("sanitize.blocked", props=", ".join(result.blocked_props)))
