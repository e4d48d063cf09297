"""The data of one turn, in the order it comes into being."""

from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    GetJsonSchemaHandler,
    SerializerFunctionWrapHandler,
    model_serializer,
)
from pydantic_core import CoreSchema

_new, _set = object.__new__, object.__setattr__  # past the guard that keeps a value frozen


class Value(BaseModel):
    """A frozen value that refuses fields it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def with_field(self, name: str, value: Any) -> Self:
        """A copy that differs in one field, which nobody validates again: model_copy in a tenth of the time."""
        return self.with_fields({name: value})

    def with_fields(self, fields: dict[str, Any]) -> Self:
        """A copy that differs in these fields."""
        copy, known, private = _new(type(self)), self.__pydantic_fields_set__, self.__pydantic_private__
        _set(copy, "__dict__", self.__dict__ | fields)
        _set(copy, "__pydantic_fields_set__", known if known.issuperset(fields) else known.union(fields))
        _set(copy, "__pydantic_extra__", None)
        _set(copy, "__pydantic_private__", private and {**private})
        return copy


class IntentKind(StrEnum):
    """The nine kinds of act the GM tells apart; the set is closed."""

    SAY = "SAY"
    ASK = "ASK"
    ANSWER = "ANSWER"
    EMOTE = "EMOTE"
    MOVE = "MOVE"
    GET = "GET"
    PUT = "PUT"
    USE = "USE"
    EAT_DRINK = "EAT_DRINK"


SPEECH = frozenset({IntentKind.SAY, IntentKind.ASK, IntentKind.ANSWER})
PHYSICAL = frozenset({IntentKind.MOVE, IntentKind.GET, IntentKind.PUT, IntentKind.USE, IntentKind.EAT_DRINK})


class DeniedReason(StrEnum):
    """Why an act cannot be, in the order in which one reason wins over another."""

    AMBIGUOUS_ACTION = "AMBIGUOUS_ACTION"
    OUT_OF_SCOPE = "OUT_OF_SCOPE"
    MISSING_OBJECT = "MISSING_OBJECT"
    WRONG_LOCATION = "WRONG_LOCATION"
    NOT_OWNED = "NOT_OWNED"
    INVALID_STATE = "INVALID_STATE"
    CONTRADICTS_WORLD = "CONTRADICTS_WORLD"
    RATE_LIMITED = "RATE_LIMITED"


REASON_ORDER = {reason: rank for rank, reason in enumerate(DeniedReason)}


class PatchOp(Value):
    """One RFC 6902 operation."""

    op: Literal["add", "replace", "remove", "test"]
    path: str
    value: Any = None

    @model_serializer(mode="wrap")
    def _without_idle_value(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        if self.op == "remove":
            data.pop("value", None)
        else:
            data.setdefault("value", self.value)
        return data

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """What is written has the form of what is read; the serializer above would say only that it is an object."""
        plain: Any = {key: value for key, value in schema.items() if key != "serialization"}
        return handler(plain)


class RankedDesire(Value):
    """One desire as it stood in the competition."""

    desire: str
    kind: str
    score: float


def _as_list(chosen: Any) -> Any:
    """One act by itself, as journals of old have it, as a list of one."""
    return (chosen,) if isinstance(chosen, str) else chosen


class Thought(Value):
    """What a mind made of the scene: its words, and the numbers behind them."""

    text: str
    beliefs: tuple[str, ...] = ()
    desires: tuple[RankedDesire, ...] = ()
    intention: str | None = None
    means: str | None = None
    tries_left: int | None = None
    # The tags of the acts that were picked off a list, in order; None where nothing was picked off one.
    chosen: Annotated[tuple[str, ...] | None, BeforeValidator(_as_list)] = None


class Performance(Value):
    """What a character does and says, as written by its mind; `topic` and `to` if the mind knows them."""

    text: str
    topic: str | None = None
    to: str | None = None


class SpeechVerb(StrEnum):
    """What words do to those who hear them; the intent is SAY, ASK or ANSWER as ever."""

    TELL = "TELL"
    ASK = "ASK"
    PROMISE = "PROMISE"
    OFFER = "OFFER"
    REFUSE = "REFUSE"
    THREATEN = "THREATEN"


Relation = Literal["at", "in", "on", "held by", "state", "did", "said"]


class Fact(Value):
    """What may be told, as subject, relation and object; `turn` is when it was so. Without an object it is asked."""

    subject: str
    relation: Relation
    object: str | None = None
    turn: int | None = None


class ActionIntent(Value):
    """What the GM read from a performance: one act, not yet judged."""

    intent: IntentKind
    target: str | None = None
    detail: str | None = None
    verb: str | None = None
    destination: str | None = None
    instrument: str | None = None
    source: str | None = None
    on_top: bool = False
    # Whether the reader is sure that this was done, and to what; only what is sure is denied.
    sure: bool = True
    # What is told, asked or promised, where words are about a fact.
    about: Fact | None = None

    @property
    def is_act(self) -> bool:
        """Whether a verb says that it is done, and not only said."""
        return self.verb is not None and self.intent not in SPEECH


class ParsedOutput(Value):
    """A performance taken apart."""

    thought: str | None = None
    speech: str | None = None
    action_intents: tuple[ActionIntent, ...] = ()
    directions: tuple[str, ...] = ()
    # What has a name of this world in it and no act accounts for.
    unread: tuple[str, ...] = ()
    addressee: str | None = None
    format_break: str | None = None
    repairs: tuple[str, ...] = ()


class Resolution(Value):
    """How a written name was matched to a thing of the world."""

    written: str
    resolved: str | None = None
    how: Literal["exact", "alias", "derived", "part", "kind", "pronoun", "ambient", "none"] = "none"


class Explanation(Value):
    """Why an act was denied, and what could be done instead."""

    rule: str
    reason: DeniedReason
    written: str | None = None
    resolved: str | None = None
    where: str | None = None
    held_by: str | None = None
    why: str = ""
    told: str = ""
    instead: tuple[str, ...] = ()


class Ruling(Value):
    """The GM's answer to one performance: the body of a GM step."""

    parsed: ParsedOutput
    allowed: bool
    denied_reason: DeniedReason | None = None
    world_delta: tuple[PatchOp, ...] = ()
    stall_score: float = 0.0
    fact_cards: tuple[str, ...] = ()
    resolution: tuple[Resolution, ...] = ()
    explanation: Explanation | None = None
    told: tuple[str, ...] = ()
    format_break: str | None = None
    possible_acts: tuple[str, ...] | None = None


class Process(Value):
    """Something under way that the GM will finish at a later turn."""

    prop: str
    due: int
    clears: tuple[str, ...] = ()
    becomes: tuple[str, ...] = ()
    makes: dict[str, dict[str, Any]] = {}
    told: str | None = None


class SanitizerReport(Value):
    """What the sanitizer did to a performance."""

    triggered: bool = False
    action_removed: bool = False
    action_replaced: bool = False
    blocked_props: tuple[str, ...] = ()
    original_action: str | None = None
    replacement: str | None = None
    actions: tuple[str, ...] = ()


class Status(StrEnum):
    """What the Director wants done about a line."""

    PASS = "PASS"
    WARN = "WARN"
    MODIFY = "MODIFY"
    RETRY = "RETRY"


class Finding(Value):
    """One fault that a check found."""

    check: str
    status: Status
    rule: str
    form: str = ""
    other: str = ""


class FiveAxes(Value):
    """A model's score of a line, each axis 0 to 1."""

    character_consistency: float
    topic_novelty: float
    relationship_quality: float
    naturalness: float
    concreteness: float

    @property
    def overall(self) -> float:
        return (
            0.25 * self.character_consistency
            + 0.20 * self.topic_novelty
            + 0.25 * self.relationship_quality
            + 0.15 * self.naturalness
            + 0.15 * self.concreteness
        )


class Evaluation(Value):
    """The Director's opinion of a line."""

    status: Status = Status.PASS
    reason: str = ""
    suggestion: str = ""
    action: str = "NOOP"
    next_instruction: str | None = None
    checks_passed: tuple[str, ...] = ()
    checks_failed: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    score: FiveAxes | None = None
    note: str | None = None


class InjectedFact(Value):
    """One fact for the next prompt, by what it is about."""

    tag: Literal["SCENE", "STYLE", "REL"]
    text: str


class InjectionDecision(Value):
    """Why facts were given, or would have been."""

    would_inject: bool = False
    reasons: tuple[str, ...] = ()
    predicted_blocked_props: tuple[str, ...] = ()
    detected_tone_violation: bool = False
    detected_addressing_violation: bool = False
    facts_injected: int = 0


class Retake(Value):
    """A take that did not stand."""

    text: str
    denied_reason: DeniedReason | None = None
    reason: str = ""


class Take(Value):
    """One performance with its ruling, and what the Director did about it."""

    performance: Performance
    ruling: Ruling
    sanitized: SanitizerReport = SanitizerReport()
    evaluation: Evaluation = Evaluation()
    injection: InjectionDecision = InjectionDecision()
    retakes: tuple[Retake, ...] = ()
    shadow: DeniedReason | None = None
    gave_up: bool = False
    silent_correction: bool | None = None
    # What the words tell, and perhaps mean, beside acts that came as data; nothing of it was done.
    drift: tuple[str, ...] = ()


class Turn(Value):
    """One whole turn, as the journal keeps it; `lies` are what its speaker told and does not believe."""

    number: int
    speaker: str
    thought: Thought
    take: Take
    deeds: tuple[tuple[str, str | None], ...] = ()
    marks: tuple[str, ...] = ()
    lies: tuple[Fact, ...] = ()
    processes: tuple[Process, ...] = ()
    mind: dict[str, Any] = {}
    facts: tuple[str, ...] = ()
    next_speaker: str | None = None
    next_reason: str = "round_robin"
    next_tag: str = ""  # the name in the nomination, as it was written


class WitnessedEvent(Value):
    """What somebody perceived of one event: who did what to what, what was said and asked, whether it failed."""

    turn: int
    kind: str
    who: str
    deeds: tuple[tuple[str, str | None], ...] = ()
    failed: bool = False
    speech: str = ""
    asked: str | None = None
    topic: str | None = None
    incident: str | None = None
    room: str | None = None


class Event(Value):
    """One row of the journal. `world_delta` is what it did to the world; `witnesses` are those who perceived it."""

    kind: str
    turn: int
    origin: str
    witnesses: tuple[str, ...] = ()
    payload: dict[str, Any] = {}
    world_delta: tuple[PatchOp, ...] = ()
    state_hash: str | None = None
