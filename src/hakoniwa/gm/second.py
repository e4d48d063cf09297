"""A second reading from outside: which of a few readings of a clause was meant. It never says what is true."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

from hakoniwa.turn import ActionIntent, Value

MAX_CANDIDATES, MAX_ASKED = 6, 4
UNDECIDED = -1  # nobody says what is meant: everything stays as it was read


class Doubt(Value):
    """A clause the reader is not sure of: its words, the readings it may have as tags, the names of the scene; `read`
    if the first of them is how it is read so far, else it is not read at all."""

    clause: str
    read: bool = True
    candidates: tuple[str, ...]
    names: tuple[str, ...] = ()


class SecondReading(Protocol):
    """Says which of the candidates a clause means; None if none of them, UNDECIDED where there is no saying."""

    def choose(self, doubt: Doubt) -> int | None: ...


@dataclass
class GivenAnswers(SecondReading):
    """Answers given before, by doubt; a doubt that has none is kept, and everything stays as it was read."""

    answers: dict[Doubt, int | None] = field(default_factory=dict)
    unanswered: list[Doubt] = field(default_factory=list)

    def choose(self, doubt: Doubt) -> int | None:
        if doubt in self.answers:
            return self.answers[doubt]
        self.unanswered.append(doubt)
        return UNDECIDED


AskSecond = Callable[[Doubt], Awaitable[int | None]]


async def answers_for(reading: Callable[[SecondReading], object], ask: AskSecond) -> GivenAnswers:
    """The answers to what is doubted in a reading, which is read again with each lot of them: some doubts come up only
    once others are answered. A long reply is not asked about to the end."""
    given = GivenAnswers()
    while len(given.answers) < MAX_ASKED:
        given.unanswered.clear()
        reading(given)
        open_doubts = list(dict.fromkeys(given.unanswered))[: MAX_ASKED - len(given.answers)]
        if not open_doubts:
            break
        for doubt in open_doubts:
            given.answers[doubt] = await ask(doubt)
    return given


def tag_of(act: ActionIntent) -> str:
    """An act that was read, as a tag."""
    arrow = f" -> {act.destination}" if act.destination else ""
    return f"({act.verb}: {act.target}{arrow})" if act.target else f"({act.verb})"


def doubt_about(clause: str, tags: Iterable[str], names: Iterable[str], read: bool = True) -> Doubt:
    """A doubt with as many candidates as one may choose among."""
    candidates = tuple(dict.fromkeys(tags))[:MAX_CANDIDATES]
    return Doubt(clause=clause, read=read, candidates=candidates, names=tuple(names))
