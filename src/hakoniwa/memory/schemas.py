"""JSON schemas for answers of models: flat, without references, so that a server makes a small grammar of them."""

from collections.abc import Collection, Iterable
from typing import Any, get_args

from hakoniwa.persona.records import EVENT_LINKS, EntityType, Horizon, LifeStage, LinkKind, StateKind, TakenFor

Schema = dict[str, Any]

SHARE: Schema = {"enum": [step / 10 for step in range(11)]}
AXIS: Schema = {"enum": [step / 10 for step in range(-10, 11)]}


def record(**properties: Schema) -> Schema:
    """An object with exactly these members."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def array(items: Schema, most: int) -> Schema:
    return {"type": "array", "items": items, "maxItems": most}


def one_of(values: Iterable[str]) -> Schema:
    return {"type": "string", "enum": list(values)}


def text(most: int) -> Schema:
    return {"type": "string", "minLength": 1, "maxLength": most}


def schema_for(
    events: Collection[int],
    states: Collection[int],
    spoken: Collection[int] = (),
    years: Collection[int] = (),
    goals: Collection[int] = (),
) -> Schema:
    """What to ask a model for, given the earlier events, the states and the goals that it may name, the events in which
    the user spoke, and the years that were spoken of."""
    year: Schema = {"enum": [None, *years]}
    return record(
        event_annotations=record(
            about_year_start=year,
            about_year_end=year,
            life_stage=one_of(LifeStage),
            entities=array(_ENTITY, 4),
        ),
        state_updates=array(_state_update(states), 3),
        preference_updates=array(_preference_update(spoken), 3),
        goal_updates=array(goal_update(goals), 1),
        world_updates=array(_WORLD_UPDATE, 2),
        event_affect=record(text=_WORDS, labels=array(_NAME, 3), v=AXIS, a=AXIS, d=AXIS, confidence=SHARE),
        context_updates=record(
            threads=array(_NAME, 2),
            **({"links": array(record(event_id=_ids(events), kind=one_of(sorted(EVENT_LINKS))), 2)} if events else {}),
        ),
    )


def _state_update(states: Collection[int]) -> Schema:
    links = array(record(state_id=_ids(states), kind=one_of(_STATE_LINKS)), 2)
    return record(
        kind=one_of(kind for kind in StateKind if kind is not StateKind.PERSONA_INTEREST_STATE),
        op=one_of(["upsert", "close", "mark_done"] if states else ["upsert"]),
        state_id=_ids([0, *states]),
        body_text=_WORDS,
        entities=array(_ENTITY, 2),
        confidence=SHARE,
        **({"links": links} if states else {}),
        reason=_WORDS,
    )


def _ids(ids: Iterable[int]) -> Schema:
    return {"type": "integer", "enum": list(ids)}


_NAME: Schema = {"type": "string", "minLength": 1, "maxLength": 40}
# Longer than a model is told to write, so that nothing it writes ends in the middle of a word.
_WORDS: Schema = {"type": "string", "maxLength": 100}
_ENTITY = record(type=one_of(EntityType), name=_NAME)
_STATE_LINKS = (LinkKind.RELATES_TO, LinkKind.DERIVED_FROM, LinkKind.CONTRADICTS, LinkKind.SUPPORTS)


def _preference_update(spoken: Collection[int]) -> Schema:
    return record(
        op=one_of(["upsert_candidate", *(["confirm"] if spoken else []), "revoke"]),
        domain=one_of(["food", "topic", "style"]),
        polarity=one_of(["like", "dislike"]),
        subject=_NAME,
        evidence_event_id=_ids([0, *spoken]),
        confidence=SHARE,
    )


def goal_update(goals: Collection[int]) -> Schema:
    """One goal that is new, or one of these that changed."""
    return record(
        op=one_of(["set", *(["progress", "done", "drop"] if goals else [])]),
        goal_id=_ids([0, *goals]),
        title=_WORDS,
        horizon=one_of(get_args(Horizon)),
        progress=SHARE,
        promised={"type": "boolean"},
    )


_WORLD_UPDATE = record(
    type=one_of(EntityType),
    name=_NAME,
    view=text(100),
    taken_for=one_of(get_args(TakenFor)),
    item_class=one_of(["fact", "inferred"]),
    confidence=SHARE,
)

ANSWERS = record(answer=one_of(["like", "dislike", "neither"]))
