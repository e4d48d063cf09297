"""What a session of the GM has at hand: its history, its newest answers, and where in the journal older ones are."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from itertools import islice
from operator import attrgetter
from typing import Any

from hakoniwa.gm.history import History, Past
from hakoniwa.journal import Row
from hakoniwa.turn import Event

AT_HAND, KEPT_ANSWERS, KEPT_BYTES = 256, 64, 128 * 1024
PAST = tuple(one.name for one in fields(Past))
values_of = attrgetter(*PAST)
Key = tuple[int, str]


@dataclass(slots=True)
class Answer:
    """What was answered under one key; the JSON itself for the newest ones, else the row that keeps it."""

    digest: str
    allowed: bool
    body: bytes | None = None
    seq: int | None = None


Step = tuple[Past, Answer]


@dataclass(frozen=True, slots=True)
class Chapter:
    """A few hundred answers that only the journal has: between which rows they are, and between which turns."""

    first: int
    last: int
    lowest: int
    highest: int


@dataclass
class GMSession:
    """One session: its history, its answers, and the steps not written yet."""

    id: str
    head: int | None = None
    history: History = field(default_factory=History)
    answers: dict[Key, Answer] = field(default_factory=dict)
    chapters: list[Chapter] = field(default_factory=list)
    unwritten: list[Step] = field(default_factory=list)
    newest: deque[Answer] = field(default_factory=deque)

    def answered(self, key: Key, past: Past, answer: Answer) -> None:
        """Take in a new answer, which is to be written."""
        self.history.add(past)
        self._keep(key, answer)
        self.unwritten.append((past, answer))

    def recall(self, row: Row) -> None:
        """Take in a row that this process did not write."""
        self.head = row.seq
        for key, past, answer in steps_in(row):
            self.history.add(past)
            answer.body = None
            self._keep(key, answer)
        self._let_go()

    def written(self, steps: list[Step], row: Row) -> None:
        """These steps are in the journal now; all but the newest answers may be read from there."""
        self.head = row.seq
        del self.unwritten[: len(steps)]
        for _, answer in steps:
            answer.seq = row.seq
            self.newest.append(answer)
        while len(self.newest) > KEPT_ANSWERS or sum(len(one.body or b"") for one in self.newest) > KEPT_BYTES:
            self.newest.popleft().body = None
        self._let_go()

    def chapters_of(self, key: Key) -> list[Chapter]:
        """Where an answer may be that is not at hand, the latest chapter first."""
        if key in self.answers:
            return []
        return [one for one in reversed(self.chapters) if one.lowest <= key[0] <= one.highest]

    def _keep(self, key: Key, answer: Answer) -> None:
        self.answers.pop(key, None)  # a retake is as new as any
        self.answers[key] = answer

    def _let_go(self) -> None:
        """Leave the oldest answers to the journal while there are twice as many as are wanted at hand."""
        while len(self.answers) >= 2 * AT_HAND:
            oldest = list(islice(self.answers.items(), AT_HAND))
            rows = [one.seq for _, one in oldest if one.seq is not None]
            if len(rows) < len(oldest):
                return
            turns = [turn for (turn, _), _ in oldest]
            self.chapters.append(Chapter(min(rows), max(rows), min(turns), max(turns)))
            for key, _ in oldest:
                del self.answers[key]


def found_in(rows: Sequence[Row], key: Key) -> Answer | None:
    """The last answer under a key in some rows."""
    mine = [answer for row in rows for known, _, answer in steps_in(row) if known == key]
    return mine[-1] if mine else None


def steps_in(row: Row) -> Iterator[tuple[Key, Past, Answer]]:
    """The steps that a row of the journal holds."""
    for step in row.event.payload["steps"]:
        past = Past(**{**step["past"], "marks": tuple(step["past"]["marks"])})
        answer = Answer(step["digest"], step["allowed"], step["response"].encode(), row.seq)
        yield (past.turn, past.speaker), past, answer


def event_of(steps: list[Step]) -> Event:
    """Steps as one row of the journal: the history only, since the world is the caller's."""
    payload = {"steps": [_kept(past, answer) for past, answer in steps]}
    return Event(kind="gm.steps", turn=steps[-1][0].turn, origin="gm", payload=payload)


def _kept(past: Past, answer: Answer) -> dict[str, Any]:
    assert answer.body is not None  # only what has been written is let go of
    remembered = dict(zip(PAST, values_of(past), strict=True)) | {"marks": list(past.marks)}
    return {"digest": answer.digest, "allowed": answer.allowed, "past": remembered, "response": answer.body.decode()}
