"""Deliberate: what a persona makes up its mind to do by itself: a decision, or nothing; never a mended one."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple

from pydantic import ValidationError

from hakoniwa.errors import ModelError
from hakoniwa.ghost.action import ActionDecision
from hakoniwa.ghost.generated import Generated, unsealed
from hakoniwa.ghost.ghost import Ghost
from hakoniwa.ghost.inner import Inner
from hakoniwa.ghost.interest import interest_as_state, merged, mode_from, targets_from_decision
from hakoniwa.ghost.material import DeliberationFocus, Material, collect, focus_of_deliberation, shape
from hakoniwa.ghost.memory import Revision, StateKind, Vad, WorldItem
from hakoniwa.ghost.mood import felt, recent_vad_average
from hakoniwa.ghost.select import selection_context
from hakoniwa.ghost.store import Writing
from hakoniwa.llm import ChatModel, Message, whole
from hakoniwa.prompts import render
from hakoniwa.turn import Value

DECISION_TOKENS = 700
LONGEST_LINE = 160
RECENT_AFFECTS = 12
BAD_DECISION = "ghost.bad-decision"

TriggerType = Literal["event", "time", "heartbeat", "policy"]


class Possible(Value):
    """An action that can be decided on, and the fields of its payload."""

    action_type: str
    fields: tuple[str, ...] = ()


class Deliberation(NamedTuple):
    """A decision, or the key of the message that says why there is none; and what it was made from."""

    decision: ActionDecision | None
    dropped: str | None
    focus: DeliberationFocus
    material: Material


async def deliberate(
    ghost: Ghost,
    model: ChatModel,
    trigger: TriggerType,
    actions: Sequence[Possible],
    now: datetime,
    world: Sequence[WorldItem] = (),
) -> Deliberation:
    """Lay out what the persona cares for, and ask the model in its place what to do."""
    focus = focus_of_deliberation(ghost.inner, ghost.board, now)
    material = shape(collect(ghost, focus, world), focus)
    recent = recent_vad_average(ghost.memories.affects(ghost.scope, RECENT_AFFECTS))
    prompt = prompt_of(ghost, focus, material, recent, trigger, actions, now)
    try:
        text = Generated(
            await whole(
                model.chat(
                    [Message(role="user", content=prompt)], "ghost.deliberate", DECISION_TOKENS, schema_for(actions)
                )
            )
        )
    except ModelError as error:
        return Deliberation(None, error.key, focus, material)
    decision = read(text, actions, material)
    return Deliberation(decision, None if decision else BAD_DECISION, focus, material)


def read(text: Generated, actions: Sequence[Possible], material: Material) -> ActionDecision | None:
    """The decision a model wrote, if it is one, of what can be done, and rests on what was laid out."""
    try:
        decision = ActionDecision.model_validate_json(unsealed(text))
    except ValidationError:
        return None
    evidence = decision.evidence
    known = (
        set(evidence.event_ids) <= {one.seq for one in material.events}
        and set(evidence.state_ids) <= material.states.keys()
        and set(evidence.goal_ids) <= material.goals.keys()
    )
    possible = decision.action_type is None or decision.action_type in {one.action_type for one in actions}
    return decision if known and possible else None


def writing_of(decision: ActionDecision, inner: Inner, seq: int, now: datetime) -> Writing:
    """What making up one's mind changes: the interest, which the chat reads too."""
    preferred = decision.persona_influence.preferred_direction
    mode = mode_from(felt(inner.mood, now), preferred=preferred)
    interest = merged(inner.interest, targets_from_decision(decision, now), mode, [seq], "deliberation", now)
    item, before = inner.singles.get(StateKind.PERSONA_INTEREST_STATE, (0, None))
    revision = Revision(
        item=item,
        kind="state",
        before=None if before is None else before.model_dump(mode="json"),
        after=interest_as_state(interest, now).model_dump(mode="json"),
        reason="deliberation",
        evidence=(seq,),
        at=now,
    )
    return Writing(revisions=(revision,))


# --- the prompt ------------------------------------------------------------------------------------------------------


def prompt_of(
    ghost: Ghost,
    focus: DeliberationFocus,
    material: Material,
    recent: Vad,
    trigger: TriggerType,
    actions: Sequence[Possible],
    now: datetime,
) -> str:
    """Who is thinking and how they are; what lies before them, as data; what could be done."""
    context = selection_context(ghost.persona, ghost.inner, recent).model_dump(mode="json")
    context |= {
        "persona_deliberation_focus": focus.model_dump(mode="json"),
        "runtime_blackboard": ghost.board.model_dump(mode="json", exclude_defaults=True),
    }
    return render(
        "ghost/deliberate", ghost.persona.language,
        me=ghost.persona.name, label=ghost.persona.second_person_label, now=now.isoformat(timespec="minutes"),
        trigger=trigger, context=_json(context), material=list(_lines(material)),
        actions=[_json(one.model_dump(mode="json")) for one in actions],
    )  # fmt: skip


def _lines(material: Material) -> list[str]:
    """One line of JSON for each thing: nothing in it can end the line or pose as another."""
    events = [{"event_id": one.seq, "at": _day(one.at), "text": _short(one.text)} for one in material.events]
    states = [
        {"state_id": id, "kind": one.kind, "done": one.done, "text": _short(one.body_text)}
        for id, one in material.states.items()
    ]
    goals = [{"goal_id": id, "priority": one.priority, "text": _short(one.title)} for id, one in material.goals.items()]
    world = [{"world": one.key, "class": one.item_class, "location": one.location} for one in material.world.values()]
    return [_json(one) for one in (*goals, *states, *events, *world)]


def _day(at: datetime) -> str:
    return at.date().isoformat()


def _short(text: Generated) -> str:
    return " ".join(unsealed(text).split())[:LONGEST_LINE]


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False)


def schema_for(actions: Sequence[Possible]) -> dict[str, Any]:
    """The shape of a decision; a model is held to the actions that are possible and to their fields."""
    names = sorted({name for one in actions for name in one.fields})
    payload = _object(dict.fromkeys(names, TEXT), required=[])
    influence = {
        "summary": TEXT,
        "traits": _array(TEXT, 3),
        "preferred_direction": _one_of(DIRECTIONS),
        "concerns": _array(TEXT, 2),
    }
    mood = {
        "summary": TEXT, "vad": _object(dict.fromkeys("vad", AXIS)), "action_threshold_bias": _one_of(BIASES),
        "defer_bias": _one_of(BIASES),
    }  # fmt: skip
    delivery = {
        "on_complete": _one_of(ENDINGS), "on_fail": _one_of(ENDINGS), "on_progress": _one_of(ENDINGS[:2]),
        "message_kind": _one_of(("report", "progress", "question", "error")),
    }  # fmt: skip
    common = {
        "priority": {"type": "integer", "minimum": 0, "maximum": 100}, "reason": TEXT,
        "persona_influence": _object(influence), "mood_influence": _object(mood), "confidence": SHARE,
    }  # fmt: skip
    doing = {
        "decision_outcome": {"const": "do_action"}, "action_type": _one_of([one.action_type for one in actions]),
        "action_payload": payload, "console_delivery": _object(delivery), **common,
    }  # fmt: skip
    leaving = {"decision_outcome": {"const": "skip"}, **common}
    later = {
        "decision_outcome": {"const": "defer"}, "defer_reason": TEXT, "defer_until": TIME,
        "next_deliberation_at": TIME, **common,
    }  # fmt: skip
    return {"anyOf": [*([_object(doing)] if actions else []), _object(leaving), _object(later)]}


TEXT: dict[str, Any] = {"type": "string", "maxLength": 120}
TIME: dict[str, Any] = {"type": "string", "format": "date-time"}
AXIS: dict[str, Any] = {"enum": [step / 10 for step in range(-10, 11)]}
SHARE: dict[str, Any] = {"enum": [step / 10 for step in range(11)]}
DIRECTIONS = ("observe", "support", "wait", "avoid", "explore")
BIASES = ("higher", "neutral", "lower")
ENDINGS = ("silent", "activity_only", "notify", "chat")


def _object(properties: dict[str, Any], required: Sequence[str] | None = None) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties) if required is None else list(required),
        "additionalProperties": False,
    }


def _array(items: dict[str, Any], most: int) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": 1, "maxItems": most}


def _one_of(values: Sequence[str]) -> dict[str, Any]:
    return {"type": "string", "enum": list(values)}
