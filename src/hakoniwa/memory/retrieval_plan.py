"""RetrievalPlan: what to look for in memory and where, by rule, from what was said and which way the persona leans."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from hakoniwa.memory.candidate import Candidate
from hakoniwa.memory.when import TimeHint, time_hint
from hakoniwa.persona.interest import InterestState, Mode
from hakoniwa.persona.records import Affect, Label, MemorySource, Vad
from hakoniwa.turn import Value

MOST_TOPICS, MOST_TARGETS = 6, 8

SAME_KIND = 1.2  # an event or a state of a kind that has the persona's attention
FELT_ALIKE = 0.3  # how much more what felt just as it feels now counts, and how much less what felt the very opposite
OWN_WORDS = 0.4  # how much more what its sheet speaks of counts in a garden, where nobody states what they like
TOUCHED = 0.4  # how much more what fully has its attention counts
STATES = {"support": 0.25, "wait": 0.22}
EVENTS = {"explore": 0.20}
FAVOURED = {"support": 0.20, "explore": 0.18}
FAVOURED_SOURCES = {
    "support": frozenset({"reply_chain", "context_threads", "context_links"}),
    "explore": frozenset({"full_text", "vector_recent", "vector_global", "entity_expand", "about_time"}),
}


class PersonaFocusHint(Value):
    """Which way the persona leans, in labels and numbers."""

    topic_bias: tuple[Label, ...] = Field(default=(), max_length=MOST_TOPICS)
    style_bias: tuple[Label, ...] = Field(default=(), max_length=MOST_TOPICS)
    avoid_bias: tuple[Label, ...] = Field(default=(), max_length=MOST_TOPICS)
    mood_vad_hint: Vad = Vad()
    interest_mode_hint: Mode = "observe"
    interest_targets_hint: tuple[str, ...] = Field(default=(), max_length=MOST_TARGETS)


def focus_of(confirmed: Mapping[str, Any], interest: InterestState, mood: Vad) -> PersonaFocusHint:
    """The hint of a persona as it stands now; what somebody likes to eat is something they like to speak of, too."""
    topics = (*_subjects(confirmed, "topic", "like"), *_subjects(confirmed, "food", "like"))
    return PersonaFocusHint(
        topic_bias=tuple(dict.fromkeys(topics))[:MOST_TOPICS],
        style_bias=_subjects(confirmed, "style", "like")[:MOST_TOPICS],
        avoid_bias=_subjects(confirmed, "style", "dislike")[:MOST_TOPICS],
        mood_vad_hint=mood,
        interest_mode_hint=interest.interaction_mode,
        interest_targets_hint=tuple(f"{one.type}:{one.value}" for one in interest.attention_targets[:MOST_TARGETS]),
    )


def _subjects(confirmed: Mapping[str, Any], domain: str, polarity: str) -> tuple[str, ...]:
    return tuple(one["subject"] for one in confirmed.get(domain, {}).get(polarity, ()))


# --- the order of candidates ----------------------------------------------------------------------------------------


def order_candidates(
    candidates: Iterable[Candidate], interest: InterestState, hint: PersonaFocusHint, felt: Mapping[int, Affect] = {}
) -> tuple[Candidate, ...]:
    """The candidates as this persona ranks them, each with what it touches in the persona and the score that gives.

    `felt`: how events were felt when they happened; those that felt as the persona feels now come more easily."""
    weights = attention(interest, hint)
    leaning = [
        _lean_candidate(one, weights, hint.interest_mode_hint, _likeness(felt.get(one.key), hint.mood_vad_hint, one))
        for one in candidates
    ]
    return tuple(sorted(leaning, key=lambda one: (-one.score, -one.at.timestamp(), one.type, one.key)))


def attention(interest: InterestState, hint: PersonaFocusHint) -> dict[str, float]:
    """How much each thing weighs, by `type:value`: what has attention now, and what is liked for good."""
    targets = {f"{one.type}:{one.value}": one.weight for one in interest.attention_targets}
    return {**{f"topic:{one}": 1.0 for one in hint.topic_bias}, **targets}


def _likeness(felt: Affect | None, mood: Vad, one: Candidate) -> float:
    """From -1 to 1, how much what was felt then goes with what is felt now; 0 where either is nothing much."""
    return felt.confidence * felt.vad.v * mood.v if felt is not None and one.type != "state" else 0.0


def _lean_candidate(one: Candidate, weights: Mapping[str, float], mode: Mode, likeness: float) -> Candidate:
    touches = _matching_names(one, weights)
    kind = SAME_KIND if _kind(one) in weights else 1.0
    cared_for = TOUCHED * max((weights[name] for name in touches), default=0.0)
    nature = OWN_WORDS if one.source is MemorySource.GARDEN and "own_words" in one.ranks else 0.0
    factor = kind * (1 + _favour(one, mode)) * (1 + cared_for) * (1 + nature) * (1 + FELT_ALIKE * likeness)
    return one.touching(touches, one.score * factor)


def _matching_names(one: Candidate, weights: Mapping[str, float]) -> tuple[str, ...]:
    """What of the persona's own a candidate is about: by its entities, its threads, and what it was found by."""
    if not weights:
        return ()
    named = (
        *(f"entity_{entity.type}:{entity.name}" for entity in one.entities),
        *(f"topic:{thread}" for thread in one.threads),
        *one.cues,
    )
    return tuple(name for name in dict.fromkeys(named) if name in weights)


def _kind(one: Candidate) -> str:
    return f"state_kind:{one.kind}" if one.type == "state" else f"event_source:{one.source}"


def _favour(one: Candidate, mode: Mode) -> float:
    """What the way it meets the world adds: states or events, and what came by the ways that suit it."""
    by_type = (STATES if one.type == "state" else EVENTS).get(mode, 0.0)
    suited = FAVOURED_SOURCES.get(mode, frozenset()) & one.ranks.keys()
    return by_type + (FAVOURED[mode] if suited else 0.0)


SearchMode = Literal["associative_recent", "targeted_broad", "explicit_about_time"]
Bucket = Literal["life_stage", "about_year_bucket"]

MAX_CANDIDATES, MAX_SELECTED, PER_BUCKET = 40, 12, 5


class Diversify(Value):
    """How to keep one time of life from filling the whole list."""

    by: tuple[Bucket, ...] = ("life_stage", "about_year_bucket")
    per_bucket: int = Field(default=PER_BUCKET, ge=1)


class RetrievalLimits(Value):
    """How many candidates are weighed, and how many of them called to mind."""

    max_candidates: int = Field(default=MAX_CANDIDATES, ge=1)
    max_selected: int = Field(default=MAX_SELECTED, ge=0)


class RetrievalPlan(Value):
    """How memory is searched for one input."""

    mode: SearchMode
    queries: tuple[str, ...]
    time_hint: TimeHint = TimeHint()
    diversify: Diversify = Diversify()
    limits: RetrievalLimits = RetrievalLimits()
    persona_focus_hint: PersonaFocusHint = PersonaFocusHint()


def plan_for(
    text: str, now: datetime, hint: PersonaFocusHint, language: str, max_selected: int = MAX_SELECTED
) -> RetrievalPlan:
    """The plan for one input; days are those of the time zone that `now` is given in."""
    when = time_hint(text, now, language)
    return RetrievalPlan(
        mode=_mode(when),
        queries=(text,),
        time_hint=when,
        diversify=Diversify(by=_open_buckets(when)),
        limits=RetrievalLimits(max_selected=max_selected),
        persona_focus_hint=hint,
    )


def _mode(when: TimeHint) -> SearchMode:
    if when.about_year_start is not None or when.life_stage_hint:
        return "explicit_about_time"
    return "associative_recent" if when.at_from is None else "targeted_broad"


def _open_buckets(when: TimeHint) -> tuple[Bucket, ...]:
    """What to spread over: nothing that the input itself pins down."""
    stages: tuple[Bucket, ...] = () if when.life_stage_hint else ("life_stage",)
    years: tuple[Bucket, ...] = () if when.about_year_start is not None else ("about_year_bucket",)
    return stages + years
