"""What OpenAPI promises of every answer, held against the answers that come."""

import json
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import jsonschema_rs

from hakoniwa.service.requests import MEDIA_TYPE, TITLES
from tests.trust.asking import Operation, operations
from tests.trust.house import Answer, Asked, House

KANA = re.compile(r"[ぁ-ヿ]")


class Described:
    """OpenAPI, as what it promises of every answer."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.operations, self._document = operations(document), document
        self._validators: dict[tuple[str, str, int], Any] = {}

    @cached_property
    def _patterns(self) -> list[tuple[re.Pattern[str], Operation]]:
        """The plainer of two paths that both fit is the one that is meant."""
        plainest = sorted(self.operations, key=lambda one: one.path.count("{"))
        return [(re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(one.path))), one) for one in plainest]

    def of(self, method: str, path: str) -> Operation | None:
        found = (one for pattern, one in self._patterns if one.method == method and pattern.fullmatch(path))
        return next(found, None)

    def breaches(self, asked: Asked, answer: Answer) -> Iterator[str]:
        if answer.fault or not 200 <= answer.status < 500:
            yield f"{answer.status} {answer.fault}"
            return
        operation = self.of(asked.method, asked.path)
        if operation is not None:
            yield from self._undescribed(operation, answer)
        if answer.status >= 400:
            yield from _of_problem(asked, answer)

    def _undescribed(self, operation: Operation, answer: Answer) -> Iterator[str]:
        described = operation.answers.get(str(answer.status))
        if described is None:
            yield f"{answer.status} is not described"
        elif "content" not in described:
            yield from [f"{answer.status} has a body, which is not described"] if answer.body else ()
        elif answer.kind not in described["content"]:
            yield f"{answer.status} as {answer.kind} is not described"
        elif answer.kind == "application/json" and "$ref" in str(described):
            yield from self._misshapen(operation, answer, described["content"][answer.kind]["schema"])

    def _misshapen(self, operation: Operation, answer: Answer, schema: dict[str, Any]) -> Iterator[str]:
        key = (operation.method, operation.path, answer.status)
        if key not in self._validators:
            whole = {**schema, "components": self._document["components"]}
            self._validators[key] = jsonschema_rs.validator_for(whole)
        for error in self._validators[key].iter_errors(json.loads(answer.body)):
            yield f"not as described: {error.message[:300]}"


_DESCRIBED: dict[str, Described] = {}


def described(house: House) -> Described:
    """What a house's document says, read once for all houses that have it."""
    return _DESCRIBED.setdefault(house.app.title, Described(house.document))


def _of_problem(asked: Asked, answer: Answer) -> Iterator[str]:
    """A refusal says what is wrong in a form for programs, and people read it in the language they asked for."""
    if answer.kind != MEDIA_TYPE:
        yield f"{answer.status} as {answer.kind}"
        return
    told = json.loads(answer.body)
    if told["status"] != answer.status or told["title"] not in (TITLES[answer.status], "Already answered"):
        yield f"{answer.status} is told as {told}"
    wanted = next((value for name, value in asked.headers if name == "accept-language"), "en")
    if wanted == "ja" and not KANA.search(told["detail"]):
        yield f"not in Japanese: {told}"
