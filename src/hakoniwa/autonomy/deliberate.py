"""Deliberate: what a persona makes up its mind to do by itself: a decision, or nothing; never a mended one."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, get_args

from pydantic import ValidationError

from hakoniwa.autonomy.delivery import in_line, to_prompt_json
from hakoniwa.autonomy.material import DeliberationFocus, DeliberationMaterial, collect, focus_of_deliberation, shape
from hakoniwa.autonomy.portrait import LONGEST_LINE, goal_lines, portrait_of, world_line
from hakoniwa.errors import ModelError
from hakoniwa.llm import ChatModel, Message, join_stream
from hakoniwa.memory.apply import single_revision
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.schemas import AXIS, SHARE, Schema, array, goal_update, one_of, record, text
from hakoniwa.memory.select import CONTEXT, SPARE
from hakoniwa.memory.store import MemoryWriting
from hakoniwa.messages import format_recent, format_time
from hakoniwa.persona.action import ActionDecision, ActionOffer, Bias, MessageKind, OnEnd, OnProgress, TriggerType
from hakoniwa.persona.generated import Generated, unseal
from hakoniwa.persona.goals import goal_revisions
from hakoniwa.persona.inner import InnerState
from hakoniwa.persona.interest import Direction, interest_as_state, merge_interest, mode_from, targets_from_decision
from hakoniwa.persona.mood import feeling_at
from hakoniwa.persona.records import WorldItem
from hakoniwa.prompts import render

DECISION_TOKENS = 700
MOST_TOKENS = 1_200
PARTS = (1.0, 0.75, 0.5, 0.35, 0.25, 0.15, 0.08, 0.0)  # of what is laid out, until there is room for it
LONGEST_ABOUT = 200
NOTHING = DeliberationMaterial()
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
        laid_out = shape(collect(ghost, focus, world), focus)
        occasion = Occasion(trigger, actions, now, note)
        prompt, material = fit_prompt(ghost, model, laid_out, occasion)
    asked = [Message(role="user", content=prompt)]
    try:
        text = Generated(
            await join_stream(model.chat(asked, "ghost.deliberate", DECISION_TOKENS, schema_for(actions, material)))
        )
    except ModelError as error:
        return Deliberation(None, error.key, focus, material)
    decision = parse_decision(text, actions, material, now)
    return Deliberation(decision, None if decision else BAD_DECISION, focus, material)


def parse_decision(
    text: Generated, actions: Sequence[ActionOffer], material: DeliberationMaterial, now: datetime
) -> ActionDecision | None:
    """The decision a model wrote, if it is one, of what can be done, and rests on what was laid out."""
    try:
        decision = ActionDecision.model_validate_json(unseal(text), context={"now": now})
    except ValidationError:
        return None
    evidence, changed = decision.evidence, [one.goal_id for one in decision.goal_updates if one.goal_id]
    known = (
        set(evidence.event_ids) <= {one.seq for one in material.events}
        and set(evidence.state_ids) <= material.states.keys()
        and {*evidence.goal_ids, *changed} <= material.goals.keys()
        and set(decision.about) <= material.interests.keys()
    )
    possible = decision.action_type is None or decision.action_type in {one.action_type for one in actions}
    return decision if known and possible else None


def writing_of(decision: ActionDecision, inner: InnerState, seq: int, now: datetime) -> MemoryWriting:
    """What making up one's mind changes: the goals, and the interest, which the chat reads too."""
    preferred = decision.persona_influence.preferred_direction
    mode = mode_from(feeling_at(inner.mood, now), preferred=preferred)
    interest = merge_interest(inner.interest, targets_from_decision(decision, now), mode, [seq], "deliberation", now)
    return MemoryWriting(
        revisions=(
            *goal_revisions(decision.goal_updates, inner.goals, "", (seq,), now),
            single_revision(interest_as_state(interest, now), inner, "deliberation", seq, now),
        )
    )


# --- the prompt ------------------------------------------------------------------------------------------------------


class Occasion(NamedTuple):
    """Why the persona thinks of what to do, what it can do, and when that is."""

    trigger: TriggerType
    actions: Sequence[ActionOffer]
    now: datetime
    note: str = ""


def fit_prompt(
    ghost: Ghost, model: ChatModel, laid_out: DeliberationMaterial, occasion: Occasion
) -> tuple[str, DeliberationMaterial]:
    """The prompt, with as much of what is laid out as there is room for, and what of it that is."""
    room = prompt_room(model, DECISION_TOKENS)
    for part in PARTS:
        material = laid_out.first_part(part)
        prompt = prompt_of(ghost, material, occasion)
        if len(prompt) <= room:
            break
    return prompt, material


def prompt_room(model: ChatModel, answer: int) -> float:
    """How many characters a prompt of a life by itself may have; never more than the model's context holds."""
    # In quarters, so that what is learnt about the model seldom changes how much is laid out.
    per_token = round(4 * float(getattr(model, "chars_per_token", 2.0))) / 4
    return min(MOST_TOKENS, (model.context or CONTEXT) - answer - SPARE) * per_token


def prompt_of(ghost: Ghost, material: DeliberationMaterial, occasion: Occasion) -> str:
    """Who is thinking and how they are, what lies before them, and what could be done."""
    language = ghost.persona.language
    return render(
        "ghost/deliberate", language, **portrait_of(ghost, occasion.now),
        now=format_time(occasion.now, language), trigger=occasion.trigger, note=in_line(occasion.note, LONGEST_LINE),
        mode=ghost.inner.interest.interaction_mode, under_way=len(ghost.board.active_intent_ids),
        interests=[f"{in_line(name, LONGEST_LINE)} {weight:.1f}" for name, weight in material.interests.items()],
        goals=goal_lines(material.goals), world=[world_line(one) for one in material.world.values()],
        states=[
            {"id": id, "kind": one.kind, "done": one.done, "text": in_line(unseal(one.body_text), LONGEST_LINE)}
            for id, one in material.states.items()
        ],
        events=[
            {
                "id": one.seq,
                "at": format_recent(one.at, occasion.now, language),
                "text": in_line(unseal(one.text), LONGEST_LINE),
            }
            for one in sorted(material.events, key=lambda one: one.seq)
        ],
        actions=[_action_lines(one) for one in occasion.actions],
    )  # fmt: skip


def _action_lines(offer: ActionOffer) -> dict[str, Any]:
    fields = offer.payload.get("properties", {})
    return {
        "type": offer.action_type,
        "about": in_line(offer.about, LONGEST_ABOUT),
        "fields": [(name, in_line(_meaning(fields[name]), LONGEST_ABOUT)) for name in fields],
        "example": to_prompt_json(dict(offer.example)),
    }


def _meaning(schema: Mapping[str, Any]) -> str:
    """What belongs into a field: in its words, and out of which it is chosen."""
    said = str(schema.get("description", schema.get("type", "")))
    return f"{said}: {' / '.join(map(str, schema['enum']))}" if "enum" in schema else said


def schema_for(actions: Sequence[ActionOffer], material: DeliberationMaterial = NOTHING) -> Schema:
    """The shape of a decision; a model is held to the actions that are possible, to the payload of each, and to what
    was laid out."""
    common = {**COMMON, **_grounds(material)}
    return {
        "anyOf": [
            *(
                _with_optional(
                    record(
                        reason=WORDS, decision_outcome={"const": "do_action"}, action_type={"const": one.action_type},
                        action_payload=dict(one.payload), console_delivery=DELIVERY, **common,
                    )
                )
                for one in actions
            ),
            _with_optional(record(reason=WORDS, decision_outcome={"const": "skip"}, **common)),
            _with_optional(
                record(
                    reason=WORDS, decision_outcome={"const": "defer"}, defer_reason=WORDS, defer_until=text(40),
                    next_deliberation_at=text(40), **common,
                )
            ),
        ]
    }  # fmt: skip


OPTIONAL = frozenset({"evidence", "about", "goal_updates", "next_deliberation_at"})


def _with_optional(schema: Schema) -> Schema:
    return {**schema, "required": [name for name in schema["required"] if name not in OPTIONAL]}


def _grounds(material: DeliberationMaterial) -> dict[str, Schema]:
    """What a decision may rest on and be about, and the goals it may set or change."""
    ids: dict[str, list[int]] = {
        "goal_ids": list(material.goals), "state_ids": list(material.states),
        "event_ids": [one.seq for one in material.events],
    }  # fmt: skip
    named = {name: array({"type": "integer", "enum": some}, 2) for name, some in ids.items() if some}
    return {
        **({"evidence": record(**named) | {"required": []}} if named else {}),
        **({"about": array(one_of(material.interests), 2)} if material.interests else {}),
        "goal_updates": array(goal_update(material.goals), 1),
    }


WORDS: Schema = {"type": "string", "maxLength": 120}
BIAS = one_of(get_args(Bias))
DELIVERY = record(
    on_complete=one_of(get_args(OnEnd)),
    on_fail=one_of(get_args(OnEnd)),
    on_progress=one_of(get_args(OnProgress)),
    message_kind=one_of(get_args(MessageKind)),
)
COMMON: dict[str, Schema] = {
    "priority": {"type": "integer", "minimum": 0, "maximum": 100},
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
