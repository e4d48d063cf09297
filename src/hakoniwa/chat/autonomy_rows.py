"""Rows: what a life between exchanges leaves in the journal, on the chat's own line. Each has a key, and of one key
there is one row: whoever is killed while writing looks whether it is there, and writes it if not."""

from datetime import datetime
from typing import Any, ClassVar, Literal

from hakoniwa.persona.action import ActionDecision, ActionResult, MessageKind, OnEnd, ResultStatus, TriggerType
from hakoniwa.persona.generated import Generated
from hakoniwa.turn import Value

ControlAct = Literal["start", "stop", "pause", "resume"]
Phase = Literal["decision", "intent", "run", "result", "voice"]
ActivityState = Literal["dropped", "deferred", "running", "completed", "failed", "withheld"]


class AutonomyRow(Value):
    """Anything that is written down: under which key, and when it was so by the chat's own clock."""

    kind: ClassVar[str]

    key: str
    at: datetime


class ControlRow(AutonomyRow):
    """The user lets the persona live, or not, or not for a while."""

    kind: ClassVar = "autonomy.control"

    act: ControlAct
    until: datetime | None = None


class Trigger(AutonomyRow):
    """A reason to think about what to do, from the moment it is due."""

    kind: ClassVar = "autonomy.trigger"

    type: TriggerType
    due: datetime
    note: str = ""


class ClaimRow(AutonomyRow):
    """A trigger that was taken up; from now on its flow is under way until a decision against acting, or its end."""

    kind: ClassVar = "autonomy.claim"

    trigger: Trigger


class DecisionRow(AutonomyRow):
    """What was made up, out of what could have been done, or why nothing was (`dropped`, the key of a message)."""

    kind: ClassVar = "autonomy.decision"

    trigger: Trigger
    offered: tuple[str, ...] = ()
    decision: ActionDecision | None = None
    dropped: str | None = None

    @property
    def acting(self) -> bool:
        return self.decision is not None and self.decision.decision_outcome == "do_action"


class IntentRow(AutonomyRow):
    """What is going to be done, or why it is not (`dropped`); of one action key there is one at a time."""

    kind: ClassVar = "autonomy.intent"

    decision_id: int
    action_type: str
    action_key: str
    dropped: str | None = None


class ResultRow(AutonomyRow):
    """What came of it."""

    kind: ClassVar = "autonomy.result"

    decision_id: int
    intent_id: int
    action_type: str
    asked: dict[str, Any] = {}
    result: ActionResult


class ActivityRow(AutonomyRow):
    """What people who watch are shown of it, in nobody's voice."""

    kind: ClassVar = "autonomy.activity"

    phase: Phase
    state: ActivityState
    action_type: str | None = None
    capability: str | None = None
    backend: str | None = None
    result_status: ResultStatus | None = None
    summary_text: Generated | None = None
    decision_id: int | None = None
    intent_id: int | None = None
    result_id: int | None = None
    agent_job_id: str | None = None
    goal_id: int | None = None
    warning: str | None = None  # the key of a message


class EndRow(AutonomyRow):
    """The flow of a trigger is over; `said` is the message it led to."""

    kind: ClassVar = "autonomy.end"

    trigger: str
    said: int | None = None
    dropped: str | None = None


class MessageRow(AutonomyRow):
    """What the persona said of its own accord: an exchange of which only one side spoke."""

    kind: ClassVar = "chat"

    source: Literal["autonomy_message"] = "autonomy_message"
    assistant_text: Generated
    message_kind: MessageKind
    delivery_mode: OnEnd
    action_type: str
    capability: str
    backend: str | None = None
    decision_id: int
    intent_id: int
    result_id: int
    agent_job_id: str | None = None


BY_KIND: dict[str, type[AutonomyRow]] = {
    one.kind: one for one in (ControlRow, Trigger, ClaimRow, DecisionRow, IntentRow, ResultRow, ActivityRow, EndRow)
}


def parse_row(kind: str, payload: dict[str, Any]) -> AutonomyRow | None:
    """A row as it was written; None for what is not autonomy's, or was forgotten."""
    if payload.get("forgotten"):
        return None
    if kind == MessageRow.kind:
        return MessageRow.model_validate(payload) if payload.get("source") == "autonomy_message" else None
    return BY_KIND[kind].model_validate(payload) if kind in BY_KIND else None
