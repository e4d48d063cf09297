"""The schema of a WritePlan, which a model's server turns into a grammar: what it rules out cannot be written.

It is flat and without references, and its texts are short, so that the grammar stays small and a model that rambles
comes to an end. Numbers are steps of a tenth, since a grammar can hold a model to a list of them and not to a range;
for the same reason the events and states that may be named are listed. A plan may hold more than is asked for here."""

from collections.abc import Collection, Iterable
from typing import Any

from hakoniwa.ghost.memory import EVENT_LINKS, EntityType, LifeStage, LinkKind, StateKind

Schema = dict[str, Any]


def schema_for(events: Collection[int], states: Collection[int]) -> Schema:
    """What to ask a model for, given the earlier events and the states that it may name."""
    return _object(
        event_annotations=_object(
            about_year_start=_YEAR,
            about_year_end=_YEAR,
            life_stage=_one_of(LifeStage),
            entities=_array(_ENTITY, 4),
        ),
        state_updates=_array(_state_update(states), 3),
        preference_updates=_array(_PREFERENCE_UPDATE, 3),
        event_affect=_object(text=_WORDS, labels=_array(_NAME, 3), v=_AXIS, a=_AXIS, d=_AXIS, confidence=_SHARE),
        context_updates=_object(
            threads=_array(_NAME, 2),
            **(
                {"links": _array(_object(event_id=_ids(events), kind=_one_of(sorted(EVENT_LINKS))), 2)}
                if events
                else {}
            ),
        ),
    )


def _state_update(states: Collection[int]) -> Schema:
    links = _array(_object(state_id=_ids(states), kind=_one_of(_STATE_LINKS)), 2)
    return _object(
        kind=_one_of(kind for kind in StateKind if kind is not StateKind.PERSONA_INTEREST_STATE),
        op=_one_of(["upsert", "close", "mark_done"] if states else ["upsert"]),
        state_id=_ids([0, *states]),
        body_text=_WORDS,
        entities=_array(_ENTITY, 2),
        confidence=_SHARE,
        **({"links": links} if states else {}),
        reason=_WORDS,
    )


def _object(**properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _array(items: Schema, most: int) -> Schema:
    return {"type": "array", "items": items, "maxItems": most}


def _one_of(values: Iterable[str]) -> Schema:
    return {"type": "string", "enum": list(values)}


def _ids(ids: Iterable[int]) -> Schema:
    return {"type": "integer", "enum": list(ids)}


_NAME: Schema = {"type": "string", "minLength": 1, "maxLength": 24}
_WORDS: Schema = {"type": "string", "maxLength": 100}
_YEAR: Schema = {"type": ["integer", "null"], "minimum": 1, "maximum": 9999}
_SHARE: Schema = {"enum": [step / 10 for step in range(11)]}
_AXIS: Schema = {"enum": [step / 10 for step in range(-10, 11)]}
_ENTITY = _object(type=_one_of(EntityType), name=_NAME)
_STATE_LINKS = (LinkKind.RELATES_TO, LinkKind.DERIVED_FROM, LinkKind.CONTRADICTS, LinkKind.SUPPORTS)
_PREFERENCE_UPDATE = _object(
    op=_one_of(["upsert_candidate", "confirm", "revoke"]),
    domain=_one_of(["food", "topic", "style"]),
    polarity=_one_of(["like", "dislike"]),
    subject=_NAME,
    stated_by_user={"type": "boolean"},
    confidence=_SHARE,
)
