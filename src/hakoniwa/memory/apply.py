"""Apply: what a WritePlan changes. Pure: what is held goes in, the whole writing comes out; nothing is overwritten."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from hakoniwa.memory.store import Annotation, MemoryWriting
from hakoniwa.persona.generated import Generated, unseal
from hakoniwa.persona.goals import goal_revisions, sheet_goals
from hakoniwa.persona.inner import InnerState
from hakoniwa.persona.interest import (
    interest_as_state,
    merge_interest,
    mode_from,
    targets_from_plan,
    targets_from_world,
)
from hakoniwa.persona.mood import LongMoodState, feeling_at, mood_as_state, move_mood, word_mood
from hakoniwa.persona.persona import Persona
from hakoniwa.persona.preferences import preference_revisions
from hakoniwa.persona.records import Affect, Entity, Memory, MemoryLink, PersonaState, Revision, StateKind, WorldItem
from hakoniwa.persona.world_model import is_promotable, world_revisions
from hakoniwa.persona.write_plan import StateUpdate, WritePlan, named_goals, named_states

OF_WORLD = "world_key"  # in a state, the entry of the world model it comes from


def apply_plan(
    plan: WritePlan,
    inner: InnerState,
    memory: Memory,
    affects: Sequence[Affect],
    persona: Persona,
    now: datetime,
    active_intents: int = 0,
) -> MemoryWriting | None:
    """Everything a plan changes, or None if it names what it cannot: then none of it happens.

    An event is felt once: where `affects` has it already, the mood is not moved again."""
    if not _is_possible(plan, inner, memory):
        return None
    affect = None if any(one.seq == memory.seq for one in affects) else _affect(plan, memory)
    mood = _mood(plan, inner.mood, affect, persona, now)
    mode = mode_from(feeling_at(mood, now), active_intents)
    world = world_revisions(plan.world_updates, inner.world, (memory.seq,), now)
    items = [WorldItem.model_validate(one.after) for one in world]
    earned = [one for one in items if is_promotable(one, now)]
    drawn = (
        *targets_from_plan(plan, memory, now),
        *targets_from_world(items, now, frozenset(one.key for one in items)),
    )
    interest = merge_interest(inner.interest, drawn, mode, [memory.seq], "write_plan", now)
    return MemoryWriting(
        annotations=(_annotation(plan, memory),),
        revisions=(
            *(_state_revision(update, inner, memory, now) for update in _state_updates(plan)),
            *_preferences(plan, inner, memory, now),
            *sheet_goals(persona, inner.goals, memory.seq, now),
            *goal_revisions(plan.goal_updates, inner.goals, persona.second_person_label, (memory.seq,), now),
            *world,
            *(_promote(one, inner, memory, now) for one in earned if one.view is not None),
            *(
                []
                if mood is inner.mood
                else [single_revision(mood_as_state(mood, now), inner, "felt", memory.seq, now)]
            ),
            single_revision(interest_as_state(interest, now), inner, "write_plan", memory.seq, now),
        ),
        affects=() if affect is None else (affect,),
        links=(*_event_links(plan, memory), *_state_links(plan)),
    )


def _is_possible(plan: WritePlan, inner: InnerState, memory: Memory) -> bool:
    """Whether every state and goal it names is held, and no event is linked to itself."""
    to_itself = any(link.event_id == memory.seq for link in plan.context_updates.links)
    held = named_states(plan) <= inner.states.keys() and named_goals(plan) <= inner.goals.keys()
    return held and not to_itself


# --- the event --------------------------------------------------------------------------------------------------------


def _annotation(plan: WritePlan, memory: Memory) -> Annotation:
    """What is known of the event: what was known before, and what the plan adds."""
    surest: dict[tuple[str, str], Entity] = {}
    for one in (*memory.entities, *plan.entities):
        known = surest.get((one.type, one.name))
        surest[one.type, one.name] = known if known and known.confidence >= one.confidence else one
    threads = tuple(dict.fromkeys((*memory.threads, *plan.context_updates.threads)))
    return Annotation(
        seq=memory.seq, about=plan.event_annotations.about, entities=tuple(surest.values()), threads=threads
    )


def _affect(plan: WritePlan, memory: Memory) -> Affect | None:
    found = plan.event_affect
    if found is None:
        return None
    return Affect(
        seq=memory.seq,
        text=found.text,
        labels=found.labels,
        vad=found.vad,
        confidence=found.confidence,
        at=memory.at,
    )


def _event_links(plan: WritePlan, memory: Memory) -> Iterator[MemoryLink]:
    for link in plan.context_updates.links:
        yield MemoryLink(source=memory.seq, target=link.event_id, kind=link.kind, confidence=link.confidence)


# --- states and preferences -------------------------------------------------------------------------------------------


def _state_updates(plan: WritePlan) -> list[StateUpdate]:
    return [update for update in plan.state_updates if update.kind is not StateKind.LONG_MOOD_STATE]


def _state_revision(update: StateUpdate, inner: InnerState, memory: Memory, now: datetime) -> Revision:
    before = inner.states.get(update.state_id)
    after = _state_after(update, before, now)
    return Revision(
        item=update.state_id,
        kind="state",
        before=_dump_state(before),
        after=_dump_state(after),
        reason=unseal(update.reason) if update.reason is not None else update.op,
        evidence=tuple(dict.fromkeys((*update.evidence_event_ids, memory.seq))),
        at=now,
    )


def _state_after(update: StateUpdate, before: PersonaState | None, now: datetime) -> PersonaState | None:
    """A state once it is updated; None once it is closed."""
    if update.op == "close":
        return None
    confirmed = update.last_confirmed_at or now
    if update.op == "mark_done" and before is not None:
        return before.model_copy(update={"done": True, "last_confirmed_at": confirmed})
    old = before or PersonaState(kind=update.kind, body_text=_state_words(update), last_confirmed_at=confirmed)
    return old.model_copy(
        update={
            "kind": update.kind,
            "body_text": _state_words(update),
            "payload": {**old.payload, **update.payload},
            "entities": update.entities or old.entities,
            "confidence": update.confidence,
            "last_confirmed_at": confirmed,
            "valid_from": update.valid_from or old.valid_from,
            "valid_to": update.valid_to or old.valid_to,
        }
    )


def _state_words(update: StateUpdate) -> Generated:
    assert update.body_text is not None, "an update that keeps something has words"
    return update.body_text


def _state_links(plan: WritePlan) -> Iterator[MemoryLink]:
    """Between states. A new one has no number yet: −n stands for the item of the writing's n-th revision."""
    for place, update in enumerate(_state_updates(plan), start=1):
        for link in update.links:
            source = update.state_id or -place
            yield MemoryLink(
                of="state", source=source, target=link.state_id, kind=link.kind, confidence=link.confidence
            )


def _promote(item: WorldItem, inner: InnerState, memory: Memory, now: datetime) -> Revision:
    """The state that an entry of the world model has become, of which there is one."""
    known = [pair for pair in inner.states.items() if pair[1].payload.get(OF_WORLD) == item.key]
    id, before = known[0] if known else (0, None)
    assert item.view is not None, "what is promoted has words"
    after = PersonaState(
        kind=StateKind.FACT, body_text=item.view, payload={OF_WORLD: item.key}, confidence=item.confidence,
        entities=(Entity(type=item.entity["type"], name=item.entity["name"]),), last_confirmed_at=now,
    )  # fmt: skip
    return Revision(
        item=id, kind="state", before=_dump_state(before), after=_dump_state(after), reason="promoted",
        evidence=(memory.seq,), at=now,
    )  # fmt: skip


def _preferences(plan: WritePlan, inner: InnerState, memory: Memory, now: datetime) -> tuple[Revision, ...]:
    return preference_revisions(plan.preference_updates, inner.preferences, (memory.seq,), now)


# --- mood and interest ------------------------------------------------------------------------------------------------


def _mood(
    plan: WritePlan, mood: LongMoodState, affect: Affect | None, persona: Persona, now: datetime
) -> LongMoodState:
    if affect is not None:
        mood = move_mood(mood, affect, now, persona.personality.neuroticism)
    for update in plan.state_updates:
        if update.kind is StateKind.LONG_MOOD_STATE:
            mood = word_mood(mood, _state_words(update), now)
    return mood


def single_revision(state: PersonaState, inner: InnerState, reason: str, seq: int, now: datetime) -> Revision:
    """The next revision of a state of which there is only one."""
    item, before = inner.singles.get(state.kind, (0, None))
    return Revision(
        item=item,
        kind="state",
        before=_dump_state(before),
        after=_dump_state(state),
        reason=reason,
        evidence=(seq,),
        at=now,
    )


def _dump_state(state: PersonaState | None) -> dict[str, Any] | None:
    return None if state is None else state.model_dump(mode="json")
