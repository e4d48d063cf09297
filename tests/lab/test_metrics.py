"""Metrics: every formula on rows small enough to count by hand."""

from typing import Any

import pytest

from hakoniwa.lab.metrics import METRICS, metrics_of
from hakoniwa.lab.results import Metrics, TurnRow
from hakoniwa.turn import DeniedReason, FiveAxes

MISSING, ELSEWHERE, STATE = DeniedReason.MISSING_OBJECT, DeniedReason.WRONG_LOCATION, DeniedReason.INVALID_STATE
PLAIN: dict[str, Any] = {}
AXES = FiveAxes(
    character_consistency=1.0, topic_novelty=0.5, relationship_quality=0.4, naturalness=0.2, concreteness=0.6
)


def rows(*fields: dict[str, Any]) -> list[TurnRow]:
    return [TurnRow(turn=place, speaker="やな", **one) for place, one in enumerate(fields, 1)]


@pytest.mark.parametrize(
    ("metric", "given", "expected"),
    [
        ("impossible_acts", [{"denied_reason": MISSING}, {"denied_reason": STATE}, PLAIN, PLAIN], 0.5),
        ("absent_things", [{"denied_reason": one} for one in (MISSING, ELSEWHERE, STATE, None)], 0.5),
        ("absent_by_words", [{"absent_words": ("卵",)}, PLAIN], 0.5),
        ("impossible_kept", [{"denied_reason": MISSING, "kept_denied": None}, {"kept_denied": STATE}], 0.5),
        ("retakes", [{"retakes": 2}, {"retakes": 0}], 1.0),
        ("retake_success", [{"retakes": 1}, {"retakes": 2, "kept_denied": STATE}, {"kept_denied": STATE}], 0.5),
        ("give_ups", [{"retakes": 2, "gave_up": True}, *[{"retakes": 0, "gave_up": False}] * 3], 0.25),
        ("silent_corrections", [{"retakes": 1, "silent_correction": True}, {"retakes": 1}, PLAIN], 1.0),
        ("extra_calls", [{"extra_calls": 1}, PLAIN], 0.5),
        ("stall_rate", [{"stall_score": 0.51}, {"stall_score": 0.5}, PLAIN, PLAIN], 0.25),
        ("stall_mean", [{"stall_score": 0.5}, {"stall_score": 0.1}], 0.3),
        ("effective_acts", [{"effective": True}, PLAIN, PLAIN, PLAIN], 0.25),
        ("world_changes", [{"changed": True}, PLAIN], 0.5),
        ("addressing_errors", [{"addressing_error": True}, PLAIN], 0.5),
        ("tone_errors", [{"tone_error": True}, PLAIN], 0.5),
        ("omniscience", [{"leak": True}, PLAIN], 0.5),
        ("format_breaks", [{"format_break": "TRAILING_GARBAGE"}, PLAIN], 0.5),
        ("quality", [{"quality": AXES}, PLAIN], 0.25 + 0.1 + 0.1 + 0.03 + 0.09),
        ("naturalness", [{"quality": AXES}, PLAIN], 0.2),
        ("calls", [{"calls": 2}, {"calls": 4}], 3.0),
        ("prompt_tokens", [{"prompt_tokens": 10}, {"prompt_tokens": None}], 10.0),
        ("completion_tokens", [{"completion_tokens": 4}, {"completion_tokens": 8}], 6.0),
        ("faults", [{"fault": "model.empty"}, PLAIN, PLAIN, PLAIN], 0.25),
    ],
)  # fmt: skip
def test_a_metric_follows_its_formula(metric: str, given: list[dict[str, Any]], expected: float) -> None:
    assert getattr(metrics_of(rows(*given)), metric) == pytest.approx(expected)


STUCK, MOVED = {"stall_score": 0.6}, {"effective": True}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([STUCK, PLAIN, MOVED, PLAIN], 1.0),
        ([STUCK, PLAIN, PLAIN, PLAIN, MOVED], 0.0),
        ([STUCK, STUCK, MOVED, PLAIN, STUCK, PLAIN, PLAIN, PLAIN], 0.5),
        ([STUCK, PLAIN, PLAIN], None),  # too near the end to be seen
        ([MOVED, PLAIN, PLAIN, PLAIN], None),  # nothing to recover from
    ],
)
def test_recovery_is_an_act_that_counts_within_three_turns(given: list[dict[str, Any]], expected: float | None) -> None:
    assert metrics_of(rows(*given)).stall_recovery == expected


def test_what_cannot_be_measured_is_none_and_not_zero() -> None:
    found = metrics_of(rows({"fault": "model.empty"}))
    assert (found.turns, found.faults) == (0, 1.0)
    undefined = set(Metrics.model_fields) - {"turns", "faults", "denials", "agreement"}
    assert {getattr(found, name) for name in undefined} == {None}
    assert metrics_of(rows(PLAIN)).give_ups is None


def test_judge_and_words_are_compared_turn_by_turn() -> None:
    words = {"absent_words": ("卵",)}
    given = rows({"denied_reason": MISSING, **words}, {"denied_reason": ELSEWHERE}, words, {"denied_reason": STATE})
    assert metrics_of(given).agreement == (1, 1, 1, 1)
    assert metrics_of(given).denials == {MISSING: 1, ELSEWHERE: 1, STATE: 1}


def test_every_measure_of_a_run_is_defined_once() -> None:
    keys = [one.key for one in METRICS]
    assert len(keys) == len(set(keys))
    assert set(keys) == set(Metrics.model_fields) - {"turns", "denials", "agreement"}
