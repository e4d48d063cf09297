"""Candidate: an event or state that might be called to mind, how it was found, and many lists of them as one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Literal, NamedTuple

from hakoniwa.messages import say
from hakoniwa.persona.generated import Generated, unseal
from hakoniwa.persona.persona import Persona
from hakoniwa.persona.records import AboutTime, Affect, Entity, Memory, MemorySource, PersonaState, StateKind

Kind = Literal["event", "state", "event_affect"]
Key = tuple[Kind, int]  # an event and how it felt by the event's seq, a state by the number of its item

NO_TIME = AboutTime()


class SourceFind(NamedTuple):
    """One thing that a source came up with, how sure it is (up to 1), and what of the persona's own led there."""

    type: Kind
    key: int
    sure: float = 1.0
    cue: str = ""


def event_finds(seqs: Sequence[int], cue: str = "") -> list[SourceFind]:
    """Events in the order in which they were found."""
    return [SourceFind("event", seq, cue=cue) for seq in seqs]


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that might be called to mind: what it is, which sources found it at which place, and how it ranks."""

    type: Kind
    key: int
    text: Generated
    at: datetime
    source: MemorySource | None = None
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


def event_candidate(memory: Memory, persona: Persona) -> Candidate:
    return Candidate(
        "event", memory.seq, attributed_text(memory, persona), memory.at, memory.source, None, memory.entities,
        memory.threads, memory.about,
    )  # fmt: skip


def attributed_text(memory: Memory, persona: Persona) -> Generated:
    """What happened, and of words that were exchanged, whose they were."""
    lines = []
    if memory.user_text is not None:
        lines.append(say("chat.they-said", persona.language, text=memory.user_text))
    if memory.assistant_text is not None:
        lines.append(say("chat.said", persona.language, name=persona.name, text=unseal(memory.assistant_text)))
    return Generated("\n".join(lines)) if lines else memory.text


def affect_candidate(memory: Memory, affect: Affect | None) -> Candidate | None:
    """How an event felt, if it was put into words."""
    if affect is None or affect.text is None:
        return None
    return Candidate(
        "event_affect", memory.seq, affect.text, affect.at, memory.source, None, memory.entities, memory.threads,
        memory.about,
    )  # fmt: skip


def state_candidate(item: int, state: PersonaState | None) -> Candidate | None:
    if state is None or not state.searchable:
        return None
    return Candidate("state", item, state.body_text, state.last_confirmed_at, None, state.kind, state.entities)


FLATNESS = 10  # how slowly the word of a source loses weight down its list


@dataclass(slots=True)
class FusedFind:
    """One thing that was found: its score, its place in each source, and what of the persona's own led to it."""

    score: float = 0.0
    ranks: dict[str, int] = field(default_factory=dict)
    cues: list[str] = field(default_factory=list)


NOTHING: Mapping[Key, FusedFind] = MappingProxyType({})


def fuse(
    found: Mapping[str, Sequence[SourceFind]], weights: Mapping[str, float], before: Mapping[Key, FusedFind] = NOTHING
) -> dict[Key, FusedFind]:
    """Everything that was found, best first: reciprocal ranks, each as heavy as its source, and as it was sure.

    What other sources found before is taken over, and counts as much."""
    fused = dict(before)
    for source in sorted(found):
        weight, rank = weights[source], 0
        for type, key, sure, cue in found[source]:
            entry = fused.get((type, key))
            if entry is None:
                entry = fused[type, key] = FusedFind()
            if source not in entry.ranks:  # what was found again stands where it was found first
                rank += 1
                entry.ranks[source] = rank
                entry.score += weight * sure / (FLATNESS + rank)
            if cue and cue not in entry.cues:
                entry.cues.append(cue)
    return dict(sorted(fused.items(), key=lambda pair: (-pair[1].score, -pair[0][1], pair[0][0])))
