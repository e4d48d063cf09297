"""JSON schemas for answers of models: flat, without references, so that a server makes a small grammar of them."""

from collections.abc import Collection, Iterable
from typing import Any

from hakoniwa.persona.records import EVENT_LINKS, EntityType, LifeStage, LinkKind, StateKind

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


def schema_for(events: Collection[int], states: Collection[int]) -> Schema:
    """What to ask a model for, given the earlier events and the states that it may name."""
    return record(
        event_annotations=record(
            about_year_start=_YEAR,
            about_year_end=_YEAR,
            life_stage=one_of(LifeStage),
            entities=array(_ENTITY, 4),
        ),
        state_updates=array(_state_update(states), 3),
        preference_updates=array(_PREFERENCE_UPDATE, 3),
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


_NAME: Schema = {"type": "string", "minLength": 1, "maxLength": 24}
_WORDS: Schema = {"type": "string", "maxLength": 100}
_YEAR: Schema = {"type": ["integer", "null"], "minimum": 1, "maximum": 9999}
_ENTITY = record(type=one_of(EntityType), name=_NAME)
_STATE_LINKS = (LinkKind.RELATES_TO, LinkKind.DERIVED_FROM, LinkKind.CONTRADICTS, LinkKind.SUPPORTS)
_PREFERENCE_UPDATE = record(
    op=one_of(["upsert_candidate", "confirm", "revoke"]),
    domain=one_of(["food", "topic", "style"]),
    polarity=one_of(["like", "dislike"]),
    subject=_NAME,
    stated_by_user={"type": "boolean"},
    confidence=SHARE,
)
