"""Requests on a pipe: one JSON object a line in, one line of JSON out; what is wrong with one is told in its place."""

import json
import sys
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from hakoniwa.cli.complaint import error_in_words
from hakoniwa.cli.screen import harmless_json
from hakoniwa.cli.terminal import Terminal
from hakoniwa.errors import HakoniwaError, UsageError

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
