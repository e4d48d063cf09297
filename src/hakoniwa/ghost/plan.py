"""RetrievalPlan: what to look for in memory and where, by rule, from what was said and what the persona cares for."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from hakoniwa.ghost.focus import PersonaFocusHint
from hakoniwa.ghost.when import TimeHint, time_hint
from hakoniwa.turn import Value

Mode = Literal["associative_recent", "targeted_broad", "explicit_about_time"]
Bucket = Literal["life_stage", "about_year_bucket"]

MAX_CANDIDATES, MAX_SELECTED, PER_BUCKET = 40, 12, 5


class Diversify(Value):
    """How to keep one time of life from filling the whole list."""

    by: tuple[Bucket, ...] = ("life_stage", "about_year_bucket")
    per_bucket: int = Field(default=PER_BUCKET, ge=1)


class Limits(Value):
    """How many candidates are weighed, and how many of them called to mind."""

    max_candidates: int = Field(default=MAX_CANDIDATES, ge=1)
    max_selected: int = Field(default=MAX_SELECTED, ge=0)


class RetrievalPlan(Value):
    """How memory is searched for one input."""

    mode: Mode
    queries: tuple[str, ...]
    time_hint: TimeHint = TimeHint()
    diversify: Diversify = Diversify()
    limits: Limits = Limits()
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
        limits=Limits(max_selected=max_selected),
        persona_focus_hint=hint,
    )


def _mode(when: TimeHint) -> Mode:
    if when.about_year_start is not None or when.life_stage_hint:
        return "explicit_about_time"
    return "associative_recent" if when.at_from is None else "targeted_broad"


def _open_buckets(when: TimeHint) -> tuple[Bucket, ...]:
    """What to spread over: nothing that the input itself pins down."""
    stages: tuple[Bucket, ...] = () if when.life_stage_hint else ("life_stage",)
    years: tuple[Bucket, ...] = () if when.about_year_start is not None else ("about_year_bucket",)
    return stages + years
