"""Requests on a pipe: one JSON object a line in, one line of JSON out; what is wrong with one is told in its place."""

import json
import sys
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from hakoniwa.cli.complaint import in_words
from hakoniwa.cli.terminal import Terminal
from hakoniwa.cli.wrap import harmless_json
from hakoniwa.errors import HakoniwaError, UsageError

Asked = TypeVar("Asked", bound=BaseModel)
Answer = Callable[[dict[str, Any]], object]


def answer_all(terminal: Terminal, requests: Iterable[str], answer: Answer) -> None:
    """Answer requests as they come, each before the next is read."""
    for request in requests:
        if request.strip():
            terminal.print(harmless_json(answered(request, answer, terminal.lang)))


def piped(*, by_line: bool) -> Iterable[str]:
    """The requests on standard input: one a line, or a single one over many lines."""
    sys.stdin.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    return sys.stdin if by_line else [sys.stdin.read()]


def answered(request: str, answer: Answer, lang: str) -> str:
    """The answer to one request as one line of JSON."""
    try:
        return json.dumps(answer(parsed(request)), ensure_ascii=False)
    except HakoniwaError as error:
        return refused(error, lang)


def parsed(request: str) -> dict[str, Any]:
    try:
        data = json.loads(request.rstrip())
        # Half a character, as in "\\ud800", is no text that could be recorded: a mark takes its place.
        data = json.loads(json.dumps(data, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise UsageError("request.not-json", problem=str(error)) from None
    if not isinstance(data, dict):
        raise UsageError("request.not-json", problem="Input should be an object")
    return data


def checked(model: type[Asked], data: dict[str, Any]) -> Asked:
    """A request as a value; fields it does not know are ignored, what is wrong is named."""
    try:
        return model.model_validate(data, extra="ignore")
    except ValidationError as error:
        first = error.errors()[0]
        where = "/".join(map(str, first["loc"])) or "-"
        raise UsageError("request.invalid", where=where, problem=first["msg"]) from None


def refused(error: HakoniwaError, lang: str) -> str:
    details = {name: str(value) for name, value in error.details.items()}
    return json.dumps(
        {"error": {"key": error.key, "message": in_words(error, lang), "details": details}}, ensure_ascii=False
    )
