"""WritePlan: what a persona keeps of an event. A model's plan is taken as it is or dropped whole, never mended."""

import re
from collections.abc import Collection, Container
from typing import Annotated, Any, Literal, Self

from pydantic import AwareDatetime, BeforeValidator, Field, FiniteFloat, ValidationError, model_validator

from hakoniwa.persona.generated import Generated, unseal
from hakoniwa.persona.records import (
    AboutTime,
    Entity,
    EntityType,
    GoalType,
    Horizon,
    Label,
    LifeStage,
    LinkKind,
    Memory,
    Share,
    StateKind,
    TakenFor,
    Vad,
)
from hakoniwa.turn import Value

MOST_ENTITIES, MOST_STATES, MOST_PREFERENCES, MOST_LABELS, MOST_THREADS, MOST_LINKS = 12, 8, 6, 6, 4, 6
MOST_GOALS, MOST_WORLD = 3, 4
LONGEST_TEXT, LONGEST_NOTE = 600, 240
_NOTHING = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")  # the one character that JSON can hold and PostgreSQL cannot


def _limit_length(limit: int) -> BeforeValidator:
    """While a text still is a plain string: refuse one that goes on and on, and take blanks for no text at all."""

    def check(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        if len(value) > limit:
            raise ValueError(f"a text has at most {limit} characters")
        return value if value.strip() else None

    return BeforeValidator(check)


Text = Annotated[Generated | None, _limit_length(LONGEST_TEXT)]
Note = Annotated[Generated | None, _limit_length(LONGEST_NOTE)]
EventId = Annotated[int, Field(ge=1)]
Year = Annotated[int, Field(ge=1, le=9999)]


class EventAnnotations(Value):
    """Which years and which time of life an event is about, and who or what occurs in it."""

    about_year_start: Year | None = None
    about_year_end: Year | None = None
    life_stage: LifeStage = LifeStage.UNKNOWN
    entities: tuple[Entity, ...] = Field(default=(), max_length=MOST_ENTITIES)

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.about_year_start and self.about_year_end and self.about_year_end < self.about_year_start:
            raise ValueError("the years are the wrong way round")
        return self

    @property
    def about(self) -> AboutTime:
        return AboutTime(year_start=self.about_year_start, year_end=self.about_year_end, life_stage=self.life_stage)


class StateLink(Value):
    """How what is kept now stands to what was kept before; what contradicts it stays beside it."""

    state_id: Annotated[int, Field(ge=1)]
    kind: Literal[LinkKind.RELATES_TO, LinkKind.DERIVED_FROM, LinkKind.CONTRADICTS, LinkKind.SUPPORTS]
    confidence: Share = 1.0


class StateUpdate(Value):
    """One state that is new (no id), changed, done or over."""

    kind: Literal[StateKind.FACT, StateKind.RELATION, StateKind.TASK, StateKind.SUMMARY, StateKind.LONG_MOOD_STATE]
    op: Literal["upsert", "close", "mark_done"]
    state_id: int = Field(default=0, ge=0)
    body_text: Text = None
    entities: tuple[Entity, ...] = Field(default=(), max_length=MOST_ENTITIES)
    payload: dict[Label, bool | int | FiniteFloat | Label] = Field(default={}, max_length=12)
    confidence: Share = 0.5
    valid_from: AwareDatetime | None = None
    valid_to: AwareDatetime | None = None
    last_confirmed_at: AwareDatetime | None = None
    evidence_event_ids: tuple[EventId, ...] = Field(default=(), max_length=12)
    links: tuple[StateLink, ...] = Field(default=(), max_length=MOST_LINKS)
    reason: Note = None

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.op == "upsert" and self.body_text is None:
            raise ValueError("what is kept needs words")
        if self.op != "upsert" and not self.state_id:
            raise ValueError("what is over or done needs an id")
        if self.kind is StateKind.LONG_MOOD_STATE and (self.op != "upsert" or self.state_id):
            raise ValueError("there is one mood, which can only be put into words")
        if self.valid_from and self.valid_to and self.valid_to < self.valid_from:
            raise ValueError("it cannot end before it begins")
        return self


class PreferenceUpdate(Value):
    """A liking of the user's that shows, was stated, or is no more."""

    op: Literal["upsert_candidate", "confirm", "revoke"]
    domain: Literal["food", "topic", "style"]
    polarity: Literal["like", "dislike"]
    subject: Label
    note: Note = None
    confidence: Share = 0.5
    evidence_event_id: int = Field(default=0, ge=0)  # where the user said so, for what is to be confirmed
    reason: Note = None


class GoalUpdate(Value):
    """Something the persona sets out to do (no id) or words anew, gets on with, has done, or gives up. `promised`: it
    gave its word."""

    op: Literal["set", "progress", "done", "drop"]
    goal_id: int = Field(default=0, ge=0)
    title: Note = None
    goal_type: GoalType = "task"
    horizon: Horizon = "short"
    priority: int = Field(default=50, ge=0, le=100)
    progress: Share = 0.0
    promised: bool = False

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.op == "set" and self.title is None:
            raise ValueError("a goal needs words")
        if self.op != "set" and not self.goal_id:
            raise ValueError("what is got on with, done or given up needs an id")
        return self


class WorldUpdate(Value):
    """What the persona now thinks of a person, a thing or a place."""

    type: EntityType
    name: Label
    view: Annotated[Generated, _limit_length(LONGEST_NOTE)]
    taken_for: TakenFor = "unsure"
    item_class: Literal["fact", "inferred", "unknown"] = "inferred"
    confidence: Share = 0.5


class EventAffect(Value):
    """How it felt to the persona."""

    text: Note = None
    labels: tuple[Label, ...] = Field(default=(), max_length=MOST_LABELS)
    v: float = Field(ge=-1.0, le=1.0, allow_inf_nan=False)
    a: float = Field(ge=-1.0, le=1.0, allow_inf_nan=False)
    d: float = Field(ge=-1.0, le=1.0, allow_inf_nan=False)
    confidence: Share = 1.0

    @property
    def vad(self) -> Vad:
        return Vad(v=self.v, a=self.a, d=self.d)


class EventLink(Value):
    """An earlier event that this one belongs to."""

    event_id: EventId
    kind: Literal[LinkKind.REPLY_TO, LinkKind.SAME_TOPIC, LinkKind.CAUSED_BY, LinkKind.CONTINUATION]
    confidence: Share = 1.0


class ContextUpdates(Value):
    """Where an event belongs among the others."""

    threads: tuple[Label, ...] = Field(default=(), max_length=MOST_THREADS)
    links: tuple[EventLink, ...] = Field(default=(), max_length=MOST_LINKS)


class WritePlan(Value):
    """Everything to keep of one event; what is left out changes nothing."""

    event_annotations: EventAnnotations = EventAnnotations()
    state_updates: tuple[StateUpdate, ...] = Field(default=(), max_length=MOST_STATES)
    preference_updates: tuple[PreferenceUpdate, ...] = Field(default=(), max_length=MOST_PREFERENCES)
    goal_updates: tuple[GoalUpdate, ...] = Field(default=(), max_length=MOST_GOALS)
    world_updates: tuple[WorldUpdate, ...] = Field(default=(), max_length=MOST_WORLD)
    event_affect: EventAffect | None = None
    context_updates: ContextUpdates = ContextUpdates()

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        named: tuple[list[Any], ...] = (
            [one.state_id for one in self.state_updates if one.state_id],
            [one.goal_id for one in self.goal_updates if one.goal_id],
            [(one.type, one.name) for one in self.world_updates],
        )
        if any(len(ids) != len(set(ids)) for ids in named):
            raise ValueError("a plan speaks of each state, goal and thing once")
        return self

    @property
    def entities(self) -> tuple[Entity, ...]:
        return self.event_annotations.entities


def parse_plan(
    text: Generated, events: Collection[int], states: Container[int], goals: Container[int] = ()
) -> WritePlan | None:
    """The plan a model wrote, if it is one and names no event, state and goal but these; None otherwise."""
    if _NOTHING.search(unseal(text)):
        return None
    try:
        plan = WritePlan.model_validate_json(unseal(text), strict=True)
    except ValidationError:
        return None
    known = named_events(plan) <= set(events) and all(one in states for one in named_states(plan))
    return plan if known and all(one in goals for one in named_goals(plan)) else None


def named_events(plan: WritePlan) -> set[int]:
    """Every event a plan refers to."""
    evidence = {id for update in plan.state_updates for id in update.evidence_event_ids}
    evidence |= {one.evidence_event_id for one in plan.preference_updates if one.evidence_event_id}
    return evidence | {link.event_id for link in plan.context_updates.links}


def named_states(plan: WritePlan) -> set[int]:
    """Every state a plan refers to."""
    linked = {link.state_id for update in plan.state_updates for link in update.links}
    return linked | {update.state_id for update in plan.state_updates if update.state_id}


def named_goals(plan: WritePlan) -> set[int]:
    """Every goal a plan refers to."""
    return {one.goal_id for one in plan.goal_updates if one.goal_id}


def plan_by_rule(
    memory: Memory, feeling: Vad | None = None, entities: tuple[Entity, ...] = (), confidence: float = 0.5
) -> WritePlan:
    """What can be kept without a model: who occurs in the event, and how it felt if numbers tell."""
    known = {(one.type, one.name): one for one in (*entities, *memory.entities)}
    felt = None if feeling is None else EventAffect(v=feeling.v, a=feeling.a, d=feeling.d, confidence=confidence)
    return WritePlan(
        event_annotations=EventAnnotations(
            about_year_start=memory.about.year_start,
            about_year_end=memory.about.year_end,
            life_stage=memory.about.life_stage,
            entities=tuple(known.values())[:MOST_ENTITIES],
        ),
        event_affect=felt,
    )
