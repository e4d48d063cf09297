"""Mood: the formulas by hand, and what holds whatever is felt and whenever."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hakoniwa.persona.generated import Generated
from hakoniwa.persona.mood import (
    LongMoodState,
    feeling_at,
    mood_as_state,
    mood_of,
    move_mood,
    recent_vad_average,
    word_mood,
)
from hakoniwa.persona.records import Affect, Vad

NOON = datetime(2026, 4, 1, 12, tzinfo=UTC)
AXES = st.floats(-1, 1)
VADS = st.builds(Vad, v=AXES, a=AXES, d=AXES)
HOURS = st.floats(0, 24 * 60)


def affect(v: float = 0.0, a: float = 0.0, d: float = 0.0, *, confidence: float = 1.0, at: datetime = NOON) -> Affect:
    return Affect(seq=1, vad=Vad(v=v, a=a, d=d), confidence=confidence, at=at)


def axes(vad: Vad) -> tuple[float, float, float]:
    return vad.v, vad.a, vad.d


def near(*values: float) -> object:
    return pytest.approx(values, abs=1e-12)


def test_the_first_thing_felt_is_a_shock_to_an_even_mood() -> None:
    mood = move_mood(LongMoodState(), affect(v=-0.8, a=0.4), NOON)

    # severity 0.8 / 2 = 0.4; share 0.6 + 0.3 * 0.4 = 0.72; half-life 1 + 23 * 0.4² = 4.68 hours
    assert axes(mood.baseline_vad) == (0.0, 0.0, 0.0)
    assert axes(mood.shock_vad) == near(-0.576, 0.288, 0.0)
    assert mood.shock_half_life_hours == pytest.approx(4.68)
    assert axes(feeling_at(mood, NOON + timedelta(hours=4.68))) == near(-0.288, 0.144, 0.0)


def test_a_day_later_the_baseline_has_gone_half_way() -> None:
    start = LongMoodState(baseline_vad=Vad(v=0.2), shock_vad=Vad(v=-0.4), updated_at=NOON)
    later = NOON + timedelta(days=1)

    mood = move_mood(start, affect(v=0.8, confidence=0.5, at=later), later)

    # baseline 0.2 + 0.6 * 0.5 * 0.5 = 0.35; severity 0.225; target 0.45; share (0.6 + 0.0675) * 0.5 = 0.33375
    left = -0.4 * 0.5**24
    assert mood.baseline_vad.v == pytest.approx(0.35)
    assert mood.shock_vad.v == pytest.approx(left + (0.45 - left) * 0.33375)
    assert mood.shock_half_life_hours == pytest.approx(1 + 23 * 0.225**2)


@pytest.mark.parametrize(("severity", "hours"), [(0.0, 1.0), (0.5, 6.75), (1.0, 24.0)])
def test_the_worse_the_shock_the_longer_it_lasts(severity: float, hours: float) -> None:
    start = LongMoodState(baseline_vad=Vad(v=-1.0), updated_at=NOON)
    assert move_mood(start, affect(v=-1.0 + 2 * severity), NOON).shock_half_life_hours == pytest.approx(hours)


@pytest.mark.parametrize(("neuroticism", "shock"), [(0.0, 0.4), (0.5, 1.0), (1.0, 1.6)])
def test_neuroticism_scales_shocks(neuroticism: float, shock: float) -> None:
    even = move_mood(LongMoodState(), affect(v=-0.2), NOON).shock_vad.v
    assert move_mood(LongMoodState(), affect(v=-0.2), NOON, neuroticism).shock_vad.v == pytest.approx(even * shock)


def test_what_is_felt_without_confidence_moves_nothing() -> None:
    mood = LongMoodState(shock_vad=Vad(v=0.5), updated_at=NOON)
    assert move_mood(mood, affect(v=-1.0, confidence=0.0), NOON + timedelta(hours=1)) is mood


def test_what_comes_late_does_not_turn_the_clock_back() -> None:
    mood = move_mood(LongMoodState(), affect(v=0.5), NOON)
    late = move_mood(mood, affect(v=-0.5, at=NOON - timedelta(hours=3)), NOON)
    assert late.updated_at == NOON
    assert move_mood(LongMoodState(), affect(at=NOON + timedelta(days=9)), NOON).updated_at == NOON


def test_words_change_at_most_once_a_day() -> None:
    first, second = Generated("静か"), Generated("浮き立つ")
    mood = word_mood(LongMoodState(), first, NOON)
    assert word_mood(mood, second, NOON + timedelta(hours=11)).text is first
    assert word_mood(mood, second, NOON + timedelta(hours=12)).text is second


def test_the_note_of_a_shock_stays_until_another_has_words() -> None:
    told = affect(v=-0.5).model_copy(update={"text": Generated("驚いた")})
    mood = move_mood(move_mood(LongMoodState(), told, NOON), affect(v=0.1), NOON)
    assert mood.shock_note is told.text


def test_a_mood_comes_back_from_the_state_that_keeps_it() -> None:
    mood = word_mood(move_mood(LongMoodState(), affect(v=-0.8, a=0.4), NOON), Generated("落ち着かない"), NOON)
    assert mood_of(mood_as_state(mood, NOON)).model_dump() == mood.model_dump()


def test_the_recent_average_is_the_plain_mean_of_the_last_twelve() -> None:
    felt_so = [Affect(seq=seq, vad=Vad(v=seq / 100, d=-0.5), confidence=0.1, at=NOON) for seq in range(1, 21)]
    assert axes(recent_vad_average(felt_so)) == near(sum(range(9, 21)) / 1200, 0.0, -0.5)
    assert recent_vad_average(reversed(felt_so)) == recent_vad_average(felt_so)
    assert recent_vad_average([]) == Vad()


@given(st.lists(st.tuples(VADS, st.floats(0, 1), HOURS), max_size=8), st.floats(0, 1), HOURS)
def test_whatever_is_felt_a_mood_keeps_its_bounds(
    moments: list[tuple[Vad, float, float]], neuroticism: float, later: float
) -> None:
    mood, now = LongMoodState(), NOON
    for vad, confidence, hours in moments:
        now += timedelta(hours=hours)
        mood = move_mood(mood, Affect(seq=1, vad=vad, confidence=confidence, at=now), now, neuroticism)
    assert LongMoodState.model_validate(mood.model_dump()).model_dump() == mood.model_dump()
    assert all(-1 <= axis <= 1 for axis in axes(feeling_at(mood, now + timedelta(hours=later))))


@given(VADS, VADS, st.floats(1, 24), HOURS, HOURS)
def test_a_shock_only_ever_fades(baseline: Vad, shock: Vad, half_life: float, sooner: float, later: float) -> None:
    mood = LongMoodState(baseline_vad=baseline, shock_vad=shock, shock_half_life_hours=half_life, updated_at=NOON)
    sooner, later = sorted((sooner, later))

    def distance(hours: float) -> list[float]:
        now = feeling_at(mood, NOON + timedelta(hours=hours))
        return [abs(one - usual) for one, usual in zip(axes(now), axes(baseline), strict=True)]

    assert all(one >= other - 1e-12 for one, other in zip(distance(sooner), distance(later), strict=True))
    assert feeling_at(mood, NOON - timedelta(hours=later)) == feeling_at(mood, NOON)
