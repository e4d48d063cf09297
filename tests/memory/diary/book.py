"""The diary, its questions, and how much of an answer somebody found."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Page:
    """One exchange of the diary."""

    id: int
    at: datetime
    importance: int
    user: str
    assistant: str

    @property
    def text(self) -> str:
        return f"{self.user}\n{self.assistant}"


@dataclass(frozen=True)
class Question:
    """Something to ask, and every page that answers it."""

    ask: str
    kind: str
    set: str
    answers: Sequence[int]

    def recall(self, found: Iterable[int]) -> float:
        """The share of the answers that is among what was found."""
        return len(set(self.answers) & set(found)) / len(self.answers)


def pages() -> list[Page]:
    return [Page(**one) for one in _read("events.yaml")]


def questions() -> list[Question]:
    return [Question(**one) for one in _read("questions.yaml")["questions"]]


def asked_at() -> datetime:
    """The moment at which every question is asked."""
    moment: datetime = _read("questions.yaml")["asked_at"]
    return moment


@cache
def _read(name: str) -> Any:
    return yaml.safe_load((HERE / name).read_text(encoding="utf-8"))
