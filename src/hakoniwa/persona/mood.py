"""Mood: a baseline that follows what is felt over days, and the shock of the moment, which fades within hours."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any

from pydantic import Field

from hakoniwa.persona.generated import Generated
from hakoniwa.persona.records import Affect, PersonaState, StateKind, Vad
from hakoniwa.turn import Value


def remaining_share(since: datetime | None, now: datetime, half_life: timedelta) -> float:
    """The share of something that is left: a half after its half-life; a clock that was set back takes nothing away."""
    if since is None or now <= since:
        return 1.0
    return float(0.5 ** ((now - since) / half_life))


BASELINE_HALF_LIFE = 24.0  # hours
SHORTEST_SHOCK, LONGEST_SHOCK = 1.0, 24.0  # hours
RECENT = 12
WORDLESS = Generated("")


class LongMoodState(Value):
    """How somebody feels, as of `updated_at`; the words for it stay for the whole day that `baseline_day_key` names."""

    text: Generated = WORDLESS
    baseline_vad: Vad = Vad()
    shock_vad: Vad = Vad()
    shock_note: Generated | None = None
    baseline_day_key: str | None = None
    baseline_half_life_hours: float = Field(default=BASELINE_HALF_LIFE, gt=0)
    shock_half_life_hours: float = Field(default=SHORTEST_SHOCK, ge=SHORTEST_SHOCK, le=LONGEST_SHOCK)
    updated_at: datetime | None = None


def move_mood(mood: LongMoodState, affect: Affect, now: datetime, neuroticism: float = 0.5) -> LongMoodState:
    """The mood after something was felt. What is felt without any confidence moves nothing."""
    if affect.confidence == 0.0:
        return mood
    at = min(affect.at, now) if mood.updated_at is None else max(min(affect.at, now), mood.updated_at)
    baseline = _follow_baseline(mood, affect, at)
    severity = _severity(affect.vad, baseline)
    target = _map_axes(lambda moment, usual: (moment - usual) * _sensitivity(neuroticism), affect.vad, baseline)
    return mood.model_copy(
        update={
            "baseline_vad": baseline,
            "shock_vad": _move_towards(_shock_left(mood, at), target, (0.6 + 0.3 * severity) * affect.confidence),
            "shock_note": affect.text if affect.text is not None else mood.shock_note,
            "shock_half_life_hours": SHORTEST_SHOCK + (LONGEST_SHOCK - SHORTEST_SHOCK) * severity**2,
            "updated_at": at,
        }
    )


def feeling_at(mood: LongMoodState, now: datetime) -> Vad:
    """How it feels now: the baseline, and what is left of the shock."""
    return _map_axes(lambda usual, shock: usual + shock, mood.baseline_vad, _shock_left(mood, now))


def word_mood(mood: LongMoodState, text: Generated, now: datetime) -> LongMoodState:
    """The mood in new words, unless it was put into words today already."""
    today = now.date().isoformat()
    if mood.baseline_day_key == today:
        return mood
    return mood.model_copy(update={"text": text, "baseline_day_key": today})


def recent_vad_average(affects: Iterable[Affect]) -> Vad:
    """The plain mean of the last twelve things that were felt."""
    last = sorted(affects, key=lambda affect: affect.seq)[-RECENT:]
    if not last:
        return Vad()
    return _vad(*(sum(axis) / len(last) for axis in zip(*(_axes(one.vad) for one in last), strict=True)))


def mood_as_state(mood: LongMoodState, now: datetime) -> PersonaState:
    """The mood as the single state memory keeps of it."""
    return PersonaState(
        kind=StateKind.LONG_MOOD_STATE,
        body_text=mood.text,
        payload=mood.model_dump(mode="json", exclude={"text"}),
        confidence=1.0,
        last_confirmed_at=mood.updated_at or now,
        searchable=False,
    )


def mood_of(state: PersonaState) -> LongMoodState:
    """The mood that a state keeps."""
    payload: dict[str, Any] = {**state.payload, "text": state.body_text}
    return LongMoodState.model_validate(payload)


# --- the arithmetic ---------------------------------------------------------------------------------------------------


def _follow_baseline(mood: LongMoodState, affect: Affect, at: datetime) -> Vad:
    half_life = timedelta(hours=mood.baseline_half_life_hours)
    return _move_towards(
        mood.baseline_vad, affect.vad, (1 - remaining_share(mood.updated_at, at, half_life)) * affect.confidence
    )


def _shock_left(mood: LongMoodState, at: datetime) -> Vad:
    left = remaining_share(mood.updated_at, at, timedelta(hours=mood.shock_half_life_hours))
    return _map_axes(lambda shock, _: shock * left, mood.shock_vad, mood.shock_vad)


def _severity(moment: Vad, baseline: Vad) -> float:
    """Half of the largest difference on any axis: 0 for nothing new, 1 for the opposite extreme."""
    return max(abs(one - other) for one, other in zip(_axes(moment), _axes(baseline), strict=True)) / 2


def _sensitivity(neuroticism: float) -> float:
    """How strongly somebody takes a shock; the same scale by which a mind in a garden is shaken."""
    return 0.4 + 1.2 * neuroticism


def _move_towards(start: Vad, end: Vad, share: float) -> Vad:
    return _map_axes(lambda old, new: old + (new - old) * share, start, end)


def _map_axes(reckon: Callable[[float, float], float], one: Vad, other: Vad) -> Vad:
    """A Vad of which every axis is reckoned from the same axis of two others."""
    return _vad(*(reckon(*pair) for pair in zip(_axes(one), _axes(other), strict=True)))


def _axes(vad: Vad) -> tuple[float, float, float]:
    return vad.v, vad.a, vad.d


def _vad(*axes: float) -> Vad:
    """Three numbers as a Vad, kept within its bounds."""
    v, a, d = (max(-1.0, min(1.0, axis)) for axis in axes)
    return Vad(v=v, a=a, d=d)
