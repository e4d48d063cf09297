"""What a Ghost keeps: events it lived through, and the states that grew from them.

An event is a row of the journal as this character witnessed it, so `seq` is the journal's own number. Whatever can
change, a state, a preference, a goal, the mood, is an *item*: its revisions are kept one after the other, the newest on
the line of play counts, and a fork has its own from there on."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Field

from hakoniwa.persona.generated import Generated
from hakoniwa.turn import Value

Axis = Annotated[float, Field(ge=-1.0, le=1.0, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
Label = Annotated[str, Field(min_length=1, max_length=80)]  # a key, not prose: the name of a person, a topic, a liking


class MemorySource(StrEnum):
    """Where an event came from; a decision is never searchable, a result only once it is promoted."""

    CHAT = "chat"
    GARDEN = "garden"
    AUTONOMY_MESSAGE = "autonomy_message"
    DELIBERATION_DECISION = "deliberation_decision"
    ACTION_RESULT = "action_result"
    NOTIFICATION = "notification"
    REMINDER = "reminder"


class LifeStage(StrEnum):
    ELEMENTARY = "elementary"
    MIDDLE = "middle"
    HIGH = "high"
    UNIVERSITY = "university"
    WORK = "work"
    UNKNOWN = "unknown"


class EntityType(StrEnum):
    PERSON = "person"
    ORG = "org"
    PLACE = "place"
    PROJECT = "project"
    TOOL = "tool"


class LinkKind(StrEnum):
    """How events hang together, and states."""

    REPLY_TO = "reply_to"
    SAME_TOPIC = "same_topic"
    CAUSED_BY = "caused_by"
    CONTINUATION = "continuation"
    RELATES_TO = "relates_to"
    DERIVED_FROM = "derived_from"
    CONTRADICTS = "contradicts"
    SUPPORTS = "supports"


EVENT_LINKS = frozenset({LinkKind.REPLY_TO, LinkKind.SAME_TOPIC, LinkKind.CAUSED_BY, LinkKind.CONTINUATION})


class Vad(Value):
    """Valence, arousal, dominance, each −1 to +1."""

    v: Axis = 0.0
    a: Axis = 0.0
    d: Axis = 0.0


class Entity(Value):
    """Somebody or something that an event or a state is about."""

    type: EntityType
    name: Label
    confidence: Share = 1.0


class AboutTime(Value):
    """The years and the time of life that something is about."""

    year_start: int | None = Field(default=None, ge=1, le=9999)
    year_end: int | None = Field(default=None, ge=1, le=9999)
    life_stage: LifeStage = LifeStage.UNKNOWN


class NewMemory(Value):
    """One event as somebody lived through it, before it has its place in memory."""

    source: MemorySource
    text: Generated  # what is shown and found: user's and persona's words, or the line of the transcript
    user_text: str | None = None
    assistant_text: Generated | None = None
    at: datetime  # in the persona's own time
    searchable: bool = True
    entities: tuple[Entity, ...] = ()
    reply_to: int | None = None  # the seq of the event this answers


class Memory(NewMemory):
    """An event in its place."""

    seq: int
    about: AboutTime = AboutTime()
    threads: tuple[str, ...] = ()


class Affect(Value):
    """How an event felt: the words for it and the numbers."""

    seq: int
    text: Generated | None = None
    labels: tuple[Label, ...] = Field(default=(), max_length=6)
    vad: Vad
    confidence: Share = 1.0
    at: datetime


class MemoryLink(Value):
    """Two events (by seq) or two states (by id) that belong together."""

    of: Literal["event", "state"] = "event"
    source: int
    target: int
    kind: LinkKind
    confidence: Share = 1.0


# --- items: what can change -------------------------------------------------------------------------------------------


class StateKind(StrEnum):
    """The first four may coexist in any number; of the last two there is one each."""

    FACT = "fact"
    RELATION = "relation"
    TASK = "task"
    SUMMARY = "summary"
    LONG_MOOD_STATE = "long_mood_state"
    PERSONA_INTEREST_STATE = "persona_interest_state"


class PersonaState(Value):
    """Something a persona holds to be so, in its own words."""

    kind: StateKind
    body_text: Generated
    payload: dict[str, Any] = {}
    entities: tuple[Entity, ...] = ()
    confidence: Share = 0.5
    last_confirmed_at: datetime
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    searchable: bool = True
    done: bool = False


class Preference(Value):
    """A liking or disliking of the user's; only a confirmed one may be asserted."""

    domain: Literal["food", "topic", "style"]
    polarity: Literal["like", "dislike"]
    subject: Label
    note: Generated | None = None
    status: Literal["candidate", "confirmed", "revoked"] = "candidate"
    confidence: Share = 0.5


GoalType = Literal["routine", "research", "task"]
GoalStatus = Literal["active", "paused", "done", "dropped"]
Horizon = Literal["short", "mid", "long"]
TakenFor = Literal["friend", "help", "chance", "burden", "threat", "unsure"]


class PersonaGoal(Value):
    """Something a persona is after, how far it has come, and in how many acts. A promise has somebody it was made to; a
    goal of the sheet has the desire it comes from."""

    goal_type: GoalType
    title: Generated
    status: GoalStatus = "active"
    horizon: Horizon = "short"
    priority: int = Field(default=50, ge=0, le=100)
    target_condition: dict[str, Any] = {}
    progress: Share = 0.0
    steps: int = Field(default=0, ge=0)
    promised_to: Label | None = None
    desire: str | None = None


class WorldItem(Value):
    """One entry of the world model: what was observed or is thought of it, how often, and how sure it is."""

    key: Label
    view: Generated | None = None
    item_class: Literal["fact", "inferred", "unknown"] = "unknown"
    entity: dict[str, Any] = {}
    relation: dict[str, Any] = {}
    location: dict[str, Any] = {}
    affordance: dict[str, Any] = {}
    fingerprint: str
    observation_count: int = 1
    confidence: Share = 0.5
    active: bool = True
    seen_at: datetime


ItemKind = Literal["state", "preference", "goal", "world_model_item"]


class Revision(Value):
    """One change of an item. `after` is None once it is closed; `id` is 0 until the store gives one.

    `item` names the thing that changed for as long as it lives: the number of its first revision, 0 for a new one."""

    id: int = 0
    item: int = 0
    kind: ItemKind
    before: dict[str, Any] | None = None
    after: dict[str, Any] | None = None
    reason: str = ""
    evidence: tuple[int, ...] = ()
    at: datetime
