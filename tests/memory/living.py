"""Ghosts for tests: a chat with a past, several personas in it, and what each of them cares for."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from hakoniwa.journal import MAIN, GardenRecord, Journal
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.memory.embedding import Embedder, pack_vector, space
from hakoniwa.memory.embedding.index import VectorIndex
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.store import Memories, MemoryWriting
from hakoniwa.persona.generated import Generated
from hakoniwa.persona.interest import AttentionTarget, InterestState, interest_as_state
from hakoniwa.persona.persona import Persona
from hakoniwa.persona.records import Entity, MemorySource, NewMemory, Preference, Revision
from hakoniwa.turn import Event

GARDEN = "chat"


class Past(NamedTuple):
    """One thing that happened: what was said, when, who or what occurs in it, and which row it answers."""

    text: str
    at: datetime
    entities: tuple[Entity, ...] = ()
    reply_to: int | None = None


class Cares(NamedTuple):
    """A persona and what it cares for: liked topics and foods, and what has its attention, by `type:value`."""

    persona: Persona
    topics: Sequence[str] = ()
    foods: Sequence[str] = ()
    attention: Mapping[str, float] = {}
    mode: Any = "observe"


def somebody(name: str = "ミナ", **more: Any) -> Persona:
    words = {"persona_text": f"{name}。穏やかな人。", "second_person_label": "あなた", **more}
    return Persona.model_validate({"name": name, **words})


def lived(past: Iterable[Past], *who: str, journal: Journal | None = None) -> tuple[Memories, int]:
    """A memory that holds a past, the same for everybody; and its newest row."""
    journal = journal or MemoryJournal()
    memories, events = Memories(journal), list(past)
    journal.create(GardenRecord(id=GARDEN, scenario={}, sheets={}, seed=1, settings={"kind": "chat"}))
    told = [
        Event(kind="chat", turn=turn, origin="user", witnesses=who, payload={"user_text": one.text})
        for turn, one in enumerate(events, start=1)
    ]
    rows = journal.append(GARDEN, MAIN, told, None)
    remembered = [dict.fromkeys(who, _remembered(one)) for one in events]
    memories.take_in(GARDEN, list(zip(rows, remembered, strict=True)))
    return memories, rows[-1].seq if rows else 0


def embedded(memories: Memories, who: Iterable[str], embedder: Embedder) -> None:
    """Make every vector that is missing."""
    for ghost in [memories.ghost(GARDEN, one) for one in who]:
        while bare := memories.to_embed(ghost, space(embedder), 500):
            vectors = embedder.embed([text for _, _, text in bare])
            made = [(of, key, pack_vector(vector)) for (of, key, _), vector in zip(bare, vectors, strict=True)]
            memories.put_vectors(ghost, space(embedder), made)


def _remembered(one: Past) -> NewMemory:
    return NewMemory(
        source=MemorySource.CHAT,
        text=Generated(one.text),
        user_text=one.text,
        at=one.at,
        entities=one.entities,
        reply_to=one.reply_to,
    )


def ghost_of(memories: Memories, head: int, cares: Cares, now: datetime, embedder: Embedder | None = None) -> Ghost:
    """A persona's ghost at the end of that past, caring for what it cares for."""
    who = cares.persona.name
    index = VectorIndex(memories, memories.ghost(GARDEN, who), embedder) if embedder else None
    ghost = Ghost(memories, GARDEN, MAIN, who, cares.persona, embedder, index, head or None)
    if caring := [*_likings(cares, now), *_interest(cares, now)]:
        ghost.apply(head, MemoryWriting(revisions=tuple(caring)))
    return ghost


def _likings(cares: Cares, now: datetime) -> list[Revision]:
    likings = [
        *(Preference(domain="topic", polarity="like", subject=one, status="confirmed") for one in cares.topics),
        *(Preference(domain="food", polarity="like", subject=one, status="confirmed") for one in cares.foods),
    ]
    return [Revision(kind="preference", after=one.model_dump(mode="json"), at=now) for one in likings]


def _interest(cares: Cares, now: datetime) -> list[Revision]:
    if not cares.attention and cares.mode == "observe":
        return []
    pairs = [(*name.split(":", 1), weight) for name, weight in cares.attention.items()]
    targets = tuple(
        AttentionTarget(type=type, value=value, weight=weight, updated_at=now) for type, value, weight in pairs
    )
    state = interest_as_state(
        InterestState(attention_targets=targets, interaction_mode=cares.mode, updated_at=now), now
    )
    return [Revision(kind="state", after=state.model_dump(mode="json"), at=now)]
