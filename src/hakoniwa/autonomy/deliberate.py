"""Deliberate: what a persona makes up its mind to do by itself: a decision, or nothing; never a mended one."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, NamedTuple, get_args

from pydantic import ValidationError

from hakoniwa.autonomy.material import DeliberationFocus, DeliberationMaterial, collect, focus_of_deliberation, shape
from hakoniwa.errors import ModelError
from hakoniwa.llm import ChatModel, Message, join_stream
from hakoniwa.memory.apply import single_revision
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.schemas import AXIS, SHARE, Schema, array, one_of, record
from hakoniwa.memory.select import selection_context
from hakoniwa.memory.store import MemoryWriting
from hakoniwa.persona.action import ActionDecision, ActionOffer, Bias, MessageKind, OnEnd, OnProgress, TriggerType
from hakoniwa.persona.generated import Generated, unseal
from hakoniwa.persona.inner import InnerState
from hakoniwa.persona.interest import Direction, interest_as_state, merge_interest, mode_from, targets_from_decision
from hakoniwa.persona.mood import feeling_at, recent_vad_average
from hakoniwa.persona.records import Vad, WorldItem
from hakoniwa.prompts import render

DECISION_TOKENS = 700
LONGEST_LINE = 160
RECENT_AFFECTS = 12
BAD_DECISION = "ghost.bad-decision"


class Deliberation(NamedTuple):
    """A decision, or the key of the message that says why there is none; and what it was made from."""

    decision: ActionDecision | None
    dropped: str | None
    focus: DeliberationFocus
    material: DeliberationMaterial


async def deliberate(
    ghost: Ghost,
    model: ChatModel,
    trigger: TriggerType,
    actions: Sequence[ActionOffer],
    now: datetime,
    world: Sequence[WorldItem] = (),
    note: str = "",
) -> Deliberation:
    """Lay out what the persona cares for, and ask the model in its place what to do; `note` says what it wanted to be
    reminded of."""
    focus = focus_of_deliberation(ghost.inner, ghost.board, now)
    with ghost.memories.database.together():
        material = shape(collect(ghost, focus, world), focus)
        recent = recent_vad_average(ghost.memories.affects(ghost.scope, RECENT_AFFECTS))
    prompt = prompt_of(ghost, focus, material, recent, trigger, actions, now, note)
    try:
        text = Generated(
            await join_stream(
                model.chat(
                    [Message(role="user", content=prompt)], "ghost.deliberate", DECISION_TOKENS, schema_for(actions)
                )
            )
        )
    except ModelError as error:
        return Deliberation(None, error.key, focus, material)
    decision = parse_decision(text, actions, material)
    return Deliberation(decision, None if decision else BAD_DECISION, focus, material)


def parse_decision(
    text: Generated, actions: Sequence[ActionOffer], material: DeliberationMaterial
) -> ActionDecision | None:
    """The decision a model wrote, if it is one, of what can be done, and rests on what was laid out."""
    try:
        decision = ActionDecision.model_validate_json(unseal(text))
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


def writing_of(decision: ActionDecision, inner: InnerState, seq: int, now: datetime) -> MemoryWriting:
    """What making up one's mind changes: the interest, which the chat reads too."""
    preferred = decision.persona_influence.preferred_direction
    mode = mode_from(feeling_at(inner.mood, now), preferred=preferred)
    interest = merge_interest(inner.interest, targets_from_decision(decision, now), mode, [seq], "deliberation", now)
    return MemoryWriting(
        revisions=(single_revision(interest_as_state(interest, now), inner, "deliberation", seq, now),)
    )


# --- the prompt ------------------------------------------------------------------------------------------------------


def prompt_of(
    ghost: Ghost,
    focus: DeliberationFocus,
    material: DeliberationMaterial,
    recent: Vad,
    trigger: TriggerType,
    actions: Sequence[ActionOffer],
    now: datetime,
    note: str = "",
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
        trigger=trigger, note=_json(note) if note else None, context=_json(context), material=list(_lines(material)),
        actions=[_json(asdict(one)) for one in actions],
    )  # fmt: skip


def _lines(material: DeliberationMaterial) -> list[str]:
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
    return " ".join(unseal(text).split())[:LONGEST_LINE]


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False)


def schema_for(actions: Sequence[ActionOffer]) -> Schema:
    """The shape of a decision; a model is held to the actions that are possible and to their fields."""
    names = sorted({name for one in actions for name in one.fields})
    doing = record(
        decision_outcome={"const": "do_action"},
        action_type=one_of([one.action_type for one in actions]),
        action_payload=record(**dict.fromkeys(names, WORDS)) | {"required": []},
        console_delivery=DELIVERY,
        **COMMON,
    )
    leaving = record(decision_outcome={"const": "skip"}, **COMMON)
    later = record(
        decision_outcome={"const": "defer"}, defer_reason=WORDS, defer_until=TIME, next_deliberation_at=TIME, **COMMON
    )
    return {"anyOf": [*([doing] if actions else []), leaving, later]}


WORDS: Schema = {"type": "string", "maxLength": 120}
TIME: Schema = {"type": "string", "format": "date-time"}
BIAS = one_of(get_args(Bias))
DELIVERY = record(
    on_complete=one_of(get_args(OnEnd)),
    on_fail=one_of(get_args(OnEnd)),
    on_progress=one_of(get_args(OnProgress)),
    message_kind=one_of(get_args(MessageKind)),
)
COMMON: dict[str, Schema] = {
    "priority": {"type": "integer", "minimum": 0, "maximum": 100},
    "reason": WORDS,
    "persona_influence": record(
        summary=WORDS,
        traits=array(WORDS, 3) | {"minItems": 1},
        preferred_direction=one_of(get_args(Direction)),
        concerns=array(WORDS, 2),
    ),
    "mood_influence": record(
        summary=WORDS, vad=record(v=AXIS, a=AXIS, d=AXIS), action_threshold_bias=BIAS, defer_bias=BIAS
    ),
    "confidence": SHARE,
}
