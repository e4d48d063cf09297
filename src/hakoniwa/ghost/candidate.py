"""Candidate: something that might be called to mind, and how it was found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, NamedTuple

from hakoniwa.ghost.generated import Generated
from hakoniwa.ghost.memory import AboutTime, Affect, Entity, Memory, Source, State, StateKind

Kind = Literal["event", "state", "event_affect"]
Key = tuple[Kind, int]  # an event and how it felt by the event's seq, a state by the number of its item

NO_TIME = AboutTime()


class Found(NamedTuple):
    """One thing that a source came up with, how sure it is (up to 1), and what of the persona's own led there."""

    type: Kind
    key: int
    sure: float = 1.0
    cue: str = ""


def events(seqs: Sequence[int], cue: str = "") -> list[Found]:
    """Events in the order in which they were found."""
    return [Found("event", seq, cue=cue) for seq in seqs]


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that might be called to mind: what it is, which sources found it at which place, and how it ranks."""

    type: Kind
    key: int
    text: Generated
    at: datetime
    source: Source | None = None
    kind: StateKind | None = None
    entities: tuple[Entity, ...] = ()
    threads: tuple[str, ...] = ()
    about: AboutTime = NO_TIME
    ranks: Mapping[str, int] = field(default_factory=dict)
    cues: tuple[str, ...] = ()
    touches: tuple[str, ...] = ()
    score: float = 0.0

    @property
    def id(self) -> Key:
        return self.type, self.key

    def placed(self, ranks: Mapping[str, int], cues: tuple[str, ...], score: float) -> "Candidate":
        """The same thing with how it was found; `replace` would take three times as long."""
        return Candidate(
            self.type, self.key, self.text, self.at, self.source, self.kind, self.entities, self.threads, self.about,
            ranks, cues, self.touches, score,
        )  # fmt: skip

    def touching(self, touches: tuple[str, ...], score: float) -> "Candidate":
        """The same thing with what of the persona's own it touches."""
        return Candidate(
            self.type, self.key, self.text, self.at, self.source, self.kind, self.entities, self.threads, self.about,
            self.ranks, self.cues, touches, score,
        )  # fmt: skip


def of_event(memory: Memory) -> Candidate:
    return Candidate(
        "event", memory.seq, memory.text, memory.at, memory.source, None, memory.entities, memory.threads, memory.about
    )


def of_affect(memory: Memory, affect: Affect | None) -> Candidate | None:
    """How an event felt, if it was put into words."""
    if affect is None or affect.text is None:
        return None
    return Candidate(
        "event_affect", memory.seq, affect.text, affect.at, memory.source, None, memory.entities, memory.threads,
        memory.about,
    )  # fmt: skip


def of_state(item: int, state: State | None) -> Candidate | None:
    if state is None or not state.searchable:
        return None
    return Candidate("state", item, state.body_text, state.last_confirmed_at, None, state.kind, state.entities)
