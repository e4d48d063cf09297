"""Interest: what a persona has on its mind just now, as labels with weights that fade unless they come up again."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Annotated, Literal

from pydantic import Field

from hakoniwa.persona.action import ActionDecision, ActionResult
from hakoniwa.persona.generated import Generated
from hakoniwa.persona.mood import remaining_share
from hakoniwa.persona.records import Label, Memory, PersonaState, Share, StateKind, Vad, WorldItem
from hakoniwa.persona.write_plan import WritePlan
from hakoniwa.turn import Value

Mode = Literal["observe", "support", "wait", "explore"]
Direction = Literal["observe", "support", "wait", "avoid", "explore"]
Cause = Literal["write_plan", "deliberation", "action_result"]

MOST_TARGETS, MOST_EVENTS = 24, 20
HALF_LIFE = timedelta(days=3)
FADED = 0.01  # below this nobody has it on their mind any more


# Kinds of targets that the machinery goes by: they have labels, but are nothing anybody would speak of.
MACHINERY = frozenset({"event_source", "state_kind", "action_type", "capability", "goal", "goal_id"})


class AttentionTarget(Value):
    """One thing that has somebody's attention, and since when."""

    type: Annotated[str, Field(min_length=1, max_length=40)]
    value: Label
    weight: Share
    updated_at: datetime


class InterestState(Value):
    """Everything that has a persona's attention, heaviest first, with the weights it had at `updated_at`."""

    attention_targets: tuple[AttentionTarget, ...] = Field(default=(), max_length=MOST_TARGETS)
    interaction_mode: Mode = "observe"
    updated_from_event_ids: tuple[int, ...] = Field(default=(), max_length=MOST_EVENTS)
    updated_from: Cause | None = None
    updated_at: datetime | None = None


def merge_interest(
    state: InterestState,
    targets: Iterable[AttentionTarget],
    mode: Mode | None,
    event_ids: Iterable[int],
    cause: Cause,
    now: datetime,
) -> InterestState:
    """The interest after something came up; without a mode it goes on in the one it was in."""
    ids = (*state.updated_from_event_ids, *event_ids)
    return InterestState(
        attention_targets=blend_targets(fade_targets(state.attention_targets, state.updated_at, now), targets),
        interaction_mode=mode or state.interaction_mode,
        updated_from_event_ids=tuple(dict.fromkeys(ids))[-MOST_EVENTS:],
        updated_from=cause,
        updated_at=max(now, state.updated_at or now),
    )


def fade_targets(
    targets: Iterable[AttentionTarget], since: datetime | None, now: datetime
) -> tuple[AttentionTarget, ...]:
    """Targets as they weigh now, given when they were last weighed."""
    left = remaining_share(since, now, HALF_LIFE)
    return tuple(one.model_copy(update={"weight": one.weight * left}) for one in targets)


def blend_targets(old: Iterable[AttentionTarget], new: Iterable[AttentionTarget]) -> tuple[AttentionTarget, ...]:
    """Both together: of the same thing the larger weight and the later date, and of too many the heaviest."""
    kept: dict[tuple[str, str], AttentionTarget] = {}
    for one in (*old, *new):
        key = (one.type, one.value)
        kept[key] = _stronger_target(kept[key], one) if key in kept else one
    ordered = sorted(kept.values(), key=lambda one: (-one.weight, one.type, one.value))
    return tuple(one for one in ordered if one.weight >= FADED)[:MOST_TARGETS]


def topics_of(targets: Iterable[AttentionTarget], most: int) -> dict[str, float]:
    """What a persona has on its mind that can be spoken of, by its label, heaviest first."""
    weights: dict[str, float] = {}
    for one in targets:
        if one.type not in MACHINERY:
            name = one.value.partition(":")[2] if one.type.startswith("world_") else one.value
            weights[name] = max(weights.get(name, 0.0), one.weight)
    return dict(sorted(weights.items(), key=lambda pair: -pair[1])[:most])


def _stronger_target(one: AttentionTarget, other: AttentionTarget) -> AttentionTarget:
    later = max(one.updated_at, other.updated_at)
    return one.model_copy(update={"weight": max(one.weight, other.weight), "updated_at": later})


def mode_from(feeling: Vad, active_intents: int = 0, preferred: Direction | None = None) -> Mode:
    """How to meet the world: as a decision prefers, else by what is under way and by how it feels."""
    if preferred is not None:
        return "wait" if preferred == "avoid" else preferred
    if active_intents >= 2:
        return "support"
    if feeling.a >= 0.45 and feeling.v >= -0.2:
        return "explore"
    if feeling.a <= -0.3 and feeling.d <= -0.2:
        return "wait"
    return "observe"


# --- where targets come from ------------------------------------------------------------------------------------------


def targets_from_plan(plan: WritePlan, memory: Memory, now: datetime) -> tuple[AttentionTarget, ...]:
    """What an event and the plan made from it draw attention to."""
    kinds = sorted({update.kind for update in plan.state_updates if update.kind is not StateKind.LONG_MOOD_STATE})
    likings = [one for one in plan.preference_updates if one.polarity == "like" and one.op != "revoke"]
    weights: list[tuple[str, str, float]] = [
        ("event_source", memory.source, 0.40),
        *((f"entity_{one.type}", one.name, 0.55 + 0.35 * one.confidence) for one in (*memory.entities, *plan.entities)),
        *(("topic", thread, 0.60) for thread in plan.context_updates.threads),
        *(("preference", one.subject, 0.50 + 0.40 * one.confidence) for one in likings),
        *(("state_kind", kind, 0.50) for kind in kinds),
        *([("state_kind", StateKind.LONG_MOOD_STATE, 0.35)] if plan.event_affect is not None else ()),
    ]
    return tuple(
        AttentionTarget(type=type, value=value, weight=weight, updated_at=now) for type, value, weight in weights
    )


def targets_from_decision(decision: ActionDecision, now: datetime) -> tuple[AttentionTarget, ...]:
    """What making up one's mind draws attention to: an act that is put off weighs less than one that will be done."""
    acting = decision.decision_outcome == "do_action"
    goals = _goal_targets(decision.evidence.goal_ids, 0.90 if acting else 0.70, now)
    if decision.action_type is None:
        return goals
    weight = 0.75 if acting else 0.55
    return (AttentionTarget(type="action_type", value=decision.action_type, weight=weight, updated_at=now), *goals)


def targets_from_result(
    action_type: str, result: ActionResult, now: datetime, goals: Iterable[int] = ()
) -> tuple[AttentionTarget, ...]:
    """What the outcome of an act draws attention to: a failure weighs less."""
    failed = result.result_status == "failed"
    return (
        AttentionTarget(type="action_type", value=action_type, weight=0.55 if failed else 0.75, updated_at=now),
        AttentionTarget(
            type="capability", value=result.capability_name, weight=0.45 if failed else 0.65, updated_at=now
        ),
        *_goal_targets(goals, 0.70 if failed else 0.90, now),
    )


def targets_from_world(
    items: Iterable[WorldItem], now: datetime, observed_now: frozenset[str] = frozenset()
) -> tuple[AttentionTarget, ...]:
    """What the world model draws attention to, the more so where the keys were observed just now."""
    return tuple(
        AttentionTarget(
            type=f"world_{one.item_class}",
            value=one.key,
            weight=min(1.0, 0.35 + 0.50 * one.confidence + (0.15 if one.key in observed_now else 0.0)),
            updated_at=now,
        )
        for one in items
        if one.active
    )


def _goal_targets(goals: Iterable[int], weight: float, now: datetime) -> tuple[AttentionTarget, ...]:
    return tuple(AttentionTarget(type="goal", value=str(goal), weight=weight, updated_at=now) for goal in goals)


# --- the state memory keeps of it -------------------------------------------------------------------------------------


def interest_as_state(interest: InterestState, now: datetime) -> PersonaState:
    """The interest as the single state memory keeps of it."""
    return PersonaState(
        kind=StateKind.PERSONA_INTEREST_STATE,
        body_text=Generated(""),
        payload=interest.model_dump(mode="json"),
        confidence=1.0,
        last_confirmed_at=interest.updated_at or now,
        searchable=False,
    )


def interest_of(state: PersonaState) -> InterestState:
    """The interest that a state keeps."""
    return InterestState.model_validate(state.payload)
