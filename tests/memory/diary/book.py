"""The diaries in Japanese and English, their questions, and how much of an answer somebody found."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
ANSWERING = timedelta(minutes=2)  # from one exchange of a talk to the next


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


def pages(language: str = "ja") -> list[Page]:
    """What was said, oldest first. The Japanese diary has one exchange a day, the English one whole talks."""
    if language == "ja":
        return [Page(**one) for one in _read(language, "events.yaml")]
    said = [
        (talk["at"] + place * ANSWERING, *exchange)
        for talk in _read(language, "talks.yaml")
        for place, exchange in enumerate(talk["said"])
    ]
    return [Page(id=id, at=at, importance=1, user=user, assistant=own) for id, (at, user, own) in enumerate(said, 1)]


def questions(language: str = "ja") -> list[Question]:
    return [Question(**one) for one in _read(language, "questions.yaml")["questions"]]


def asked_at(language: str = "ja") -> datetime:
    """The moment at which every question is asked."""
    moment: datetime = _read(language, "questions.yaml")["asked_at"]
    return moment


@cache
def _read(language: str, name: str) -> Any:
    return yaml.safe_load((HERE / language / name).read_text(encoding="utf-8"))
