"""Voice: how a persona tells of what it did by itself. A model finds the words; what is not fit to be said is not said.

No text of a capability ever takes their place: where the voice fails, the persona keeps silent and the reason is known.
"""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, final

from hakoniwa.autonomy.delivery import Delivery, field_names, field_texts, fit_value, raw_output, to_prompt_json
from hakoniwa.autonomy.unsayable import EMPTY, LONGEST, HiddenDetails, find_fault, hidden_details
from hakoniwa.errors import ModelError, ModelMisbehaved
from hakoniwa.llm import ChatModel, Message, Piece, Usage
from hakoniwa.llm.reply import is_foreign
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.select import CONTEXT, SPARE, context_json, selection_context
from hakoniwa.memory.words import index_words
from hakoniwa.messages import format_time
from hakoniwa.persona.action import ActionDecision, ActionResult
from hakoniwa.persona.generated import Generated, unseal
from hakoniwa.persona.interest import MACHINERY, AttentionTarget, fade_targets
from hakoniwa.persona.mood import recent_vad_average
from hakoniwa.prompts import render
from hakoniwa.turn import Value

PURPOSE = "ghost.autonomy_message_render"
TRIES = 2
MESSAGE_TOKENS = 400
LONGEST_REASON, LONGEST_SUMMARY, LONGEST_EXCERPT = 800, 400, 800
ROOMS = (2_400, 1_200, 600, 300)  # for what was found, the first of them that the model's context has
MOST_FOCUS = 8
GOALS = frozenset({"goal", "goal_id"})
LONGEST_SEARCHED = 4_000  # characters of what came of an act
RECENT_AFFECTS = 12
OTHER_LANGUAGE = "model.wrong-language"

BOARD = ("active_intent_ids", "trigger_counts", "intent_counts")
DECIDED = {"action_type", "persona_influence", "mood_influence", "console_delivery"}
NOT_ASKED_FOR = "backend"  # by which program it was done is nobody's business


@final
@dataclass(frozen=True, slots=True)
class Spoken:
    """Words that a persona says. They are made here and nowhere else, from a whole reply that is fit to be said."""

    text: Generated


class JobReference(Value):
    """The delegated task a result came from."""

    backend: str
    job_id: str


class ActionReport(Value):
    """Something a persona did by itself, what came of it, and how it is to be told."""

    decision: ActionDecision
    result: ActionResult
    delivery: Delivery
    job: JobReference | None = None


async def render_message(ghost: Ghost, model: ChatModel, report: ActionReport, now: datetime) -> Spoken | str:
    """What the persona says of it; or, where it cannot be said, the key of the message that tells why."""
    prompt, brief = build_prompt(ghost, model, report, now)
    behind = hidden_behind(ghost, report, brief)
    said: Spoken | str = EMPTY
    for _ in range(TRIES):
        try:
            said = accept_reply(await ask_model(model, prompt), ghost, behind)
        except ModelMisbehaved as error:
            said = error.key
        except ModelError as error:
            return error.key
        if isinstance(said, Spoken):
            break
    return said


# --- what comes back --------------------------------------------------------------------------------------------------


class ModelReply(NamedTuple):
    """A reply, and how it ended."""

    text: Generated
    finish: str | None


async def ask_model(model: ChatModel, prompt: str) -> ModelReply:
    """What a model answers; one that goes on and on is not listened to until its end."""
    stream = model.chat([Message(role="user", content=prompt)], PURPOSE, MESSAGE_TOKENS)
    text, finish = "", None
    async for piece in stream:
        if isinstance(piece, Usage):
            finish = piece.finish
        elif isinstance(piece, str):
            text += piece
        if len(text) > LONGEST:
            await _close_stream(stream)
            break
    return ModelReply(Generated(text), finish)


async def _close_stream(stream: AsyncIterator[Piece]) -> None:
    if isinstance(stream, AsyncGenerator):
        await stream.aclose()


def accept_reply(reply: ModelReply, ghost: Ghost, behind: HiddenDetails) -> Spoken | str:
    """The reply as it is, or why it is dropped."""
    said, persona = unseal(reply.text), ghost.persona
    if fault := find_fault(said, reply.finish, behind):
        return fault
    if is_foreign(said, persona.language, (persona.name, persona.second_person_label)):
        return OTHER_LANGUAGE
    return Spoken(reply.text)


def hidden_behind(ghost: Ghost, report: ActionReport, brief: dict[str, Any]) -> HiddenDetails:
    """What must not be heard in the words: what machines wrote, the rules of the prompt, and the names of its fields.

    What may be are the facts, as far as they were shown, and what the persona itself had set out to do."""
    result = report.result
    asked = {name: one for name, one in (report.decision.action_payload or {}).items() if name != NOT_ASKED_FOR}
    known = (ghost.persona.name, ghost.persona.second_person_label)
    return hidden_details(
        summary=unseal(result.summary_text),
        printed=(_prompt(ghost, report, "", ""), *field_texts(result.details_json)),
        openly=(*field_texts(brief["result"]["result_payload"]), *field_texts(asked), *known),
        names=(*field_names(brief), *_internal_names(report)),
    )


def _internal_names(report: ActionReport) -> list[str]:
    """By what names the machinery knows what was done."""
    job = [report.job.backend, report.job.job_id] if report.job else []
    return [report.result.capability_name, report.decision.action_type or "", *job]


# --- what is asked ----------------------------------------------------------------------------------------------------


def build_prompt(ghost: Ghost, model: ChatModel, report: ActionReport, now: datetime) -> tuple[str, dict[str, Any]]:
    """The prompt, with as much of what was found as the model's context holds, and the brief that is in it."""
    per_token = float(getattr(model, "chars_per_token", 2.0))
    most = ((model.context or CONTEXT) - MESSAGE_TOKENS - SPARE) * per_token
    for room in ROOMS:
        brief = brief_of(ghost, report, now, room)
        lines = ",\n".join(f"{json.dumps(name)}: {to_prompt_json(one)}" for name, one in brief.items())
        prompt = _prompt(ghost, report, f"{{{lines}}}", format_time(now, ghost.persona.language))
        if len(prompt) <= most:
            break
    return prompt, brief


def _prompt(ghost: Ghost, report: ActionReport, brief: str, now: str) -> str:
    """The rules, then everything as data: a line for each field, which nothing in it can end."""
    persona = ghost.persona
    return render(
        "ghost/autonomy_message_render", persona.language,
        me=persona.name, label=persona.second_person_label, kind=report.delivery.kind, brief=brief, now=now,
    )  # fmt: skip


def brief_of(ghost: Ghost, report: ActionReport, now: datetime, room: int = ROOMS[0]) -> dict[str, Any]:
    """Everything a message is made from, the persona first."""
    recent = recent_vad_average(ghost.memories.affects(ghost.scope, RECENT_AFFECTS))
    context = json.loads(context_json(selection_context(ghost.persona, ghost.inner, recent)))
    own = context["persona_selection_context"]
    return {
        "persona": {name: own[name] for name in ("persona_text", "addon_text", "second_person_label")},
        "mood": {name: own[name] for name in ("long_mood_state", "recent_vad_average")},
        "confirmed_preferences": own["confirmed_preferences"],
        "decision": _decision_fields(report.decision),
        "result": _result_fields(report.result, room),
        "agent_job": report.job and report.job.model_dump(),
        "runtime_blackboard": _board_fields(ghost),
        "report_focus": _focus(ghost, report, now),
    }


def _decision_fields(decision: ActionDecision) -> dict[str, Any]:
    data = decision.model_dump(mode="json", include=DECIDED)
    return {"action_type": data.pop("action_type"), "reason": unseal(decision.reason)[:LONGEST_REASON], **data}


def _result_fields(result: ActionResult, room: int) -> dict[str, Any]:
    """The facts. Of what a backend printed, only how much there is, and its beginning where there are no facts."""
    raw = raw_output(result)
    printed: dict[str, Any] = {"present": bool(raw), "length": len(raw)}
    if raw and not result.result_payload:
        printed["excerpt"] = fit_value(raw[:LONGEST_EXCERPT], LONGEST_EXCERPT * 2)
    return {
        "result_status": result.result_status,
        "capability_name": result.capability_name,
        "summary_text": unseal(result.summary_text)[:LONGEST_SUMMARY],
        "result_payload": fit_value(result.result_payload, room),
        "raw_output": printed,
    }


def _board_fields(ghost: Ghost) -> dict[str, Any]:
    """What the persona is in the middle of."""
    board = ghost.board.model_dump(mode="json", include=set(BOARD))
    targets = [_target_fields(one.type, one.value, one.weight) for one in ghost.board.attention_targets[:MOST_FOCUS]]
    return {**board, "attention_targets": targets}


def _focus(ghost: Ghost, report: ActionReport, now: datetime) -> dict[str, Any]:
    """What to tell first, by labels alone: of what has the persona's attention, what was decided on or found."""
    goals, interest = report.decision.evidence.goal_ids, ghost.inner.interest
    weighed = fade_targets(interest.attention_targets, interest.updated_at, now)
    said = set(index_words("\n".join(_texts_of(report))[:LONGEST_SEARCHED]))
    touched = [_target_fields(one.type, one.value, one.weight) for one in weighed if _is_touched(one, said, goals)]
    return {"message_kind": report.delivery.kind, "focus_candidates": touched[:MOST_FOCUS], "goal_ids": list(goals)}


def _texts_of(report: ActionReport) -> Iterator[str]:
    """Every text of what was decided, why, and what came of it."""
    yield from field_texts(report.decision.action_payload)
    yield from report.decision.persona_influence.traits
    yield from report.decision.persona_influence.concerns
    yield from field_texts(report.result.result_payload)


def _is_touched(one: AttentionTarget, said: Set[str], goals: Sequence[int]) -> bool:
    """Whether a goal is one of those, or something that can be spoken of has all its words among those said."""
    if one.type in GOALS:
        return one.value in map(str, goals)
    label = index_words(one.value.partition(":")[2] if one.type.startswith("world_") else one.value)
    return one.type not in MACHINERY and bool(label) and said >= set(label)


def _target_fields(type: str, value: str, weight: float) -> dict[str, Any]:
    return {"type": type, "value": value, "weight": round(weight, 2)}
