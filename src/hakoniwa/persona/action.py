"""What a persona decides to do by itself, and what comes of it. Results are facts, in nobody's voice."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from hakoniwa.persona.ahead import Moment
from hakoniwa.persona.generated import Generated
from hakoniwa.persona.records import Label, Share, Vad
from hakoniwa.persona.write_plan import GoalUpdate
from hakoniwa.turn import Value

TriggerType = Literal["event", "time", "heartbeat", "policy"]
OnEnd = Literal["silent", "activity_only", "notify", "chat"]
OnProgress = Literal["silent", "activity_only"]
MessageKind = Literal["report", "progress", "question", "error"]
Bias = Literal["higher", "neutral", "lower"]
ResultStatus = Literal["success", "partial", "failed", "no_effect", "unknown"]


class ConsoleDelivery(Value):
    """How much of an action people get to see, and in what tone."""

    on_complete: OnEnd = "activity_only"
    on_fail: OnEnd = "activity_only"
    on_progress: OnProgress = "activity_only"
    message_kind: MessageKind = "report"


class PersonaInfluence(Value):
    """What of the persona speaks for or against it."""

    summary: Generated
    traits: tuple[Label, ...] = Field(min_length=1, max_length=8)
    preferred_direction: Literal["observe", "support", "wait", "avoid", "explore"]
    concerns: tuple[Label, ...] = Field(default=(), max_length=8)


class MoodInfluence(Value):
    """What the mood does to it."""

    summary: Generated
    vad: Vad
    action_threshold_bias: Bias = "neutral"
    defer_bias: Bias = "neutral"


class Evidence(Value):
    """What a decision rests on."""

    event_ids: tuple[int, ...] = Field(default=(), max_length=24)
    state_ids: tuple[int, ...] = Field(default=(), max_length=24)
    goal_ids: tuple[int, ...] = Field(default=(), max_length=8)


class ActionDecision(Value):
    """What a deliberation came to: do something, leave it, or come back to it later."""

    decision_outcome: Literal["do_action", "skip", "defer"]
    action_type: Label | None = None
    action_payload: dict[str, Any] | None = None
    priority: int = Field(default=50, ge=0, le=100)
    reason: Generated
    defer_reason: Generated | None = None
    defer_until: Moment | None = None
    next_deliberation_at: Moment | None = None  # if it is not said, when what is put off is due
    persona_influence: PersonaInfluence
    mood_influence: MoodInfluence
    console_delivery: ConsoleDelivery | None = None
    evidence: Evidence = Evidence()
    about: tuple[Label, ...] = Field(default=(), max_length=4)  # what of the persona's interests it is about
    goal_updates: tuple[GoalUpdate, ...] = Field(default=(), max_length=1)
    confidence: Share = 0.5

    @model_validator(mode="after")
    def _whole(self) -> Self:
        doing = (self.action_type, self.action_payload, self.console_delivery)
        later = (self.defer_reason, self.defer_until)
        if self.decision_outcome == "do_action" and None in doing:
            raise ValueError("do_action needs action_type, action_payload and console_delivery")
        if self.decision_outcome == "defer" and None in later:
            raise ValueError("defer needs defer_reason and defer_until")
        if self.defer_until and self.next_deliberation_at and self.next_deliberation_at < self.defer_until:
            raise ValueError("next_deliberation_at comes before defer_until")
        return self


@dataclass(frozen=True)
class ActionOffer:
    """An action that can be decided on as things are configured: what it is, the schema of its payload, in which each
    field says what belongs there, and a payload as it could be."""

    action_type: str
    about: str
    payload: Mapping[str, Any] = field(default_factory=dict)
    example: Mapping[str, Any] = field(default_factory=dict)


class ActionOrder(Value):
    """One piece of work for a capability. `key` is the same each time it is tried, so that nothing is done twice."""

    key: str
    garden: str
    branch: str
    who: str
    action_type: str
    payload: dict[str, Any]
    now: datetime


class ActionResult(Value):
    """What a capability brought back. `summary_text` is for the machinery; nobody is ever shown it as speech."""

    capability_name: str
    result_status: ResultStatus
    summary_text: Generated
    result_payload: dict[str, Any] = {}
    details_json: dict[str, Any] = {}
    useful_for_recall_hint: bool = False
    recall_decision: Literal[-1, 0, 1] = 0
